package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
)

// asked returns an item for each right answer. All have the same question and scorer.
func asked(scorer string, right ...string) eval.Items {
	return eval.Items{Len: len(right), At: func(i int) (suite.Item, error) {
		return suite.Item{ID: string(rune('a' + i)), Question: "Who?", Documents: []suite.Document{
			{Name: "t", Text: "text"},
		}, Answer: json.RawMessage(right[i]), Scorer: scorer}, nil
	}}
}

func says(answer string, calls *atomic.Int64) eval.Arm {
	return eval.Arm{Name: "arm", Answer: func(context.Context, suite.Item, *eval.Attempt) eval.Reply {
		calls.Add(1)
		return eval.Reply{Answer: answer, Status: "completed"}
	}}
}

// judges answers SAME if the answers are equal except for case, or if the second one contains the first, so its
// verdict can depend on the order.
func judges(_ context.Context, req llm.Request) (string, error) {
	var both []string
	for part := range strings.SplitSeq(req.Messages[1].Content, "</answer>") {
		if _, text, ok := strings.Cut(part, "<answer number="); ok {
			_, text, _ = strings.Cut(text, ">\n")
			both = append(both, strings.ToLower(strings.TrimSpace(text)))
		}
	}
	if both[0] == both[1] || strings.Contains(both[1], both[0]) {
		return "Thinking about SAME or DIFFERENT … so: **Same**.", nil
	}
	return "They are not the same.", nil
}

// TestAJudge checks that a judge sees the answers in both orders, that the report has the judge's prompt and how
// often it agrees with itself, and that its cost is separate from the arm's.
func TestAJudge(t *testing.T) {
	var answers, calls atomic.Int64
	m := llm.ScriptedFunc("wise", func(ctx context.Context, req llm.Request, _ int) (llm.Response, error) {
		calls.Add(1)
		text, err := judges(ctx, req)
		return llm.Response{Content: text, Usage: llm.Usage{Prompt: 100, Completion: 10}}, err
	})
	e := eval.Evaluation{
		Items: asked("judge", `"ada lovelace"`, `"Babbage"`, `["Ada", "Ada Lovelace"]`, `"ada"`),
		Arms:  []eval.Arm{says("Ada Lovelace", &answers)},
		Scorers: map[string]eval.Scorer{
			"judge": eval.Judge(m, eval.CallSettings{}, llm.Prices{"wise": {Input: 1, Output: 1}}),
		},
		Results: filepath.Join(t.TempDir(), "r"),
	}
	results, err := e.Run(t.Context())
	require.NoError(t, err)
	for i, want := range []float64{1, 0, 0.5, 0.5} {
		assert.Equal(t, want, results[i].Score.Value, "the score of item %d: %s", i, results[i].Score.Read)
	}
	j := eval.NewReport(results, 1).Judge
	require.NotNil(t, j)
	assert.Equal(t, "wise", j.Model)
	assert.Equal(t, 4, j.N)
	assert.Equal(t, 0.5, j.Agreed.Mean)
	require.NotNil(t, j.Cost)
	assert.InDelta(t, 8*110e-6, *j.Cost, 1e-12)
	assert.Nil(t, results[0].Cost, "what the judge costs is no cost of the arm")
	var page, text strings.Builder
	require.NoError(t, errors.Join(
		eval.NewReport(results, 1).WriteHTML(&page, "t", nil), eval.NewReport(results, 1).Write(&text)))
	assert.Contains(t, page.String(), "You compare two answers")
	assert.Contains(t, text.String(), "judge wise gave the same verdict in both orders for 50 %")
	_, err = e.Run(t.Context())
	require.NoError(t, err, "again")
	assert.EqualValues(t, 8, calls.Load(), "calls of the judge")
	assert.EqualValues(t, 4, answers.Load(), "answers")
}

// TestAJudgeThatFails checks that answers already paid for are kept, and scored when the evaluation continues,
// even by another judge.
func TestAJudgeThatFails(t *testing.T) {
	var answers atomic.Int64
	results := filepath.Join(t.TempDir(), "r")
	run := func(reply string, fails error) ([]eval.Result, error) {
		m := scripted("judge of "+reply, func(context.Context, llm.Request) (string, error) { return reply, fails })
		return eval.Evaluation{
			Items: asked("judge", `"Ada"`, `"Ada"`), Arms: []eval.Arm{says("Ada", &answers)}, Results: results,
			Scorers: map[string]eval.Scorer{"judge": eval.Judge(m, eval.CallSettings{}, nil)},
		}.Run(t.Context())
	}
	_, err := run("", errors.New("out of order"))
	assert.ErrorContains(t, err, "out of order")
	_, err = run("Hm.", nil)
	assert.ErrorContains(t, err, "neither SAME nor DIFFERENT")
	for reply, want := range map[string]float64{"SAME": 1, "DIFFERENT": 0} {
		got, err := run(reply, nil)
		require.NoError(t, err, reply)
		require.Len(t, got, 2, reply)
		assert.Equal(t, []float64{want, want}, []float64{got[0].Score.Value, got[1].Score.Value}, "%s: %+v", reply, got)
	}
	assert.EqualValues(t, 2, answers.Load(), "answers that were asked for")
}

// TestAScorerInGo checks that the scorer runs jailed, in a new notebook for each answer.
func TestAScorerInGo(t *testing.T) {
	r, err := runner.New(scripted("nobody", func(context.Context, llm.Request) (string, error) {
		return "", errors.New("asked")
	}), runner.WithDataDir(t.TempDir()), host.Starter(starter))
	require.NoError(t, err)
	own, err := eval.Own(t.Context(), `
import "strings"

var seen = 0

// Score is the share of the right words that occur.
func Score(question, answer string, right any) float64 {
	seen++
	all := right.([]any)
	found := 0
	for _, w := range all {
		if strings.Contains(strings.ToLower(answer), w.(string)) {
			found++
		}
	}
	return float64(found) / float64(len(all)*seen)
}`, r)
	require.NoError(t, err)
	var answers atomic.Int64
	e := eval.Evaluation{
		Items: asked("own", `["ada", "grace"]`, `["ada"]`, `["alan"]`),
		Arms:  []eval.Arm{says("Ada \"quoted\"\n`x`", &answers)}, Scorers: map[string]eval.Scorer{"own": own},
	}
	results, err := e.Run(t.Context())
	require.NoError(t, err)
	for i, want := range []float64{0.5, 1, 0} {
		assert.Equal(t, want, results[i].Score.Value, "the score of item %d: %s", i, results[i].Score.Read)
	}
	for name, source := range map[string]string{
		"func Score": "x := 1",
		"no network": "import \"net/http\"\nfunc Score(question, answer string, right any) float64 { http.Get(question); return 1 }",
		"cannot use": "func Score(n int) float64 { return 1 }",
	} {
		_, err := eval.Own(t.Context(), source, r)
		assert.ErrorContains(t, err, name, source)
	}
	for want, body := range map[string]string{"from 0 to 1": "return 2", "the scorer failed": "panic(question)"} {
		bad, err := eval.Own(t.Context(), "func Score(question, answer string, right any) float64 { "+body+" }", r)
		require.NoError(t, err)
		e.Scorers["own"] = bad
		_, err = e.Run(t.Context())
		assert.ErrorContains(t, err, want, body)
	}
}
