package score

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScores(t *testing.T) {
	for _, c := range []struct {
		scorer, gold, answer string
		want                 float64
	}{
		{"exact", `"Ada Lovelace"`, "  **ada  lovelace.**", 1},
		{"exact", `"Ada Lovelace"`, "I looked at all pages.\nAnswer: \"Ada Lovelace\"", 1},
		{"exact", `"Ada Lovelace"`, "The final answer is Ada Lovelace.", 1},
		{"exact", `["NY", "New York"]`, "new york", 1},
		{"exact", `42`, "42", 1},
		{"exact", `"Café"`, "Cafe\u0301", 1},
		{"exact", `"Ada"`, "Ada Lovelace", 0},
		{"exact", `"Ada"`, "", 0},

		{"contains", `["4821907"]`, "The number is 4821907, as said.", 1},
		{"contains", `["one", "two", "three", "four"]`, "TWO and four", 0.5},
		{"contains-any", `["one", "two"]`, "Only Two", 1},
		{"contains-any", `["one", "two"]`, "three", 0},

		{"number", `12`, "12", 1},
		{"number", `12`, "There are 14 of them.", 0.75 * 0.75},
		{"number", `1234567`, "1,234,567", 1},
		{"number", `1234567`, "1 234 567", 1},
		{"number", `-3`, "The change was −3", 1},
		{"number", `12`, "Of 300 lines: Answer: 12 of 300", 1},
		{"number", `{"value": 3.5, "within": 0.1}`, "about 3.55 per cent", 1},
		{"number", `{"value": 3.5, "within": 0.1}`, "3.7", 0},
		{"number", `{"value": 1500}`, "1.5e3", 1},
		{"number", `7`, "none", 0},

		{"date", `"2023-01-06"`, "Jan 06, 2023", 1},
		{"date", `"2023-01-06"`, "It was on Friday, 6th of January 2023.", 1},
		{"date", `"2023-01-06"`, "01/06/2023", 1},
		{"date", `"2023-01-06"`, "2023-01-07", 0},
		{"date", `"Sept 3, 2021"`, "**September 3rd, 2021**", 1},
		{"date", `"2023-01-06"`, "in winter", 0},

		// Answers that LongBench-v2's program can parse.
		{"choice", `"B"`, "The correct answer is (B).", 1},
		{"choice", `"B"`, "The **correct answer is B**", 1},
		{"choice", `"C"`, "The correct answer is C", 1},
		{"choice", `"C"`, "First (A) looks right. The correct answer is (C), not The correct answer is (A)", 1},
		{"choice", `"D"`, "D", 1},
		{"choice", `"D"`, "(D) because of the second clause", 1},
		{"choice", `"D"`, "D. The bridge", 1},
		{"choice", `"A"`, "A bridge was built, so the answer is C", 0},
		{"choice", `"C"`, "A bridge was built, so the answer is C", 1},
		{"choice", `"A"`, "", 0},

		{"set", `["Ada", "Grace Hopper"]`, "- grace hopper\n- Ada", 1},
		{"set", `["Ada", "Grace Hopper"]`, `["Ada", "Grace Hopper"]`, 1},
		{"set", `["Ada", "Grace Hopper"]`, "Ada, Alan", 0.5},
		{"set", `["Ada", "Grace Hopper"]`, "Ada and Grace Hopper", 1},
		{"set", `["Bonnie and Clyde", "Ada"]`, "1. Bonnie and Clyde\n2. Ada", 1},
		{"set", `[]`, "none", 1},
		{"set", `[]`, "Ada", 0},

		{"pairs", `[[1, 2], [5, 3]]`, "(2, 1)\n(3, 5)", 1},
		{"pairs", `"(1, 2)\n(3, 5)"`, "(1, 2), (1,2)", 2.0 / 3},
		{"pairs", `[]`, "there are none", 1},
		{"pairs", `[]`, "(1, 2)", 0},
		{"pairs", `[[1, 2]]`, "nothing", 0},

		{
			"fields", `{"name": "Ada", "born": 1815}`,
			"```json\n{\"name\": \"ADA\", \"born\": \"1815\", \"more\": 1}\n```", 1,
		},
		{"fields", `{"name": "Ada", "born": 1815}`, `It is {"name": "Alan", "born": 1815}`, 0.5},
		{"fields", `{"tags": ["a", "b"]}`, `{"tags": ["b", "a"]}`, 1},
		{"fields", `{"tags": ["a", "a"]}`, `{"tags": ["a", "b"]}`, 0},
		{"fields", `{"ok": true, "at": {"x": 1}}`, `{"ok": true, "at": {"x": 1}}`, 1},
		{"fields", `{"ok": null}`, `{"ok": "null"}`, 0},
		{"fields", `{"name": "Ada"}`, "Ada", 0},
	} {
		f, err := New(c.scorer, json.RawMessage(c.gold))
		require.NoError(t, err, "%s %s", c.scorer, c.gold)
		got := f(c.answer)
		assert.InDelta(t, c.want, got.Value, 1e-9, "%s of %q for %s, read as %q", c.scorer, c.answer, c.gold, got.Read)
	}
}

// The cases follow the rule of RLM's training environment.
func TestOolongLenient(t *testing.T) {
	for _, c := range []struct {
		answer, kind, said string
		want               float64
	}{
		{"['entity']", "ANSWER_TYPE.LABEL", "Label: entity", 1},
		{"['entity']", "ANSWER_TYPE.LABEL", "Label: **Entity**", 1},
		{"['entity']", "ANSWER_TYPE.LABEL", "Label: [entity]", 1},
		{"['entity']", "ANSWER_TYPE.LABEL", "entity", 1},
		{"['entity']", "ANSWER_TYPE.LABEL", "after a long look at all lines I say entity", 1},
		{"['entity']", "ANSWER_TYPE.LABEL", "Label: location", 0},
		{"['numeric value']", "ANSWER_TYPE.LABEL", "The label numeric value is the most common one of all", 1},
		{"[42]", "ANSWER_TYPE.NUMERIC", "Answer: 42", 1},
		{"[42]", "ANSWER_TYPE.NUMERIC", "Answer: 44", 0.75 * 0.75},
		{"[42]", "ANSWER_TYPE.NUMERIC", "Answer: 42.0", 0},
		{"[42]", "ANSWER_TYPE.NUMERIC", "Answer: about 42", 0},
		{"[42]", "ANSWER_TYPE.NUMERIC", "Answer: 1_042", math.Pow(0.75, 1000)},
		{"[datetime.date(2023, 1, 6)]", "ANSWER_TYPE.DATE", "Date: 2023-01-06", 1},
		{"[datetime.date(2023, 1, 6)]", "ANSWER_TYPE.DATE", "Date: Jan 06, 2023", 1},
		{"[datetime.date(2023, 1, 6)]", "ANSWER_TYPE.DATE", "Date: Jan 07, 2023", 0},
		{"['more common than']", "ANSWER_TYPE.COMPARISON", "Answer: entity is more common than location", 1},
		{"['more common than']", "ANSWER_TYPE.COMPARISON", "It is not more common than, but less common than", 0},
		{"['same frequency as']", "ANSWER_TYPE.COMPARISON", "Answer: same frequency as", 1},
		{"['more common than']", "ANSWER_TYPE.COMPARISON", "Answer: more", 0},
		{"[44436]", "ANSWER_TYPE.USER", "User: 44436", 1},
		{`["it's"]`, "ANSWER_TYPE.LABEL", "Label: it's", 1},
	} {
		gold, err := json.Marshal(map[string]string{"answer": c.answer, "answer_type": c.kind})
		require.NoError(t, err)
		f, err := New("oolong-lenient", gold)
		require.NoError(t, err)
		got := f(c.said)
		assert.InDelta(t, c.want, got.Value, 1e-9, "%q for %s, read as %q", c.said, c.answer, got.Read)
	}
}

func TestWhatIsNoRightAnswer(t *testing.T) {
	for _, c := range [][2]string{
		{"exact", `""`},
		{"exact", `{}`},
		{"exact", `[]`},
		{"exact", ``},
		{"number", `"many"`},
		{"number", `{"value": 1, "within": -1}`},
		{"number", `[1, 2]`},
		{"date", `"soon"`},
		{"choice", `"AB"`},
		{"choice", `"é"`},
		{"pairs", `{}`},
		{"fields", `[]`},
		{"fields", `{}`},
		{"oolong", `{}`},
		{"best", `"x"`},
	} {
		_, err := New(c[0], json.RawMessage(c[1]))
		assert.Error(t, err, "%s takes %s", c[0], c[1])
	}
}
