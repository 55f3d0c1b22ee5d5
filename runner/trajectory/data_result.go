package trajectory

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/kit/bundle"
)

// CellResult is the decoded result of a CellEnded.
type CellResult struct {
	Cell  int    `json:"cell"`            // number of the cell
	Value string `json:"value,omitempty"` // value of the last expression, formatted
	// parts of the output, and the value, as far as they are more than text
	Items []bundle.Item `json:"items,omitempty"`
	Error *CellError    `json:"error,omitempty"` // nil if the cell ran without error
	// Inexact means that the engine does not know the exact message or line of the cell's panic.
	Inexact  bool          `json:"inexact,omitempty"`
	Final    *CellAnswer   `json:"final,omitempty"`   // set if the cell recorded an answer
	Changed  []Var         `json:"changed,omitempty"` // variables that the cell created or changed
	Notes    []string      `json:"notes,omitempty"`   // remarks for the model that are not errors
	Called   []string      `json:"called,omitempty"`  // builtins and tools, in the order of their first calls
	Clock    []int64       `json:"clock,omitempty"`   // readings of the clock, in Unix nanoseconds
	Fired    []TimerFired  `json:"fired,omitempty"`   // timers that fired, in order
	Duration time.Duration `json:"duration"`          // wall time
}

// CellError is the error of a cell.
type CellError struct {
	Kind    string `json:"kind"`             // CompileError, Panic, Timeout, …
	Message string `json:"message"`          // complete; usually several lines
	Line    int    `json:"line,omitempty"`   // line of the cell's source, from 1; 0 if unknown
	Column  int    `json:"column,omitempty"` // column in this line, from 1; 0 if unknown
}

// CellAnswer is the answer that a cell recorded.
type CellAnswer struct {
	Type   string `json:"type"`             // direct or variable
	Answer string `json:"answer"`           // the text for people
	Var    string `json:"var,omitempty"`    // name of the variable with the answer
	Signal string `json:"signal"`           // name of the builtin or tool that recorded it
	Status string `json:"status,omitempty"` // done, partial or blocked
}

// Var describes a variable of the notebook, without its value.
type Var struct {
	Name    string `json:"name"`             // as in the cell
	Type    string `json:"type"`             // Go type as in the cell
	Size    string `json:"size"`             // "len 3", "1.2 MB", empty for scalars
	Preview string `json:"preview"`          // beginning of the formatted value
	Cell    int    `json:"cell"`             // number of the cell that last set it
	Digest  string `json:"digest,omitempty"` // equal digests mean equal values; empty if there is none
}

// Decode decodes Result. If a part has an unknown form, because the log is newer or damaged, the other parts are
// returned with the error, so that a reader can show them.
func (d CellEnded) Decode() (CellResult, error) {
	var r CellResult
	if err := json.Unmarshal(d.Result, &r); err != nil {
		return r, fmt.Errorf("reading what cell %d did: %w", d.Cell, err)
	}
	return r, nil
}
