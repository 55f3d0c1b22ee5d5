package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/runner/internal/budget"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// generate calls a model after the log has announced the call. Usage of failed tries is counted and recorded
// immediately: the process may end before the reply arrives. Deltas that a model sends after its call has returned
// are ignored. If ctx ends the call, its error contains the usage.
func (c *modelCall) generate(
	ctx context.Context, m llm.Model, req llm.Request, show func(llm.Delta),
) (resp llm.Response, err error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	if err := c.journal.Announced(); err != nil {
		return llm.Response{}, err
	}
	call, replied := untilReplied(ctx)
	defer replied()
	var mu sync.Mutex // guards heard, and c during the call
	var heard struct {
		came, counted int64
		over          bool
	}
	on := func(d llm.Delta) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case heard.over:
		case d.Retry != nil:
			heard.counted += c.wasted(lostRetried, d.Waste)
			c.journal.Retried(c.path, c.turn, trajectory.CallRetried{
				Cell: c.cell, Model: m.Name(), Reason: d.Retry.Reason, Attempt: d.Retry.Attempt, Tries: d.Retry.Tries,
				Wait: d.Retry.Wait,
			})
		case d.Fallback != nil:
			c.wasted(lostReplaced, d.Fallback.Waste)
			heard.counted, c.asked = 0, d.Fallback.To
			_ = c.journal.Post(c.path, c.turn, trajectory.FellBack{
				Cell: c.cell, Model: d.Fallback.From, To: d.Fallback.To, Reason: string(d.Fallback.Reason),
			})
		default:
			heard.came += llm.EstimateTokens(d.Content) + llm.EstimateTokens(d.Reasoning)
			show(d)
		}
	}
	resp, err = callback.Call(
		call, "the model "+m.Name(), func() (llm.Response, error) { return m.Generate(call, req, on) })
	mu.Lock()
	defer mu.Unlock()
	heard.over = true
	resp = budget.Plausible(resp, req)
	resp.Model = cmp.Or(resp.Model, c.asked)
	resp.Usage.Wasted -= min(heard.counted, resp.Usage.Wasted)
	if err != nil && ctx.Err() != nil {
		err = estimated(err, req, heard.came)
	}
	return resp, err
}

// priced returns the usage of a reply, and the name of the model whose usage it is.
func (c *modelCall) priced(resp llm.Response) (trajectory.Usage, string) {
	prices := c.cfg.prices
	if resp.Usage.Estimated {
		prices = c.lease.Prices(c.asked)
	}
	return budget.Priced(prices, c.asked, resp), resp.Model
}

// estimated adds an estimate of the usage to the error of a cancelled call, if the model did not report it: the
// messages sent, and the part of the reply that arrived.
func estimated(err error, req llm.Request, came int64) error {
	if errors.As(err, new(*llm.Error)) {
		return err
	}
	w := llm.Waste{Usage: llm.Usage{Prompt: llm.EstimateMessages(req.Messages), Completion: came, Estimated: true}}
	return &llm.Error{Kind: llm.ErrCancelled, Message: err.Error(), Err: err, Waste: w}
}

// keptParts returns the parts of a reply as the log stores them; partsOf reverses it for the conversation.
func keptParts(parts []llm.Part) trajectory.Text {
	if len(parts) == 0 {
		return trajectory.Text{}
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return trajectory.Text{} // parts are only texts, which cannot fail
	}
	return trajectory.T(string(text))
}

func partsOf(kept trajectory.Text) (parts []llm.Part) {
	if kept.Size() == 0 || json.Unmarshal([]byte(kept.String()), &parts) != nil {
		return nil // written by a later version
	}
	return parts
}
