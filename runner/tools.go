package runner

import (
	"fmt"
	"slices"

	"github.com/gorlm/rlm/runner/internal/tool"
)

// ToolOption changes how WithTool registers a tool.
type ToolOption func(*tool.Tool)

// WithTool registers a function under a name that cells call. fn is any func whose parameters and results JSON can
// represent. Its first parameter may be a context.Context. Its last result may be an error, which the cell gets as
// a panic that it can recover from. Cells see the types: named structs are declared in the notebook under their
// own names. doc describes the function in one line. Tools run in this process, outside the sandbox, from several
// goroutines.
func WithTool(name, doc string, fn any, opts ...ToolOption) Option {
	return func(c *config) {
		changes := make([]func(*tool.Tool), 0, len(opts))
		for _, opt := range opts {
			if opt != nil {
				changes = append(changes, opt)
			}
		}
		t, err := tool.New(name, doc, fn, changes...)
		if err != nil {
			c.errs = append(slices.Clone(c.errs), fmt.Errorf("tool %s: %w", name, err))
			return
		}
		c.tools = append(slices.Clone(c.tools), t)
	}
}

// InChildren gives a tool to child runs too. By default only the root has it.
func InChildren() ToolOption { return func(t *tool.Tool) { t.Children = true } }

// OnlyInChildren gives a tool to child runs but not to the root.
func OnlyInChildren() ToolOption { return func(t *tool.Tool) { t.Root, t.Children = false, true } }

// AsSignal makes a tool a completion signal: a call that succeeds ends the run. Its result is the answer, or its first
// argument if it returns nothing.
func AsSignal() ToolOption { return func(t *tool.Tool) { t.Spec.Signal = true } }

// Repeatable declares that a call of the tool can safely be repeated. A call that was in flight when the program
// was killed is then made again when the run resumes. Otherwise the cell gets an error, which states that the call
// may have taken effect.
func Repeatable() ToolOption { return func(t *tool.Tool) { t.Repeatable = true } }

// Params names a tool's parameters for its documentation; Go does not keep their names.
func Params(names ...string) ToolOption {
	return func(t *tool.Tool) { t.NameParams(names) }
}
