package runner

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/runner/internal/budget"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// The reasons why calls brought no reply, as trajectory.CallLost names them.
const (
	lostFailed      = "failed"
	lostRetried     = "retried"
	lostReplaced    = "replaced"
	lostStopped     = "stopped"
	lostInterrupted = "interrupted"
)

// lost returns the usage of a call that brought no reply, as the endpoint reported it or the client estimated it.
func (c *modelCall) lost(err error) trajectory.Usage {
	var call *llm.Error
	if !errors.As(err, &call) {
		return trajectory.Usage{}
	}
	model := cmp.Or(call.By, c.asked)
	return budget.Wasted(c.lease.Prices(model), model, call.Waste)
}

// lose settles a call without a reply and records it, because the endpoint charges for it anyway.
func (c *modelCall) lose(h budget.Hold, why string, used trajectory.Usage, took time.Duration) {
	if c.lease.Settle(h, budget.Call{Path: c.path, Lost: true, Model: c.asked, Usage: used, Took: took}) {
		c.warnUnpriced(c.turn, c.model, c.asked)
	}
	if used != (trajectory.Usage{}) { // the journal remembers an error, which ends the run
		_ = c.journal.Post(c.path, c.turn,
			trajectory.CallLost{Cell: c.cell, Why: why, Model: c.asked, Usage: used, Duration: took})
	}
}

// wasted settles the usage of failed tries, and returns its tokens.
func (c *modelCall) wasted(why string, w llm.Waste) (tokens int64) {
	used := budget.Wasted(c.lease.Prices(c.asked), c.asked, w)
	if used.Wasted > 0 {
		c.lose(budget.Hold{}, why, used, 0)
	}
	return used.Wasted
}

// countInterrupted counts a call that is repeated because the process ended while it was in flight: it had been
// sent. Its usage is estimated.
func (c *modelCall) countInterrupted(k journal.Key, req llm.Request) {
	if !c.journal.Interrupted(k) {
		return
	}
	c.wasted(lostInterrupted, llm.Waste{
		Usage: llm.Usage{
			Prompt: llm.EstimateMessages(req.Messages), Completion: c.lease.Average(c.asked),
			Estimated: true,
		},
	})
}

// warnUnpriced warns that the cost of a run will be incomplete. A model on this machine needs no price.
func (r *run) warnUnpriced(turn int, from llm.Model, model string) {
	if here, ok := from.(interface{ Local() bool }); ok && here.Local() {
		return
	}
	_ = r.journal.Append(r.path, turn, trajectory.Warned{
		About: "price", Text: fmt.Sprintf(
			"the price of %s is unknown, so its calls do not count towards costs or cost budgets; a price table can set it", model),
	})
}
