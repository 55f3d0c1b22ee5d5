package cell

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
