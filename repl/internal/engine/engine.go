// Package engine is the contract between the front end, which turns a cell into a checked Unit, and the
// engines that run it. It holds no code that runs cells: package yaegi beside it does, and package
// enginetest tries any engine.
package engine

import (
	"context"
	"go/token"
	"time"

	"github.com/gorlm/rlm/internal/answer"
)

// Engine runs the units of one session. It is made with a Host and used from one goroutine, but for Stale.
type Engine interface {
	// Load compiles a unit and runs nothing. A *Refused error says that the engine would run it wrongly;
	// the session then goes on as if the unit had never been.
	Load(u *Unit) (Program, error)
	// Run runs what Load returned, on a goroutine of its own, and returns once its entry function has ended
	// or ctx is done. A builtin that ends the cell records why and calls Unwind: to the engine that is an
	// ordinary end. Panics never escape. A program runs once.
	Run(ctx context.Context, p Program, c Conditions) Outcome
	// Stale reports whether the calling goroutine was started by an earlier run. The host ends such a
	// goroutine when it calls a native, so that it cannot touch a later cell. Safe for concurrent use.
	Stale() bool
	// Unwind ends the calling goroutine's part in the run that it belongs to, by panicking with the run's Sentinel: what
	// is deferred runs, recover() in a cell returns nil, and the boundary of the goroutine catches it. Where compiled code
	// keeps the panic, the goroutine panics again when it prints. On deep stacks, and on goroutines that compiled code has
	// started, runtime.Goexit does the same. It does not return. Safe for concurrent use.
	Unwind()
	// Var returns the current value of a package-level variable, by its name in hoisted files, as a plain
	// Go value: nothing of the engine's own wraps it. ok is false if there is no such variable.
	Var(name string) (value any, ok bool)
}

// Program is a loaded unit, as its engine knows it.
type Program any

// Conditions are what a cell must not take from the machine, so that it can be repeated, and how its host meets it.
type Conditions struct {
	// Seed seeds the top-level functions of math/rand and math/rand/v2.
	Seed int64
	// Now answers every reading of the clock (time.Now, time.Since, time.Until). Safe for concurrent use.
	Now func() time.Time
	// Sentinel is the run's own: what Unwind panics with. The boundaries of the run's goroutines catch no other.
	Sentinel *answer.Sentinel
	// Began, if not nil, is called once, when goroutines of earlier runs are stale and nothing of the program has run.
	Began func()
}

// Outcome is how a program ended.
type Outcome struct {
	// Panic is the recovered value of a panic; nil if the program ran to its end or a builtin ended it.
	Panic any
	// PanicType is the Go type of the panic value as written.
	PanicType string
	// Cell is that of the function that panicked; 0 means the unit's own.
	Cell int
	// Line and Column are where it panicked.
	Line, Column int
	// Frames are the functions on the stack, innermost first, at most ten, such as "total (cell 2, line 4)".
	Frames []string
	// Inexact is set where the engine does not know Go's words for the panic, nor its place. The exact engine does.
	Inexact bool
	// Goroutine is set when the panic came from a goroutine that the cell started.
	Goroutine bool
	// Cancelled is set when ctx ended the program.
	Cancelled bool
	// Sound says whether the engine's state can still be trusted. An engine that is not sound is thrown away.
	Sound bool
	// Running is the number of goroutines that the cell left behind.
	Running int
}

// RefusedError is the error of an engine that will not run valid Go, because it would run it wrongly.
type RefusedError struct {
	// Pos is where the construct stands; token.NoPos if it is the whole cell.
	Pos token.Pos
	// Construct names what is refused, Why says what is wrong with it, Instead what to write in its place.
	Construct, Why, Instead string
	// Err is how the engine itself failed, if it did; the one who wrote the cell does not see it.
	Err error
}

func (r *RefusedError) Error() string {
	text := r.Construct + ": " + r.Why + "; " + r.Instead
	if r.Err != nil {
		text += " (" + r.Err.Error() + ")"
	}
	return text
}
