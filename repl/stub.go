package repl

import (
	"context"
	"errors"
)

type notebook struct{}

func newNotebook(cfg Config) (*Notebook, error) { return nil, errors.New("not built yet") }

func (n *notebook) run(ctx context.Context, source string, opt RunOptions) Result { return Result{} }
func (n *notebook) vars() []Var                                                   { return nil }
func (n *notebook) sound() bool                                                   { return true }
func (n *notebook) setContext(string, []Doc, []string)                            {}
