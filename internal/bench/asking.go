package bench

import (
	"context"
	"fmt"
	"time"
)

var asking = Group{
	Name:  "Sub-calls",
	About: "whole processes whose one cell asks for many sub-calls that take 20 ms each, to what the model alone would take",
	Measure: func(ctx context.Context, l *Lab) ([]Figure, error) {
		const took = 20 * time.Millisecond
		batch := func(n, atOnce int) process {
			return l.run(subCalls(n, took), "--concurrency", fmt.Sprint(atOnce), "--max-sub-calls", fmt.Sprint(n),
				"--max-tokens", "-1")
		}
		ideal := func(n, atOnce int) time.Duration { return took * time.Duration((n+atOnce-1)/atOnce) }
		measured, err := inTurns(
			ctx, max(3, l.Rounds/5), batch(200, 16), batch(1000, 64), batch(5000, 64), batch(10_000, 64))
		if err != nil {
			return nil, err
		}
		few, some, many, most := measured[0], measured[1], measured[2], measured[3]
		return []Figure{
			{
				Name: "200 at 16 to ideal", Value: ms(few.wall) / ms(ideal(200, 16)), Unit: "×", Goal: 1.08,
				Note: fmt.Sprintf("%.0f ms; rlm-go 306 ms, the official library 436 ms", ms(few.wall)),
			},
			{
				Name: "5 000 at 64 to ideal", Value: ms(many.wall) / ms(ideal(5000, 64)), Unit: "×", Goal: 1.10,
				Note: fmt.Sprintf("%.0f ms; rlm-go 2 062 ms, the official library 7 134 ms", ms(many.wall)),
			},
			{
				Name: "processor time of a sub-call", Value: 1000 * ms(many.cpu-some.cpu) / 4000, Unit: "µs", Goal: 110,
				Note: "5 000 beyond 1 000; rlm-go 102 µs",
			},
			{
				Name: "memory with 10 000 to that with 1 000", Value: float64(most.peak) / float64(max(1, some.peak)),
				Unit: "×", Goal: 1.2, Note: fmt.Sprintf(
					"%.0f MB, the larger of host and worker", float64(most.peak)/1e6),
			},
		}, nil
	},
}
