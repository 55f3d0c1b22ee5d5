package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/grounding"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/internal/budget"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/evidence"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
)

// tree is the state that a question shares with all child runs below it.
type tree struct {
	id       string // id of the session
	dir      string // folder of the session's log
	cfg      config
	bounds   Budgets
	number   int // of the question in its session
	journal  *journal.Journal
	evidence *evidence.MarkRegistry
	texts    []*corpus.Text     // every context that the session has had; the last is the present one
	past     []trajectory.Event // recorded events of the question, if it resumes
	shown    *shownTexts
	lease    *budget.Lease
	memo     *memo
	pace     *backpressure
	workers  *sandbox.Workers
	systems  systemPrompts
	slots    chan struct{}   // sub-calls and turns of children in flight
	answered []string        // questions and answers before this one
	children []chan struct{} // semaphores for child runs, by depth
}

// childrenAtOnce bounds the concurrent child runs of a depth: each has a worker process.
const childrenAtOnce = 4

// run is one question, or one child run, from its first message to its end.
type run struct {
	*tree
	path    string
	depth   int
	model   llm.Model
	call    CallSettings
	nb      *notebook
	text    *corpus.Text // the text that contains the context; nil without one
	conv    *conversation
	specs   []builtins.Spec
	names   prompts.Names
	policy  termination.Policy
	state   termination.State
	turn    int
	granted int // extra turns after a limit
	cells   int // cells that ran
	last    string
	latest  []CellResult      // results of the last turn's cells
	ending  trajectory.Ending // how the reply of the last turn ended
	remarks remarks
	looked  checkedAnswer    // results of checking the last answer
	rests   rests            // grounding of the last answer
	cut     int              // replies of sub-calls that did not end normally
	excerpt bool             // the first message shows only part of the text
	blind   []grounding.Turn // turns before any of the text was shown
	unfit   string           // why the last answer that was refused does not follow the schema

	began    time.Time
	cellTime time.Duration
}

// equip gives a run its builtins, their names, and the policy that ends it.
func (r *run) equip(mode termination.Mode, interactive bool) error {
	r.began = time.Now().Add(-journal.Worked(journal.Of(r.past, r.path)))
	r.specs = r.cfg.specs(mode, r.depth)
	r.names = names(r.specs, mode)
	r.policy = r.cfg.policy(r.specs, mode, interactive)
	if r.typed() {
		r.policy.Example = r.cfg.example()
	}
	state, err := r.policy.Begin("")
	if err != nil {
		return fmt.Errorf("how this run ends: %w", err)
	}
	r.state = state
	return nil
}

// loop takes turns until the policy stops the run:
//
//	prompt → model → reply → cells → verdict → observation → prompt …
//
// It fails if the log cannot be written or a child is cancelled; anything else ends the run with an event.
func (r *run) loop(ctx context.Context) (trajectory.RunEnded, error) {
	for {
		if err := r.pace.wait(ctx, r.journal.LastSeq()); err != nil {
			return r.abort(ctx, err)
		}
		if end, stop, err := r.beforeTurn(ctx); err != nil {
			return r.abort(ctx, err)
		} else if stop {
			return end, nil
		}
		r.turn++
		reply, err := r.reply(ctx)
		if errors.Is(err, errTimeIsUp) && r.state.Limit == nil && r.depth == 0 {
			if err := r.announceLimit(r.lease.TimeLimit()); err != nil {
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
		if verdict.Action == termination.Stop && !r.journal.GoesOn(r.path) { // else another version continued
			return r.end(ctx, *verdict.End, "", nil)
		}
	}
}

// beforeTurn handles what cannot wait for a verdict: a budget used up between turns, a conversation that is too
// long.
func (r *run) beforeTurn(ctx context.Context) (end trajectory.RunEnded, stop bool, err error) {
	now, err := r.check(ctx, func(d *trajectory.Checked) error {
		d.Compact = r.nearsWindow()
		return nil
	})
	if err != nil {
		return end, false, err
	}
	if lim := limitOf(now); lim != nil && r.state.Limit == nil {
		if r.turn == 0 || r.depth > 0 {
			end, err = r.finish(ctx, r.policy.Abort(r.state, termination.ByLimit, lim.Status, lim.Error()), lim.Name,
				nil)
			return end, true, err
		}
		return end, false, r.announceLimit(lim)
	}
	if now.Compact {
		return end, false, r.compact(ctx)
	}
	return end, false, nil
}

// abort ends a run that could not finish a turn. A cancelled child leaves no event: it starts again when the run
// resumes.
func (r *run) abort(ctx context.Context, err error) (trajectory.RunEnded, error) {
	if failed := r.journal.Failed(); failed != nil {
		return trajectory.RunEnded{}, failed
	}
	var call *llm.Error
	var lim *budget.Limit
	switch {
	case ctx.Err() != nil && r.depth > 0:
		return trajectory.RunEnded{}, ctx.Err()
	case ctx.Err() != nil:
		return r.finish(ctx, r.policy.Abort(
			r.state, termination.ByInterrupt, termination.Stopped, "the run was stopped"), "cancelled", ctx.Err())
	case errors.As(err, &lim):
		return r.finish(ctx, r.policy.Abort(r.state, termination.ByLimit, lim.Status, lim.Error()), "", nil)
	case errors.Is(err, errTimeIsUp):
		return r.finish(ctx, r.policy.Abort(r.state, termination.ByLimit, termination.TimeLimit, errTimeIsUp.Error()),
			"", nil)
	case errors.As(err, &call):
		return r.finish(ctx, r.policy.Abort(r.state, termination.ByEndpoint, termination.Failed, reason(call, err)),
			string(call.Kind), err)
	default:
		return r.finish(ctx, r.policy.Abort(r.state, termination.ByError, termination.Failed, err.Error()), "", err)
	}
}

// reason describes a failed call: the endpoint's message, and advice of the run.
func reason(call *llm.Error, err error) string {
	var added *advisedError
	if errors.As(err, &added) {
		return added.Error()
	}
	return call.Error()
}

func (r *run) finish(
	ctx context.Context, v termination.Verdict, errorKind string, failure error,
) (trajectory.RunEnded, error) {
	if v.End == nil {
		return trajectory.RunEnded{}, errors.New("the policy ended a run without giving a reason")
	}
	return r.end(ctx, *v.End, errorKind, failure)
}

// end closes the run in the log.
func (r *run) end(
	ctx context.Context, e termination.End, errorKind string, failure error,
) (trajectory.RunEnded, error) {
	e = r.fitEnd(e)
	d, _, err := journal.Step(r.journal, r.path, r.turn, func() (trajectory.RunEnded, error) {
		t := r.lease.Tally(r.path)
		found, unsupported := r.findings(ctx, e)
		rests := r.grounded(e)
		e := r.unfounded(r.require(e, rests, unsupported), rests)
		if !e.HasAnswer {
			rests = nil
		}
		return trajectory.RunEnded{
			Status: string(e.Status), FinishStatus: string(e.FinishStatus),
			Answer: e.Answer, HasAnswer: e.HasAnswer, Guess: e.Guess, CutReplies: r.notWhole(), Typed: e.HasAnswer &&
				r.typed(), AnswerFrom: string(e.From),
			EndedBy: string(e.Fired), Name: e.Name, Reason: e.Reason, ErrorKind: errorKind,
			RequiresReview: e.RequiresReview, Reply: cmp.Or(e.Asks, r.last),
			Turns: r.turn - r.granted, Limit: r.policy.MaxTurns, Cells: r.cells, SubCalls: int(t.SubCalls),
			Usage: t.Usage, UnpricedModels: t.Unpriced, Cost: t.Cost,
			Duration: time.Since(r.began), ModelTime: t.ModelTime, CellTime: r.cellTime,
			Metadata: r.cfg.metadata, Err: failure,
			Evidence: found.evidence, UnknownMarks: found.unknown, Unverified: found.unverified,
			Unsupported: unsupported, Grounding: rests,
		}, nil
	})
	return d, err
}

// announceLimit tells the model, outside a verdict, that one turn is left.
func (r *run) announceLimit(lim *budget.Limit) error {
	l := termination.Limit{Status: lim.Status, Used: lim.Used, Bound: lim.Bound}
	r.state.Limit = &l
	return r.tellLimit(l, r.say)
}
