package runner

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/observation"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// CellResult is what one cell did.
type CellResult struct {
	repl.Result
	OK        bool   `json:"ok"`                        // the cell ran without error
	Output    string `json:"output,omitempty"`          // what the cell printed, cut in the middle if long
	Truncated int64  `json:"truncated_bytes,omitempty"` // bytes of the output that were cut out
	// Restore is set when the worker was replaced: it reports what happened to the variables.
	Restore *sandbox.Restore `json:"restore,omitempty"`
}

// resultOf converts a result of the notebook.
func resultOf(res sandbox.Result) CellResult {
	return CellResult{
		Result: res.Result, OK: res.Error == nil, Output: strings.ToValidUTF8(res.Output, "\uFFFD"),
		Truncated: res.Truncated, Restore: res.Restore,
	}
}

// encodeCell returns the log's form of a result, without the cell's marks.
func encodeCell(result sandbox.Result) (d trajectory.CellEnded, err error) {
	res := resultOf(result)
	d = trajectory.CellEnded{
		Cell: res.Cell, Output: res.Output, Truncated: res.Truncated, Computed: result.Computed,
		Engine: string(result.Engine), OK: res.OK, ErrorKind: string(res.kind()),
	}
	if d.Result, err = json.Marshal(res.Result); err != nil {
		return d, fmt.Errorf("recording a cell's result: %w", err)
	}
	if result.Kept != nil {
		d.Kept = sandbox.CellRecord{}.As(*result.Kept).Source
	}
	if res.Restore != nil {
		if d.Restore, err = json.Marshal(res.Restore); err != nil {
			return d, fmt.Errorf("recording a cell's result: %w", err)
		}
	}
	return d, nil
}

// decodeCell reads a result from the log.
func decodeCell(d trajectory.CellEnded) (CellResult, error) {
	res := CellResult{OK: d.OK, Output: d.Output, Truncated: d.Truncated}
	var err error
	if res.Result, err = journal.Result(d); err != nil {
		return res, err
	}
	if len(d.Restore) > 0 {
		res.Restore = &sandbox.Restore{}
		if err := json.Unmarshal(d.Restore, res.Restore); err != nil {
			return res, fmt.Errorf("reading cell %d from the log: %w", d.Cell, err)
		}
	}
	return res, nil
}

func (c CellResult) kind() cellerror.Kind {
	if c.Error == nil {
		return ""
	}
	return c.Error.Kind
}

// observation is what the model sees of the cell.
func (c CellResult) observation() observation.Cell {
	p := observation.Of(c.Result, c.Output, c.Truncated, c.Restore)
	if c.Final != nil {
		p.Answer = c.Final.Answer
	}
	return p
}

// outcome is what the policy sees of the cell.
func (c CellResult) outcome(source string) termination.CellOutcome {
	o := termination.CellOutcome{
		Source: source, Output: c.shown(), Printed: c.Output + "\n" + c.Value, Error: string(c.kind()), Final: c.Final,
		Called: c.Called,
	}
	var values strings.Builder
	for _, v := range c.Changed {
		digest := v.Digest
		if digest == "" {
			digest = v.Preview // only the preview can be compared
		}
		fmt.Fprintf(&values, "%s %s %s\n", v.Name, v.Type, digest)
	}
	o.Changed = values.String()
	return o
}

// shown is the observation without the cell's number, which differs from run to run.
func (c CellResult) shown() string {
	p := c.observation()
	p.Number = 0
	return observation.Observation{Cells: []observation.Cell{p}}.String()
}
