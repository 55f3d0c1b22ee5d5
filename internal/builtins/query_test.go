package builtins_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/cellerror"
)

func TestQuerySendsPromptAndOptions(t *testing.T) {
	h := says("the reply")
	made := standard(t, answer.Response, h)
	option := func(name string, args ...any) any {
		results, err := newCell(nil).run(t, made, name, nil, args...)
		require.NoError(t, err)
		return results[0]
	}
	results, err := newCell(nil).run(t, made, "llm_query", nil, "hello \xff",
		option("Model", "small"), option("System", "be brief"), option("Temperature", 0.0), option("MaxTokens", 50),
		option("Memo"))
	require.NoError(t, err)
	require.Equal(t, []any{"the reply"}, results)
	require.Len(t, h.calls, 1)
	require.Equal(t, "llm_query", h.calls[0].Impl)
	require.Equal(t, "hello \xff", string(h.calls[0].Body))
	require.JSONEq(t, `{"model":"small","system":"be brief","temperature":0,"max_tokens":50,"memo":true}`,
		string(h.calls[0].Options))

	_, err = newCell(nil).run(t, made, "llm_query", nil, "plain")
	require.NoError(t, err)
	require.Nil(t, h.calls[1].Options, "no options asked for, none sent")
	require.Equal(t, "[Temperature(0.5) Model(\"small\") Memo()]",
		fmt.Sprint([]any{option("Temperature", 0.5), option("Model", "small"), option("Memo")}))
}

func TestBadOptionsAreRefusedBeforeAnythingIsSent(t *testing.T) {
	h := says("")
	made := standard(t, answer.Response, h)
	for name, c := range map[string]struct {
		arg  any
		want string
	}{
		"Temperature": {3.5, "llm_query: Temperature(3.5): a temperature lies between 0 and 2"},
		"MaxTokens":   {0, "llm_query: MaxTokens(0): at least one token is needed for a reply"},
		"Model":       {"", "llm_query: the name of the model is empty"},
	} {
		opt, err := newCell(nil).run(t, made, name, nil, c.arg)
		require.NoError(t, err)
		_, err = newCell(nil).run(t, made, "llm_query", nil, "p", opt[0])
		require.EqualError(t, err, c.want)
	}
	require.Empty(t, h.calls)
}

func TestAFailedQueryPanicsWithAnErrorThatSaysWhy(t *testing.T) {
	made := standard(t, answer.Response, &host{answer: func(builtins.Call) (string, error) { return "", errRate }})
	_, err := newCell(nil).run(t, made, "llm_query", nil, "p")
	require.ErrorIs(t, err, errRate)
	require.EqualError(t, err, "llm_query: the model is rate limited")
}

func TestReasonsThatDifferInSizesAreToldOnce(t *testing.T) {
	made := standard(t, answer.Response, &host{answer: func(c builtins.Call) (string, error) {
		switch n := len(c.Body); {
		case n > 40:
			return "", fmt.Errorf("too long: %d characters, about %d tokens of at most 8 tokens", n, n/4)
		case n > 20:
			return "", fmt.Errorf("HTTP %d", 400+n)
		}
		return "", errRate
	}})
	c := newCell(nil)
	prompts := []string{}
	for _, n := range []int{48, 10, 80, 21, 44, 22, 9} {
		prompts = append(prompts, strings.Repeat("x", n))
	}
	_, err := c.run(t, made, "llm_query_batched", nil, prompts)
	require.NoError(t, err)
	require.Equal(t, []string{
		"llm_query_batched: 7 of 7 prompts failed (index 0, 2, 4: too long: 44 to 80 characters, about 11 to 20 tokens of at most 8 tokens; " +
			"index 1, 6: the model is rate limited; index 3: HTTP 421; index 5: HTTP 422)",
	}, c.notes)
}

func TestWithoutBudgetTheCellUnwinds(t *testing.T) {
	gone := fmt.Errorf("%w: the budget of 10 sub-calls is used up", builtins.ErrUnwind)
	made := standard(t, answer.Response, &host{answer: func(builtins.Call) (string, error) { return "", gone }})
	for name, arg := range map[string]any{"llm_query": "p", "llm_query_batched": []string{"a", "b"}, "rlm_query": "p"} {
		c := newCell(nil)
		_, err := c.run(t, made, name, nil, arg)
		require.NoError(t, err)
		require.Equal(t, cellerror.BudgetExceeded, c.unwound, name)
		require.Equal(t, "the budget of 10 sub-calls is used up", c.why)
	}
	c := newCell(nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c.site.Context = ctx
	_, err := c.run(t, made, "llm_query_batched", nil, []string{"a"})
	require.NoError(t, err)
	require.Equal(t, cellerror.Cancelled, c.unwound)
}

func TestABatchKeepsItsOrderAndWhatWasPaidFor(t *testing.T) {
	h := &host{answer: func(c builtins.Call) (string, error) {
		switch i := c.Batch.Index; {
		case i == 3 || i == 5:
			return "", errRate
		case i >= 7:
			return "", fmt.Errorf("%w: the budget is used up", builtins.ErrUnwind)
		}
		return strings.ToUpper(string(c.Body)), nil
	}}
	c := newCell(nil)
	results, err := c.run(t, standard(t, answer.Response, h), "llm_query_batched", nil, strings.Split("abcdefghi", ""))
	require.NoError(t, err)
	require.Equal(t, []any{[]string{
		"A", "B", "C", "[error: llm_query_batched failed for prompt 3: the model is rate limited]", "E",
		"[error: llm_query_batched failed for prompt 5: the model is rate limited]", "G",
		"[error: llm_query_batched failed for prompt 7: the budget is used up]",
		"[error: llm_query_batched failed for prompt 8: the budget is used up]",
	}}, results)
	require.Equal(t, []string{
		"llm_query_batched: 4 of 9 prompts failed (index 3, 5: the model is rate limited; index 7, 8: the budget is used up)",
	}, c.notes)
	for _, call := range h.calls {
		require.Equal(t, 9, call.Batch.Size)
		require.Equal(t, h.calls[0].Batch.ID, call.Batch.ID)
	}
}

func TestABatchRunsAtOnceButNotWithoutBound(t *testing.T) {
	var running, most atomic.Int64
	release := make(chan struct{})
	var once sync.Once
	h := &host{answer: func(builtins.Call) (string, error) {
		n := running.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == 100 {
			once.Do(func() { close(release) })
		}
		<-release
		running.Add(-1)
		return "ok", nil
	}}
	results, err := newCell(nil).run(t, standard(t, answer.Response, h), "llm_query_batched", nil, make([]string, 1000))
	require.NoError(t, err)
	require.Len(t, results[0], 1000)
	require.GreaterOrEqual(t, most.Load(), int64(100))
	require.LessOrEqual(t, most.Load(), int64(256))

	results, err = newCell(nil).run(t, standard(t, answer.Response, h), "llm_query_batched", nil, []string{})
	require.NoError(t, err)
	require.Empty(t, results[0])
}

func TestChildRuns(t *testing.T) {
	h := says("answer")
	made := standard(t, answer.Response, h)
	_, err := newCell(nil).run(t, made, "rlm_query", nil, "q", "text one", "text two")
	require.NoError(t, err)
	require.Equal(t, "rlm_query", h.calls[0].Impl)
	require.Equal(t, []string{"text one", "text two"}, h.calls[0].Text)

	_, err = newCell(nil).run(t, made, "rlm_query_batched", nil, []string{"q0", "q1"}, "t0", "t1")
	require.NoError(t, err)
	for _, c := range h.calls[1:] {
		require.Equal(t, []string{fmt.Sprintf("t%d", c.Batch.Index)}, c.Text)
	}
	_, err = newCell(nil).run(t, made, "rlm_query_batched", nil, []string{"q0", "q1", "q2"}, "shared")
	require.NoError(t, err)
	require.Equal(t, []string{"shared"}, h.calls[len(h.calls)-1].Text)
	_, err = newCell(nil).run(t, made, "rlm_query_batched", nil, []string{"q0", "q1", "q2"}, "t0", "t1")
	require.EqualError(t, err,
		"rlm_query_batched: 3 prompts and 2 contexts; give none, one for all, or one for each prompt")
}

// verdict is a type that a cell may declare; verdictType is the static type that the cell would have for it.
type verdict struct {
	Label string `json:"label"`
	Score int    `json:"score"`
}

func verdictType() *types.Named {
	pkg := types.NewPackage("main", "main")
	s := types.NewStruct([]*types.Var{
		types.NewField(0, pkg, "Label", types.Typ[types.String], false),
		types.NewField(0, pkg, "Score", types.Typ[types.Int], false),
	}, []string{`json:"label"`, `json:"score"`})
	return types.NewNamed(types.NewTypeName(0, pkg, "verdict", nil), s, nil)
}

func TestQueryJSONFillsAVariable(t *testing.T) {
	h := says(`{"label": "spam", "score": 9}`)
	var v verdict
	static := []types.Type{types.Typ[types.String], types.NewPointer(verdictType())}
	_, err := newCell(nil).run(t, standard(t, answer.Response, h), "llm_query_json", static, "judge this", &v)
	require.NoError(t, err)
	require.Equal(t, verdict{"spam", 9}, v)
	var sent builtins.CallOptions
	require.NoError(t, json.Unmarshal(h.calls[0].Options, &sent))
	require.Equal(t, "verdict", sent.Format.Name)
	require.Contains(t, string(h.calls[0].Body), "judge this")
	require.Contains(t, string(h.calls[0].Body), string(sent.Format.Schema), "for endpoints that know no schemas")
}

func TestQueryJSONAsksOnceMoreAndThenNamesTheField(t *testing.T) {
	replies := []string{"not JSON at all", `{"label": "spam", "score": "high"}`, `{"label": "ham", "score": 1}`}
	h := &host{}
	h.answer = func(builtins.Call) (string, error) { return replies[len(h.calls)-1], nil }
	made := standard(t, answer.Response, h)
	static := []types.Type{types.Typ[types.String], types.NewPointer(verdictType())}
	v := verdict{Label: "before"}
	_, err := newCell(nil).run(t, made, "llm_query_json", static, "judge this", &v)
	require.EqualError(t, err,
		`llm_query_json: the reply does not fit verdict, also after it was asked for again: field score should be a whole number, and is "high"; the reply was: `+replies[1])
	require.Equal(t, verdict{Label: "before"}, v, "nothing is filled in by halves")
	require.Len(t, h.calls, 2)
	require.Contains(t, string(h.calls[1].Body), "not JSON at all")
	require.Contains(t, string(h.calls[1].Body), "the reply is not JSON")

	_, err = newCell(nil).run(t, made, "llm_query_json", static, "judge this", &v)
	require.NoError(t, err)
	require.Equal(t, verdict{"ham", 1}, v)
}

func TestQueryJSONWantsAPointer(t *testing.T) {
	h := says("{}")
	made := standard(t, answer.Response, h)
	_, err := newCell(nil).run(
		t, made, "llm_query_json", []types.Type{types.Typ[types.String], verdictType()}, "p", verdict{})
	require.EqualError(t, err,
		"llm_query_json: the second argument has to be a pointer to the variable to fill (&v); it is a verdict")
	_, err = newCell(nil).run(t, made, "llm_query_json",
		[]types.Type{types.Typ[types.String], types.NewPointer(verdictType())}, "p", (*verdict)(nil))
	require.ErrorContains(t, err, "nil pointer")
	_, err = newCell(nil).run(t, made, "llm_query_json_batched", []types.Type{nil, types.NewPointer(verdictType())},
		[]string{"p"}, &verdict{})
	require.ErrorContains(t, err, "has to point to a slice")
	require.Empty(t, h.calls)
}

func TestQueryJSONBatched(t *testing.T) {
	h := &host{answer: func(c builtins.Call) (string, error) {
		prompt := string(c.Body)
		switch repaired := strings.Contains(prompt, "cannot be used"); {
		case strings.HasPrefix(prompt, "good"), strings.HasPrefix(prompt, "late") && repaired:
			return `{"label": "` + prompt[:4] + `", "score": 1}`, nil
		case strings.HasPrefix(prompt, "fail"):
			return "", errRate
		}
		return `{"label": "x"}`, nil
	}}
	var vs []verdict
	static := []types.Type{types.NewSlice(types.Typ[types.String]), types.NewPointer(types.NewSlice(verdictType()))}
	c := newCell(nil)
	results, err := c.run(t, standard(t, answer.Response, h), "llm_query_json_batched", static,
		[]string{"good", "late", "fail", "never"}, &vs)
	require.NoError(t, err)
	errs := results[0].([]error)
	require.Equal(t, []verdict{{"good", 1}, {"late", 1}, {}, {}}, vs)
	require.NoError(t, errors.Join(errs[0], errs[1]))
	require.EqualError(t, errs[2], "the model is rate limited")
	require.EqualError(t, errs[3],
		"the reply does not fit, also after it was asked for again: field score is missing; the reply was: {\"label\": \"x\"}")
	require.Equal(t, []string{"llm_query_json_batched: 2 of 4 prompts failed (index 2: the model is rate limited; " +
		"index 3: the reply does not fit, also after it was asked for again: field score is missing)"}, c.notes)
	require.Len(t, h.calls, 6)
}
