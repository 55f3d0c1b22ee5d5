package bench

import (
	"context"
	"fmt"
	"time"
)

var keeping = Group{
	Name:  "Long sessions",
	About: "a session of 1 000 cells: the exact engine, in which a notebook goes on after 100 (`BenchmarkLongSession`), and opening it again",
	Measure: func(ctx context.Context, l *Lab) ([]Figure, error) {
		long, err := l.benchmark(ctx, "./repl/internal/engine", "BenchmarkLongSession/exact")
		if err != nil {
			return nil, err
		}
		r, err := l.runner()
		if err != nil {
			return nil, err
		}
		s, err := r.NewSession(ctx)
		if err != nil {
			return nil, err
		}
		for n := range 1000 {
			if _, err := s.Exec(ctx, fmt.Sprintf(
				"v%d := strings.Repeat(\"x\", %d)\nfmt.Println(len(v%d))", n, n, n)); err != nil {
				return nil, fmt.Errorf("cell %d: %w", n+1, err)
			}
		}
		id := s.ID()
		if err := s.Close(); err != nil {
			return nil, err
		}
		var took []time.Duration
		for range max(3, l.Rounds/5) {
			began := time.Now()
			again, err := r.OpenSession(ctx, id)
			if err != nil {
				return nil, err
			}
			if _, err := again.Vars(ctx); err != nil { // waits for the variables
				return nil, err
			}
			took = append(took, time.Since(began))
			if err := again.Close(); err != nil {
				return nil, err
			}
		}
		return []Figure{
			{
				Name: "processor time of the last hundred cells to the first", Value: long.most("last/first"), Unit: "×",
				Goal: 1.2,
			},
			{Name: "heap that a cell leaves behind", Value: long.most("KB/cell"), Unit: "KB", Goal: 20},
			{Name: "opening 1 000 cells", Value: ms(median(took)), Unit: "ms", Goal: 1000},
		}, nil
	},
}
