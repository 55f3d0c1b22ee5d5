package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// process is a command that is measured from start to exit.
type process struct {
	name string
	cmd  func(context.Context) (*exec.Cmd, error)
}

// processUsage is what a process used.
type processUsage struct {
	wall   time.Duration
	cpu    time.Duration // including child processes that it waited for, such as its workers
	faults int64         // page faults of all of them, without those that read from a disk; 0: unknown
	peak   int64         // bytes; the largest resident set of any of these
}

// version is the least that a process of the program can do.
func (l *Lab) version() process {
	return process{"rlm version", func(ctx context.Context) (*exec.Cmd, error) { return l.command(ctx, "version") }}
}

// exec runs one cell without a model.
func (l *Lab) exec(cell string) process {
	return process{"rlm exec", func(ctx context.Context) (*exec.Cmd, error) {
		cmd, err := l.command(ctx, "exec", "-")
		if err == nil {
			cmd.Stdin = strings.NewReader(cell)
		}
		return cmd, err
	}}
}

// run runs the program on a script, as a shell would. Each run has a separate data folder.
func (l *Lab) run(s script, args ...string) process {
	return process{"rlm run", func(ctx context.Context) (*exec.Cmd, error) {
		l.endpoint.play(s)
		return l.command(ctx, append(
			[]string{"run", "--quiet", "--model", "m", "--base-url", l.endpoint.url(), "question"}, args...)...)
	}}
}

func (l *Lab) command(ctx context.Context, args ...string) (*exec.Cmd, error) {
	dir, err := os.MkdirTemp(l.Dir, "data-")
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, l.Program, args...)
	cmd.Dir = l.Dir
	cmd.Env = append(os.Environ(), "RLM_DATA_DIR="+dir, "XDG_CONFIG_HOME="+filepath.Join(l.Dir, "config"))
	return cmd, nil
}

// once runs a process.
func once(ctx context.Context, p process) (processUsage, error) {
	cmd, err := p.cmd(ctx)
	if err != nil {
		return processUsage{}, err
	}
	began := time.Now()
	out, err := cmd.CombinedOutput()
	s := processUsage{wall: time.Since(began)}
	if err != nil {
		return s, fmt.Errorf("%s: %w\n%s", p.name, err, out)
	}
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	s.faults, s.peak = memoryOf(cmd.ProcessState)
	return s, nil
}

// inTurns runs the processes alternately, several rounds, and returns each one's medians.
func inTurns(ctx context.Context, rounds int, of ...process) ([]processUsage, error) {
	wall, cpu := make([][]time.Duration, len(of)), make([][]time.Duration, len(of))
	faults, peaks := make([][]int64, len(of)), make([]int64, len(of))
	for range rounds {
		for i, p := range of {
			s, err := once(ctx, p)
			if err != nil {
				return nil, err
			}
			wall[i], cpu[i] = append(wall[i], s.wall), append(cpu[i], s.cpu)
			faults[i], peaks[i] = append(faults[i], s.faults), max(peaks[i], s.peak)
		}
	}
	out := make([]processUsage, len(of))
	for i := range of {
		out[i] = processUsage{median(wall[i]), median(cpu[i]), median(faults[i]), peaks[i]}
	}
	return out, nil
}
