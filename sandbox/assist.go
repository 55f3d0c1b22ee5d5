package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// maxAssisted bounds in bytes the cell that help is asked for; a completion looks at its end.
const maxAssisted = 256 << 10

// Complete lists what can stand at the end of the beginning of a cell; see repl.Notebook.Complete.
func (s *Session) Complete(ctx context.Context, before string) (repl.Completion, error) {
	out, err := s.assist(ctx, answerTime, wire.AssistMeta{Complete: &before}, len(before))
	return out.Completion, err
}

// Signature says how the function is called in whose call the beginning of a cell ends, nil if it ends in none.
func (s *Session) Signature(ctx context.Context, before string) (*repl.Signature, error) {
	out, err := s.assist(ctx, answerTime, wire.AssistMeta{Signature: &before}, len(before))
	return out.Called, err
}

// Check looks for the errors that keep a cell from running, and runs nothing; see repl.Notebook.Check.
func (s *Session) Check(ctx context.Context, source string) (*repl.CellError, error) {
	out, err := s.assist(ctx, answerTime, wire.AssistMeta{Check: &source}, len(source))
	return out.Wrong, err
}

// Find searches the context. It may end before the context does; Finding says where to go on.
func (s *Session) Find(ctx context.Context, search builtins.Search) (builtins.Finding, error) {
	s.mu.Lock()
	size := s.text.context.Size
	s.mu.Unlock()
	const perMiB = 40 * time.Millisecond // that an index takes at most
	out, err := s.assist(ctx, answerTime+time.Duration(size>>20)*perMiB, wire.AssistMeta{Find: &search}, len(search.Query))
	if err == nil && out.Failed != "" {
		err = errors.New(out.Failed)
	}
	return out.Finding, err
}

// assist has the worker find something out for a person.
func (s *Session) assist(ctx context.Context, most time.Duration, asked wire.AssistMeta, size int) (out wire.AssistMeta, err error) {
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
		return f.Decode(&out)
	})
	if err != nil {
		return out, fmt.Errorf("ask the notebook: %w", err)
	}
	wire.TrimAssist(&out)
	return out, nil
}
