package runner_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// hands is a run whose root hands a large text of its own to twenty children at once, each of which asks with a large prompt. It keeps nothing
// of what it is asked.
type hands struct{}

func (hands) Name() string { return "hands" }

func (hands) Generate(_ context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	switch {
	case req.Key.Cell > 0:
		return llm.Response{Content: "ok"}, nil
	case req.Key.Path != "":
		return llm.Response{Content: fence(`FINAL(llm_query(context[:7<<20]) + llm_query(strings.Repeat("y", 6<<20)))`)}, nil
	}
	return llm.Response{Content: fence(`s := strings.Repeat("0123456789abcdef", 60<<16)
out := make([]string, 20)
var wg sync.WaitGroup
for i := range out { wg.Add(1); go func() { defer wg.Done(); out[i] = rlm_query(fmt.Sprint(i), s) }() }
wg.Wait()
FINAL(strings.Join(out, ""))`)}, nil
}

// What a cell hands on does not add up in the host, and children have room for their own calls while their parents wait.
func TestTheHostStaysSmallWhileCellsHandOnLargeTexts(t *testing.T) {
	if raced {
		t.Skip("SKIP TestTheHostStaysSmallWhileCellsHandOnLargeTexts: memory is measured without the race detector")
	}
	const inside = "RLM_TEST_HANDS"
	if os.Getenv(inside) == "" {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestTheHostStaysSmallWhileCellsHandOnLargeTexts$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		_, after, found := strings.Cut(string(out), "PEAK ")
		require.True(t, found, "%s", out)
		peak := 0
		_, err = fmt.Sscan(after, &peak)
		require.NoError(t, err)
		t.Logf("%d MB", peak>>10)
		require.Less(t, peak, 200<<10)
		return
	}
	r := newRunner(t, hands{}, runner.WithBudgets(runner.Budgets{Depth: 1, Tokens: 1 << 40, Recorded: 1 << 40}))
	for ev, err := range r.Run(t.Context(), "go", runner.Text("t", "x")) {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path == "" {
			require.Equal(t, strings.Repeat("okok", 20), d.Answer, d.Reason)
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kb := 0
	_, err = fmt.Sscan(after, &kb)
	require.NoError(t, err)
	fmt.Println("PEAK", kb)
}
