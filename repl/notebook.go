package repl

import (
	"context"
	"io"

	"github.com/gorlm/rlm/termination/answer"
)

// Config is what a notebook is made from.
type Config struct {
	// Context is the text that cells see as the variable context. It is never copied.
	Context string
	// Docs are the documents of the context; cells see them as docs.
	Docs []Doc
	// History is what cells see as history: earlier questions and answers of the session.
	History []string
	// Builtins are all functions that cells can call besides Go's own.
	Builtins []Builtin
	// Stdout takes what cells print. Writes are serialised by the notebook.
	Stdout io.Writer
	// Final is told an answer before the cell unwinds; nil if Result.Final is enough.
	Final func(out answer.FinalOutput) error
}

// RunOptions are per cell.
type RunOptions struct {
	// Cell is the cell's number in the session, from 1, as it appears in positions and messages.
	Cell int
	// Untagged says that the source stood in a block without a language tag: it is run only if it
	// is recognisably Go (KindNotACell otherwise).
	Untagged bool
	// Seed seeds math/rand for this cell, so that a replay draws the same numbers.
	Seed int64
	// Clock, if not nil, answers reads of the clock from this list (a replay); when it is used up, and
	// if it is nil, the real clock is read and recorded in Result.Clock.
	Clock []int64
}

// Notebook is a session of cells: variables, functions and types live on from cell to cell. It
// is not safe for concurrent use; one cell runs at a time.
type Notebook struct {
	notebook
}

// New makes a notebook. Errors are those of the configuration (two builtins of one name, a
// builtin whose Source does not compile).
func New(cfg Config) (*Notebook, error) { return newNotebook(cfg) }

// Run runs one cell to its end. It always returns a Result; what goes wrong in the cell is in
// Result.Error. A cell that is cancelled through ctx leaves the notebook in an unsound state when
// Sound reports false: throw it away.
func (n *Notebook) Run(ctx context.Context, source string, opt RunOptions) Result {
	return n.run(ctx, source, opt)
}

// SetContext gives the cells to come another context, documents and history. Values of earlier cells that
// point into the old context stay valid. Not while a cell runs.
func (n *Notebook) SetContext(text string, docs []Doc, history []string) {
	n.setContext(text, docs, history)
}

// Vars lists the session's variables, in order of name.
func (n *Notebook) Vars() []Var { return n.vars() }

// Sound reports whether the state can be trusted. Once false, it stays false.
func (n *Notebook) Sound() bool { return n.sound() }
