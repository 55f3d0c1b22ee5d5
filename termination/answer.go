package termination

import (
	"encoding/json"
	"fmt"
	"strings"
)

// FormatAnswer is the text of an answer, whatever Go value it is:
//
//   - a string as it is; bytes that are UTF-8 as text
//   - a map or struct with a field "answer": that field
//   - any other map or struct as JSON with two spaces; keys sorted, fields in their order and by their json tags
//   - a slice with a line for each element, structured elements as JSON on their line; an empty one as []
//   - an error, a fmt.Stringer by its text; a panic in such a method is shown as text
//   - numbers without an exponent below 1e21 (and from 1e-6): 1000000, not 1e+06; NaN as NaN
//   - nil as <nil>, pointers by what they point to, a value that contains itself with <cycle> in its place
//
// It never panics, and its result is at most MaxAnswer bytes long.
func FormatAnswer(v any) string {
	if s, ok := v.(string); ok && len(s) <= MaxAnswer {
		return s
	}
	return ValueOf(v).String()
}

// AnswerMap reads the variable answer of a notebook, the way of answering with a map: content is the answer, ready says
// that it is complete. While ready is not set, the content is a draft. Ready without content is an error, addressed to the
// model.
func AnswerMap(answer map[string]any) (content string, ready bool, err error) {
	ready = isReady(answer["ready"])
	value, ok := answer["content"]
	if ok && value != nil {
		content = FormatAnswer(value)
	}
	if ready && strings.TrimSpace(content) == "" {
		return "", false, fmt.Errorf(`answer["ready"] is set, but answer["content"] is empty: set the content first, then ready`)
	}
	return content, ready, nil
}

// isReady reports whether a value of the key ready means yes.
func isReady(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		return strings.EqualFold(v, "true") || strings.EqualFold(v, "yes")
	case int:
		return v != 0
	case float64:
		return v != 0
	case json.Number:
		return v != "0"
	}
	return false
}
