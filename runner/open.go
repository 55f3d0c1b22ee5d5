package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// OpenSession opens a session that was closed or killed: the same context, conversation, variables and cost total. The notebook runs its
// cells again from the log, which costs no tokens. id may be any unique beginning of one. A run that was interrupted can be taken up with
// Session.Resume; asking something else leaves it as it is.
func (r *Runner) OpenSession(ctx context.Context, id string) (*Session, error) {
	return r.open(ctx, id, true)
}

// open opens a session; restore brings its notebook back at once instead of with the first cell.
func (r *Runner) open(ctx context.Context, id string, restore bool) (_ *Session, err error) {
	id, dir, err := r.find(id)
	if err != nil {
		return nil, err
	}
	log, err := trajectory.Open(dir)
	if err != nil {
		return nil, err
	}
	s := r.session(id, dir, log)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	events, err := read(dir)
	if err != nil {
		return nil, err
	}
	if err := s.recall(ctx, events); err != nil {
		return nil, err
	}
	if restore {
		return s, s.restore(ctx)
	}
	return s, nil
}

// restore brings back the notebook and says what could not be brought back.
func (s *Session) restore(ctx context.Context) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	if lost := s.nb.restore.Lost; len(lost) > 0 {
		return s.append(trajectory.Warned{About: "notebook", Text: fmt.Sprintf("these variables could not be restored: %s (%s)", strings.Join(lost, ", "), s.nb.restore.Why)})
	}
	return nil
}

// read returns all events of a log.
func read(dir string) ([]trajectory.Event, error) {
	var events []trajectory.Event
	for ev, err := range trajectory.Read(dir) {
		if err != nil {
			return nil, err
		}
		events = append(events, ev)
	}
	return events, nil
}

// recall rebuilds the session from its events.
func (s *Session) recall(ctx context.Context, all []trajectory.Event) error {
	events := trajectory.Kept(all)
	runs, between := split(events)
	if err := s.recallContexts(ctx, events); err != nil {
		return err
	}
	s.facts = factsNew
	for i, run := range runs {
		s.runs = i + 1
		start := run[0].Data.(trajectory.RunStarted)
		s.mode, s.told = termination.Mode(start.Mode), termination.Mode(start.Mode)
		end, ended := ending(run)
		if i == len(runs)-1 && (!ended || resumable(end)) {
			s.pending, s.said = run, false
			continue
		}
		s.take(run)
		s.settled(start.Question, end)
		s.inReview = s.inReview && !reviewed(run)
	}
	s.info.Lock()
	s.cfg.Mode = s.mode // what is set later changes what it names, and nothing else
	s.info.Unlock()
	s.base = totals(all)
	s.setTotal(s.base)
	if len(s.pending) > 0 {
		s.base = totals(before(all, s.pending[0].Seq))
	}
	s.own = ownCells(between)
	s.rebuild(events)
	return nil
}

// recallContexts makes the texts again that cells saw as context.
func (s *Session) recallContexts(ctx context.Context, events []trajectory.Event) error {
	texts := s.byHash()
	for _, ev := range events {
		d, ok := ev.Data.(trajectory.ContextAdded)
		if !ok || ev.Path != "" {
			continue
		}
		s.origin = origin{paths: d.Sources, again: d.File == ""}
		if texts[d.Hash] != nil {
			continue
		}
		text, err := s.loadContext(ctx, d)
		if err != nil {
			return err
		}
		texts[d.Hash] = text
		s.addText(text)
	}
	return nil
}

// rebuild makes the notebook anew, with the builtins of the session's mode; it runs the recorded cells again when it is needed.
func (s *Session) rebuild(events []trajectory.Event) {
	texts := s.byHash()
	nb := s.notebook()
	nb.first = firstContext(events, texts)
	nb.past = cellRecords(events)[""]
	before := changes(events, texts)
	for i := range nb.past {
		if c, ok := before[nb.past[i].Cell]; ok {
			nb.past[i].Context, nb.past[i].History = &c.context, c.history
		}
		nb.learn(nb.past[i].Changed)
	}
	nb.ran = lastCell(events)
	s.nb = nb
}

// byHash finds the session's texts.
func (s *Session) byHash() map[string]*corpus.Text {
	texts := map[string]*corpus.Text{}
	for _, t := range s.texts {
		texts[t.Facts().SHA256] = t
	}
	return texts
}

// lastCell is the highest number of a cell that began.
func lastCell(events []trajectory.Event) int {
	last := 0
	for _, ev := range events {
		if d, ok := ev.Data.(trajectory.CellStarted); ok && ev.Path == "" {
			last = max(last, d.Cell)
		}
	}
	return last
}

// split cuts the events of a session into its runs; what a person did after the end of the last one comes apart.
func split(events []trajectory.Event) (runs [][]trajectory.Event, between []trajectory.Event) {
	for _, ev := range events {
		if _, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" {
			runs = append(runs, nil)
			between = nil
		}
		if len(runs) == 0 {
			between = append(between, ev)
			continue
		}
		last := len(runs) - 1
		runs[last] = append(runs[last], ev)
		if _, ended := ending(runs[last]); ended {
			between = append(between, ev)
		}
	}
	return runs, between
}

// ending is how a run ended last, if it did.
func ending(run []trajectory.Event) (trajectory.RunEnded, bool) {
	for i := len(run) - 1; i >= 0; i-- {
		if run[i].Path != "" {
			continue
		}
		switch d := run[i].Data.(type) {
		case trajectory.RunEnded:
			return d, true
		case trajectory.TurnStarted, trajectory.MessageAdded, trajectory.ReplyReceived:
			return trajectory.RunEnded{}, false
		}
	}
	return trajectory.RunEnded{}, false
}

// take folds a run that is over into the session: what was said, and what can be remembered for memo.
func (s *Session) take(run []trajectory.Event) {
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

// remember enters recorded replies into the memo.
func (s *Session) remember(run []trajectory.Event) {
	starts := map[callKey]trajectory.SubCallStarted{}
	for _, ev := range run {
		switch d := ev.Data.(type) {
		case trajectory.SubCallStarted:
			starts[callKey{ev.Path, d.Cell, d.Hash, d.N}] = d
		case trajectory.SubCallEnded:
			if st, ok := starts[callKey{ev.Path, d.Cell, d.Hash, d.N}]; ok && st.Memo != "" && d.Error == "" {
				s.memo.keep(st.Memo, recordedReply(d))
			}
		}
	}
}

// settlePending leaves an interrupted run as it is: what was said in it stays said.
func (s *Session) settlePending() {
	if len(s.pending) == 0 {
		return
	}
	s.base = s.total
	if s.said {
		s.pending = nil
		return
	}
	s.take(s.pending)
	s.pending = nil
}

// reviewed reports whether a decision on the run is in its events.
func reviewed(run []trajectory.Event) bool {
	for _, ev := range run {
		if _, ok := ev.Data.(trajectory.Reviewed); ok {
			return true
		}
	}
	return false
}

// totals adds up what all questions of a session used, also those that were taken back and those that did not end.
func totals(events []trajectory.Event) Totals {
	l := &lease{usage: map[string]trajectory.Usage{}, unpriced: map[string]bool{}}
	l.recallAll(events)
	return Totals{Usage: map[string]trajectory.Usage{}}.plus(l.usage)
}

// before are the events up to the one numbered seq.
func before(events []trajectory.Event, seq int64) []trajectory.Event {
	for i, ev := range events {
		if ev.Seq == seq {
			return events[:i]
		}
	}
	return events
}
