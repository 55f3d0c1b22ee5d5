// Package jsondoc holds JSON objects that keep the order of their members (models follow a schema better when its
// properties come in the order of the struct), and finds the JSON value in what a model wrote.
package jsondoc

import (
	"bytes"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Member is a name with its value. The type has no name of its own, so that members are written without the names of the fields.
type Member = struct {
	Name  string
	Value any
}

// Object is a JSON object. Its values, and those of slices of any and other Objects in it, are what encoding/json encodes.
type Object []Member

// Get is the value of a member.
func (o Object) Get(name string) (value any, ok bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// Without is a copy without the members of a name, with room for one more.
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

// Compact writes a value as JSON on one line, with <, > and & as they are. The error is that of encoding/json for a value in it.
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

// writeAll writes n items with commas between them.
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
