package runner

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/evidence"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// ready makes sure that cells can run, and finds out how well they are isolated. Usually this takes a worker. If an
// earlier worker has shown how well, and no past cells have to run again, no worker is needed yet.
func (s *Session) ready(ctx context.Context) error {
	locked, known := s.cfg.host.Starter.Known(s.cfg.Level)
	if !known || len(s.nb.past) > 0 || s.nb.session != nil {
		return s.start(ctx)
	}
	s.locks(locked)
	return nil
}

// start starts the notebook's worker. If that restores variables, it reports those that differ.
func (s *Session) start(ctx context.Context) error {
	restore, err := s.nb.start(ctx, false, s.watcher())
	if err != nil {
		return err
	}
	if restore != nil {
		text, err := tellRestore("opened", *restore, s.append)
		if err != nil {
			return err
		}
		if text != "" {
			s.news = append(s.news, remark(text))
		}
	}
	s.locks(sandbox.Lockdown{Level: s.nb.session.Level(), Missing: s.nb.session.Missing()})
	return nil
}

// locks stores how well cells are isolated.
func (s *Session) locks(l sandbox.Lockdown) {
	s.nb.told = l.Level
	s.info.Lock()
	defer s.info.Unlock()
	s.locked = l
}

func (s *Session) watcher() watcher {
	return watcher{
		// The progress is only displayed: an error does not matter.
		restoring: func(cells, of int) { _ = s.append(trajectory.Restoring{Cells: cells, Of: of}) },
		moved:     func(m sandbox.Move) error { return s.append(engineMoved(m)) },
	}
}

func (s *Session) notebook() *notebook {
	return newNotebook(s.cfg.sandbox(0, whole(s.text()), s.cfg.specs(s.mode, 0), s.workers, s.id, ""))
}

// text is the context, nil if there is none.
func (s *Session) text() *corpus.Text {
	s.info.Lock()
	defer s.info.Unlock()
	if len(s.texts) == 0 {
		return nil
	}
	return s.texts[len(s.texts)-1]
}

// allTexts returns the texts that have been the context; the last is the present one.
func (s *Session) allTexts() []*corpus.Text {
	s.info.Lock()
	defer s.info.Unlock()
	return slices.Clone(s.texts)
}

func (s *Session) addText(t *corpus.Text) {
	s.info.Lock()
	defer s.info.Unlock()
	s.texts = append(s.texts, t)
}

// append records an event of the session itself. Events before the first question are yielded with it.
func (s *Session) append(d trajectory.Data) error {
	ev, err := s.log.Append("", 0, d)
	if err == nil && s.runs == 0 && !trajectory.Transient(d) {
		s.early = append(s.early, ev)
	}
	return err
}

// logFile is the path of the session's log.
func (s *Session) logFile() string { return filepath.Join(s.dir, "trajectory.jsonl") }

// Level is the sandbox level of the cells.
func (s *Session) Level() sandbox.Level {
	s.info.Lock()
	defer s.info.Unlock()
	return s.locked.Level
}

// left returns what the last question left open.
func (s *Session) left() pendingWork {
	s.info.Lock()
	defer s.info.Unlock()
	return s.rest
}

// leaves sets what the last question left open. The session must be acquired.
func (s *Session) leaves(rest pendingWork) {
	s.info.Lock()
	defer s.info.Unlock()
	s.rest = rest
}

// pendingWork is what the last question left open.
type pendingWork struct {
	interrupted []trajectory.Event // events of the question, if its run can resume
	said        bool               // the conversation contains their messages
	limited     string             // the question, if a limit ended its run
	inReview    bool               // the run waits for a person's decision
	rejected    string             // the note of a rejection, if nothing happened since
}

type factsState int

const (
	factsTold  factsState = iota
	factsNew              // the model does not know the context yet
	factsAdded            // the context has changed since the model last learned of it
)

// session makes a Session around a log.
func (r *Runner) session(id, dir string, log *trajectory.Log) *Session {
	cfg := r.cfg
	cfg.Marks = cfg.letters(id) // forks keep the letters: the model has seen them
	s := &Session{
		cfg: cfg, evidence: evidence.NewMarkRegistry(cfg.Marks), id: id, dir: dir, log: log, conv: &conversation{},
		memo: newMemo(), known: map[string]*corpus.Text{}, mode: r.cfg.Mode,
		workers: r.cfg.host.Starter.Workers(max(8, 2+childrenAtOnce*r.cfg.Budgets.filled().Depth), 0),
		base:    Totals{Usage: map[string]trajectory.Usage{}},
	}
	s.shown.runs = map[string]*tracerInput{}
	log.Observe(s.shown.add)
	s.beRead()
	return s
}

// beRead starts the readers of the session's events.
func (s *Session) beRead() {
	for _, read := range s.cfg.readers {
		events, stop := s.log.Subscribe()
		s.reading.Go(func() {
			defer stop()
			var failed error
			defer func() {
				s.info.Lock()
				defer s.info.Unlock()
				s.unread = errors.Join(s.unread, failed)
			}()
			callback.Guard("a reader of events", &failed, func() error {
				read(s.id, events)
				return nil
			})
		})
	}
}

// setMode changes the mode of the next question.
func (s *Session) setMode(m termination.Mode) {
	s.mode = m
	s.info.Lock()
	defer s.info.Unlock()
	s.cfg.Mode = m
}

func (s *Session) setTotal(t Totals) {
	s.info.Lock()
	defer s.info.Unlock()
	s.total = t
}
