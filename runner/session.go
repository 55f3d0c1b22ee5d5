package runner

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/evidence"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"golang.org/x/text/unicode/norm"
)

// Session is one notebook, one conversation and one context, kept on disk. Each question is a run of the session
// with its own budget. A session does one thing at a time: other calls meanwhile fail with ErrBusy. Close it after
// use.
type Session struct {
	cfg config
	id  string
	dir string
	log *trajectory.Log

	info   sync.Mutex // guards what can be read at any time: cfg, texts, rest and the next three
	total  Totals
	locked sandbox.Lockdown // how well cells are isolated
	unread error            // errors of the readers of WithEvents

	mu       sync.Mutex // held while the session is busy
	closed   bool
	nb       *notebook
	workers  *sandbox.Workers
	reading  sync.WaitGroup          // the readers of WithEvents
	texts    []*corpus.Text          // the last is the context; earlier ones stay, since values point into them
	known    map[string]*corpus.Text // texts by their hash in the log; a changed text also has its old hash
	gone     []Document              // documents whose files no longer exist
	origin   origin                  // what the context was made from
	conv     *conversation
	memo     *memo
	evidence *evidence.MarkRegistry
	mode     termination.Mode
	told     termination.Mode   // the mode that the conversation knows
	runs     int                // questions so far
	early    []trajectory.Event // events to yield before the next question's: of a new session, or a change of context
	base     Totals             // totals without the last question
	rest     pendingWork
	news     []notice // for the model, since the last turn: a person's cells, lost variables
	facts    factsState
	history  []string   // questions and answers, for the notebook
	shown    shownTexts // what it shows from now on; the log has what an opened one has shown
}

// NewSession begins a session over the given context. Its log is created immediately, under a new id.
func (r *Runner) NewSession(ctx context.Context, inputs ...Input) (*Session, error) {
	s, err := r.begin()
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, inputs); err != nil {
		return nil, errors.Join(err, s.discard(ctx))
	}
	return s, nil
}

// discard closes a session that could not begin, and deletes the folder made for it.
func (s *Session) discard(ctx context.Context) error {
	err := s.close(ctx)
	if s.cfg.runID == "" {
		err = errors.Join(err, trajectory.Remove(s.dir))
	}
	return err
}

// begin makes a session that has only a log.
func (r *Runner) begin() (*Session, error) {
	if r.cfg.model == nil {
		return nil, errors.New("a Runner must be created with runner.New")
	}
	if id := r.cfg.runID; id != "" {
		dir := filepath.Join(r.RunsDir(), id)
		log, err := trajectory.Create(dir, r.cfg.host.Store)
		if err != nil {
			return nil, err
		}
		return r.started(id, dir, log), nil
	}
	id, dir, log, err := trajectory.New(r.RunsDir())
	if err != nil {
		return nil, err
	}
	return r.started(id, dir, log), nil
}

func (r *Runner) started(id, dir string, log *trajectory.Log) *Session {
	s := r.session(id, dir, log)
	s.facts = factsNew
	s.shown.follow("")
	return s
}

// prepare makes the context and the notebook.
func (s *Session) prepare(ctx context.Context, inputs []Input) error {
	defer s.boundStore(ctx)()
	if err := validate(inputs); err != nil {
		return err
	}
	var text *corpus.Text
	if len(inputs) > 0 {
		var err error
		if text, err = s.build(ctx, sources(inputs)); err != nil {
			return err
		}
		s.addText(text)
	}
	s.origin = originOf(inputs)
	if err := s.recordContext(text); err != nil {
		return err
	}
	cfg, err := s.cfg.gather(ctx)
	if err != nil {
		return err
	}
	s.info.Lock()
	s.cfg = cfg
	s.info.Unlock()
	s.nb = s.notebook()
	if err := s.ready(ctx); err != nil {
		return err
	}
	return s.warn(text)
}

// warn reports what people should know about the sandbox and the text.
func (s *Session) warn(text *corpus.Text) error {
	var warnings []trajectory.Warned
	if s.locked.Level == sandbox.Basic {
		warnings = append(warnings,
			trajectory.Warned{
				About: "sandbox",
				Text: "cells run at sandbox level basic, which is not a security boundary: " +
					strings.Join(s.locked.Missing, "; "),
			})
	}
	if missing := repl.Exact.Check(); missing != nil {
		warnings = append(warnings,
			trajectory.Warned{About: "notebook", Text: "cells run only in yaegi, because " + missing.Error() +
				": goroutines, generic declarations, methods behind interfaces and more are refused with advice, and a panic cannot be recovered"})
	}
	if text != nil && len(text.Skipped()) > 0 {
		sk := text.Skipped()
		warnings = append(warnings, trajectory.Warned{About: "context", Text: fmt.Sprintf(
			"%s not part of the context, the first is %s (%s)", filesAre(len(sk)), sk[0].Name, sk[0].Reason)})
	}
	if text != nil {
		if noted := slices.DeleteFunc(
			slices.Clone(text.Documents()), func(d corpus.Document) bool { return d.Note == "" }); len(noted) > 0 {
			warnings = append(warnings, trajectory.Warned{About: "documents", Text: notAll(noted)})
		}
	}
	for _, w := range warnings {
		if err := s.append(w); err != nil {
			return err
		}
	}
	return nil
}

// ID is the session's id, under which it can be opened again.
func (s *Session) ID() string { return s.id }

// Dir is the folder of the session's log.
func (s *Session) Dir() string { return s.dir }

// Subscribe returns the session's events from now on, for any number of readers; see trajectory.Log.Subscribe.
func (s *Session) Subscribe() (events iter.Seq[trajectory.Event], stop func()) {
	return s.log.Subscribe()
}

// Settle returns once all events so far are durable, with the number of the last one: subscribers have received
// them or get them next.
func (s *Session) Settle() (seq int64, err error) { return s.log.Settle() }

// Ask asks a question and yields events, like Runner.Run. Earlier questions, answers and variables stay. A reply
// in prose is an answer here, since a person can ask again. After the events end, however they end, the session is
// ready for the next question.
func (s *Session) Ask(ctx context.Context, question string) iter.Seq2[trajectory.Event, error] {
	return once(s.ask(ctx, question, true))
}

// Answer asks a question and returns the result, like Runner.Answer.
func (s *Session) Answer(ctx context.Context, question string) (Result, error) {
	res, err := Collect(s.Ask(ctx, question))
	res.Trajectory = s.logFile()
	if err == nil {
		err = res.Err
	}
	return res, err
}

func (s *Session) ask(ctx context.Context, question string, interactive bool) iter.Seq2[trajectory.Event, error] {
	// Composed characters, as in the texts: pasted text on some systems has accents as separate characters.
	question = norm.NFC.String(question)
	if strings.TrimSpace(question) == "" {
		return failing(errNoQuestion)
	}
	return s.stream(ctx, nil, func(ctx context.Context, p *backpressure) error {
		s.leave()
		if err := s.renewTools(ctx); err != nil {
			return err
		}
		s.runs++
		return s.answer(ctx, p, nil, questionInput{question: question, kind: kindQuestion, interactive: interactive})
	})
}

// Rename gives the session a display name.
func (s *Session) Rename(name string) error {
	if err := s.acquire(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	return s.append(trajectory.Renamed{Name: name})
}

// Close ends the worker and releases the log. It waits for whatever the session is doing; cancel that first. A
// second call has no effect. Close also reports a panic of a WithEvents reader.
func (s *Session) Close() error { return s.close(context.Background()) }

// close waits for readers until shortly after ctx is done.
func (s *Session) close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	if s.nb != nil {
		errs = append(errs, s.nb.close())
	}
	errs = append(errs, s.workers.Close(), s.log.Close())
	_, unread := callback.Call(ctx, "a reader of events", func() (struct{}, error) {
		s.reading.Wait() // the log is closed, so the events end
		s.info.Lock()
		defer s.info.Unlock()
		return struct{}{}, s.unread
	})
	errs = append(errs, unread)
	for _, t := range s.texts {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}

// notAll lists the notes on documents that were not read completely.
func notAll(noted []corpus.Document) string {
	const named = 3
	var list []string
	for _, d := range noted[:min(len(noted), named)] {
		list = append(list, d.Name+" ("+d.Note+")")
	}
	text := strings.Join(list, "; ")
	if more := len(noted) - named; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

func filesAre(n int) string {
	if n == 1 {
		return "1 file is"
	}
	return units.Of(n, "file") + " are"
}
