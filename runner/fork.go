package runner

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Fork starts a new run that shares its first turns with the last run of id and then continues live, for example
// with another model (WithModel). Turns 1 to turn are copied at no cost; turn 0 copies only the question. An id
// such as "id.2" means the second question of a session, and later questions are left out. Fork yields the events
// of the new run from its start.
func (r *Runner) Fork(ctx context.Context, id string, turn int, opts ...Option) iter.Seq2[trajectory.Event, error] {
	return once(func(yield func(trajectory.Event, error) bool) {
		id, run := questionOf(id)
		fork, err := r.copyRun(ctx, id, run, turn, opts...)
		if err != nil {
			yield(trajectory.Event{}, err)
			return
		}
		for ev, err := range r.Resume(ctx, fork, opts...) {
			if !yield(ev, err) {
				return
			}
		}
	})
}

// questionOf splits the id of a session's question, such as "id.2". Without a number, the last question is meant.
func questionOf(id string) (session string, run int) {
	session, number, _ := strings.Cut(id, ".")
	if n, err := strconv.Atoi(number); err == nil && n > 0 {
		return session, n
	}
	return id, lastRun
}

// Fork makes a new session with the same past and opens it; from then on the two are independent. Of opts, only
// WithKeptContext matters: texts that the session reads from files are copied if the option allows more than before.
func (s *Session) Fork(ctx context.Context, opts ...Option) (*Session, error) {
	if err := s.acquire(); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	r := &Runner{cfg: s.cfg}
	id, err := r.copyRun(ctx, s.id, lastRun, wholeRun, opts...)
	if err != nil {
		return nil, err
	}
	fork, err := r.OpenSession(ctx, id, func(c *config) { *c = s.cfg })
	if err != nil {
		return nil, err
	}
	if err := fork.Set(WithMode(s.mode)); err != nil {
		return nil, errors.Join(err, fork.Close())
	}
	return fork, nil
}

// ForkAt makes a new session from the past of the session id up to the end of a turn, and opens it. run is the
// number of a question as RunStarted has it, 0 for the last; turn 0 copies only the question itself. Session.Resume
// continues from there. opts change the configuration, such as the model.
func (r *Runner) ForkAt(ctx context.Context, id string, run, turn int, opts ...Option) (*Session, error) {
	if run < 0 || turn < 0 {
		return nil, errors.New("questions are counted from 1, turns from 0")
	}
	fork, err := r.copyRun(ctx, id, run, turn, opts...)
	if err != nil {
		return nil, err
	}
	return r.OpenSession(ctx, fork, opts...)
}

// ForkAfter makes a new session from the past of the session id up to the end of a question, and opens it. run is
// the question's number as RunStarted has it. The session id may be busy meanwhile. opts change the configuration.
func (r *Runner) ForkAfter(ctx context.Context, id string, run int, opts ...Option) (*Session, error) {
	fork, err := r.copyEvents(
		ctx, id, func(events []trajectory.Event) ([]trajectory.Event, error) { return through(events, run) }, opts...)
	if err != nil {
		return nil, err
	}
	return r.OpenSession(ctx, fork, opts...)
}

const (
	wholeRun = -1 // copies a session without cutting its last run
	lastRun  = 0
)

// copyRun copies a log up to the end of a turn of one of its runs.
func (r *Runner) copyRun(
	ctx context.Context, id string, run, turn int, opts ...Option,
) (fork string, err error) {
	return r.copyEvents(ctx, id, func(events []trajectory.Event) ([]trajectory.Event, error) {
		if turn == wholeRun {
			return events, nil
		}
		return upTo(events, run, turn)
	}, opts...)
}

// copyEvents copies a log, with the events that cut returns.
func (r *Runner) copyEvents(
	ctx context.Context, id string, cut func([]trajectory.Event) ([]trajectory.Event, error), opts ...Option,
) (fork string, err error) {
	cfg, err := r.cfg.with(opts...)
	if err != nil {
		return "", err
	}
	id, dir, err := r.findRun(id)
	if err != nil {
		return "", err
	}
	events, err := journal.Read(dir)
	if err != nil {
		return "", err
	}
	if events, err = cut(events); err != nil {
		return "", fmt.Errorf("forking run %s: %w", id, err)
	}
	fork, to, log, err := trajectory.New(r.RunsDir())
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, log.Close()); err != nil {
			err = errors.Join(err, trajectory.Remove(to))
		}
	}()
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.ContextAdded:
			if d.Size > r.cfg.Kept && d.Size <= cfg.Kept {
				if ev.Data, err = freezeContext(ctx, dir, to, d, ev.Seq); err != nil {
					return "", fmt.Errorf("forking run %s: %w", id, err)
				}
			} else if err := copyContext(dir, to, d.File); err != nil {
				return "", err
			}
		case trajectory.RunStarted:
			if ev.Path == "" && d.ParentRun == "" {
				d.ParentRun, d.Run = d.Run, fork+strings.TrimPrefix(d.Run, id)
				ev.Data = d
			}
		}
		if _, err := log.Append(ev.Path, ev.Turn, ev.Data); err != nil {
			return "", err
		}
	}
	return fork, nil
}

// upTo cuts a session after a turn of one of its runs. lastRun means the last run that was not undone.
func upTo(events []trajectory.Event, run, turn int) ([]trajectory.Event, error) {
	start, cut, turns := -1, -1, 0
	for i, ev := range events {
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			if run != lastRun && start >= 0 && events[start].Data.(trajectory.RunStarted).Number == run {
				if d.Number != run { // the run is over; after an undo its number can occur again
					return cutAt(events, start, cut, turns)
				}
			}
			start, cut, turns = i, -1, 0
		case trajectory.TurnStarted:
			turns = ev.Turn
			if ev.Turn > turn && cut < 0 {
				cut = i
			}
		}
	}
	if start >= 0 && run != lastRun && events[start].Data.(trajectory.RunStarted).Number != run {
		return nil, fmt.Errorf("there is no question %d; the last one is %d", run,
			events[start].Data.(trajectory.RunStarted).Number)
	}
	return cutAt(events, start, cut, turns)
}

// through cuts a session after the end of a question. If the number was used more than once, the last use counts.
func through(events []trajectory.Event, run int) ([]trajectory.Event, error) {
	number, end := 0, -1
	for i, ev := range events {
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			if number = d.Number; number == run {
				end = -1
			}
		case trajectory.RunEnded:
			if number == run {
				end = i
			}
		}
	}
	if end < 0 {
		return nil, fmt.Errorf("there is no question %d that was answered completely", run)
	}
	return events[:end+1], nil
}

func cutAt(events []trajectory.Event, start, cut, turns int) ([]trajectory.Event, error) {
	switch {
	case start < 0:
		return nil, errors.New("it never began")
	case cut < 0:
		return nil, fmt.Errorf("it has %s; fork after a turn before the last one", units.Of(turns, "turn"))
	}
	return events[:cut], nil
}

// copyContext copies the saved context of a log. An empty name means that there is none.
func copyContext(from, to, name string) error {
	if name == "" {
		return nil
	}
	if err := os.CopyFS(filepath.Join(to, name), os.DirFS(filepath.Join(from, name))); err != nil {
		return fmt.Errorf("copying the context: %w", err)
	}
	return nil
}

// freezeContext saves all of a recorded context, so that it no longer depends on its files.
func freezeContext(
	ctx context.Context, from, to string, d trajectory.ContextAdded, seq int64,
) (trajectory.ContextAdded, error) {
	text, err := loadContext(ctx, from, d)
	if errors.Is(err, corpus.ErrChanged) {
		return d, errors.New("a file of the context has changed since it was read, so its text cannot be copied")
	}
	if err != nil {
		return d, err
	}
	defer text.Close() // it has been copied
	if d.File == "" {
		d.File = fmt.Sprintf("context-of-%d", seq)
	}
	return d, text.Save(filepath.Join(to, d.File))
}
