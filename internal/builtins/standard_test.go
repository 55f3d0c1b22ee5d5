package builtins_test

import (
	"go/parser"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
)

func TestEveryBuiltinDocumentsItself(t *testing.T) {
	for _, mode := range []answer.Mode{answer.Response, answer.Task} {
		for _, h := range builtins.Docs(builtins.Standard(mode)) {
			signature, about, ok := strings.Cut(h.Text, "\n")
			require.True(t, ok, h.Name)
			require.NotEmpty(t, about, h.Name)
			require.True(t, strings.HasPrefix(signature, h.Name), signature)
			require.NotContains(t, h.Text, "{{", h.Name)
			if h.Name != "answer" {
				_, err := parser.ParseExpr("func" + strings.TrimPrefix(signature, h.Name))
				require.NoError(t, err, signature)
			}
			require.Equal(t, h.Signal, strings.Contains(h.Text, "[COMPLETION SIGNAL]"), h.Name)
		}
	}
}

func TestDocsOfAModeShowItsOwnSignalsOnly(t *testing.T) {
	names := func(mode answer.Mode) (all []string) {
		for _, h := range builtins.Docs(builtins.Standard(mode)) {
			if h.Signal {
				all = append(all, h.Name)
			}
		}
		return all
	}
	require.Equal(t, []string{"FINAL", "FINAL_VAR", "answer", "finish_response"}, names(answer.Response))
	require.Equal(t, []string{"FINAL", "FINAL_VAR", "answer", "finish_task"}, names(answer.Task))
}

// TestARenamedBuiltinLeavesNoTrace renames all builtins and looks for the old names in everything that a model
// could read.
func TestARenamedBuiltinLeavesNoTrace(t *testing.T) {
	for _, mode := range []answer.Mode{answer.Response, answer.Task} {
		specs := builtins.Standard(mode)
		var old []string
		for i := range specs {
			old = append(old, regexp.QuoteMeta(specs[i].Name))
			specs[i].Name = "zz" + strings.Map(func(r rune) rune { return 'a' + r%26 }, specs[i].Name)
		}
		// Names that are English words may occur in a sentence, but not as a call or with an index.
		trace := regexp.MustCompile(`\b(` + strings.Join(old, "|") +
			`)\b[(\["]|\b(llm_\w+|rlm_\w+|FINAL\w*|finish_\w+|SHOW_VARS|parse_\w+|count_\w+)\b`)
		for _, h := range builtins.Docs(specs) {
			require.Empty(t, trace.FindString(h.Text), h.Text)
			require.Contains(t, h.Text, h.Name)
		}
		made, err := builtins.Make(
			specs, &host{answer: func(builtins.Call) (string, error) { return "", errRate }}, builtins.NewMarks())
		require.NoError(t, err)
		for _, b := range made {
			require.Empty(t, trace.FindString(b.Doc+b.Source), b.Name)
		}
		for i, arg := range map[int]any{0: "p", 1: []string{"p"}} {
			c := newCell(nil)
			results, err := c.run(t, made, made[i].Name, nil, arg)
			if i == 0 {
				require.ErrorContains(t, err, made[i].Name+": ")
				require.Empty(t, trace.FindString(err.Error()))
				continue
			}
			require.NoError(t, err)
			require.Empty(t, trace.FindString(results[0].([]string)[0]+c.notes[0]))
			require.Contains(t, c.notes[0], made[i].Name)
		}
	}
}

func TestADocLineAboutAnAbsentBuiltinIsLeftOut(t *testing.T) {
	var specs []builtins.Spec
	for _, s := range builtins.Standard(answer.Response) {
		if s.Impl != "llm_query" {
			specs = append(specs, s)
		}
	}
	for _, h := range builtins.Docs(specs) {
		require.NotContains(t, h.Text, "{{")
		require.NotContains(t, h.Text, "llm_query ")
	}
}

func TestMakeRefusesBadSpecs(t *testing.T) {
	for want, specs := range map[string][]builtins.Spec{
		`builtin "a-b": the name has to be a Go identifier of its own`: {
			{Name: "a-b", Impl: "FINAL"},
		},
		`builtin "x": the name has to be a Go identifier of its own`: {
			{Name: "x", Impl: "FINAL"}, {Name: "x", Impl: "grep"},
		},
		`builtin x: there is no implementation "nothing"`: {
			{Name: "x", Impl: "nothing"},
		},
		`builtin x: parameter "a b c": it is neither a Go type nor a name and a Go type`: {
			{Name: "x", Impl: "tool", Params: []string{"a b c"}},
		},
	} {
		_, err := builtins.Make(specs, says(""), builtins.NewMarks())
		require.EqualError(t, err, want)
	}
}
