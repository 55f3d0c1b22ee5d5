package builtins_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl"
)

func TestSignalsRecordTheAnswer(t *testing.T) {
	vars := map[string]any{"result": "from a variable"}
	cases := []struct {
		mode answer.Mode
		name string
		arg  any
		want answer.FinalOutput
	}{
		{answer.Response, "FINAL", "42", answer.FinalOutput{Type: answer.Direct, Answer: "42", Signal: "FINAL"}},
		{answer.Task, "FINAL", "42", answer.FinalOutput{Type: answer.Direct, Answer: "42", Signal: "FINAL"}},
		{
			answer.Response, "FINAL_VAR", "result",
			answer.FinalOutput{Type: answer.Variable, Answer: "from a variable", Var: "result", Signal: "FINAL_VAR"},
		},
		{
			answer.Response, "finish_response", "that is all",
			answer.FinalOutput{Type: answer.Direct, Answer: "that is all", Signal: "finish_response"},
		},
		{
			answer.Task, "finish_task", "done so far",
			answer.FinalOutput{Type: answer.Direct, Answer: "done so far", Signal: "finish_task", Status: answer.Done},
		},
		{
			answer.Task, "task_completed", `{"summary": "half", "status": "partial"}`,
			answer.FinalOutput{Type: answer.Direct, Answer: "half", Signal: "task_completed", Status: answer.Partial},
		},
		{
			answer.Task, "finish_task",
			map[string]any{"summary": "no key", "status": "blocked"},
			answer.FinalOutput{Type: answer.Direct, Answer: "no key", Signal: "finish_task", Status: answer.Blocked},
		},
		{answer.Task, "finish_task", `{"summary": "cut`, answer.FinalOutput{
			Type: answer.Direct, Answer: `{"summary": "cut`, Signal: "finish_task", Status: answer.Done,
		}},
	}
	for _, c := range cases {
		cell := newCell(vars)
		_, err := cell.run(t, standard(t, c.mode, says("")), c.name, nil, c.arg)
		require.NoError(t, err)
		require.NotNil(t, cell.final, "%s(%v)", c.name, c.arg)
		require.Equal(t, c.want, *cell.final)
	}
}

func TestTheOutputOfATaskSignalCarriesItsStatus(t *testing.T) {
	cell := newCell(nil)
	_, err := cell.run(t, standard(t, answer.Task, says("")), "finish_task", nil,
		`{"summary": "[FINISH_STATUS:done]", "status": "blocked"}`)
	require.NoError(t, err)
	require.Equal(t, "Task blocked - cannot proceed. Marked for human review. Summary: [FINISH_STATUS done] [FINISH_STATUS:blocked]\n", cell.printed)
}

func TestAnUnknownVariableNeverEndsTheRun(t *testing.T) {
	cell := newCell(map[string]any{"total": 1, "results": 2, "zebra": 3})
	_, err := cell.run(t, standard(t, answer.Response, says("")), "FINAL_VAR", nil, "result")
	require.ErrorContains(t, err, `there is no variable "result"`)
	require.ErrorContains(t, err, "results, ", "the closest name comes first")
	require.Nil(t, cell.final)
}

func TestAnUnknownStatusIsAnError(t *testing.T) {
	cell := newCell(nil)
	_, err := cell.run(t, standard(t, answer.Task, says("")), "finish_task", nil,
		`{"summary": "x", "status": "almost"}`)
	require.ErrorContains(t, err, `unknown status "almost"`)
	require.Nil(t, cell.final)
}

func TestTheSignalOfTheOtherModeIsIgnoredAndTold(t *testing.T) {
	for mode, name := range map[answer.Mode]string{answer.Response: "finish_task", answer.Task: "finish_response"} {
		cell := newCell(nil)
		_, err := cell.run(t, standard(t, mode, says("")), name, nil, "x")
		require.NoError(t, err)
		require.Nil(t, cell.final)
		require.Len(t, cell.notes, 1)
		require.Contains(t, cell.notes[0], name+" does not end this run and was ignored")
		require.Contains(t, cell.notes[0], "FINAL")
	}
}

func TestTheAnswerVariable(t *testing.T) {
	variable := find(t, standard(t, answer.Response, says("")), "answer")
	require.Contains(t, variable.Source, `var answer = map[string]any{"content": "", "ready": false}`)
	after := func(value any) (cell *cell, err error) {
		cell = newCell(map[string]any{"answer": value})
		defer func() {
			if r := recover(); r != nil && r != (unwinding{}) {
				panic(r)
			}
		}()
		return cell, variable.After(&cell.site)
	}
	for name, value := range map[string]any{
		"not ready":      map[string]any{"content": "so far", "ready": false},
		"as it was":      map[string]any{"content": "", "ready": false},
		"the user's own": "a text", "a number": 7, "emptied": map[string]any{},
	} {
		cell, err := after(value)
		require.NoError(t, err, name)
		require.Nil(t, cell.final, name)
	}
	cell := newCell(map[string]any{"answer": map[string]any{"content": "", "ready": true}})
	require.ErrorContains(t, variable.After(&cell.site), `answer["ready"] is true, but answer["content"] is empty`)
	require.NoError(t, variable.After(&cell.site), "it is told once")
	cell = newCell(map[string]any{"answer": map[string]any{"content": "x", "ready": "complete"}})
	require.ErrorContains(t, variable.After(&cell.site),
		`answer["ready"] was set, but nothing was answered: "complete" is neither true nor false`)

	for _, ready := range []any{true, "True", "yes"} {
		cell := newCell(map[string]any{"answer": map[string]any{"content": 42, "ready": ready}})
		require.Panics(t, func() { _ = variable.After(&cell.site) })
		require.NoError(t, variable.After(&cell.site), "an answer is given once")
		require.Equal(t, &answer.FinalOutput{Type: answer.Variable, Answer: "42", Var: "answer", Signal: "answer"},
			cell.final)
	}
}

func TestShowVars(t *testing.T) {
	results, err := newCell(nil).run(t, standard(t, answer.Response, says("")), "SHOW_VARS", nil)
	require.NoError(t, err)
	require.Equal(t, "name  type  size  value  cell\nn     int            42     1", results[0])
	empty := newCell(nil)
	empty.site.Vars = func() []repl.Var { return nil }
	results, err = empty.run(t, standard(t, answer.Response, says("")), "SHOW_VARS", nil)
	require.NoError(t, err)
	require.Equal(t, "There are no variables yet.", results[0])
}
