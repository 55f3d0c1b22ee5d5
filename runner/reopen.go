package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gorlm/rlm/runner/internal/budget"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// OpenSession opens a session that was closed or killed: the same context, conversation, variables, budgets and
// cost total. The notebook runs its cells again from the log, which costs no tokens. If that produces other
// values, a warning in the log names them and the model is told. opts change the configuration of the last
// question. id may be any unique prefix of an id. An interrupted run can continue with Session.Resume; asking
// another question abandons it.
func (r *Runner) OpenSession(ctx context.Context, id string, opts ...Option) (*Session, error) {
	s, err := r.openRecorded(ctx, id, opts...)
	if err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openRecorded opens a session with the configuration of its last run, changed by opts. Its log is read once. Its
// notebook starts when needed.
func (r *Runner) openRecorded(ctx context.Context, id string, opts ...Option) (_ *Session, err error) {
	id, dir, err := r.findRun(id)
	if err != nil {
		return nil, err
	}
	log, err := trajectory.Open(dir, r.cfg.host.Store)
	if err != nil {
		return nil, err
	}
	events, err := journal.Read(dir)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	cfg, err := r.cfg.recorded(id, events)
	if err == nil {
		cfg, err = cfg.with(opts...)
	}
	known := cfg
	if err == nil {
		cfg, err = cfg.gather(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	s := (&Runner{cfg: cfg}).session(id, dir, log)
	if err := s.follow(ctx, events); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if len(s.rest.interrupted) == 0 {
		known.outside = cfg.outside // the log has no record of the servers' earlier tools
		s.tellTools(known, cfg)
	}
	return s, nil
}

// recorded returns a configuration with the settings of the last run of a session.
func (c config) recorded(id string, events []trajectory.Event) (config, error) {
	for _, ev := range trajectory.Kept(events) {
		d, ok := ev.Data.(trajectory.RunStarted)
		if !ok || ev.Path != "" || len(d.Config) == 0 {
			continue
		}
		c.settings = settings{}
		if err := json.Unmarshal(d.Config, &c.settings); err != nil {
			return c, fmt.Errorf("reading the configuration of run %s: %w", id, err)
		}
		c.metadata = unspanned(d.Metadata)
	}
	return c, nil
}

// follow restores the session's state from its events.
func (s *Session) follow(ctx context.Context, all []trajectory.Event) error {
	events := trajectory.Kept(all)
	for _, ev := range events {
		if d, ok := ev.Data.(trajectory.CellEnded); ok {
			s.evidence.Add(ev.Path, d.Marks)
		}
	}
	runs, between := journal.Split(events)
	s.facts = factsNew
	for i, run := range runs {
		s.runs = i + 1
		start := run[0].Data.(trajectory.RunStarted)
		s.mode, s.told = termination.Mode(start.Mode), termination.Mode(start.Mode)
		end, ended := journal.Ending(run)
		if i == len(runs)-1 && (!ended || journal.Resumable(end)) {
			s.leaves(pendingWork{interrupted: run})
			continue
		}
		s.over(run)
		s.settle(start.Question, end)
		if d, ok := reviewed(run); ok {
			rest := s.rest
			rest.inReview, rest.rejected = !d.Approved, d.Note
			if d.Approved {
				rest.rejected = ""
			}
			s.leaves(rest)
		}
	}
	if err := s.followContexts(ctx, events); err != nil {
		return err
	}
	s.setMode(s.mode) // so that later options change only what they name
	s.base = Totals{Usage: map[string]trajectory.Usage{}}.plus(budget.Totals(all))
	s.setTotal(s.base)
	if past := s.rest.interrupted; len(past) > 0 {
		i := slices.IndexFunc(all, func(ev trajectory.Event) bool { return ev.Seq == past[0].Seq })
		s.base = Totals{Usage: map[string]trajectory.Usage{}}.plus(budget.Totals(all[:i]))
	}
	s.news = append(s.news, ownCells(between)...)
	s.nb = s.recordedNotebook(events)
	return nil
}

// followContexts rebuilds the texts that cells saw as context. If files changed meanwhile, their present content
// replaces the old: cells that depend on it give other results when run again, which is detected and reported.
func (s *Session) followContexts(ctx context.Context, events []trajectory.Event) error {
	var last trajectory.ContextAdded
	changed := false
	for _, ev := range events {
		d, ok := ev.Data.(trajectory.ContextAdded)
		if !ok || ev.Path != "" {
			continue
		}
		s.origin, last, changed = originIn(d), d, false
		if s.known[d.Hash] != nil {
			continue
		}
		text, err := s.loadContext(ctx, d)
		if errors.Is(err, corpus.ErrChanged) {
			text, err = s.readNow(ctx, d)
			changed = true
		}
		if err != nil {
			return err
		}
		s.known[d.Hash] = text
		s.addText(text)
	}
	if changed {
		return s.replaced(s.text(), last)
	}
	return nil
}

// recordedNotebook makes a notebook with the builtins of the session's mode, which runs the recorded cells again
// when it is needed.
func (s *Session) recordedNotebook(events []trajectory.Event) *notebook {
	nb := s.notebook()
	nb.first = firstContext(events, s.known)
	nb.past = journal.Cells(events)[""]
	nb.cfg.Engine = goingOn(nb.cfg.Engine, journal.Engine(events, ""))
	nb.cfg.Marks = given(journal.Marks(events)[""], func(hash string) *corpus.Text { return s.known[hash] })
	before := changes(events, s.known)
	for i := range nb.past {
		if c, ok := before[nb.past[i].Cell]; ok {
			nb.past[i].Context, nb.past[i].History = &c.context, c.history
		}
		nb.learn(nb.past[i].Changed)
	}
	nb.last = journal.LastCell(events)
	return nb
}

// over adds a finished run to the session: its messages, and its replies for the memo.
func (s *Session) over(run []trajectory.Event) {
	for _, ev := range run {
		if ev.Path == "" {
			s.conv.apply(ev.Data)
			if m, ok := ev.Data.(trajectory.MessageAdded); ok && m.Kind != "system" {
				s.facts = factsTold
			}
			if _, ok := ev.Data.(trajectory.ContextAdded); ok {
				s.facts = factsAdded
			}
		}
	}
	s.remember(run)
}

// remember adds recorded replies to the memo.
func (s *Session) remember(run []trajectory.Event) {
	starts := map[trajectory.CallKey]trajectory.SubCallStarted{}
	for _, ev := range run {
		switch d := ev.Data.(type) {
		case trajectory.SubCallStarted:
			starts[d.Key(ev.Path)] = d
		case trajectory.SubCallEnded:
			if st, ok := starts[d.Key(ev.Path)]; ok && st.Memo != "" && d.Error == "" {
				s.memo.keep(st.Memo, journal.Reply(d))
			}
		}
	}
}

// leave abandons an interrupted run; its messages stay in the conversation.
func (s *Session) leave() {
	if past := s.rest.interrupted; len(past) > 0 {
		s.base = s.total
		if !s.rest.said {
			s.over(past)
		}
		if text := leftInCell(past); text != "" {
			s.news = slices.Insert(s.news, 0, remark(text))
		}
	}
	s.leaves(pendingWork{})
}

// leftInCell reports the state of the cell in which an abandoned run was interrupted; "" if it was in none.
func leftInCell(run []trajectory.Event) string {
	cell, replies := 0, false
	for _, ev := range run {
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.CellStarted:
			cell, replies = d.Cell, false
		case trajectory.SubCallEnded:
			replies = replies || d.Cell == cell
		case trajectory.CellEnded:
			cell = 0
		}
	}
	if cell == 0 {
		return ""
	}
	text := fmt.Sprintf("cell %d was stopped before its end: what it set is gone", cell)
	if replies {
		text += "; " + repliesOf(cell)
	}
	return text
}

// notebookView is what cells see besides variables and functions.
type notebookView struct {
	context sandbox.Context
	history []string
}

// changes finds the cells of the root before which the context or the history changed, and what they saw.
func changes(events []trajectory.Event, texts map[string]*corpus.Text) map[int]notebookView {
	before := map[int]notebookView{}
	var now notebookView
	var question string
	first, changed := true, false
	for _, ev := range events {
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.ContextAdded:
			now.context = whole(texts[d.Hash])
			changed, first = changed || !first, false
		case trajectory.RunStarted:
			question = d.Question
			changed = changed || len(now.history) > 0
		case trajectory.RunEnded:
			now.history = append(slices.Clone(now.history), exchange(question, d)...)
		case trajectory.CellStarted:
			if changed {
				before[d.Cell] = now
			}
			changed = false
		}
	}
	return before
}

// firstContext is the context of the first cell of a session.
func firstContext(events []trajectory.Event, texts map[string]*corpus.Text) sandbox.Context {
	for _, ev := range events {
		if d, ok := ev.Data.(trajectory.ContextAdded); ok && ev.Path == "" {
			return whole(texts[d.Hash])
		}
	}
	return sandbox.Context{}
}

// reread rebuilds the session from its log. A mode set meanwhile stays.
func (s *Session) reread(ctx context.Context) error {
	events, err := journal.Read(s.dir)
	if err != nil {
		return err
	}
	mode := s.mode
	s.conv, s.runs, s.history, s.news = &conversation{}, 0, nil, nil
	s.leaves(pendingWork{})
	if err := s.follow(ctx, events); err != nil {
		return err
	}
	if s.mode != mode {
		s.setMode(mode)
		s.nb = s.recordedNotebook(trajectory.Kept(events))
	}
	return nil
}

// reviewed returns the last decision on a run, if its events contain one.
func reviewed(run []trajectory.Event) (decision trajectory.Reviewed, ok bool) {
	for _, ev := range run {
		if d, is := ev.Data.(trajectory.Reviewed); is {
			decision, ok = d, true
		}
	}
	return decision, ok
}
