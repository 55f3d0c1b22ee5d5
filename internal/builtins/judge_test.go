package builtins_test

import (
	"fmt"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
)

var judged = regexp.MustCompile(`(?m)^(\d+): (.*)$`)

// judges answers prompts about numbered items with the labels that label returns. It omits an item whose label is
// empty.
func judges(label func(prompt, item string) string) *host {
	return &host{answer: func(c builtins.Call) (string, error) {
		var entries []string
		for _, m := range judged.FindAllStringSubmatch(string(c.Body), -1) {
			if l := label(string(c.Body), m[2]); l != "" {
				entries = append(entries, fmt.Sprintf(`{"n": %s, "label": %q}`, m[1], l))
			}
		}
		return "Here they are:\n```json\n{\"verdicts\": [" + strings.Join(entries, ", ") + "]}\n```", nil
	}}
}

func judge(t *testing.T, h *host, items []string, options ...any) (builtins.Verdicts, *cell) {
	t.Helper()
	c := newCell(nil)
	args := append([]any{items, "Is it a complaint?", []string{"yes", "no"}}, options...)
	results, err := c.run(t, standard(t, answer.Response, h), "judge", nil, args...)
	require.NoError(t, err)
	return results[0].(builtins.Verdicts), c
}

func items(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("%s %d", map[bool]string{true: "bad", false: "good"}[i%3 == 0], i))
	}
	return all
}

func right(_, item string) string {
	if strings.HasPrefix(item, "bad") {
		return "Yes" // the case of labels does not matter
	}
	return "no"
}

func TestJudgeAsksTwiceInOtherWords(t *testing.T) {
	h := judges(right)
	v, c := judge(t, h, items(230))
	require.Len(t, h.calls, 6, "at most 100 items a prompt, two askings, nothing differs")
	require.Equal(t, map[string]int{"yes": 77, "no": 153}, v.Counts)
	require.Equal(t, "yes", v.Labels[0])
	require.Empty(t, v.Disagreements)
	require.Empty(t, v.Missing)
	require.Zero(t, v.ErrorRate)
	require.Empty(t, c.notes)
	require.NotEqual(t, judged.ReplaceAllString(string(h.calls[0].Body), ""),
		judged.ReplaceAllString(string(h.calls[3].Body), ""))
	require.Equal(t, "230 verdicts: map[no:153 yes:77], 0 disagreements, 0 missing, estimated errors 0.0%",
		fmt.Sprint(v))
}

func TestJudgeSettlesDifferencesByAThirdAsking(t *testing.T) {
	h := judges(func(prompt, item string) string {
		if item == "good 7" && strings.Contains(prompt, "Below are") ||
			item == "bad 9" && !strings.Contains(prompt, "Two readers") {
			return "yes"
		}
		if item == "bad 12" && strings.Contains(prompt, "Below are") {
			return "no"
		}
		return right(prompt, item)
	})
	v, _ := judge(t, h, items(60))
	require.Equal(t, []int{7, 12}, v.Disagreements)
	require.Equal(t, []string{"no", "yes"}, []string{v.Labels[7], v.Labels[12]})
	require.Len(t, h.calls, 3)
	require.Positive(t, v.ErrorRate)
	require.Less(t, v.ErrorRate, 0.01)

	v, _ = judge(t, h, items(60), 2)
	require.Equal(t, []int{7, 12}, v.Disagreements)
	require.Greater(t, v.ErrorRate, 0.015, "half of what is not settled is wrong")
	v, _ = judge(t, h, items(60), 1)
	require.InDelta(t, -1, v.ErrorRate, 0)
}

func TestJudgeAsksAgainForWhatIsLeftOut(t *testing.T) {
	seen := map[string]int{}
	h := judges(func(prompt, item string) string {
		seen[item]++
		if item == "good 5" || item == "bad 6" && seen[item] < 3 {
			return ""
		}
		return right(prompt, item)
	})
	v, _ := judge(t, h, items(30), 1)
	require.Equal(t, []int{5}, v.Missing)
	require.Equal(t, "yes", v.Labels[6])
	require.Empty(t, v.Labels[5])
	require.Len(t, h.calls, 3)
	require.Contains(t, string(h.calls[1].Body), "1: good 5\n2: bad 6", "only what is missing is asked again")
}

func TestJudgeAsksAgainAboutWhatIsRare(t *testing.T) {
	h := judges(func(prompt, item string) string {
		if item == "good 7" && !strings.Contains(prompt, "Below are") && !strings.Contains(prompt, "Two readers") {
			return "yes"
		}
		return map[bool]string{true: "yes", false: "no"}[item == "bad 30"]
	})
	v, _ := judge(t, h, items(100))
	require.Equal(t, map[string]int{"yes": 1, "no": 99}, v.Counts)
	require.Equal(t, []int{7}, v.Disagreements)
	require.Contains(t, string(h.calls[1].Body), "1: bad 30\n2: good 7\n")
	require.NotContains(t, string(h.calls[1].Body), "3: ")
}

func TestJudgeKeepsItemsApart(t *testing.T) {
	h := judges(func(_, item string) string { return right("", item) })
	v, _ := judge(t, h, []string{"good\n2: bad, says the text itself", "bad " + strings.Repeat("x", 70_000), "good"}, 1)
	require.Equal(t, []string{"no", "yes", "no"}, v.Labels)
	require.Len(t, h.calls, 3, "prompts are cut by their length, too")
}

func TestJudgeRefusesBeforeAnythingIsPaid(t *testing.T) {
	h := judges(right)
	made := standard(t, answer.Response, h)
	for want, args := range map[string][]any{
		"judge: the question is empty": {
			[]string{"a"}, " ", []string{"yes", "no"},
		},
		"judge: 4 votes: 1 asks once, 2 finds what differs, 3 settles it": {
			[]string{"a"}, "?", []string{"yes", "no"}, 4,
		},
		`judge: there have to be at least two labels that differ, such as []string{"yes", "no"}`: {
			[]string{"a"}, "?", []string{"yes", "Yes"},
		},
		"judge: x (string) is no option: give a number of votes, or options of sub-calls": {
			[]string{"a"}, "?", []string{"yes", "no"}, "x",
		},
	} {
		_, err := newCell(nil).run(t, made, "judge", nil, args...)
		require.EqualError(t, err, want)
	}
	require.Empty(t, h.calls)
}

func TestJudgeKeepsWhatWasPaidFor(t *testing.T) {
	h := judges(right)
	answers := h.answer
	h.answer = func(c builtins.Call) (string, error) {
		if strings.Contains(string(c.Body), "Below are") {
			return "", errRate
		}
		return answers(c)
	}
	v, c := judge(t, h, items(30))
	require.Equal(t, map[string]int{"yes": 10, "no": 20}, v.Counts)
	require.InDelta(t, -1, v.ErrorRate, 0)
	require.Equal(t, []string{"judge: 1 of 2 prompts failed (index 1: the model is rate limited)"}, c.notes)

	v, c = judge(t, says("I cannot do that."), items(3))
	require.Equal(t, []int{0, 1, 2}, v.Missing)
	require.Empty(t, c.notes)
}

func TestJSONBatchedReportsItemsThatAreLeftOut(t *testing.T) {
	ask := func(prompt, reply string) []string {
		c := newCell(nil)
		var lists [][]verdict
		static := []types.Type{
			types.NewSlice(types.Typ[types.String]),
			types.NewPointer(types.NewSlice(types.NewSlice(verdictType()))),
		}
		results, err := c.run(t, standard(t, answer.Response, says(reply)), "llm_query_json_batched", static,
			[]string{prompt, "no list"}, &lists)
		require.NoError(t, err)
		require.NoError(t, results[0].([]error)[0])
		return c.notes
	}
	const prompt = "In 2024, judge these:\n7. a\n8. b, with 3 parts\n9. c\n10. d\n"
	require.Empty(t, ask(prompt,
		`[{"label": "x", "score": 7}, {"label": "x", "score": 8}, {"label": "x", "score": 9}, {"label": "x", "score": 10}]`))
	require.Equal(t, []string{
		"llm_query_json_batched: replies leave out numbered items: 2 of 4 in prompt 0 (numbers 8, 10). If all were to be judged, ask again for those",
	},
		ask(prompt, `[{"label": "x", "score": 7}, {"label": "x", "score": 9}]`))
	require.Empty(t, ask(prompt, `[{"label": "x", "score": 1}, {"label": "x", "score": 7}]`),
		"numbers that are none of items")
	require.Empty(t, ask("1. a\n2. b", `[{"label": "x", "score": 1}]`), "two lines make no list")
}
