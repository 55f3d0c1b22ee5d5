package repl

import (
	"time"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/bundle"
)

// CellError is the failure of a cell, written for the one who wrote the cell.
type CellError struct {
	Kind cellerror.Kind `json:"kind"`
	// Message is complete as it stands: what happened, the offending line with a caret where there
	// is one, and what to do differently. Several lines are usual.
	Message string `json:"message"`
	// Line and Column are 1-based positions in the cell's source; 0 where unknown.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

func (e *CellError) Error() string { return string(e.Kind) + ": " + e.Message }

// Var describes one session variable. It never holds the value itself.
type Var struct {
	Name    string `json:"name"`
	Type    string `json:"type"` // Go type as the user wrote it
	Size    string `json:"size"` // "len 3", "1.2 MB", "" for scalars
	Preview string `json:"preview"`
	Cell    int    `json:"cell"` // the cell that last set it
	// Digest is a hash of the deep value where it can be computed (no funcs or channels inside);
	// equal digests mean equal values, so that a replay can be compared. Empty where it cannot.
	Digest string `json:"digest,omitempty"`
}

// Result is what one cell did.
type Result struct {
	Cell int `json:"cell"`
	// Value is the formatted value of the last expression; empty when there is none.
	Value string `json:"value,omitempty"`
	// Items are the parts of the output, and the value, that have more forms than text.
	Items []bundle.Item `json:"items,omitempty"`
	// Error is nil when the cell succeeded (also when it ended by a completion signal).
	Error *CellError `json:"error,omitempty"`
	// Inexact says that the engine does not know Go's words for the panic of the cell, nor its place. The exact engine does.
	Inexact bool `json:"inexact,omitempty"`
	// Final is set when the cell recorded an answer.
	Final *answer.FinalOutput `json:"final,omitempty"`
	// Changed lists the variables that the cell created or changed.
	Changed []Var `json:"changed,omitempty"`
	// Notes are remarks for the model that are no failure: a shadowed builtin, goroutines that
	// are still running, a redefined function with another signature.
	Notes []string `json:"notes,omitempty"`
	// Called names the builtins and tools that the cell called, in order of first call.
	Called []string `json:"called,omitempty"`
	// Clock holds what the cell read from the clock (Unix nanoseconds), so that it can be repeated.
	Clock []int64 `json:"clock,omitempty"`
	// Fired holds the timers that fired, for the same reason.
	Fired []Fire `json:"fired,omitempty"`
	// Duration is the wall time of the cell.
	Duration time.Duration `json:"duration"`
}
