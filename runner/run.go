package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// tree is what one question and all child runs below it share.
type tree struct {
	id       string // of the session
	cfg      config
	bounds   Budgets
	number   int // of the question in its session
	journal  *journal
	lease    *lease
	memo     *memo
	pace     *pace
	workers  *sandbox.Workers
	systems  systems
	slots    chan struct{}   // sub-calls and turns of children that are with a model
	answered []string        // questions and answers before this one
	children []chan struct{} // by depth: child runs that are under way
}

// childrenAtOnce bounds the child runs of one depth that are under way: each has a worker process.
const childrenAtOnce = 4

// run is one question, or one child run, from its first message to its end.
type run struct {
	*tree
	path    string
	depth   int
	model   llm.Model
	call    CallSettings
	nb      *notebook
	text    *corpus.Text // of which the context is a range; nil without one
	conv    *conversation
	specs   []builtins.Spec
	names   prompts.Names
	policy  termination.Policy
	state   termination.State
	turn    int
	cells   int // cells that ran
	last    string
	remarks remarks

	cellTime time.Duration
}

// loop takes turns until the policy says stop:
//
//	prompt → model → reply → cells → verdict → observation → prompt …
//
// The error is for a log that cannot be written and for a cancelled child; everything else ends the run with an event.
func (r *run) loop(ctx context.Context) (trajectory.RunEnded, error) {
	for {
		if err := r.pace.wait(ctx, r.journal); err != nil {
			return r.abort(ctx, err)
		}
		if end, stop, err := r.beforeTurn(ctx); stop || err != nil {
			return end, err
		}
		r.turn++
		reply, err := r.reply(ctx)
		if errors.Is(err, errTimeIsUp) && r.state.Limit == nil && r.depth == 0 {
			if err := r.announceLimit(r.lease.timeLimit()); err != nil {
				return r.abort(ctx, err)
			}
			continue
		}
		if err != nil {
			return r.abort(ctx, err)
		}
		turn, err := r.runCells(ctx, reply)
		if err != nil {
			return r.abort(ctx, err)
		}
		verdict, err := r.judge(ctx, &turn)
		if err != nil {
			return r.abort(ctx, err)
		}
		if err := r.observe(turn, verdict); err != nil {
			return r.abort(ctx, err)
		}
		if verdict.Action == termination.Stop {
			return r.end(*verdict.End, "")
		}
	}
}

// beforeTurn looks after what may not wait for a verdict: a budget that ran out between turns, a conversation that has
// grown too long.
func (r *run) beforeTurn(ctx context.Context) (end trajectory.RunEnded, stop bool, err error) {
	if r.state.Limit == nil {
		if lim := r.limitBetweenTurns(); lim != nil {
			if r.turn == 0 || r.depth > 0 {
				end, err = r.finish(r.policy.Abort(r.state, termination.ByLimit, lim.status, lim.Error()), lim.name)
				return end, true, err
			}
			return end, false, r.announceLimit(lim)
		}
	}
	return end, false, r.compactIfNeeded(ctx)
}

// limitBetweenTurns is a limit that was reached since the last verdict, from the log where that has one.
func (r *run) limitBetweenTurns() *limit {
	if !r.journal.replaying(r.path) {
		return r.exceeded()
	}
	if d, ok := r.journal.next(r.path).(trajectory.LimitReached); ok {
		return &limit{name: d.Limit, used: d.Used, bound: d.Bound, status: termination.Status(d.Limit)}
	}
	return nil
}

// exceeded returns the budget that is used up, or that the next prompt would overdraw.
func (r *run) exceeded() *limit {
	if lim := r.lease.exceeded(); lim != nil {
		return lim
	}
	r.lease.mu.Lock()
	defer r.lease.mu.Unlock()
	h := hold{tokens: r.conv.tokens}
	if c := r.cfg.prices.Cost(r.model.Name(), llm.Usage{Prompt: h.tokens}); c != nil {
		h.cost = *c
	}
	return r.lease.refusal(h, r.depth > 0)
}

// judge asks the policy what a turn means.
func (r *run) judge(ctx context.Context, t *termination.Turn) (termination.Verdict, error) {
	t.Names = r.nb.variables()
	if err := r.draft(ctx, t); err != nil {
		return termination.Verdict{}, err
	}
	t.Limits = r.limits()
	t.Stop = r.stopped()
	if name, ok := r.policy.Wants(*t); ok {
		value, ok, err := r.lookup(ctx, name)
		if err != nil {
			return termination.Verdict{}, err
		}
		if ok {
			t.Vars = map[string]string{name: value}
		}
	}
	state, verdict := r.policy.Next(r.state, *t)
	r.state = state
	return verdict, nil
}

// limits are the budgets that are used up. A run that is taken up again has them from its log: the clock has moved on since.
func (r *run) limits() []termination.Limit {
	lim := r.recordedLimit()
	if lim == nil && !r.journal.replaying(r.path) {
		lim = r.exceeded()
	}
	if lim == nil {
		return nil
	}
	return []termination.Limit{{Status: lim.status, Used: lim.used, Bound: lim.bound}}
}

// recordedLimit looks ahead in the log for the limit that followed this turn.
func (r *run) recordedLimit() *limit {
	r.journal.mu.Lock()
	defer r.journal.mu.Unlock()
	for _, ev := range r.journal.past[r.path] {
		switch d := ev.Data.(type) {
		case trajectory.LimitReached:
			return &limit{name: d.Limit, used: d.Used, bound: d.Bound, status: termination.Status(d.Limit)}
		case trajectory.TurnStarted, trajectory.MessageAdded:
			return nil
		}
	}
	return nil
}

// stopped asks the condition from outside. What it said before is in the log.
func (r *run) stopped() string {
	if r.cfg.stop == nil || r.depth > 0 {
		return ""
	}
	if r.journal.replaying(r.path) {
		return r.journal.recordedStop(r.path)
	}
	l := r.lease
	l.mu.Lock()
	s := State{Turn: r.turn, SubCalls: l.calls, Tokens: l.tokens, Cost: l.cost, Elapsed: time.Since(l.began), Reply: r.last}
	l.mu.Unlock()
	reason, stop := r.cfg.stop(s)
	if !stop {
		return ""
	}
	if reason == "" {
		return "an outside condition was met"
	}
	return reason
}

// abort ends a run that could not finish a turn. A child that was cancelled leaves no event: it is begun again when the run
// is taken up.
func (r *run) abort(ctx context.Context, err error) (trajectory.RunEnded, error) {
	if failed := r.journal.failed(); failed != nil {
		return trajectory.RunEnded{}, failed
	}
	var call *llm.Error
	var lim *limit
	switch {
	case ctx.Err() != nil && r.depth > 0:
		return trajectory.RunEnded{}, ctx.Err()
	case ctx.Err() != nil:
		return r.finish(r.policy.Abort(r.state, termination.ByInterrupt, termination.Stopped, "the run was interrupted"), "cancelled")
	case errors.As(err, &lim):
		return r.finish(r.policy.Abort(r.state, termination.ByLimit, lim.status, lim.Error()), "")
	case errors.Is(err, errTimeIsUp):
		return r.finish(r.policy.Abort(r.state, termination.ByLimit, termination.TimeLimit, "the time of this run is used up"), "")
	case errors.As(err, &call):
		return r.finish(r.policy.Abort(r.state, termination.ByEndpoint, termination.Failed, call.Error()), string(call.Kind))
	default:
		return r.finish(r.policy.Abort(r.state, termination.ByError, termination.Failed, err.Error()), "")
	}
}

func (r *run) finish(v termination.Verdict, errorKind string) (trajectory.RunEnded, error) {
	if v.End == nil {
		return trajectory.RunEnded{}, fmt.Errorf("the policy ended a run without saying how")
	}
	return r.end(*v.End, errorKind)
}

// end closes the run in the log.
func (r *run) end(e termination.End, errorKind string) (trajectory.RunEnded, error) {
	d, _, err := step(r.journal, r.path, r.turn, func() (trajectory.RunEnded, error) {
		l := r.lease
		l.mu.Lock()
		defer l.mu.Unlock()
		d := trajectory.RunEnded{
			Status: string(e.Status), FinishStatus: string(e.FinishStatus),
			Answer: e.Answer, HasAnswer: e.HasAnswer, AnswerFrom: string(e.From),
			EndedBy: string(e.Fired), Name: e.Name, Reason: e.Reason, ErrorKind: errorKind,
			RequiresReview: e.RequiresReview, Reply: r.last,
			Turns: r.turn, Limit: r.policy.MaxTurns, Cells: r.cells, SubCalls: int(l.calls),
			Usage: cloneUsage(l.usage), UnpricedModels: sorted(l.unpriced),
			Duration: time.Since(l.began), ModelTime: l.modelTime, CellTime: r.cellTime,
			Metadata: r.cfg.metadata,
		}
		if cost, known := knownCost(l.usage); known {
			d.Cost = &cost
		}
		return d, nil
	})
	return d, err
}

// announceLimit tells the model, outside of a verdict, that one turn is left.
func (r *run) announceLimit(lim *limit) error {
	l := termination.Limit{Status: lim.status, Used: lim.used, Bound: lim.bound}
	r.state.Limit = &l
	return r.tellLimit(l, r.say)
}

// say adds a message of the run's own to the conversation.
func (r *run) say(kind, text string) error {
	m, err := note(r.journal, r.path, r.turn, trajectory.MessageAdded{Role: string(llm.User), Kind: kind, Content: trajectory.T(text)})
	if err != nil {
		return err
	}
	r.conv.apply(m)
	return nil
}

// knownCost sums what is known; it is not known at all if no model has a price.
func knownCost(usage map[string]trajectory.Usage) (sum float64, known bool) {
	for _, u := range usage {
		if u.Cost != nil {
			sum += *u.Cost
			known = true
		}
	}
	return sum, known || len(usage) == 0
}
