package repl

import (
	"io"
	"time"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl/internal/decide"
)

// Config is what a notebook is made from.
type Config struct {
	// Context is the text that cells see as the variable context. It is never copied.
	Context string
	// Docs are the documents of the context; cells see them as docs.
	Docs []Doc
	// History is what cells see as history: earlier questions and answers of the session.
	History []string
	// Engine runs the cells; empty for Yaegi.
	Engine Engine
	// Builtins are all functions that cells can call besides Go's own.
	Builtins []Builtin
	// Stdout takes what cells print. Writes are serialised by the notebook.
	Stdout io.Writer
	// Final is called with an answer before the cell unwinds; nil if Result.Final is enough.
	Final func(out answer.FinalOutput) error
	// grace is how long a cell may go on once its end is recorded, before it is cancelled, and after that until its goroutines are
	// given up; engine.Grace if it is 0.
	grace time.Duration
}

// RunOptions are per cell.
type RunOptions struct {
	// Cell is the cell's number in the session, from 1, as it appears in positions and messages.
	Cell int
	// Untagged says that the source stood in a block without a language tag: it is run only if it
	// is recognisably Go (cellerror.NotACell otherwise).
	Untagged bool
	// Seed seeds math/rand for this cell, so that a replay draws the same numbers.
	Seed int64
	// Clock, if not nil, answers reads of the clock from this list (a replay); when it is used up, and
	// if it is nil, the real clock is read and recorded in Result.Clock.
	Clock []int64
	// Again says that the cell has run before: it is handed the replies to its calls, and the timers in Fired, in the order that
	// is recorded, before anything else.
	Again bool
	Fired []Fire
	// Began, if not nil, is called when the engine has taken the cell, before anything of it runs.
	Began func()
}

// Fire is a timer that fired while a cell ran:
//
//	Timer uint64 // names the timer in the session, the same each time that the cell is run
//	After int    // replies that the cell had been handed before
type Fire = decide.TimerEvent
