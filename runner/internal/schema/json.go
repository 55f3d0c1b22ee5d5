package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
)

// member and object are a JSON object that preserves order.
type (
	member = jsondoc.Member
	object = jsondoc.Object
)

// deepest bounds the nesting of JSON.
const deepest = 500

// decode decodes one JSON value: nil, bool, json.Number, string, []any or object.
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
		m := member{Name: name.(string)} // the decoder accepts only strings as names
		if seen[m.Name] {
			return nil, fmt.Errorf("the property %q is there twice", m.Name)
		}
		seen[m.Name] = true
		if m.Value, err = value(d, depth+1); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	_, err := d.Token()
	return out, err
}

// compact encodes a value as JSON on one line, without escaping <, > and &.
func compact(v any) string {
	text, _ := jsondoc.Compact(v) // decoded values can always be encoded
	return text
}

// typeOf is a value's type in JSON Schema's terms.
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
