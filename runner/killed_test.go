package runner_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// doomed is the environment variable that makes this binary a process with one run, which will be killed.
const doomed = "RLM_TEST_DOOMED"

func TestMain(m *testing.M) {
	for variable, run := range map[string]func(dir string) error{
		doomed: runDoomed, doomedMove: runDoomedMove, doomedCite: runDoomedCite, billed: runBilled,
	} {
		if dir := os.Getenv(variable); dir != "" {
			if err := run(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(m.Run())
}

func runDoomed(dir string) error {
	r, err := runner.New(&counted{delay: 10 * time.Millisecond}, runner.WithDataDir(dir))
	if err != nil {
		return err
	}
	_, err = r.Answer(context.Background(), "question", runner.Text("t", "some text"))
	return err
}

func TestResumeAfterKill(t *testing.T) {
	t.Parallel()
	kills := trialCount(t, 6, 60, 200)
	const calls, longest = 15, 500 * time.Millisecond
	for i := range kills {
		after := time.Duration(rand.Int64N(int64(longest)))
		t.Run(fmt.Sprint(i, " after ", after.Round(time.Millisecond)), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), doomed+"="+dir)
			cmd.Stderr = os.Stderr
			require.NoError(t, cmd.Start())
			time.Sleep(after)
			_ = cmd.Process.Kill() // the process may have ended
			_ = cmd.Wait()

			logs, err := filepath.Glob(filepath.Join(dir, "rlm", "runs", "*", "trajectory.jsonl"))
			require.NoError(t, err)
			if len(logs) == 0 {
				return // killed before it began
			}
			log, err := os.ReadFile(logs[0])
			require.NoError(t, err)
			lines := strings.SplitAfter(string(log), "\n")
			paid, _ := recordedCalls(t, whole(lines))
			model := &counted{}
			r := newRunner(t, model, locked, runner.WithDataDir(dir))
			res, err := runner.Collect(r.Resume(timeout(t), filepath.Base(filepath.Dir(logs[0]))))
			if err != nil { // the run has not begun, or is over
				require.Regexp(t, "no question yet|is complete", err.Error())
				return
			}
			require.Equal(t, countedAnswer, res.Answer, res.Reason)
			require.Equal(t, calls-paid, model.total(), "not one recorded call is repeated")
		})
	}
}

// whole drops a torn last line.
func whole(lines []string) []string {
	var out []string
	for _, l := range lines {
		if strings.HasSuffix(l, "\n") {
			out = append(out, l)
		}
	}
	return out
}

func TestResumeAgainAndAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model := &counted{}
	r := newRunner(t, model, locked, runner.WithDataDir(dir))
	var id string
	interrupt := func(events iter.Seq2[trajectory.Event, error], cancel func(), last int64) (
		res runner.Result, seq int64,
	) {
		for ev, err := range events {
			require.NoError(t, err)
			res.Add(ev)
			seq = max(seq, ev.Seq)
			if seq > last+6 {
				cancel()
			}
		}
		return res, seq
	}
	ctx, cancel := context.WithCancel(timeout(t))
	res, seq := interrupt(r.Run(ctx, "question", runner.Text("t", "some text")), cancel, 0)
	id = res.RunID
	times := 0
	for ; res.EndedBy == termination.ByInterrupt; times++ {
		require.Less(t, times, 100)
		ctx, cancel = context.WithCancel(timeout(t))
		res, seq = interrupt(r.Resume(ctx, id), cancel, seq)
	}
	cancel()
	require.Equal(t, countedAnswer, res.Answer)
	require.Greater(t, times, 3, "it was interrupted often")
	require.Equal(t, "counted", res.Unpriced[0])
}

var _ llm.Model = (*counted)(nil)
