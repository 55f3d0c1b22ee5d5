package cell

import "strings"

// Error is one error of a cell, with its position in the source.
type Error struct {
	// Line and Column are 1-based; 0 if the error has no position.
	Line, Column int
	// Message is Go's message.
	Message string
	// Hint describes how to fix the error; it may be empty.
	Hint string
}

// Errors are all errors of a cell, sorted by position. There is at least one.
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
