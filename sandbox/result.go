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

// Restore says what happened when a worker was replaced.
type Restore struct {
	Cells int           `json:"cells"` // cells that were run again
	Took  time.Duration `json:"took"`
	Lost  []string      `json:"lost,omitempty"` // variables, functions and types that are gone
	// Differing are variables that are there with another value than they had.
	Differing []string `json:"differing,omitempty"`
	Why       string   `json:"why,omitempty"`  // why the worker was replaced between cells, or why something was lost
	Late      bool     `json:"late,omitempty"` // something was lost because there was not enough time
	// LeftOut are cells that are not run again any more, because no other cell runs after them.
	LeftOut []int `json:"left_out,omitempty"`

	strayed bool // a cell went another way than the first time
	refused bool // one that had run is refused by the engine, or panics there
	broken  bool // one left a worker that is of no use
	died    bool // a worker died of one
}

// Result is what a cell did, as the host knows it.
type Result struct {
	repl.Result
	// Output is what the cell printed, cut in the middle to Limits.Output.
	Output string
	// Truncated is the number of bytes that were cut out of Output.
	Truncated int64
	// Seed is the seed the cell ran with.
	Seed int64
	// Marks are the passages that the cell has cited, also if its worker died.
	Marks []Mark
	// Calls are the host calls that were answered while the cell ran.
	Calls []CallRecord
	// Computed is the CPU time that the cell used, since it began again if it did.
	Computed time.Duration
	// Engine is what the cell ended in.
	Engine repl.Engine
	// Moved is set when the cell began again in the other engine.
	Moved *Move
	// Restore is set when the worker died or was killed and replaced.
	Restore *Restore
	// Kept is set when the cell was stopped and what it had set stays: what stands for it when it is to be run again.
	Kept *repl.Kept
}

// tellKept says of a cell that was stopped what it left behind.
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
		text += "\nThis cannot be written down, and is there until the notebook is closed: " + strings.Join(left, ", ") + "."
	}
	r.Error = &repl.CellError{Kind: cellerror.Cancelled, Message: text}
}

// trim brings what a worker reports into bounds. Kinds that only a host can find are not taken from a worker.
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
	cellerror.BudgetExceeded, cellerror.Cancelled, cellerror.StackOverflow, cellerror.Timeout, cellerror.Deadlock, cellerror.MemoryLimit,
}

// checkFinal says what is wrong with what a worker claims of an answer. Signals and statuses decide how a run ends and are
// printed, so only those that there are can be claimed.
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

// named leaves out what no cell can have named so.
func named(vars []repl.Var) []repl.Var {
	return slices.DeleteFunc(vars, func(v repl.Var) bool { return !isName(v.Name) })
}

// isName says whether s can be the name of a variable or function in a cell.
func isName(s string) bool { return len(s) <= wire.MaxName && token.IsIdentifier(s) }
