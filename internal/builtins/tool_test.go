package builtins_test

import (
	"fmt"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/repl"
)

func makeTool(t *testing.T, s builtins.Spec, h builtins.Host) []repl.Builtin {
	t.Helper()
	s.Impl = "tool"
	made, err := builtins.Make([]builtins.Spec{s}, h, builtins.NewMarks())
	require.NoError(t, err)
	return made
}

func TestAToolIsGoSource(t *testing.T) {
	made := makeTool(t, builtins.Spec{
		Name: "lookup", Doc: "lookup(word string, limit int) ([]Entry, error)\nLooks a word up.",
		Params: []string{"word string", "int"}, Results: []string{"[]Entry", "error"},
		Types: "type Entry struct{ Word string }",
	}, says(""))
	b := find(t, made, "lookup")
	require.Equal(t, "lookup(word string, limit int) ([]Entry, error)\nLooks a word up.", b.Doc)
	require.Equal(t, `type Entry struct{ Word string }
func lookup(word string, arg2 int) ([]Entry, error) {
	var out_ struct{ R0 []Entry }
	if err_ := _call_lookup(&out_, word, arg2); err_ != nil {
		return out_.R0, err_
	}
	return out_.R0, nil
}
`, b.Source)
	b = find(t, makeTool(t, builtins.Spec{Name: "ping"}, says("")), "ping")
	require.Equal(t, "func ping() () {\n\tvar out_ struct{  }\n\tif err_ := _call_ping(&out_); err_ != nil {\n\t\tpanic(err_)\n\t}\n}\n", b.Source)
}

// outType returns the type of a variable as the source of a tool declares it.
func outType(fields ...types.Type) types.Type {
	var vars []*types.Var
	for i, f := range fields {
		vars = append(vars, types.NewField(0, nil, fmt.Sprintf("R%d", i), f, false))
	}
	return types.NewPointer(types.NewStruct(vars, nil))
}

func TestAToolCarriesArgumentsAndResults(t *testing.T) {
	h := says(`[{"label": "x", "score": 0}]`)
	made := makeTool(t, builtins.Spec{Name: "judge"}, h)
	var out struct{ R0 verdict }
	static := []types.Type{outType(verdictType()), types.Typ[types.String], types.NewPointer(verdictType())}
	results, err := newCell(nil).run(t, made, "_call_judge", static, &out, "word", &verdict{"y", 2})
	require.NoError(t, err)
	require.Nil(t, results[0])
	require.Equal(t, verdict{Label: "x"}, out.R0)
	require.Equal(t, "judge", h.calls[0].Tool)
	require.JSONEq(t, `["word", {"label": "y", "score": 2}]`, string(h.calls[0].Body))
}

func TestAToolThatFails(t *testing.T) {
	var out struct{ R0 int }
	static := []types.Type{outType(types.Typ[types.Int])}
	results, err := newCell(nil).run(t, makeTool(t, builtins.Spec{Name: "judge"},
		&host{answer: func(builtins.Call) (string, error) { return "", errRate }}), "_call_judge", static, &out)
	require.NoError(t, err)
	require.EqualError(t, results[0].(error), "judge: the model is rate limited")
	results, err = newCell(nil).run(
		t, makeTool(t, builtins.Spec{Name: "judge"}, says(`[1, 2]`)), "_call_judge", static, &out)
	require.NoError(t, err)
	require.EqualError(t, results[0].(error),
		"judge: the tool's results cannot be used: there are 2, and 1 were promised")
}

func TestAToolCanBeACompletionSignal(t *testing.T) {
	made := makeTool(t, builtins.Spec{
		Name: "submit", Doc: "submit(answer string) string\nHands the answer in.",
		Signal: true,
	}, says(`["accepted: 42"]`))
	require.Equal(t, "submit(answer string) string\n[COMPLETION SIGNAL] Hands the answer in.",
		find(t, made, "submit").Doc)
	var out struct{ R0 string }
	cell := newCell(nil)
	_, err := cell.run(t, made, "_call_submit", []types.Type{outType(types.Typ[types.String]), types.Typ[types.String]},
		&out, "42")
	require.NoError(t, err)
	require.Equal(t, &answer.FinalOutput{Type: answer.Direct, Answer: "accepted: 42", Signal: "submit"}, cell.final)

	made = makeTool(t, builtins.Spec{Name: "submit", Signal: true}, says(""))
	cell = newCell(nil)
	var none struct{}
	_, err = cell.run(t, made, "_call_submit", []types.Type{outType(), types.Typ[types.String]}, &none, "42")
	require.NoError(t, err)
	require.Equal(t, "42", cell.final.Answer, "a signal that gives nothing answers with what it was given")
}
