package builtins_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
)

// TestWhatEndsACellPanicsWithItsSentinel calls every builtin that can end a cell. The calls are made below compiled
// code that recovers each panic and panics again.
func TestWhatEndsACellPanicsWithItsSentinel(t *testing.T) {
	t.Parallel()
	queries := []string{
		`llm_query("p")`, `llm_query_batched([]string{"p", "q"})`, `rlm_query("p")`,
		`rlm_query_batched([]string{"p", "q"})`,
		"var x int\nllm_query_json(\"p\", &x)", "var xs []int\nllm_query_json_batched([]string{\"p\", \"q\"}, &xs)",
		`lookup("p")`, "_, _ = look(\"p\")",
	}
	gone := fmt.Errorf("%w: the budget is used up", builtins.ErrUnwind)
	for _, engine := range []repl.Engine{repl.Yaegi, repl.Exact} {
		for _, call := range []string{
			`FINAL("done")`, "x := \"done\"\nFINAL_VAR(\"x\")", `finish_response("done")`, `submit("done")`,
		} {
			t.Run(fmt.Sprintf("an answer in %s/%s", engine, call), func(t *testing.T) {
				t.Parallel()
				res, seen := below(t, engine, call, func(context.CancelFunc) error { return nil })
				require.Nil(t, res.Error, "%v", res.Error)
				require.Equal(t, "done", res.Final.Answer)
				require.Equal(t, 3, seen.Cell)
			})
		}
		for _, call := range queries {
			t.Run(fmt.Sprintf("the budget in %s/%s", engine, call), func(t *testing.T) {
				t.Parallel()
				res, seen := below(t, engine, call, func(context.CancelFunc) error { return gone })
				require.Equal(t, cellerror.BudgetExceeded, res.Error.Kind, res.Error.Message)
				require.Contains(t, res.Error.Message, "the budget is used up")
				require.Equal(t, 3, seen.Cell)
			})
			t.Run(fmt.Sprintf("a cancelled run in %s/%s", engine, call), func(t *testing.T) {
				t.Parallel()
				res, seen := below(t, engine, call, func(cancel context.CancelFunc) error {
					cancel()
					return context.Canceled
				})
				require.Equal(t, cellerror.Cancelled, res.Error.Kind, res.Error.Message)
				require.Equal(t, 3, seen.Cell)
			})
		}
	}
}

// below makes a call in a cell, below compiled code that recovers and panics again. The cell's host answers calls
// with reply. below returns the cell's result and the sentinel that the compiled code recovered.
func below(
	t *testing.T, engine repl.Engine, call string, reply func(cancel context.CancelFunc) error) (
	repl.Result, *answer.Sentinel,
) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := &host{answer: func(builtins.Call) (string, error) { return `[]`, reply(cancel) }}
	specs := append(builtins.Standard(answer.Response),
		builtins.Spec{Name: "lookup", Impl: builtins.ImplTool, Params: []string{"word string"}},
		builtins.Spec{
			Name: "look", Impl: builtins.ImplTool, Params: []string{"word string"},
			Results: []string{"string", "error"},
		},
		builtins.Spec{Name: "submit", Impl: builtins.ImplTool, Params: []string{"word string"}, Signal: true})
	made, err := builtins.Make(specs, h, builtins.NewMarks())
	require.NoError(t, err)
	seen := make(chan any, 1)
	between := repl.Builtin{Name: "between", Fn: func(work func()) {
		defer func() {
			v := recover()
			seen <- v
			if v != nil {
				panic(v)
			}
		}()
		work()
	}}
	n, err := repl.New(repl.Config{Engine: engine, Builtins: append(made, between)})
	require.NoError(t, err)
	res := n.Run(ctx, "between(func() {\n"+call+"\n})", repl.RunOptions{Cell: 3})
	v := <-seen // waits, because a cancelled cell may still be ending
	require.IsType(t, &answer.Sentinel{}, v)
	return res, v.(*answer.Sentinel)
}
