package answer

import (
	"encoding/json"
	"strings"
)

// Format returns the text of an answer, for any Go value:
//
//   - a string unchanged; bytes that are UTF-8 as text
//   - an error and a fmt.Stringer by its text; a panic in such a method is shown as text
//   - numbers without an exponent below 1e21 (and from 1e-6): 1000000, not 1e+06; NaN as NaN
//   - a map or struct with a field "answer": that field
//   - any other list, map or struct as JSON, as encoding/json writes it: a short list of plain values on one line,
//     any other list with a line for each element, an object with two spaces of indentation
//   - nil as <nil>, pointers by what they point to, a value that contains itself with <cycle> in its place
//
// It never panics. Its result has at most MaxLen bytes, and a remark if it was truncated.
func Format(v any) string {
	if s, ok := v.(string); ok && len(s) <= MaxLen {
		return s
	}
	return Of(v).String()
}

// JSONText formats an answer written as a JSON object or list as Format would format its value; other text is
// unchanged.
func JSONText(s string) string {
	if v, ok := readJSON(s); ok {
		return v.String()
	}
	return s
}

// readJSON reads a text that is one JSON object or list; ok is false if it is not.
func readJSON(s string) (v Value, ok bool) {
	if s == "" || s[0] != '{' && s[0] != '[' {
		return Value{}, false
	}
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil || dec.More() {
		return Value{}, false
	}
	return Of(value), true
}
