package bench

import (
	"context"
	"fmt"
)

var starting = Group{
	Name:  "A whole process",
	About: "`rlm run` from start to exit with an endpoint that answers at once over HTTP, in turns with `rlm version`; medians",
	Measure: func(ctx context.Context, l *Lab) ([]Figure, error) {
		measured, err := inTurns(ctx, l.Rounds, l.version(), l.run(steps(1)), l.run(steps(10)), l.run(children(20)))
		if err != nil {
			return nil, err
		}
		least, one, ten, many := measured[0], measured[1], measured[2], measured[3]
		cpu := func(s processUsage) string { return fmt.Sprintf("%.1f ms of processor time", ms(s.cpu)) }
		return []Figure{
			{Name: "`rlm version`", Value: ms(least.wall), Unit: "ms", Note: cpu(least)},
			{
				Name: "one iteration", Value: ms(one.wall), Unit: "ms", Goal: 22,
				Note: cpu(one) + "; rlm-go 14.6 ms, the official library 143 ms",
			},
			{Name: "one iteration to `rlm version`", Value: ms(one.wall) / ms(least.wall), Unit: "×", Goal: 3.7},
			{
				Name: "ten iterations", Value: ms(ten.wall), Unit: "ms",
				Note: cpu(ten) + "; rlm-go 23.6 ms, the official library 161 ms",
			},
			{
				Name: "20 children, each in its jail", Value: ms(many.wall), Unit: "ms", Goal: 150,
				Note: cpu(many) + "; rlm-go without jail and log 98 ms, the official library 151 ms",
			},
		}, nil
	},
}
