package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// member and object are a JSON object that keeps its order.
type member struct {
	name  string
	value any
}

type object []member

// get is the value of a member.
func (o object) get(name string) (value any, ok bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// deepest bounds the nesting of JSON that is read.
const deepest = 500

// decode reads one JSON value: nil, bool, json.Number, string, []any or object.
func decode(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := value(d, 0)
	if err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return nil, errors.New("it ends in the middle of a value")
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text follows after the value")
	}
	return v, nil
}

func value(d *json.Decoder, depth int) (any, error) {
	if depth > deepest {
		return nil, errors.New("it is nested too deeply")
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		return list(d, depth)
	case json.Delim('{'):
		return members(d, depth)
	}
	return t, nil
}

func list(d *json.Decoder, depth int) (any, error) {
	out := []any{}
	for d.More() {
		v, err := value(d, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, err := d.Token()
	return out, err
}

func members(d *json.Decoder, depth int) (any, error) {
	out, seen := object{}, map[string]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)} // the decoder takes nothing else for a name
		if seen[m.name] {
			return nil, fmt.Errorf("the property %q is there twice", m.name)
		}
		seen[m.name] = true
		if m.value, err = value(d, depth+1); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	_, err := d.Token()
	return out, err
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) { return []byte(compact(o)), nil }

// compact writes a value as JSON on one line, with <, > and & as they are.
func compact(v any) string {
	var b bytes.Buffer
	write(&b, v)
	return b.String()
}

func write(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, m.name)
			b.WriteByte(':')
			write(b, m.value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, item)
		}
		b.WriteByte(']')
	default:
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v)       // texts, numbers and what is made of them always encode
		b.Truncate(b.Len() - 1) // the line end
	}
}

// typeOf is a value's type in the words of JSON Schema.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case object:
		return "object"
	case json.Number:
		if n, ok := parseNumber(string(v)); ok && n.isWhole() {
			return "integer"
		}
	}
	return "number"
}
