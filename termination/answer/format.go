package answer

import (
	"encoding/json"
	"strings"
)

// Format is the text of an answer, whatever Go value it is:
//
//   - a string as it is; bytes that are UTF-8 as text
//   - a map or struct with a field "answer": that field
//   - any other map or struct as JSON with two spaces; keys sorted, fields in their order and by their json tags
//   - a slice with a line for each element, structured elements as JSON on their line; an empty one as []
//   - an error, a fmt.Stringer by its text; a panic in such a method is shown as text
//   - numbers without an exponent below 1e21 (and from 1e-6): 1000000, not 1e+06; NaN as NaN
//   - nil as <nil>, pointers by what they point to, a value that contains itself with <cycle> in its place
//
// It never panics, and its result is at most MaxLen bytes long.
func Format(v any) string {
	if s, ok := v.(string); ok && len(s) <= MaxLen {
		return s
	}
	return Of(v).String()
}

// JSONText formats an answer that was written as a JSON object or list as Format does its value; any other text as it is.
func JSONText(s string) string {
	if s == "" || s[0] != '{' && s[0] != '[' {
		return s
	}
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return s
	}
	return Format(v)
}
