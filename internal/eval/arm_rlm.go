package eval

import (
	"context"
	"time"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// RLM answers with the notebook.
func RLM(name, settings string, r *runner.Runner) Arm {
	return Arm{Name: name, Settings: settings, Answer: func(ctx context.Context, item suite.Item) Reply {
		began := time.Now()
		var inputs []runner.Input
		for _, d := range item.Documents {
			inputs = append(inputs, runner.Text(d.Name, d.Text))
		}
		var res runner.Result
		reply := Reply{}
		ran, inTurn := false, false // whether a cell of the root's turn ran, and whether there is a turn
		endTurn := func() {
			if inTurn && !ran {
				reply.Wasted++
			}
			ran, inTurn = false, false
		}
		var err error
		for ev, rerr := range r.Run(ctx, item.Question, inputs...) {
			if rerr != nil {
				err = rerr
				break
			}
			res.Add(ev)
			switch d := ev.Data.(type) {
			case trajectory.TurnStarted:
				if ev.Path == "" {
					endTurn()
					inTurn = true
				}
				reply.Calls++
			case trajectory.CellEnded:
				reply.Cells++
				if d.OK {
					reply.CellsOK++
					ran = ran || ev.Path == ""
				}
			case trajectory.SubCallEnded:
				if d.Model != "" {
					reply.Calls++
				}
				if d.Error != "" {
					reply.Wasted++
				}
			}
		}
		endTurn()
		reply.Answer, reply.Status, reply.Run = res.Answer, string(res.Status), res.RunID
		reply.Prompt, reply.Completion = usageOf(res.Usage)
		reply.Cost, reply.Turns, reply.ModelTime, reply.Wall = res.Cost, res.Turns, res.ModelTime, time.Since(began)
		if err == nil {
			err = res.Err
		}
		if err != nil {
			reply.Error = err.Error()
			if reply.Status == "" {
				reply.Status = "failed"
			}
		}
		return reply
	}}
}
