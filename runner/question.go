package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gorlm/rlm/runner/internal/budget"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// The kinds of messages that open a run.
const (
	kindQuestion = "question"
	kindReview   = "review"
	kindMore     = "more"
)

var errNoQuestion = errors.New("there is no question: write what you want to know")

// questionInput is a question and its circumstances.
type questionInput struct {
	question    string
	kind        string
	interactive bool // a person is there: prose is an answer
}

// answer carries out a root run from its first message to its end. past has the recorded events of a resumed run.
func (s *Session) answer(ctx context.Context, p *backpressure, past []trajectory.Event, q questionInput) error {
	r, err := s.newRun(p, past, q.interactive)
	if err != nil {
		return err
	}
	if err := s.begin(ctx, r, q); err != nil {
		return err
	}
	end, err := r.loop(ctx)
	if err != nil {
		return err
	}
	return s.conclude(q.question, end)
}

// newRun creates the run of the current question.
func (s *Session) newRun(p *backpressure, past []trajectory.Event, interactive bool) (*run, error) {
	filled := s.cfg.Budgets.filled()
	t := &tree{
		id: s.id, dir: s.dir, cfg: s.cfg, bounds: filled, number: s.runs, journal: journal.New(s.log, past), past: past,
		memo: s.memo, shown: &s.shown,
		evidence: s.evidence, texts: s.allTexts(), pace: p, workers: s.workers,
		lease: budget.NewLease(filled.bounds(), s.cfg.prices, journal.Worked(past)),
		slots: make(chan struct{}, s.cfg.Concurrency), answered: s.history,
	}
	t.lease.Recall(past)
	t.lease.Share(s.cfg.host.Quota)
	for range filled.Depth {
		t.children = append(t.children, make(chan struct{}, childrenAtOnce))
	}
	r := &run{tree: t, model: s.cfg.model, call: s.cfg.Call, nb: s.nb, text: s.text(), conv: s.conv}
	if s.nb.session != nil {
		s.nb.session.BeginRun()
	}
	return r, r.equip(s.mode, interactive)
}

// begin opens the run in the log and asks the question.
func (s *Session) begin(ctx context.Context, r *run, q questionInput) error {
	settings, err := json.Marshal(s.cfg.settings)
	if err != nil {
		return fmt.Errorf("recording the configuration: %w", err)
	}
	_, _, err = journal.Step(r.journal, "", 0, func() (trajectory.RunStarted, error) {
		err := s.ready(ctx) // after this, the sandbox level is known
		return trajectory.RunStarted{
			Run: s.runID(), Number: s.runs, Question: q.question, Mode: string(s.mode), Model: r.model.Name(),
			SubModel: s.cfg.sub.Name(),
			Sandbox:  string(s.Level()), Version: s.cfg.host.Version, Config: settings,
			Metadata: spanned(ctx, s.cfg.metadata), Batch: s.cfg.host.Batch, Request: requestOf(ctx),
			Interactive: q.interactive, Review: q.kind == kindReview,
		}, err
	})
	if err != nil {
		return err
	}
	o := firstMessage{first: len(s.conv.messages) == 0, own: tell(s.news, s.cfg.turnOutput(0)), kind: q.kind}
	o.changed = !o.first && s.told != s.mode
	s.told = s.mode
	if s.facts != factsTold {
		o.facts = s.describe()
		o.facts.Added = s.facts == factsAdded
	}
	if err := r.open(q.question, o); err != nil {
		return err
	}
	s.news, s.facts = nil, factsTold
	if len(s.history) > 0 {
		return r.tellHistory(ctx)
	}
	return nil
}

// conclude stores what later runs need from a run that has ended.
func (s *Session) conclude(question string, end trajectory.RunEnded) error {
	s.setTotal(s.base.plus(end.Usage))
	s.settle(question, end)
	if !journal.Resumable(end) {
		s.base = s.total
		return nil
	}
	events, err := journal.Read(s.dir)
	if err != nil {
		return err
	}
	runs, _ := journal.Split(trajectory.Kept(events))
	s.leaves(pendingWork{interrupted: runs[len(runs)-1], said: true})
	return nil
}

// settle remembers how the last run ended.
func (s *Session) settle(question string, end trajectory.RunEnded) {
	rest := pendingWork{inReview: end.RequiresReview || end.Status == string(termination.PendingReview)}
	if end.EndedBy == string(termination.ByLimit) {
		rest.limited = question
	}
	s.leaves(rest)
	s.history = append(s.history, exchange(question, end)...)
}

// exchange returns a question and its answer, or what the model asked instead, as cells see them in history.
func exchange(question string, end trajectory.RunEnded) []string {
	switch {
	case end.HasAnswer:
		return []string{"Question: " + question, "Answer: " + end.Answer}
	case end.Status == string(termination.NeedsInput):
		return []string{"Question: " + question, "Asked back: " + end.Reply}
	}
	return nil
}

// runID is the id of the current run: the session's id for the first, with a number for later ones.
func (s *Session) runID() string {
	if s.runs <= 1 {
		return s.id
	}
	return fmt.Sprintf("%s.%d", s.id, s.runs)
}
