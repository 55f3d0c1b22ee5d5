package eval_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/suite"
)

// TestCompareSaysWhatChanged: the settings, the items, and that an item with another text is another one.
func TestCompareSaysWhatChanged(t *testing.T) {
	run := func(settings, answer, third string) []eval.Result {
		items := eval.Items{Len: 3, At: func(i int) suite.Item {
			text := "text"
			if i == 2 {
				text = third
			}
			return suite.Item{
				ID: string(rune('a' + i)), Question: "Who?", Documents: []suite.Document{{Name: "t", Text: text}}, Answer: json.RawMessage(`"Ada"`), Scorer: "exact",
			}
		}}
		arm := eval.Arm{Name: "arm", Settings: settings, Answer: func(_ context.Context, item suite.Item, _ *eval.Attempt) eval.Reply {
			if item.ID == "a" {
				return eval.Reply{Answer: answer, Status: "completed", Run: "run-" + answer}
			}
			return eval.Reply{Answer: "Ada", Status: "completed"}
		}}
		got, err := eval.Evaluation{Items: items, Arms: []eval.Arm{arm}}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	c, err := eval.Compare(run("depth 1", "Ada", "one"), run("depth 2", "Alan", "another"), 1)
	if err != nil {
		t.Fatal(err)
	}
	if c.Other != 1 || c.Alone != 0 || c.Arms[0].N != 2 || len(c.Items) != 1 {
		t.Errorf("%+v", c)
	}
	var b strings.Builder
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A: depth 1", "B: depth 2", "arm a: 1.000 to 0.000, runs run-Ada and run-Alan", "1 result left out: the item has another text"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// TestAnEndpointThatFailedLeavesNoAnswer: what a run had when its endpoint failed is not scored.
func TestAnEndpointThatFailedLeavesNoAnswer(t *testing.T) {
	arm := eval.Arm{Name: "arm", Answer: func(context.Context, suite.Item, *eval.Attempt) eval.Reply {
		return eval.Reply{Answer: "1234567 and all others", Status: "error", Error: "overloaded"}
	}}
	got, err := eval.Evaluation{Items: items(t, "hops", 3, 2000), Arms: []eval.Arm{arm}}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if rep := eval.NewReport(got, 1); rep.All[0].Score.Mean != 0 || len(rep.Failures) != 3 {
		t.Errorf("score %v, %d failures", rep.All[0].Score.Mean, len(rep.Failures))
	}
}
