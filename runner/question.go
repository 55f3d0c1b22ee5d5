package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// run makes the run of the current question. past are its recorded events, if it is taken up.
func (s *Session) run(p *pace, past []trajectory.Event, interactive bool) (*run, error) {
	j := newJournal(s.log)
	j.recall(past)
	bounds := s.cfg.Budgets.bounds()
	t := &tree{
		id: s.id, cfg: s.cfg, bounds: bounds, number: s.runs, journal: j, memo: s.memo, pace: p, workers: s.workers,
		lease: newLease(bounds, s.cfg.prices, timeSpent(past)), slots: make(chan struct{}, s.cfg.Concurrency),
	}
	t.lease.recallAll(past)
	t.answered = s.answered
	for range bounds.Depth {
		t.children = append(t.children, make(chan struct{}, childrenAtOnce))
	}
	r := &run{tree: t, model: s.cfg.model, call: s.cfg.Call, nb: s.nb, text: s.text(), conv: s.conv}
	if s.nb.session != nil {
		s.nb.session.BeginRun()
	}
	return r, r.equip(s.mode, interactive)
}

// answer takes a run of the root from its first message to its end.
func (s *Session) answer(ctx context.Context, r *run, question, kind string) error {
	interactive := r.policy.Interactive
	if !r.journal.replaying("") {
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	settings, err := json.Marshal(s.cfg.settings)
	if err != nil {
		return fmt.Errorf("recording the configuration: %w", err)
	}
	if _, err := note(r.journal, "", 0, trajectory.RunStarted{
		Run: s.runID(), Number: s.runs, Question: question, Mode: string(s.mode), Model: r.model.Name(), SubModel: s.cfg.sub.Name(),
		Sandbox: string(s.Level()), Version: s.cfg.version, Config: settings, Metadata: s.cfg.metadata, Interactive: interactive, Review: kind == kindReview,
	}); err != nil {
		return err
	}
	o := opening{first: len(s.conv.messages) == 0, own: s.own, kind: kind}
	o.changed = !o.first && s.told != s.mode
	s.told = s.mode
	if s.facts != factsTold {
		o.facts = s.describe()
		o.facts.Added = s.facts == factsAdded
	}
	if err := r.open(question, o); err != nil {
		return err
	}
	if len(s.answered) > 0 {
		if err := r.tellHistory(ctx); err != nil {
			return err
		}
	}
	s.own, s.facts = nil, factsTold
	end, err := r.loop(ctx)
	if err != nil {
		return err
	}
	return s.conclude(question, end)
}

// conclude keeps what a run that ended leaves to the next ones. One that was interrupted can go on.
func (s *Session) conclude(question string, end trajectory.RunEnded) error {
	s.setTotal(s.base.plus(end.Usage))
	s.settled(question, end)
	if !resumable(end) {
		s.base = s.total
		return nil
	}
	events, err := read(s.dir)
	if err != nil {
		return err
	}
	runs, _ := split(trajectory.Kept(events))
	s.pending, s.said = runs[len(runs)-1], true
	return nil
}

// settled remembers how the last run ended.
func (s *Session) settled(question string, end trajectory.RunEnded) {
	s.inReview = pendingReview(end)
	s.limited = ""
	if end.EndedBy == string(termination.ByLimit) {
		s.limited = question
	}
	s.keepAnswer(question, end)
}

// keepAnswer makes an answer part of the notebook's history.
func (s *Session) keepAnswer(question string, end trajectory.RunEnded) {
	if end.HasAnswer {
		s.answered = append(s.answered, exchange(question, end.Answer)...)
	}
}

// runID names the current run: the session's own id for the first, with a number for later ones.
func (s *Session) runID() string {
	if s.runs <= 1 {
		return s.id
	}
	return fmt.Sprintf("%s.%d", s.id, s.runs)
}
