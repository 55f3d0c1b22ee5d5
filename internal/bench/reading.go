package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// copying is the environment variable with the file that a process should read into memory, and nothing else.
const copying = "RLM_BENCH_COPY"

// Copy is the baseline for contexts: if the environment names a file, it reads that into memory. asked means that
// the process should exit then. Programs that measure call it first.
func Copy() (asked bool, err error) {
	path := os.Getenv(copying)
	if path == "" {
		return false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return true, err
	}
	defer f.Close() // the file was only read
	info, err := f.Stat()
	if err != nil {
		return true, err
	}
	_, err = io.ReadFull(f, make([]byte, info.Size()))
	return true, err
}

var reading = Group{
	Name:  "Contexts",
	About: "a run of one iteration over a file of plain text, in turns with a process that only reads the file into memory",
	Measure: func(ctx context.Context, l *Lab) ([]Figure, error) {
		sizes := []struct {
			name  string
			bytes int64
			goal  float64
			note  string
		}{
			{"100 MB", 100 << 20, 1.3, "the official library 560 ms, rlm-go 4 190 ms"},
			{"1 GB", 1 << 30, 1.15, "the official library 6 540 ms"},
		}
		var out []Figure
		for _, s := range sizes {
			path, err := l.file("context.txt", s.bytes)
			if err != nil {
				return nil, err
			}
			measured, err := inTurns(ctx, max(3, l.Rounds/5), copyOf(path), l.run(steps(1), path))
			if err != nil {
				return nil, err
			}
			plain, run := measured[0], measured[1]
			out = append(out, Figure{
				Name: s.name + " to a copy", Value: ms(run.wall) / ms(plain.wall), Unit: "×", Goal: s.goal,
				Note: fmt.Sprintf("%.0f ms, a copy %.0f ms; %s", ms(run.wall), ms(plain.wall), s.note),
			})
		}
		if !l.Soak {
			return out, nil
		}
		path, err := l.file("context.txt", 4<<30)
		if err != nil {
			return nil, err
		}
		whole, err := once(ctx, l.run(steps(1), path))
		if err != nil {
			return nil, err
		}
		return append(out, Figure{
			Name: "memory with 4 GB", Value: float64(whole.peak) / (1 << 30), Unit: "GB",
			Goal: 4.2, Note: fmt.Sprintf("%.0f ms", ms(whole.wall)),
		}), nil
	},
}

func copyOf(path string) process {
	return process{"a copy", func(ctx context.Context) (*exec.Cmd, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(os.Environ(), copying+"="+path)
		return cmd, nil
	}}
}
