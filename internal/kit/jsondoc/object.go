// Package jsondoc holds JSON objects that keep the order of their members (models follow a schema better if its
// properties are in the order of the struct), and finds the JSON value in a model's text.
package jsondoc

import (
	"bytes"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Member is a name with its value. The type is an alias of an unnamed struct, so that literals need no field
// names.
type Member = struct {
	Name  string
	Value any
}

// Object is a JSON object. Its values are what encoding/json encodes, including other Objects and slices of any.
type Object []Member

// Get returns the value of a member.
func (o Object) Get(name string) (value any, ok bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// Without returns a copy without the members of the given name, with capacity for one more member.
func (o Object) Without(name string) Object {
	out := make(Object, 0, len(o)+1)
	for _, m := range o {
		if m.Name != name {
			out = append(out, m)
		}
	}
	return out
}

// MarshalJSON writes the members in order.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	if err := write(&b, o); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Compact encodes a value as JSON on one line, without escaping <, > and &. The error is that of encoding/json for
// a value in it.
func Compact(v any) (string, error) {
	var b bytes.Buffer
	err := write(&b, v)
	return b.String(), err
}

func write(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case Object:
		return writeAll(b, '{', '}', len(v), func(i int) error {
			if err := write(b, v[i].Name); err != nil {
				return err
			}
			b.WriteByte(':')
			return write(b, v[i].Value)
		})
	case []any:
		return writeAll(b, '[', ']', len(v), func(i int) error { return write(b, v[i]) })
	}
	raw, err := text.JSON(v)
	b.Write(raw)
	return err
}

// writeAll writes n items separated by commas.
func writeAll(b *bytes.Buffer, open, end byte, n int, item func(i int) error) error {
	b.WriteByte(open)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := item(i); err != nil {
			return err
		}
	}
	b.WriteByte(end)
	return nil
}
