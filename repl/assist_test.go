package repl_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
)

func assisted(t *testing.T) *repl.Notebook {
	t.Helper()
	nb, err := repl.New(repl.Config{Context: "text", Builtins: []repl.Builtin{{
		Name: "grep", Doc: "grep(pattern string, options ...any) []string\nLines that match.",
		Fn: func(string, ...any) []string { return nil },
	}}})
	require.NoError(t, err)
	res := nb.Run(context.Background(), `type Thing struct { Name string; size int }
func (t Thing) Len() int { return t.size }
ts := []Thing{{Name: "a"}}
total := 3`, repl.RunOptions{Cell: 1})
	require.Nil(t, res.Error)
	return nb
}

func TestCompleteOffersWhatMeansSomething(t *testing.T) {
	nb := assisted(t)
	for before, want := range map[string]repl.Suggestion{
		"tot":                         {Name: "total", Kind: "variable", Detail: "int"},
		"x := 1\nfor _, t := range t": {Name: "ts", Kind: "variable", Detail: "[]Thing"},
		"gre": {
			Name: "grep", Kind: "builtin",
			Detail: "grep(pattern string, options ...any) []string", Doc: "Lines that match.",
		},
		"x := Th":      {Name: "Thing", Kind: "type", Detail: "struct{Name string; size int}"},
		"stri":         {Name: "strings", Kind: "package", Detail: "strings"},
		"strings.ToUp": {Name: "ToUpper", Kind: "function", Detail: "func(s string) string"},
		"fmt.Println(strings.Rep": {
			Name: "Repeat", Kind: "function", Detail: "func(s string, count int) string",
		},
		"ts[0].":                         {Name: "Len", Kind: "method", Detail: "func() int"},
		"if ts[len(ts)-1].Na":            {Name: "Name", Kind: "field", Detail: "string"},
		"math.P":                         {Name: "Pi", Kind: "constant", Detail: "untyped float = 3.14159"},
		"answers := 1\nanswers++\nans":   {Name: "answers", Kind: "variable"},
		"func twice(n int) int {\n\tret": {Name: "return", Kind: "keyword"},
		"TOT":                            {Name: "total", Kind: "variable", Detail: "int"},
		"\"a\" + con":                    {Name: "context", Kind: "variable", Detail: "string"},
	} {
		got := nb.Complete(before)
		require.Contains(t, got.Items, want, before)
	}
}

func TestCompleteIsSilentInTextsAndComments(t *testing.T) {
	nb := assisted(t)
	for _, before := range []string{`x := "tot`, "// tot", "x := `a\ntot", "x := 12", "1 +.", "'t", "/* tot"} {
		require.Empty(t, nb.Complete(before).Items, before)
	}
	require.Empty(t, nb.Complete("nothing.Na").Items)
	require.Equal(t, "tot", nb.Complete("x := \"a\" + tot").Prefix)
	require.Equal(t, "", nb.Complete("ts[0].").Prefix)
}

func TestSignatureNamesTheParameterThatIsWritten(t *testing.T) {
	nb := assisted(t)
	for before, want := range map[string]repl.Signature{
		"strings.Repeat(": {
			Name: "strings.Repeat", Parameters: []string{"s string", "count int"}, Result: "string",
		},
		"strings.Repeat(\"a, (b\", ": {
			Name: "strings.Repeat", Parameters: []string{"s string", "count int"}, Active: 1, Result: "string",
		},
		"x := grep(\"a\", ts[0], []int{1, 2}, 3": {
			Name: "grep", Parameters: []string{"pattern string", "options ...any"}, Active: 1, Result: "[]string",
			Doc: "Lines that match.",
		},
		"strings.Repeat(\"a (": {
			Name: "strings.Repeat", Parameters: []string{"s string", "count int"}, Result: "string",
		},
		"ts[0].Len(": {Name: "ts[0].Len", Parameters: []string{}, Result: "int"},
		"strings.Repeat(strings.ToUpper(\"a\"), ": {
			Name: "strings.Repeat", Parameters: []string{"s string", "count int"}, Active: 1, Result: "string",
		},
	} {
		got, ok := nb.Signature(before)
		require.True(t, ok, before)
		require.Equal(t, want, got, before)
	}
	for _, before := range []string{
		"", "total", "f := func(", "(1 + ", "strings.Repeat(\"a\", 3)", "\"strings.Repeat(", "nothing(", "if (total ",
	} {
		_, ok := nb.Signature(before)
		require.False(t, ok, before)
	}
}

func TestCheckFindsErrorsAndRunsNothing(t *testing.T) {
	nb := assisted(t)
	require.Nil(t, nb.Check("total"))
	wrong := nb.Check("a := 1\ntotal = \"three\"")
	require.NotNil(t, wrong)
	require.Equal(t, cellerror.CompileError, wrong.Kind)
	require.Equal(t, 2, wrong.Line)
	require.NotZero(t, wrong.Column)
	require.Nil(t, nb.Check("total = 4\nfresh := 5"))
	res := nb.Run(context.Background(), "total", repl.RunOptions{Cell: 2})
	require.Nil(t, res.Error)
	require.Equal(t, "3", res.Value)
	require.NotNil(t, nb.Check("fresh"), "what was only checked is not declared")
	for range 3 {
		require.Nil(t, nb.Check("base := 2\nfunc twice(n int) int { return base * n }\ntwice(total)"))
		require.NotNil(t, nb.Check("func twice(n int) int { return bass * n }\ntwice(total)"))
		require.NotNil(t, nb.Check("func half(n int) string { return n / 2 }"))
		require.NotNil(t, nb.Check("for {"))
		require.Nil(t, nb.Check("func (t Thing) Twice() int { return 2 * t.size }\nts[0].Twice()"))
	}
	res = nb.Run(context.Background(), "base := 2\nfunc twice(n int) int { return base * n }\ntwice(total)",
		repl.RunOptions{Cell: 3})
	require.Nil(t, res.Error)
	require.Equal(t, "6", res.Value)
}
