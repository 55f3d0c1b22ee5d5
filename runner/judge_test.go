package runner_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
)

var numberedItem = regexp.MustCompile(`(?m)^(\d+): (\w+)`)

const judgingCell = `var items []string
for i := range 150 {
	items = append(items, []string{"bad", "good", "fine"}[i%3])
}
v := judge(items, "Is it a complaint?", []string{"yes", "no"})
fmt.Println(v, v.Labels[3], len(v.Disagreements), v.Missing)
FINAL(v.Counts["yes"])`

// judgeItems answers a prompt of judge; in the first pass it mistakes "fine" for a complaint.
func judgeItems(prompt string) (string, error) {
	var entries []string
	for _, m := range numberedItem.FindAllStringSubmatch(prompt, -1) {
		label := "no"
		if m[2] == "bad" || m[2] == "fine" && strings.HasPrefix(prompt, "Is it") {
			label = "yes"
		}
		entries = append(entries, fmt.Sprintf(`{"n":%s,"label":%q}`, m[1], label))
	}
	return `{"verdicts":[` + strings.Join(entries, ",") + `]}`, nil
}

// The calls of judge are ordinary sub-calls: in both engines they are recorded, count against the budget, and are
// not paid for twice.
func TestJudgeIsRecordedAndReplayed(t *testing.T) {
	t.Parallel()
	for _, engine := range []repl.Engine{repl.Yaegi, repl.Exact} {
		r := newRunner(t, root([]string{fence(judgingCell), fence("FINAL(v.Counts[`yes`])")}, judgeItems),
			runner.WithEngine(engine))
		res, err := r.Answer(timeout(t), "How many complaints?")
		require.NoError(t, err)
		require.Equal(t, "50", res.Answer, engine)
		require.Equal(t, 5, res.SubCalls, "two prompts for each asking, one for the 50 that differ")
		for cell, err := range r.Replay(timeout(t), res.RunID) {
			require.NoError(t, err)
			require.True(t, cell.Same, cell.After)
		}
	}
}

func TestJudgeCountsAgainstTheBudget(t *testing.T) {
	t.Parallel()
	budgets := runner.DefaultBudgets()
	budgets.SubCalls = 3
	counted := strings.ReplaceAll(judgingCell, "FINAL(v", "fmt.Println(v")
	model := root([]string{fence(counted), fence("FINAL(v.Counts[`yes`])")}, judgeItems)
	r := newRunner(t, model, runner.WithBudgets(budgets))
	res, err := r.Answer(timeout(t), "How many complaints?")
	require.NoError(t, err)
	require.Equal(t, "100", res.Answer, "what was paid for is kept")
	require.Equal(t, 3, res.SubCalls)
}
