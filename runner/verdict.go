package runner

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/runner/internal/budget"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// judge gets the policy's verdict on a turn.
func (r *run) judge(ctx context.Context, t *termination.Turn) (termination.Verdict, error) {
	t.Names = r.nb.variables()
	if err := r.draft(ctx, t); err != nil {
		return termination.Verdict{}, err
	}
	now, err := r.check(ctx, func(d *trajectory.Checked) (err error) {
		d.Stop, err = r.stopped(ctx, t.Draft)
		return err
	})
	if err != nil {
		return termination.Verdict{}, err
	}
	t.Stop = now.Stop
	if lim := limitOf(now); lim != nil {
		t.Limits = []termination.Limit{{Status: lim.Status, Used: lim.Used, Bound: lim.Bound}}
	}
	if name, ok := r.policy.Wants(*t); ok {
		value, ok, err := r.lookup(ctx, name)
		if err != nil {
			return termination.Verdict{}, err
		}
		if ok {
			t.Vars = map[string]string{name: value}
		}
	}
	if err := r.handIn(ctx, t); err != nil {
		return termination.Verdict{}, err
	}
	state, verdict := r.policy.Next(r.state, *t)
	r.state = state
	verdict = r.fitVerdict(*t, verdict)
	if verdict, err = r.support(ctx, *t, verdict); err != nil {
		return verdict, err
	}
	if verdict.Action == termination.LastTurn {
		r.granted = 1
	}
	return verdict, nil
}

// findings checks the answer that a run ends with. A child run's answer goes to a cell, not to people.
func (r *run) findings(ctx context.Context, e termination.End) (f findings, unsupported string) {
	if r.depth > 0 || !e.HasAnswer {
		return f, ""
	}
	f = r.look(ctx, e.Answer)
	if r.policy.RequireEvidence {
		unsupported = f.lacks(r.cite())
	}
	return f, unsupported
}

// check records what a decision depends on besides the conversation, or returns it from the log: the budgets, and
// what look adds.
func (r *run) check(ctx context.Context, look func(*trajectory.Checked) error) (trajectory.Checked, error) {
	d, _, err := journal.Step(r.journal, r.path, r.turn, func() (trajectory.Checked, error) {
		d, err := r.measure(ctx)
		if err == nil {
			err = look(&d)
		}
		return d, err
	})
	return d, err
}

// measure looks for a budget that is used up, or that the next prompt would exceed.
func (r *run) measure(ctx context.Context) (d trajectory.Checked, err error) {
	if lim := r.lease.Exceeded(r.model.Name(), r.conv.tokens, r.depth > 0); lim != nil {
		return trajectory.Checked{Limit: string(lim.Status), Used: lim.Used, Bound: lim.Bound, Next: lim.Next}, nil
	}
	if r.cfg.host.Limit == nil {
		return d, nil
	}
	return callback.Call(ctx, "the limit of the run's host", func() (trajectory.Checked, error) {
		status, used, bound := r.cfg.host.Limit()
		if status == "" {
			return d, nil
		}
		return trajectory.Checked{Limit: string(status), Used: used, Bound: bound}, nil
	})
}

// limitOf returns the limit that was found, nil if none was.
func limitOf(d trajectory.Checked) *budget.Limit {
	if d.Limit == "" {
		return nil
	}
	status := termination.Status(d.Limit)
	return &budget.Limit{Name: limitWords(status), Used: d.Used, Bound: d.Bound, Next: d.Next, Status: status}
}

// stopped asks the caller's StopFunc.
func (r *run) stopped(ctx context.Context, draft string) (reason string, err error) {
	if r.cfg.stop == nil || r.depth > 0 {
		return "", nil
	}
	s := State{Turn: r.turn, Reply: r.last, Cells: r.latest, Partial: draft}
	s.SubCalls, s.Tokens, s.Cost, s.Elapsed = r.lease.Spent()
	if partial, ok := r.state.Partial(); ok && s.Partial == "" {
		s.Partial = partial
	}
	return callback.Call(ctx, "the function of WithStop", func() (string, error) {
		reason, stop := r.cfg.stop(s)
		if !stop {
			return "", nil
		}
		return cmp.Or(reason, "an external condition was met"), nil
	})
}

// draft reads the unfinished answer that the cells of a turn left in the answer variable: it is the best partial
// answer.
func (r *run) draft(ctx context.Context, t *termination.Turn) error {
	name := builtinOf(r.specs, "answer")
	if name == "" || r.policy.Names.Final == "" {
		return nil
	}
	touched := false
	for i, c := range t.Cells {
		if c.Final != nil {
			return nil
		}
		for _, v := range r.latest[i].Changed {
			touched = touched || v.Name == name && strings.HasPrefix(v.Type, "map[string]")
		}
	}
	if !touched {
		return nil
	}
	source := fmt.Sprintf("if draft_ := fmt.Sprint(%s[\"content\"]); draft_ != \"\" { %s(draft_) }", name,
		r.policy.Names.Final)
	if r.typed() { // take the value itself, not its text
		if r.policy.Names.FinalVar == "" {
			return nil
		}
		source = fmt.Sprintf("if draft_ := %s[\"content\"]; fmt.Sprint(draft_) != \"\" { %s(\"draft_\") }", name,
			r.policy.Names.FinalVar)
	}
	res, err := r.runCell(ctx, sandbox.Cell{Source: source}, false)
	if err == nil && res.Final != nil {
		t.Draft = res.Final.Answer
	}
	return err
}

// handIn runs a completion signal that the prose of the turn calls, in a cell that the runner makes.
func (r *run) handIn(ctx context.Context, t *termination.Turn) error {
	source, ok := r.policy.Calls(*t)
	if !ok {
		return nil
	}
	res, err := r.runCell(ctx, sandbox.Cell{Source: source}, true)
	if err != nil {
		return err
	}
	outcome := res.outcome(source)
	t.Handed = &outcome
	return nil
}

// lookup gets the value of a variable as an answer would show it, with a cell that the runner makes.
func (r *run) lookup(ctx context.Context, name string) (string, bool, error) {
	if r.policy.Names.FinalVar == "" {
		return "", false, nil
	}
	res, err := r.runCell(ctx, sandbox.Cell{Source: fmt.Sprintf("%s(%q)", r.policy.Names.FinalVar, name)}, false)
	if err != nil || res.Final == nil {
		return "", false, err
	}
	return res.Final.Answer, true, nil
}
