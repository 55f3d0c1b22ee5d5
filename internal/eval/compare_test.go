package eval_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/suite"
)

// TestCompareSaysWhatChanged checks that changed settings and scores are reported, and that an item whose text has
// changed is left out as a different item.
func TestCompareSaysWhatChanged(t *testing.T) {
	run := func(settings, answer, third string) []eval.Result {
		items := eval.Items{Len: 3, At: func(i int) (suite.Item, error) {
			text := "text"
			if i == 2 {
				text = third
			}
			return suite.Item{
				ID: string(rune('a' + i)), Question: "Who?", Documents: []suite.Document{{Name: "t", Text: text}},
				Answer: json.RawMessage(`"Ada"`), Scorer: "exact",
			}, nil
		}}
		arm := eval.Arm{
			Name: "arm", Settings: settings,
			Answer: func(_ context.Context, item suite.Item, _ *eval.Attempt) eval.Reply {
				if item.ID == "a" {
					return eval.Reply{Answer: answer, Status: "completed", Run: "run-" + answer}
				}
				return eval.Reply{Answer: "Ada", Status: "completed"}
			},
		}
		got, err := eval.Evaluation{Items: items, Arms: []eval.Arm{arm}}.Run(t.Context())
		require.NoError(t, err)
		return got
	}
	c, err := eval.Compare(run("depth 1", "Ada", "one"), run("depth 2", "Alan", "another"), 1)
	require.NoError(t, err)
	assert.Equal(t, 1, c.Other, "items with another text")
	assert.Zero(t, c.Alone, "items in one alone")
	assert.Equal(t, 2, c.Arms[0].N, "items compared")
	assert.Len(t, c.Items, 1, "items that changed")
	var b strings.Builder
	require.NoError(t, c.Write(&b))
	for _, want := range []string{
		"A: depth 1", "B: depth 2", "arm a: 1.000 to 0.000, runs run-Ada and run-Alan",
		"1 result left out: the item's text or question differs",
	} {
		assert.Contains(t, b.String(), want)
	}
}

// TestAnEndpointThatFailedLeavesNoAnswer checks that the partial answer of a run whose endpoint failed is not
// scored.
func TestAnEndpointThatFailedLeavesNoAnswer(t *testing.T) {
	arm := eval.Arm{Name: "arm", Answer: func(context.Context, suite.Item, *eval.Attempt) eval.Reply {
		return eval.Reply{Answer: "1234567 and all others", Status: "error", Error: "overloaded"}
	}}
	got, err := eval.Evaluation{Items: items(t, "hops", 3, 2000), Arms: []eval.Arm{arm}}.Run(t.Context())
	require.NoError(t, err)
	rep := eval.NewReport(got, 1)
	assert.Zero(t, rep.All[0].Score.Mean)
	assert.Len(t, rep.Failures, 3)
}
