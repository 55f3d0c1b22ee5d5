package bench

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

var warm = Group{
	Name:  "A warm process",
	About: "the same runs by `runner.Answer` in a process that has answered before; medians",
	Measure: func(ctx context.Context, l *Lab) ([]Figure, error) {
		r, err := l.runner()
		if err != nil {
			return nil, err
		}
		cases := []struct {
			name string
			script
			goal float64
			note string
		}{
			{"one iteration", steps(1), 5, "rlm-go 4.9 ms, the official library 2.5 ms, both without a jail"},
			{"ten iterations", steps(10), 15, "rlm-go 13.8 ms, the official library 8.3 ms"},
			{"20 children, each in its jail", children(20), 150, "rlm-go 83 ms, the official library 46 ms"},
		}
		took := make([][]time.Duration, len(cases))
		for round := range l.Rounds + 1 {
			for i, c := range cases {
				l.endpoint.play(c.script)
				began := time.Now()
				res, err := r.Answer(ctx, "question", runner.Text("text", "some text"))
				if err != nil {
					return nil, err
				}
				if !res.HasAnswer {
					return nil, fmt.Errorf("%s: no answer: %s", c.name, res.Reason)
				}
				if round > 0 { // the first round warms up the process
					took[i] = append(took[i], time.Since(began))
				}
			}
		}
		var out []Figure
		for i, c := range cases {
			out = append(out, Figure{Name: c.name, Value: ms(median(took[i])), Unit: "ms", Goal: c.goal, Note: c.note})
		}
		return out, nil
	},
}

// runner returns a runner in this process that uses the endpoint.
func (l *Lab) runner(opts ...runner.Option) (*runner.Runner, error) {
	dir, err := os.MkdirTemp(l.Dir, "warm-")
	if err != nil {
		return nil, err
	}
	model, err := llm.New(llm.Config{Model: "m", BaseURL: l.endpoint.url()})
	if err != nil {
		return nil, err
	}
	return runner.New(model, append([]runner.Option{runner.WithDataDir(dir)}, opts...)...)
}
