package runner

import (
	"context"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox"
)

// Complete lists completions for the beginning of a cell; see repl.Notebook.Complete.
func (s *Session) Complete(ctx context.Context, before string) (repl.Completion, error) {
	return askNotebook(ctx, s, func(nb *sandbox.Session) (repl.Completion, error) { return nb.Complete(ctx, before) })
}

// Signature describes the function whose call is open at the end of before; it is nil if no call is open there.
func (s *Session) Signature(ctx context.Context, before string) (*repl.Signature, error) {
	return askNotebook(ctx, s, func(nb *sandbox.Session) (*repl.Signature, error) { return nb.Signature(ctx, before) })
}

// Check reports the error that keeps a cell from running, nil if there is none. It runs nothing.
func (s *Session) Check(ctx context.Context, source string) (*repl.CellError, error) {
	return askNotebook(ctx, s, func(nb *sandbox.Session) (*repl.CellError, error) { return nb.Check(ctx, source) })
}

// TableQuery selects rows of a table that a cell displayed:
//
//	Key    string // of the table, from the log
//	Filter string // a text that some value of the row contains, in any case
//	Sort   int    // number of a column, from 1; 0: unsorted
//	Down   bool   // descending
//	Offset int    // rows to leave out first
//	Limit  int    // most rows wanted
type TableQuery = bundle.Query

// TablePage holds the rows that a [TableQuery] selects:
//
//	Columns []Column // each with its Name and Type, a Go type
//	Rows    [][]any  // a value for each column
//	Total   int      // rows of the table
//	Matched int      // rows that match the filter
type TablePage = bundle.Page

// Table returns rows of a large table, of which the log has only the beginning. The query names the table by its
// key in the log. Table fails if the notebook no longer has the table.
func (s *Session) Table(ctx context.Context, q TableQuery) (TablePage, error) {
	return askNotebook(ctx, s, func(nb *sandbox.Session) (TablePage, error) { return nb.Table(ctx, q) })
}

// SearchHit is a match of a search in the context:
//
//	Offset int64   // in bytes of the context
//	Length int64   // in bytes
//	Text   string  // the line, or the beginning of the passage; shortened if long
//	Score  float64 // of a ranked search
type SearchHit = builtins.SearchHit

// Search describes what to search the context for:
//
//	Query string
//	How   string // literal (any case unless Query has upper case), regular (an expression), or ranked (by words)
//	From  int64  // offset to start at
//	Most  int    // most matches wanted
type Search = builtins.Search

// Find searches the context in the worker, with the functions that cells use. more reports whether there may be
// further matches, from the offset next on. Searching gigabytes takes seconds; ctx ends it.
func (s *Session) Find(ctx context.Context, search Search) (found []SearchHit, more bool, next int64, err error) {
	found, err = askNotebook(ctx, s, func(nb *sandbox.Session) (found []SearchHit, err error) {
		for wanted := search.Most; ; search.Most = wanted - len(found) {
			step, err := nb.Find(ctx, search)
			if err != nil {
				return found, err
			}
			found = append(found, step.Found...)
			before := next
			more, next = step.More, step.Next
			if !more || wanted > 0 && len(found) >= wanted || next <= before {
				return found, nil
			}
			if err := ctx.Err(); err != nil {
				return found, err
			}
			search = search.Next(next)
		}
	})
	return found, more, next, err
}

// FindSome does one step of Find, which searches part of the context: cells can run before the next step. more
// reports whether there is a next step; next is the offset that this one reached, and search.Next returns the
// search to continue with.
func (s *Session) FindSome(ctx context.Context, search Search) (found []SearchHit, more bool, next int64, err error) {
	step, err := askNotebook(
		ctx, s, func(nb *sandbox.Session) (builtins.Finding, error) { return nb.Find(ctx, search) })
	return step.Found, step.More, step.Next, err
}

// askNotebook queries the notebook's worker while no cell runs.
func askNotebook[T any](ctx context.Context, s *Session, ask func(*sandbox.Session) (T, error)) (out T, err error) {
	if err := s.acquire(); err != nil {
		return out, err
	}
	defer s.mu.Unlock()
	if err := s.start(ctx); err != nil {
		return out, err
	}
	return ask(s.nb.session)
}

// Context returns the text that cells see as context, for reading at any offset; it is empty if there is none. It
// can be read until the session is closed, also while the session is busy.
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
	Signal    bool   `json:"signal,omitempty"` // a call ends the run
}

// Builtins lists the functions of the session's notebook, as they are documented for the model.
func (s *Session) Builtins() []Builtin {
	cfg := s.config()
	var out []Builtin
	for _, h := range builtins.Docs(cfg.specs(cfg.Mode, 0)) {
		signature, doc, _ := strings.Cut(h.Text, "\n")
		out = append(out, Builtin{Name: h.Name, Signature: signature, Doc: doc, Signal: h.Signal})
	}
	return out
}
