package runner

import (
	"context"
	"io"
	"strings"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/sandbox"
)

// Complete lists what can stand at the end of the beginning of a cell; see repl.Notebook.Complete.
func (s *Session) Complete(ctx context.Context, before string) (out repl.Completion, err error) {
	err = s.askNotebook(ctx, func(nb *sandbox.Session) error {
		out, err = nb.Complete(ctx, before)
		return err
	})
	return out, err
}

// Signature says how the function is called in whose call the beginning of a cell ends; nil if it ends in none.
func (s *Session) Signature(ctx context.Context, before string) (out *repl.Signature, err error) {
	err = s.askNotebook(ctx, func(nb *sandbox.Session) error {
		out, err = nb.Signature(ctx, before)
		return err
	})
	return out, err
}

// Check looks for the errors that keep a cell from running, and runs nothing; nil if there are none.
func (s *Session) Check(ctx context.Context, source string) (wrong *repl.CellError, err error) {
	err = s.askNotebook(ctx, func(nb *sandbox.Session) error {
		wrong, err = nb.Check(ctx, source)
		return err
	})
	return wrong, err
}

// Found is a place in the context that a search found.
type Found = builtins.Found

// Search is what a person looks for in the context.
type Search = builtins.Search

// Find searches the context with the functions that cells have for that, in the worker. more says that there may be places behind the
// last one, from the offset next on. A search through a context of gigabytes takes seconds; ctx ends it.
func (s *Session) Find(ctx context.Context, search Search) (found []Found, more bool, next int64, err error) {
	err = s.askNotebook(ctx, func(nb *sandbox.Session) error {
		wanted := search.Most
		for {
			step, err := nb.Find(ctx, search)
			if err != nil {
				return err
			}
			found = append(found, step.Found...)
			more, next = step.More, step.Next
			// It goes through a part of the context at a time.
			if !more || wanted > 0 && len(found) >= wanted || next <= search.From {
				return nil
			}
			if search.From = next; wanted > 0 {
				search.Most = wanted - len(found)
			}
		}
	})
	return found, more, next, err
}

// askNotebook asks the notebook's worker something while no cell runs.
func (s *Session) askNotebook(ctx context.Context, ask func(*sandbox.Session) error) error {
	if err := s.acquire(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if err := s.start(ctx); err != nil {
		return err
	}
	return ask(s.nb.session)
}

// Context is the text that cells see as context, to be read at any offset; it is empty if there is none. It can be read while the session does
// something else, until the session is closed.
func (s *Session) Context() *io.SectionReader {
	t := s.text()
	if t == nil {
		return io.NewSectionReader(strings.NewReader(""), 0, 0)
	}
	return io.NewSectionReader(t, 0, t.Size())
}

// Builtin is a function that cells can call besides Go's own.
type Builtin struct {
	Name      string `json:"name"`
	Signature string `json:"signature"`
	Doc       string `json:"doc"`
	Signal    bool   `json:"signal,omitempty"` // a call of it ends the run
}

// Builtins are the functions of the session's notebook, as its model is told of them.
func (s *Session) Builtins() []Builtin {
	cfg := s.config()
	var out []Builtin
	for _, h := range builtins.Docs(cfg.specs(cfg.Mode, 0)) {
		signature, doc, _ := strings.Cut(h.Text, "\n")
		out = append(out, Builtin{Name: h.Name, Signature: signature, Doc: doc, Signal: h.Signal})
	}
	return out
}
