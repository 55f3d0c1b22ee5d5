package eval

import (
	"context"
	"iter"
	"path/filepath"
	"time"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/trajectory"
)

// RLM answers with the notebook. most bounds what a run can cost; see Arm.Most.
func RLM(name, settings string, r *runner.Runner, most func(tokens int) (float64, bool)) Arm {
	return Arm{Name: name, Settings: settings, Most: most, Answer: func(ctx context.Context, item suite.Item, at *Attempt) Reply {
		began := time.Now()
		var inputs []runner.Input
		for _, d := range item.Documents {
			inputs = append(inputs, runner.Text(d.Name, d.Text))
		}
		var t tally
		var err error
		for ev, rerr := range goOn(ctx, r, at.Run, item.Question, inputs) {
			if rerr != nil {
				err = rerr
				break
			}
			t.add(ev)
			if start, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" {
				if err = at.Begin(start.Run); err != nil {
					break
				}
			}
		}
		reply := t.reply(err)
		if reply.Wall = t.res.Duration; reply.Wall == 0 {
			reply.Wall = time.Since(began)
		}
		return reply
	}}
}

// Elsewhere answers with notebooks of other processes, such as the nodes of a fleet. run has an item answered and returns the folder of the
// run's log when the run has ended. Asked again for the same answer, it goes on with what it began.
func Elsewhere(name, settings string, run func(ctx context.Context, item suite.Item, at *Attempt) (log string, err error), most func(tokens int) (float64, bool)) Arm {
	return Arm{Name: name, Settings: settings, Most: most, Answer: func(ctx context.Context, item suite.Item, at *Attempt) Reply {
		var t tally
		log, err := run(ctx, item, at)
		if err == nil {
			err = t.read(log)
		}
		reply := t.reply(err)
		reply.Wall = t.res.Duration
		return reply
	}}
}

// read counts what happened in a run that has ended.
func (t *tally) read(log string) error {
	for ev, err := range trajectory.Read(log) {
		if err != nil {
			return err
		}
		t.add(ev)
	}
	return nil
}

// goOn are the events of a run: of one that an earlier process began, if its log is there, else of a new one.
func goOn(ctx context.Context, r *runner.Runner, run, question string, inputs []runner.Input) iter.Seq2[trajectory.Event, error] {
	if run == "" {
		return r.Run(ctx, question, inputs...)
	}
	past, _ := host.Look(filepath.Dir(r.Trajectory(run)), func(res runner.Result) bool { return res.Err != nil }) // a damaged log is none
	return past.Continue(ctx, r, question, inputs...)
}

// tally counts what happens in a run.
type tally struct {
	res    runner.Result
	counts Reply
	inTurn bool // whether the root has begun a turn
	ran    bool // whether a cell of it ran
}

func (t *tally) add(ev trajectory.Event) {
	t.res.Add(ev)
	switch d := ev.Data.(type) {
	case trajectory.TurnStarted:
		if ev.Path == "" {
			t.endTurn()
			t.inTurn = true
		}
		t.counts.Calls++
	case trajectory.CellEnded:
		t.counts.Cells++
		if d.OK {
			t.counts.CellsOK++
			t.ran = t.ran || ev.Path == ""
		}
	case trajectory.SubCallEnded:
		if d.Model != "" {
			t.counts.Calls++
		}
		if d.Error != "" {
			t.counts.Wasted++
		}
	}
}

func (t *tally) endTurn() {
	if t.inTurn && !t.ran {
		t.counts.Wasted++
	}
	t.inTurn, t.ran = false, false
}

// reply is what the run came to. err is why it could not begin or be kept.
func (t *tally) reply(err error) Reply {
	t.endTurn()
	r, res := t.counts, t.res
	r.Answer, r.Status, r.Run = res.Answer, string(res.Status), res.RunID
	if res.Grounding != nil {
		r.Grounding = res.Grounding.Verdict
	}
	u := trajectory.UsageOf(res.Usage)
	r.Prompt, r.Completion = u.Prompt, u.Completion
	r.Cost, r.Turns, r.ModelTime = res.Cost, res.Turns, res.ModelTime
	if err == nil {
		err = res.Err
	}
	if err != nil {
		r.Error, r.cause = err.Error(), err
		if r.Status == "" {
			r.Status = "failed"
		}
	}
	return r
}
