package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination/reply"
)

// errTimeIsUp cancels what is under way when the time budget ends.
var errTimeIsUp = errors.New("the time of this run is used up")

// Kinds of turns, as trajectory.TurnStarted names them.
const (
	turnUsual   = ""
	turnLast    = "last"
	turnSummary = "summary"
	turnRetry   = "retry"
)

// reply gets the model's reply to the conversation as it stands. An empty one is asked for once more without streaming,
// since broken streams look like that; what is still empty is the policy's business.
func (r *run) reply(ctx context.Context) (trajectory.ReplyReceived, error) {
	kind := turnUsual
	if r.state.Limit != nil {
		kind = turnLast
	}
	d, err := r.ask(ctx, kind, r.request())
	if err != nil && isTooLong(err) {
		if err := r.compact(ctx); err != nil {
			return d, err
		}
		d, err = r.ask(ctx, turnRetry, r.request())
	}
	if err == nil && strings.TrimSpace(d.Content.String()) == "" {
		again := r.request()
		again.NoStream = true
		d, err = r.ask(ctx, turnRetry, again)
	}
	if err != nil {
		return d, err
	}
	r.last = d.Content.String()
	r.conv.apply(d)
	return d, nil
}

func isTooLong(err error) bool {
	var call *llm.Error
	return errors.As(err, &call) && call.Kind == llm.ErrContextTooLong
}

func (r *run) request() llm.Request {
	return llm.Request{
		Messages: r.conv.messages, Temperature: r.call.Temperature,
		MaxTokens: r.call.MaxTokens, ReasoningEffort: r.call.ReasoningEffort,
	}
}

// ask makes one call of the run's own model: the turn is opened in the log, the reply is durable when it is returned.
func (r *run) ask(ctx context.Context, kind string, req llm.Request) (trajectory.ReplyReceived, error) {
	req.Key = turnKey(r.path, r.conv.calls)
	started, err := note(r.journal, r.path, r.turn, trajectory.TurnStarted{
		Messages: len(req.Messages), Hash: r.conv.hash(), N: req.Key.N, Kind: kind,
	})
	if err != nil {
		return trajectory.ReplyReceived{}, err
	}
	r.conv.apply(started)
	switch r.journal.next(r.path).(type) {
	case nil, trajectory.ReplyReceived:
	case trajectory.LimitReached:
		return trajectory.ReplyReceived{}, errTimeIsUp
	default: // the call failed, and the run found a way around it
		return trajectory.ReplyReceived{}, &llm.Error{Kind: llm.ErrContextTooLong, Message: "the log says that this call failed"}
	}
	d, _, err := step(r.journal, r.path, r.turn, func() (trajectory.ReplyReceived, error) { return r.generate(ctx, req) })
	return d, err
}

// turnKey identifies a turn in a recording by its place, not by its words: a recording stays good when a prompt is
// worded anew.
func turnKey(path string, n int) llm.Key { return llm.Key{Path: path, Hash: "turn", N: n} }

// generate calls the model, within the budget of time. A child's turn takes its place among the sub-calls of the tree.
func (r *run) generate(ctx context.Context, req llm.Request) (trajectory.ReplyReceived, error) {
	ctx, cancel := r.untilTimeIsUp(ctx)
	defer cancel()
	h, release, err := r.admit(ctx)
	if err != nil {
		return trajectory.ReplyReceived{}, err
	}
	defer release()
	began := time.Now()
	resp, err := r.model.Generate(ctx, req, func(d llm.Delta) {
		if d.Retry != nil {
			r.journal.retried(r.path, r.turn, retried(0, r.model, d.Retry))
			return
		}
		r.journal.show(r.path, r.turn, trajectory.ReplyDelta{Content: d.Content, Reasoning: d.Reasoning, Restart: d.Restart})
	})
	if err != nil {
		r.lease.settle(h, r.model.Name(), trajectory.Usage{}, time.Since(began))
		return trajectory.ReplyReceived{}, cause(ctx, fmt.Errorf("asking %s: %w", r.model.Name(), err))
	}
	u := priced(r.cfg.prices, r.model.Name(), resp)
	if r.lease.settle(h, resp.Model, u, time.Since(began)) {
		r.warnUnpriced(r.turn, resp.Model)
	}
	return trajectory.ReplyReceived{
		Content: trajectory.T(resp.Content), Reasoning: trajectory.T(resp.Reasoning), FinishReason: resp.FinishReason,
		Model: resp.Model, Usage: u, Duration: time.Since(began), Attempts: resp.Attempts,
	}, nil
}

// retried is the news that a call of a model waits for another try; cell is the one whose sub-call it is.
func retried(cell int, model llm.Model, again *llm.Retry) trajectory.CallRetried {
	return trajectory.CallRetried{
		Cell: cell, Model: model.Name(), Reason: again.Reason, Attempt: again.Attempt, Tries: again.Tries, Wait: again.Wait,
	}
}

// admit lets a call of the run's own model begin. The limits of the root were asked before; a child's turn is granted or refused here, like
// any sub-call.
func (r *run) admit(ctx context.Context) (h hold, release func(), err error) {
	if r.depth == 0 {
		return r.lease.hold(r.model.Name(), r.conv.tokens), func() {}, nil
	}
	if err := acquire(ctx, r.slots); err != nil {
		return hold{}, nil, cause(ctx, err)
	}
	h, lim := r.lease.reserve(r.model.Name(), r.conv.tokens, true)
	if lim != nil {
		<-r.slots
		return hold{}, nil, lim
	}
	return h, func() { <-r.slots }, nil
}

// warnUnpriced says that the cost of a run will not be known in full.
func (r *run) warnUnpriced(turn int, model string) {
	_ = r.journal.append(r.path, turn, trajectory.Warned{
		About: "price", Text: fmt.Sprintf("the price of %s is not known, so its calls count in no cost and in no cost budget; a price table can name it", model),
	})
}

// lastTurnTime is what the turn after a limit may take at most when the time is up.
const lastTurnTime = 2 * time.Minute

// untilTimeIsUp bounds ctx by the budget of time, and the last turn by a time of its own.
func (r *run) untilTimeIsUp(ctx context.Context) (context.Context, context.CancelFunc) {
	end := r.lease.deadline
	if end.IsZero() {
		return context.WithCancel(ctx)
	}
	if r.state.Limit != nil {
		end = time.Now().Add(min(lastTurnTime, max(10*time.Second, r.bounds.Time/10)))
	}
	return context.WithDeadlineCause(ctx, end, errTimeIsUp)
}

// cause is errTimeIsUp when that is why ctx ended, else err.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), errTimeIsUp) {
		return errTimeIsUp
	}
	return err
}

func acquire(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read parses a reply.
func (r *run) read(d trajectory.ReplyReceived) reply.Reply {
	return reply.Parse(d.Content.String(), r.policy.Names, d.FinishReason == "length")
}
