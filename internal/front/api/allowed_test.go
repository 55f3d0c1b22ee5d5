package api_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/runner/llm"
)

// TestCellsCountAsWell: calls from a person's own cells count towards the day's budget and are limited by it. With
// the budget used up, cells that call no model still run, and questions are refused.
func TestCellsCountAsWell(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	model := llm.ScriptedFunc("m", func(context.Context, llm.Request, int) (llm.Response, error) {
		asked.Add(1)
		cost := 0.05
		return llm.Response{Content: "yes", Cost: &cost, Usage: llm.Usage{Prompt: 10, Completion: 1}}, nil
	})
	s := start(t, model)
	ann := s.user("ann", api.Limits{CostPerDay: 0.12})
	id := ann.session()
	query := func(n string) object {
		return object{"source": "for range " + n + " { llm_query(\"a question that has some words\") }"}
	}
	ann.do(id, "cells", query("2"))
	require.EqualValues(t, 2, asked.Load())
	ann.do(id, "cells", query("9"))
	require.EqualValues(t, 3, asked.Load(), "one call may go beyond")
	ann.do(id, "cells", query("9"))
	require.EqualValues(t, 3, asked.Load(), "nothing is left")
	ann.do(id, "cells", object{"source": "n := 40 + 2"})
	require.Equal(t, "42", ann.values(id)["n"])
	free := ann.call("PATCH", "sessions/"+id+"/settings", object{"budgets": object{"cost": -1, "time": -1}}).at(
		"budgets")
	require.Zero(t, free["cost"])
	ann.do(id, "cells", query("9"))
	require.EqualValues(t, 3, asked.Load(), "nothing is left without a bound of the session's own either")
	require.Equal(t, free, ann.call("GET", "sessions/"+id+"/settings", nil).at("budgets"), "which is as it was")
	status, _, header := ann.send("POST", "api/v1/sessions/"+id+"/ask", object{"question": "x"})
	require.Equal(t, 429, status)
	require.NotEmpty(t, header.Get("Retry-After"))

	own := s.session()
	s.do(own, "cells", query("5"))
	require.EqualValues(t, 8, asked.Load(), "the owner has no limit")
}
