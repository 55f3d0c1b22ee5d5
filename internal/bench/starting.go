package bench

import (
	"context"
	"fmt"
)

var starting = Group{
	Name: "A whole process",
	About: "`rlm run` from start to exit with an endpoint that answers at once over HTTP, in turns with `rlm version` " +
		"and `rlm exec`; medians. A worker is the least of three starts (`BenchmarkSpawn`)",
	Measure: func(ctx context.Context, l *Lab) ([]Figure, error) {
		measured, err := inTurns(ctx, l.Rounds, l.version(), l.exec("1 + 1"), l.run(steps(1)), l.run(steps(10)),
			l.run(children(20)))
		if err != nil {
			return nil, err
		}
		spawn, err := l.benchmark(ctx, "./sandbox", "BenchmarkSpawn")
		if err != nil {
			return nil, err
		}
		least, cell, one, ten, many := measured[0], measured[1], measured[2], measured[3], measured[4]
		cpu := func(s processUsage) string {
			return fmt.Sprintf("%.1f ms of processor time, %d page faults", ms(s.cpu), s.faults)
		}
		return []Figure{
			{Name: "`rlm version`", Value: ms(least.wall), Unit: "ms", Note: cpu(least)},
			{
				Name: "a worker until it is ready", Value: spawn.most("ms-best"), Unit: "ms",
				Note: fmt.Sprintf("%.1f ms of its processor time until it has ended", spawn.most("cpu-ms/worker")),
			},
			{Name: "`rlm exec` of one cell", Value: ms(cell.wall), Unit: "ms", Note: cpu(cell)},
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
