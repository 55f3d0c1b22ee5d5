package runner_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// leaver is a model whose caller leaves during its first call, after the call's pieces have been delivered.
type leaver struct {
	say   []llm.Delta
	cell  bool // leave during a cell's call instead of a turn
	leave context.CancelFunc
	left  bool
}

func (*leaver) Name() string { return "leaver" }

func (m *leaver) Generate(ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	if m.left || m.cell != (req.Key.Cell > 0) {
		reply := fence(`FINAL("done")`)
		if m.cell && !m.left {
			reply = fence("x := llm_query(\"a question of a cell\")\nFINAL(x)")
		}
		return llm.Response{
			Content: reply, Model: "leaver", FinishReason: "stop", Attempts: 1,
			Usage: llm.Usage{Prompt: 10, Completion: 5},
		}, nil
	}
	m.left = true
	for _, d := range m.say {
		if on != nil {
			on(d)
		}
	}
	m.leave()
	<-ctx.Done()
	return llm.Response{}, ctx.Err()
}

// Calls that were in flight when a run was stopped are paid for. They count, as an estimate, even after the run was
// resumed.
func TestCallsThatAreStoppedCount(t *testing.T) {
	t.Parallel()
	const words = "these are some words of a reply that has begun to come "
	for name, model := range map[string]*leaver{
		"before anything came": {},
		"in a reply":           {say: []llm.Delta{{Content: words}, {Reasoning: words}}},
		"in a sub-call":        {cell: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			model.leave = cancel
			prices := llm.Prices{"leaver": {Input: 1, Output: 10}}
			r, err := runner.New(model, runner.WithDataDir(t.TempDir()), runner.WithPrices(prices))
			require.NoError(t, err)
			defer r.Close()
			stopped, _ := r.Answer(ctx, "q") // an error: the run was stopped
			require.NotEmpty(t, stopped.RunID)
			used := stopped.Usage["leaver"]
			require.Positive(t, used.Wasted)
			require.True(t, used.Estimated)
			require.NotNil(t, stopped.Cost)
			came := 0.0
			for _, d := range model.say {
				came += float64(llm.EstimateTokens(d.Content) + llm.EstimateTokens(d.Reasoning))
			}
			require.InDelta(t, (float64(used.Wasted)+9*came+float64(used.Prompt+10*used.Completion))/1e6, *stopped.Cost,
				1e-12)

			res, err := runner.Collect(r.Resume(t.Context(), stopped.RunID))
			require.NoError(t, err)
			require.Contains(t, res.Answer, "done")
			require.Equal(t, used.Wasted, res.Usage["leaver"].Wasted, "it counts once")
			require.GreaterOrEqual(t, res.Usage["leaver"].Prompt, used.Prompt+10)
			all, err := trajectory.List(r.RunsDir())
			require.NoError(t, err)
			require.Len(t, all, 1)
			require.NotNil(t, all[0].Cost)
			require.InDelta(t, *res.Cost, *all[0].Cost, 1e-12, "all who add up come to the same")
		})
	}
}

// Calls that were in flight when the process ended count, too. Each of them counts once, when the call is made
// again.
func TestCallsOfAProcessThatEndedCount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id, _, whole := undisturbed(t, dir)
	require.Zero(t, whole.Usage["counted"].Wasted)
	log, err := os.ReadFile(filepath.Join(dir, "rlm", "runs", id, "trajectory.jsonl"))
	require.NoError(t, err)
	lines := strings.SplitAfter(strings.TrimSuffix(string(log), "\n"), "\n")
	cut := func(event string, nth int) int {
		for i, line := range lines {
			if strings.Contains(line, `"type":"`+event+`"`) {
				if nth--; nth == 0 {
					return i + 1
				}
			}
		}
		t.Fatal("there is no such event: " + event)
		return 0
	}
	for name, n := range map[string]int{
		"in a turn": cut("turn_started", 2), "in a sub-call": cut("sub_call_started", 1),
	} {
		killed := t.TempDir()
		require.NoError(t, os.CopyFS(
			filepath.Join(killed, "rlm", "runs", id), os.DirFS(filepath.Join(dir, "rlm", "runs", id))))
		at := filepath.Join(killed, "rlm", "runs", id, "trajectory.jsonl")
		once, lost := int64(0), int64(1)
		for times := int64(1); times <= 2; times++ {
			if times == 1 {
				require.NoError(t, os.WriteFile(at, []byte(strings.Join(lines[:n], "")), 0o600))
			} else { // the resumed run was killed in the same call
				log, err := os.ReadFile(at)
				require.NoError(t, err)
				resumed := strings.SplitAfter(string(log), "\n")
				keep := slices.IndexFunc(
					resumed, func(line string) bool { return strings.Contains(line, `"type":"call_lost"`) })
				kept := strings.Join(resumed[:keep+1], "")
				require.NoError(t, os.WriteFile(at, []byte(kept), 0o600))
				// The other sub-calls of the batch may be in flight by then.
				lost += max(1, int64(strings.Count(kept, `"type":"sub_call_started"`)-
					strings.Count(kept, `"type":"sub_call_ended"`)))
			}
			res, err := runner.Collect(newRunner(t, &counted{}, runner.WithDataDir(killed)).Resume(timeout(t), id))
			require.NoError(t, err)
			require.Equal(t, countedAnswer, res.Answer)
			wasted := res.Usage["counted"].Wasted
			require.Positive(t, wasted, name)
			if times == 1 {
				once = wasted
			}
			require.InDelta(t, lost*once, wasted, 10, name)
			require.True(t, res.Usage["counted"].Estimated)
			require.Equal(t, whole.Usage["counted"].Prompt, res.Usage["counted"].Prompt)
		}
	}
}
