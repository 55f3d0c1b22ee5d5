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

// Why calls brought no reply, as trajectory.CallLost names it.
const (
	lostFailed      = "failed"
	lostRetried     = "retried"
	lostReplaced    = "replaced"
	lostStopped     = "stopped"
	lostInterrupted = "interrupted"
)

// lost is what a call used that brought no reply, as its model reports or estimates it.
func (c *modelCall) lost(err error) trajectory.Usage {
	var call *llm.Error
	if !errors.As(err, &call) {
		return trajectory.Usage{}
	}
	model := cmp.Or(call.By, c.asked)
	return budget.Wasted(c.lease.Prices(model), model, call.Waste)
}

// lose settles what brought no reply. It is in the log, for the endpoint charges for it all the same.
func (c *modelCall) lose(h budget.Hold, why string, used trajectory.Usage, took time.Duration) {
	if c.lease.Settle(h, budget.Call{Path: c.path, Lost: true, Model: c.asked, Usage: used, Took: took}) {
		c.warnUnpriced(c.turn, c.model, c.asked)
	}
	if used != (trajectory.Usage{}) { // a log that cannot be written ends the run
		_ = c.journal.Post(c.path, c.turn, trajectory.CallLost{Cell: c.cell, Why: why, Model: c.asked, Usage: used, Duration: took})
	}
}

// wasted settles what tries used, and returns its tokens.
func (c *modelCall) wasted(why string, w llm.Waste) (tokens int64) {
	used := budget.Wasted(c.lease.Prices(c.asked), c.asked, w)
	if used.Wasted > 0 {
		c.lose(budget.Hold{}, why, used, 0)
	}
	return used.Wasted
}

// countInterrupted counts a call that is made again because the process ended while it was under way: it was sent. What it used is estimated.
func (c *modelCall) countInterrupted(k journal.Key, req llm.Request) {
	if !c.journal.Interrupted(k) {
		return
	}
	c.wasted(lostInterrupted, llm.Waste{
		Usage: llm.Usage{Prompt: llm.EstimateMessages(req.Messages), Completion: c.lease.Average(c.asked), Estimated: true},
	})
}

// warnUnpriced says that the cost of a run will not be known in full. What runs on this machine has no price.
func (r *run) warnUnpriced(turn int, from llm.Model, model string) {
	if here, ok := from.(interface{ Local() bool }); ok && here.Local() {
		return
	}
	_ = r.journal.Append(r.path, turn, trajectory.Warned{
		About: "price", Text: fmt.Sprintf("the price of %s is not known, so its calls count in no cost and in no cost budget; a price table can name it", model),
	})
}
