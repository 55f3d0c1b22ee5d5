package sandbox

import (
	"go/token"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/termination/answer"
)

// Restore says what happened when a worker was replaced.
type Restore struct {
	Cells int           `json:"cells"` // cells that were run again
	Took  time.Duration `json:"took"`
	Lost  []string      `json:"lost,omitempty"` // variables that could not be restored
	Why   string        `json:"why,omitempty"`  // why the worker was replaced between cells, or why something was lost
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
	// Calls are the host calls that were answered while the cell ran.
	Calls []CallRecord
	// Restore is set when the worker died or was killed and replaced.
	Restore *Restore
}

// Bounds of what a worker reports: a result goes into a prompt, and the worker may have been taken over.
const (
	maxMessage = 16 << 10
	maxValue   = 64 << 10
	maxNotes   = 64
	maxNote    = 2 << 10
	maxVars    = 10_000
	maxName    = 512
	maxPreview = 4 << 10
	maxCalled  = 1_000
)

// trim brings what a worker reports into bounds. Kinds that only a host can find are not taken from a worker.
func trim(r repl.Result, cell int, took time.Duration) repl.Result {
	r.Cell, r.Duration, r.Final = cell, took, nil
	r.Value = short(r.Value, maxValue)
	if r.Error != nil {
		if !slices.Contains(workerKinds, r.Error.Kind) {
			r.Error.Kind = repl.KindPanic
		}
		r.Error.Message = short(r.Error.Message, maxMessage)
		r.Error.Line, r.Error.Column = max(r.Error.Line, 0), max(r.Error.Column, 0)
	}
	r.Changed = trimVars(r.Changed)
	r.Notes = trimList(r.Notes, maxNotes, maxNote)
	r.Called = trimList(r.Called, maxCalled, maxName)
	return r
}

var workerKinds = []repl.Kind{
	repl.KindNotACell, repl.KindCompileError, repl.KindRefused, repl.KindPanic, repl.KindGoroutinePanic,
	repl.KindBudgetExceeded, repl.KindCancelled, repl.KindStackOverflow, repl.KindTimeout, repl.KindDeadlock, repl.KindMemoryLimit,
}

func trimVars(vars []repl.Var) []repl.Var {
	vars = vars[:min(len(vars), maxVars)]
	for i := range vars {
		v := &vars[i]
		v.Name, v.Type = short(v.Name, maxName), short(v.Type, maxPreview)
		v.Size, v.Digest = short(v.Size, maxName), short(v.Digest, maxName)
		v.Preview = short(v.Preview, maxPreview)
	}
	return vars
}

func trimList(list []string, n, each int) []string {
	list = list[:min(len(list), n)]
	for i := range list {
		list[i] = short(list[i], each)
	}
	return list
}

// short cuts a text to n bytes.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " …"
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

// isName says whether s can be the name of a variable or function in a cell.
func isName(s string) bool { return len(s) <= maxName && token.IsIdentifier(s) }
