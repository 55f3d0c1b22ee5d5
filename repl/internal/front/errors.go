package front

import "strings"

// Error is one thing that is wrong with a cell, at a place of its source.
type Error struct {
	// Line and Column are 1-based; 0 where the error has no place.
	Line, Column int
	// Message is what Go says.
	Message string
	// Hint says what to do about it; may be empty.
	Hint string
}

// Errors are all errors of a cell, in order of place. There is at least one.
type Errors []*Error

func (e Errors) Error() string {
	var b strings.Builder
	for i, err := range e {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(err.Message)
	}
	return b.String()
}

// mark separates the name a user gave from what makes it unique in a session (xʹ2).
const mark = "ʹ"

// display drops the marks that hoisted files put behind names.
func display(s string) string {
	if !strings.Contains(s, mark) {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, mark)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+len(mark):]
		s = strings.TrimLeft(s, "0123456789")
	}
}
