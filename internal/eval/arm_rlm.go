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

// RLM answers with the notebook. most bounds the cost of a run; see Arm.Most.
func RLM(name, settings string, r *runner.Runner, most func(tokens int) (float64, bool)) Arm {
	return Arm{
		Name: name, Settings: settings, Most: most,
		Answer: func(ctx context.Context, item suite.Item, at *Attempt) Reply {
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
		},
	}
}

// Elsewhere answers with notebooks in other processes, such as the nodes of a fleet. run answers an item and
// returns the folder of the run's log once the run has ended. If it is called again for the same answer, it
// continues the run it had started.
func Elsewhere(
	name, settings string, run func(ctx context.Context, item suite.Item, at *Attempt) (log string, err error),
	most func(tokens int) (float64, bool),
) Arm {
	return Arm{
		Name: name, Settings: settings, Most: most,
		Answer: func(ctx context.Context, item suite.Item, at *Attempt) Reply {
			var t tally
			log, err := run(ctx, item, at)
			if err == nil {
				err = t.read(log)
			}
			reply := t.reply(err)
			reply.Wall = t.res.Duration
			return reply
		},
	}
}

// read counts the events of a finished run.
func (t *tally) read(log string) error {
	for ev, err := range trajectory.Read(log) {
		if err != nil {
			return err
		}
		t.add(ev)
	}
	return nil
}

// goOn yields the events of a run: of the one that an earlier process started, if its log exists, otherwise of a
// new one.
func goOn(
	ctx context.Context, r *runner.Runner, run, question string, inputs []runner.Input) iter.Seq2[trajectory.Event,
	error] {
	if run == "" {
		return r.Run(ctx, question, inputs...)
	}
	// a damaged log counts as none
	past, _ := host.Look(filepath.Dir(r.Trajectory(run)), func(res runner.Result) bool { return res.Err != nil })
	return past.Continue(ctx, r, question, inputs...)
}

// tally counts the events of a run.
type tally struct {
	res    runner.Result
	counts Reply
	inTurn bool // the root run has begun a turn
	ran    bool // a cell of the turn succeeded
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

// reply returns the outcome of the run. err is why it could not start or be recorded.
func (t *tally) reply(err error) Reply {
	t.endTurn()
	r, res := t.counts, t.res
	r.Answer, r.Status, r.Run = res.Answer, string(res.Status), res.RunID
	r.Guess, r.CutReplies = res.Guess, res.CutReplies
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
