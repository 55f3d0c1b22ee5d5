package sandbox

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Restore reports what happened when a worker was replaced.
type Restore struct {
	Cells int           `json:"cells"` // cells that were run again
	Took  time.Duration `json:"took"`
	Lost  []string      `json:"lost,omitempty"` // variables, functions and types that are gone
	// Differing are variables whose values are not what they were.
	Differing []string `json:"differing,omitempty"`
	Why       string   `json:"why,omitempty"`  // why the worker was replaced between cells, or why names were lost
	Late      bool     `json:"late,omitempty"` // names were lost because the time was used up
	// LeftOut are cells that are never run again, because no other cell can run after them.
	LeftOut []int `json:"left_out,omitempty"`

	strayed bool // a cell did not run as it did the first time
	refused bool // the engine refuses a cell that had run before, or does not know its panic
	broken  bool // a cell left an unusable worker
	died    bool // a cell killed its worker
}

// Result is what a cell did, as seen by the host.
type Result struct {
	repl.Result
	// Output is what the cell printed; its middle is cut out beyond Limits.Output.
	Output string
	// Truncated is the number of bytes that were cut out of Output.
	Truncated int64
	// Seed is the seed the cell ran with.
	Seed int64
	// Marks are the passages that the cell has cited, even if its worker died.
	Marks []Mark
	// Calls are the host calls that were answered while the cell ran.
	Calls []CallRecord
	// Computed is the cell's CPU time, counted from its last start if it began again.
	Computed time.Duration
	// Engine is the engine in which the cell ended.
	Engine repl.Engine
	// Moved is set if the cell began again in the other engine.
	Moved *Move
	// Restore is set if the worker died or was killed and replaced.
	Restore *Restore
	// Kept is set if the cell was stopped and its variables are kept: it replaces the cell's source in a replay.
	Kept *repl.Kept
}

// tellKept makes the result report what a stopped cell left behind.
func (r *Result) tellKept(kept repl.Kept) {
	r.Kept = &kept
	text := fmt.Sprintf("cell %d: the cell was cancelled.", r.Cell)
	var names []string
	for _, v := range r.Changed {
		names = append(names, v.Name)
	}
	if len(names) == 0 {
		text += "\nIt had set nothing."
	} else {
		text += "\nWhat it had set until then stays: " + strings.Join(names, ", ") + "."
	}
	if left := kept.Unwritten; len(left) > 0 {
		text += "\nThis cannot be written down, and is there until the notebook is closed: " +
			strings.Join(left, ", ") + "."
	}
	r.Error = &repl.CellError{Kind: cellerror.Cancelled, Message: text}
}

// trim limits a worker's report. It rejects kinds of errors that only a host can find.
func trim(meta wire.ResultMeta, cell int, took time.Duration) repl.Result {
	r := wire.TrimResult(meta.Result)
	r.Cell, r.Duration, r.Final = cell, took, nil
	r.Items = bundle.Unpack(meta.Items)
	r.Clock, r.Fired = wire.UnpackClock(meta.Clock), wire.UnpackFires(meta.Fired)
	if r.Error != nil && !slices.Contains(workerKinds, r.Error.Kind) {
		r.Error.Kind = cellerror.Panic
	}
	r.Called = slices.DeleteFunc(r.Called, func(name string) bool { return !isName(name) })
	r.Changed = named(r.Changed)
	return r
}

var workerKinds = []cellerror.Kind{
	cellerror.NotACell, cellerror.CompileError, cellerror.Refused, cellerror.Panic, cellerror.GoroutinePanic,
	cellerror.BudgetExceeded, cellerror.Cancelled, cellerror.StackOverflow, cellerror.Timeout, cellerror.Deadlock,
	cellerror.MemoryLimit,
}

// checkFinal describes what is wrong with a worker's claim about an answer. Signals and statuses determine how a
// run ends and are printed, so unknown ones are rejected.
func (c Config) checkFinal(f answer.FinalOutput) (violation string) {
	switch f.Status {
	case "", answer.Done, answer.Partial, answer.Blocked:
	default:
		return "an answer with a status that there is not"
	}
	switch {
	case !slices.ContainsFunc(c.Builtins, func(s builtins.Spec) bool { return s.Signal && s.Name == f.Signal }):
		return "an answer by a signal that there is not"
	case f.Type == answer.Direct && f.Var == "":
	case f.Type == answer.Variable && isName(f.Var):
	default:
		return "an answer of a type that there is not"
	}
	return ""
}

// named drops variables that have no valid name.
func named(vars []repl.Var) []repl.Var {
	return slices.DeleteFunc(vars, func(v repl.Var) bool { return !isName(v.Name) })
}

// isName reports whether s can be the name of a variable or function in a cell.
func isName(s string) bool { return len(s) <= wire.MaxName && token.IsIdentifier(s) }
