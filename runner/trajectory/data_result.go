package trajectory

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/kit/bundle"
)

// CellResult is the form of the result of a CellEnded.
type CellResult struct {
	Cell     int           `json:"cell"`              // its number
	Value    string        `json:"value,omitempty"`   // of the last expression, formatted
	Items    []bundle.Item `json:"items,omitempty"`   // parts of the output, and the value, that have more forms than text
	Error    *CellError    `json:"error,omitempty"`   // nil if the cell did what it was to do
	Inexact  bool          `json:"inexact,omitempty"` // the engine does not know Go's words for the panic of the cell, nor its place
	Final    *CellAnswer   `json:"final,omitempty"`   // set if the cell recorded an answer
	Changed  []Var         `json:"changed,omitempty"` // variables that it created or changed
	Notes    []string      `json:"notes,omitempty"`   // remarks for the model that are no failure
	Called   []string      `json:"called,omitempty"`  // builtins and tools, in the order of their first calls
	Clock    []int64       `json:"clock,omitempty"`   // what the cell read from the clock, in Unix nanoseconds
	Fired    []TimerFired  `json:"fired,omitempty"`   // timers, in order
	Duration time.Duration `json:"duration"`          // wall time
}

// CellError is why a cell failed.
type CellError struct {
	Kind    string `json:"kind"`             // CompileError, Panic, Timeout, …
	Message string `json:"message"`          // complete as it is; several lines are usual
	Line    int    `json:"line,omitempty"`   // of the cell's source, from 1; 0 where unknown
	Column  int    `json:"column,omitempty"` // as Line
}

// CellAnswer is the answer that a cell recorded.
type CellAnswer struct {
	Type   string `json:"type"`             // direct or variable
	Answer string `json:"answer"`           // the text that a person reads
	Var    string `json:"var,omitempty"`    // name of the variable that holds it
	Signal string `json:"signal"`           // name of the builtin or tool that recorded it
	Status string `json:"status,omitempty"` // done, partial or blocked
}

// Var describes a variable of the notebook. It never holds the value itself.
type Var struct {
	Name    string `json:"name"`             // as the cell wrote it
	Type    string `json:"type"`             // Go type as the cell wrote it
	Size    string `json:"size"`             // "len 3", "1.2 MB", empty for scalars
	Preview string `json:"preview"`          // beginning of the formatted value
	Cell    int    `json:"cell"`             // that set it last
	Digest  string `json:"digest,omitempty"` // of the value; equal digests mean equal values. Empty where there is none
}

// Decode reads Result. Where a part has an unknown form, because the log is newer or damaged, the other parts are returned with the
// error: a reader can show those.
func (d CellEnded) Decode() (CellResult, error) {
	var r CellResult
	if err := json.Unmarshal(d.Result, &r); err != nil {
		return r, fmt.Errorf("reading what cell %d did: %w", d.Cell, err)
	}
	return r, nil
}
