package bench

import "context"

var parsing = Group{
	Name:  "Termination",
	About: "reading a reply of 1 MB, of the kinds that cost the most (`BenchmarkParse1MB`) and of those made to take long (`BenchmarkParseHostile1MB`)",
	Measure: func(ctx context.Context, l *Lab) ([]Figure, error) {
		usual, err := l.benchmark(ctx, "./internal/reply", "BenchmarkParse1MB")
		if err != nil {
			return nil, err
		}
		hostile, err := l.benchmark(ctx, "./internal/reply", "BenchmarkParseHostile1MB")
		if err != nil {
			return nil, err
		}
		return []Figure{
			{
				Name: "the slowest usual reply", Value: usual.most("ns/op") / 1e6, Unit: "ms", Goal: 60,
				Note: usual.slowest("ns/op"),
			},
			{
				Name: "the slowest hostile reply", Value: hostile.most("ns/op") / 1e6, Unit: "ms", Goal: 500,
				Note: hostile.slowest("ns/op"),
			},
		}, nil
	},
}
