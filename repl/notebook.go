package repl

import (
	"io"
	"time"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl/internal/decide"
)

// Config configures a notebook.
type Config struct {
	// Context is the text that cells see as the variable context. It is never copied.
	Context string
	// Docs are the documents of the context; cells see them as docs.
	Docs []Doc
	// History lists earlier questions and answers of the session; cells see it as history.
	History []string
	// Engine runs the cells; the default is Yaegi.
	Engine Engine
	// Builtins are the functions that cells can call besides Go's own.
	Builtins []Builtin
	// Stdout receives what cells print. The notebook serialises writes.
	Stdout io.Writer
	// Final, if not nil, is called with an answer before the cell unwinds. Result.Final contains it in any case.
	Final func(out answer.FinalOutput) error
	// grace is how long a cell may still run after its end is recorded before it is cancelled, and how long to wait
	// for its goroutines after that; 0 means engine.Grace.
	grace time.Duration
}

// RunOptions are the options of one cell.
type RunOptions struct {
	// Cell is the cell's number in the session, from 1, as it appears in positions and messages.
	Cell int
	// Untagged means that the source came from a code block without a language tag: it runs only if it is
	// recognisably Go (cellerror.NotACell otherwise).
	Untagged bool
	// Seed seeds math/rand for this cell, so that a replay draws the same numbers.
	Seed int64
	// Clock contains the results of the cell's clock readings in a replay. When it is nil or used up, the real
	// clock is read. Result.Clock records all readings.
	Clock []int64
	// Again means that the cell has run before. It receives the recorded replies to its calls, and the timers in
	// Fired, in the recorded order, before any others.
	Again bool
	Fired []Fire
	// Began, if not nil, is called when the engine has accepted the cell, before any of it runs.
	Began func()
}

// Fire is a timer that fired while a cell ran:
//
//	Timer uint64 // identifies the timer in the session, the same each time the cell runs
//	After int    // number of replies that the cell had received before
type Fire = decide.TimerEvent
