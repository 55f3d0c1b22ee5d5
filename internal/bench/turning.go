package bench

import (
	"context"
	"fmt"
)

var turning = Group{
	Name:  "A turn",
	About: "processor time of a run of 210 turns beyond one of 10; and the last hundred of 1 000 turns beside the first hundred (`BenchmarkLateTurns`)",
	Measure: func(ctx context.Context, l *Lab) ([]Figure, error) {
		const few, many = 10, 210
		measured, err := inTurns(
			ctx, max(3, l.Rounds/3), l.run(steps(few)), l.run(steps(many), "--max-iterations", fmt.Sprint(many+1)))
		if err != nil {
			return nil, err
		}
		late, err := l.benchmark(ctx, "./runner", "BenchmarkLateTurns")
		if err != nil {
			return nil, err
		}
		return []Figure{
			{
				Name: "processor time of a turn", Value: ms(measured[1].cpu-measured[0].cpu) / (many - few), Unit: "ms",
				Goal: 1, Note: "both processes; rlm-go 0.8 ms",
			},
			{
				Name: "the last hundred of 1 000 turns to the first", Value: late.most("late/early"), Unit: "×",
				Goal: 1.2,
			},
		}, nil
	},
}
