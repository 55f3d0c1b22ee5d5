// Package runner is the loop: a model writes cells, a notebook runs them, until there is an answer or a policy says stop. It is the one room that
// knows all the others.
package runner

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Runner answers questions. It is made once and holds no state of any run.
type Runner struct{ cfg config }

type config struct{}

// Option configures a Runner.
type Option func(*config)

// New makes a runner for a model.
func New(model llm.Model, opts ...Option) (*Runner, error) { return nil, errors.New("not built yet") }

// Input is something that becomes part of the context.
type Input struct {
	path string
	name string
	text string
	r    io.Reader
}

// Path is a file or a folder.
func Path(path string) Input { return Input{path: path} }

// Text is a document given as a string.
func Text(name, text string) Input { return Input{name: name, text: text} }

// Reader is a stream that becomes a document.
func Reader(name string, r io.Reader) Input { return Input{name: name, r: r} }

// Run answers one question and yields what happens, as it happens. Ranging over it paces the run, break cancels it, it can be ranged over once.
func (r *Runner) Run(ctx context.Context, question string, inputs ...Input) iter.Seq2[trajectory.Event, error] {
	return nil
}
