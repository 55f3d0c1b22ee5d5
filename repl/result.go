package repl

import (
	"time"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/bundle"
)

// CellError is the failure of a cell, described for the cell's author.
type CellError struct {
	Kind cellerror.Kind `json:"kind"`
	// Message contains everything that the author needs: what happened, the offending line with a caret if there is
	// one, and what to do differently. It usually has several lines.
	Message string `json:"message"`
	// Line and Column are 1-based positions in the cell's source; 0 if unknown.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

func (e *CellError) Error() string { return string(e.Kind) + ": " + e.Message }

// Var describes one session variable. It does not contain the value.
type Var struct {
	Name    string `json:"name"`
	Type    string `json:"type"` // Go type, as cells write it
	Size    string `json:"size"` // "len 3", "1.2 MB", "" for scalars
	Preview string `json:"preview"`
	Cell    int    `json:"cell"` // the cell that last set the variable
	// Digest is a hash of the whole value, including everything that it points to. Equal digests mean equal values,
	// so a replay can be compared with the first run. It is empty for values that cannot be hashed, such as those
	// that contain funcs or channels.
	Digest string `json:"digest,omitempty"`
}

// Result is the outcome of one cell.
type Result struct {
	Cell int `json:"cell"`
	// Value is the formatted value of the last expression; empty when there is none.
	Value string `json:"value,omitempty"`
	// Items are the parts of the output, and the value, that have other forms besides text.
	Items []bundle.Item `json:"items,omitempty"`
	// Error is nil if the cell succeeded or was ended by a completion signal.
	Error *CellError `json:"error,omitempty"`
	// Inexact means that the engine knows neither Go's message for the cell's panic nor its position. The exact
	// engine always knows both.
	Inexact bool `json:"inexact,omitempty"`
	// Final is set when the cell recorded an answer.
	Final *answer.FinalOutput `json:"final,omitempty"`
	// Changed lists the variables that the cell created or changed.
	Changed []Var `json:"changed,omitempty"`
	// Notes are remarks for the model that are not failures: a shadowed builtin, goroutines that are still
	// running, a redefined function with another signature.
	Notes []string `json:"notes,omitempty"`
	// Called names the builtins and tools that the cell called, in order of first call.
	Called []string `json:"called,omitempty"`
	// Clock lists the cell's readings of the clock (Unix nanoseconds), for a replay.
	Clock []int64 `json:"clock,omitempty"`
	// Fired lists the timers that fired, for a replay.
	Fired []Fire `json:"fired,omitempty"`
	// Duration is the wall time of the cell.
	Duration time.Duration `json:"duration"`
}
