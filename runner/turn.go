package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/internal/budget"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// The kinds of turns, as trajectory.TurnStarted names them.
const (
	turnUsual   = ""
	turnLast    = "last"
	turnSummary = "summary"
	turnRetry   = "retry"
)

// kindTime is the kind of a turn that failed because the time was up.
const kindTime = "time_limit"

// reply gets the model's reply to the present conversation. If it is empty and without thoughts, it is requested once
// more without streaming, since a broken stream looks like an empty reply; the policy handles one that is still empty.
func (r *run) reply(ctx context.Context) (trajectory.ReplyReceived, error) {
	kind := turnUsual
	if r.state.Limit != nil {
		kind = turnLast
	}
	d, err := r.ask(ctx, kind, r.request())
	if err != nil && isTooLong(err) {
		if err := r.shorten(ctx, err); err != nil {
			return d, err
		}
		d, err = r.ask(ctx, turnRetry, r.request())
	}
	if err == nil && strings.TrimSpace(d.Content.String()) == "" && d.Reasoning.Size() == 0 &&
		d.Ending() != trajectory.Filtered {
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
		MaxTokens: r.call.MaxTokens, ReasoningEffort: r.call.ReasoningEffort, Conversation: r.id + r.path,
		Kept: &r.conv.kept,
	}
}

// ask makes one call of the run's own model: the log opens the turn first, and the reply is durable when returned.
// Failures that the run works around are recorded too.
func (r *run) ask(ctx context.Context, kind string, req llm.Request) (trajectory.ReplyReceived, error) {
	req.Key = turnKey(r.path, r.conv.calls)
	started, err := journal.Note(r.journal, r.path, r.turn, trajectory.TurnStarted{
		Messages: len(req.Messages), Hash: r.conv.hash(), N: req.Key.N, Kind: kind,
	})
	if err != nil {
		return trajectory.ReplyReceived{}, err
	}
	r.conv.apply(started)
	d, _, err := journal.Step(r.journal, r.path, r.turn, func() (trajectory.Data, error) {
		d, err := r.generate(ctx, req)
		if failed, ok := r.passable(ctx, kind, err); ok {
			return failed, nil
		}
		return d, err
	})
	switch d := d.(type) {
	case trajectory.TurnFailed:
		if d.Kind == kindTime {
			return trajectory.ReplyReceived{}, errTimeIsUp
		}
		return trajectory.ReplyReceived{}, &llm.Error{Kind: llm.ErrorKind(d.Kind), Message: d.Message}
	case trajectory.ReplyReceived:
		return d, err
	}
	if err == nil {
		err = fmt.Errorf("this run cannot be resumed: its log contains %s where a reply was expected", d.EventType())
	}
	return trajectory.ReplyReceived{}, err
}

// passable reports whether a run continues after a failed call, because the call was for a summary, its prompt was
// too long, or the time is up.
func (r *run) passable(ctx context.Context, kind string, err error) (trajectory.TurnFailed, bool) {
	var call *llm.Error
	switch {
	case err == nil || ctx.Err() != nil || r.journal.Failed() != nil:
		return trajectory.TurnFailed{}, false
	case errors.Is(err, errTimeIsUp) && (kind == turnSummary || r.depth == 0 && r.state.Limit == nil):
		return trajectory.TurnFailed{Kind: kindTime, Message: err.Error()}, true
	case errors.As(err, &call) && (kind == turnSummary || kind != turnRetry && isTooLong(err) && r.shortenable()):
		return trajectory.TurnFailed{Kind: string(call.Kind), Message: call.Error()}, true
	case kind == turnSummary:
		return trajectory.TurnFailed{Message: err.Error()}, true
	}
	return trajectory.TurnFailed{}, false
}

// turnKey identifies a turn in a recording by its place, not by its text: a recording stays valid when a prompt is
// reworded.
func turnKey(path string, n int) llm.Key { return llm.Key{Path: path, Hash: "turn", N: n} }

// generate calls the model, within the time budget. A child's turn counts as one of the tree's sub-calls.
func (r *run) generate(ctx context.Context, req llm.Request) (trajectory.ReplyReceived, error) {
	ctx, cancel := r.untilTimeIsUp(ctx)
	defer cancel()
	h, release, err := r.admit(ctx)
	if err != nil {
		return trajectory.ReplyReceived{}, err
	}
	defer release()
	began := time.Now()
	call := budget.Call{Path: r.path, Turn: true, Model: r.model.Name()}
	c := modelCall{run: r, turn: r.turn, asked: call.Model}
	c.countInterrupted(journal.Key{Path: r.path}, req)
	resp, err := c.generate(ctx, r.model, req, func(d llm.Delta) {
		r.journal.Show(r.path, r.turn,
			trajectory.ReplyDelta{Content: d.Content, Reasoning: d.Reasoning, Restart: d.Restart})
		// A worker is ready in less time than a cell takes to arrive. Starting it earlier would take processor time
		// from whatever comes before the first text, and a reply without a cell needs none.
		if r.depth == 0 && strings.Contains(d.Content, "`") {
			r.nb.begin(ctx, r.watcher())
		}
	})
	call.Took = time.Since(began)
	// the next turn reports it
	if e, ok := errors.AsType[*llm.Error](err); ok && ctx.Err() == nil && inPlaceOfReply(e) != "" {
		resp = llm.Response{
			Content: e.Calls, Reasoning: e.Thoughts, FinishReason: inPlaceOfReply(e), Model: call.Model,
			Usage: e.Waste.Usage, Cost: e.Waste.Cost, By: e.By, Attempts: e.Attempts,
		}
		err = nil
	}
	if err != nil {
		why := lostFailed
		if ctx.Err() != nil {
			why = lostStopped
		}
		c.lose(h, why, c.lost(err), call.Took)
		return trajectory.ReplyReceived{}, cause(ctx, fmt.Errorf("asking %s: %w", r.model.Name(), err))
	}
	call.Usage, call.Model = c.priced(resp)
	if r.lease.Settle(h, call) {
		r.warnUnpriced(r.turn, r.model, resp.Model)
	}
	return trajectory.ReplyReceived{
		Content: trajectory.T(resp.Content), Reasoning: trajectory.T(resp.Reasoning), Parts: keptParts(resp.Parts),
		FinishReason: resp.FinishReason,
		Model:        resp.Model, Usage: call.Usage, Duration: call.Took, Attempts: resp.Attempts,
	}, nil
}

// inPlaceOfReply is the finish reason of a failure that the endpoint sent as a reply: a tool call, thoughts alone, or
// nothing after a filter. A prompt that a filter refuses is an endpoint error.
func inPlaceOfReply(e *llm.Error) string {
	switch {
	case e.Kind == llm.ErrToolCalls:
		return llm.FinishTools
	case e.Kind == llm.ErrThoughtsOnly:
		return llm.FinishStop
	case e.Kind == llm.ErrContentFilter && e.Status == 0:
		return llm.FinishFilter
	}
	return ""
}

// admit reserves budget for a call of the run's own model. The root's limits were checked before; a child's turn
// is granted or refused here, like any sub-call.
func (r *run) admit(ctx context.Context) (h budget.Hold, release func(), err error) {
	if r.depth == 0 {
		h, err := r.lease.ReserveTurn(ctx, r.model.Name(), r.conv.tokens, r.state.Limit != nil)
		return h, func() {}, err
	}
	if err := acquire(ctx, r.slots); err != nil {
		return h, nil, cause(ctx, err)
	}
	if h, err = r.lease.Reserve(ctx, r.model.Name(), r.conv.tokens, int64(r.call.MaxTokens), true); err != nil {
		<-r.slots
		return h, nil, err
	}
	return h, func() { <-r.slots }, nil
}
