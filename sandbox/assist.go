package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// maxAssisted bounds, in bytes, the cell that is checked or completed; a completion needs only its end.
const maxAssisted = 256 << 10

// Complete lists completions for the beginning of a cell; see repl.Notebook.Complete.
func (s *Session) Complete(ctx context.Context, before string) (repl.Completion, error) {
	out, err := s.assist(ctx, answerTime, wire.AssistMeta{Complete: &before}, len(before))
	return out.Completion, err
}

// Signature describes the function whose call is open at the end of before, or returns nil if there is none.
func (s *Session) Signature(ctx context.Context, before string) (*repl.Signature, error) {
	out, err := s.assist(ctx, answerTime, wire.AssistMeta{Signature: &before}, len(before))
	return out.Called, err
}

// Check reports the errors that would prevent a cell from running, without running anything; see
// repl.Notebook.Check.
func (s *Session) Check(ctx context.Context, source string) (*repl.CellError, error) {
	out, err := s.assist(ctx, answerTime, wire.AssistMeta{Check: &source}, len(source))
	return out.Wrong, err
}

// Find searches a part of the context for a bounded time; Finding.Next is where the next search continues.
// Cancelling ctx does not stop a search, because that would mean killing the worker.
func (s *Session) Find(ctx context.Context, search builtins.Search) (builtins.Finding, error) {
	s.mu.Lock()
	size := s.text.context.Size
	s.mu.Unlock()
	const perMiB = 10 * time.Millisecond // time to count the lines before the hits
	out, err := s.assist(context.WithoutCancel(ctx), answerTime+time.Duration(size>>20)*perMiB,
		wire.AssistMeta{Find: &search}, len(search.Query))
	if err == nil && out.Failed != "" {
		err = errors.New(out.Failed)
	}
	return believable(out.Finding, search, size), err
}

// Table returns rows of a table that a cell displayed, or an error if the table is no longer kept.
func (s *Session) Table(ctx context.Context, q bundle.Query) (bundle.Page, error) {
	const sorting = 30 * time.Second // allows sorting a million rows
	out, err := s.assist(ctx, answerTime+sorting, wire.AssistMeta{Table: &q}, len(q.Filter))
	switch {
	case err != nil:
		return bundle.Page{}, err
	case out.Page == nil:
		return bundle.Page{}, errors.New(cmp.Or(out.Failed, "the notebook gave no rows"))
	}
	return *out.Page, nil
}

// leastStep is the least number of bytes that an honest worker searches before it reports that it has found
// nothing, unless the context ends earlier.
const leastStep = 1 << 20

// believable removes impossible claims from a finding about a context of size bytes: hits beyond its end, and a
// Next that makes no progress.
func believable(f builtins.Finding, s builtins.Search, size int64) builtins.Finding {
	f.Found = slices.DeleteFunc(f.Found, func(at builtins.SearchHit) bool { return at.Offset > size-at.Length })
	if f.Next > size || f.Next <= s.From || len(f.Found) == 0 && f.Next < s.From+leastStep {
		f.More, f.Next = false, 0
	}
	return f
}

// assist sends the worker a question from a person, such as a completion, and returns the answer.
func (s *Session) assist(
	ctx context.Context, most time.Duration, asked wire.AssistMeta, size int,
) (out wire.AssistMeta, err error) {
	if size > maxAssisted {
		return out, fmt.Errorf("%d bytes are too many for one cell", size)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.rest()
	err = s.withWorker(ctx, func(p *process) error {
		f, err := p.askFor(ctx, most, wire.Header{Op: wire.Assist}, asked, wire.Assist)
		if err != nil {
			return err
		}
		return p.decode(f, &out)
	})
	if err != nil {
		return out, fmt.Errorf("ask the notebook: %w", err)
	}
	wire.TrimAssist(&out)
	return out, nil
}
