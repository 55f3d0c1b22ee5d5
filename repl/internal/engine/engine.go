// Package engine is the contract between the front end, which turns a cell into a checked Unit, and the engines
// that run it. It contains no code that runs cells: the packages yaegi and exact below it do, and package
// enginetest tests any engine.
package engine

import (
	"context"
	"go/token"
	"time"

	"github.com/gorlm/rlm/internal/answer"
)

// Engine runs the units of one session. It is made with a Host. Only one goroutine may use it, except where noted.
type Engine interface {
	// Load compiles a unit without running it. A *RefusedError means that the engine would run the unit wrongly;
	// the session then continues as if the unit had never existed.
	Load(u *Unit) (Program, error)
	// Run runs the result of Load on a new goroutine, and returns once its entry function has ended or ctx is done.
	// A builtin that ends the cell records the reason and calls Unwind; for the engine that is a normal end. Panics
	// never reach the caller. A program runs only once.
	Run(ctx context.Context, p Program, c Conditions) Outcome
	// Stale reports whether an earlier run started the calling goroutine. The host ends such a goroutine when it
	// calls a native, so that it cannot affect a later cell. Stale is safe for concurrent use.
	Stale() bool
	// Unwind ends the calling goroutine's part in its run by panicking with the run's Sentinel: deferred calls
	// run, recover() in a cell returns nil, and the boundary of the goroutine catches the panic. If compiled
	// code recovers it instead, the goroutine panics again when it prints. On deep stacks, and on goroutines
	// that compiled code has started, Unwind calls runtime.Goexit instead. It does not return. Unwind is safe
	// for concurrent use.
	Unwind()
	// Var returns the current value of a package-level variable, by its name in hoisted files, as a plain Go
	// value, without wrappers of the engine. ok is false if there is no such variable.
	Var(name string) (value any, ok bool)
}

// Program is a loaded unit, in the form that its engine uses.
type Program any

// Conditions replace whatever a cell must not take from the machine, so that the cell can be repeated. They also
// connect it to its host.
type Conditions struct {
	// Seed seeds the top-level functions of math/rand and math/rand/v2.
	Seed int64
	// Now provides every reading of the clock (time.Now, time.Since, time.Until). It is safe for concurrent use.
	Now func() time.Time
	// Sentinel is the value that Unwind panics with in this run. The boundaries of the run's goroutines catch no
	// other value.
	Sentinel *answer.Sentinel
	// Began, if not nil, is called once, after goroutines of earlier runs have become stale and before any of
	// the program runs.
	Began func()
}

// Outcome describes how a program ended.
type Outcome struct {
	// Panic is the recovered value of a panic; nil if the program ran to its end or a builtin ended it.
	Panic any
	// PanicType is the Go type of the panic value, as cells write it.
	PanicType string
	// Cell is the number of the cell whose function panicked; 0 means the cell of the unit.
	Cell int
	// Line and Column are the position of the panic.
	Line, Column int
	// Frames are the functions on the stack, innermost first, at most ten, such as "total (cell 2, line 4)".
	Frames []string
	// Inexact is set if the engine knows neither Go's message for the panic nor its position. The exact engine
	// always knows both.
	Inexact bool
	// Goroutine is set when the panic came from a goroutine that the cell started.
	Goroutine bool
	// Cancelled is set if the program ended because of ctx.
	Cancelled bool
	// Sound reports whether the engine's state can still be trusted. An unsound engine must be discarded.
	Sound bool
	// Running is the number of goroutines that the cell left running.
	Running int
}

// RefusedError is the error for valid Go that an engine would run wrongly and therefore does not run.
type RefusedError struct {
	// Pos is the position of the construct; token.NoPos for the whole cell.
	Pos token.Pos
	// Construct names the refused construct; Why is the reason, and Instead an alternative.
	Construct, Why, Instead string
	// Err is the error of the engine itself, if there was one; the cell's author does not see it.
	Err error
}

func (r *RefusedError) Error() string {
	text := r.Construct + ": " + r.Why + "; " + r.Instead
	if r.Err != nil {
		text += " (" + r.Err.Error() + ")"
	}
	return text
}
