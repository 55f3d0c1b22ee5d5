package chat

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

// Lines are joined where the prompt lets a cell continue but Go would see the end of a statement, and nowhere else.
func TestLinesAreJoinedWhereGoWouldWantAComma(t *testing.T) {
	for source, want := range map[string]string{
		"slices.Sort(x\n)":                        "slices.Sort(x )",
		"f(a\n+ b,\nc\n)":                         "f(a + b,\nc )",
		"x := a[1\n]":                             "x := a[1 ]",
		"x := []int{1,\n2\n}":                     "x := []int{1,\n2 }",
		"m := map[string][]int{\"a\": {1,\n2\n}}": "m := map[string][]int{\"a\": {1,\n2 }}",
		"x := []T{{1\n}}":                         "x := []T{{1 }}",
		"if a {\n\tb()\n}":                        "",
		"if a {\nb()\n} else {\nc(d\n)\n}":        "if a {\nb()\n} else {\nc(d )\n}",
		"f(func() {\n\ta()\n\tb()\n})":            "",
		"var f = func() {\na()\nb(\nc\n)\n}":      "var f = func() {\na()\nb(\nc )\n}",
		"{\na()\nb()\n}":                          "",
		"import (\n\t\"fmt\"\n\t\"os\"\n)":        "",
		"const (\n\ta = 1\n\tb = 2\n)":            "",
		"type T struct {\n\ta int\n\tb int\n}":    "",
		"switch x {\ncase 1:\n\ta()\n\tb()\n}":    "",
		"for _, x := range y {\na()\nb()\n}":      "",
		"go func() {\na()\nb()\n}()":              "",
		"x := `a(\nb\n)`":                         "",
		"f(a // why\n)":                           "", // the comment would swallow the rest
		"f(a":                                     "",
		"a()\nb()":                                "",
	} {
		if want == "" {
			want = source
		}
		got := joined(source)
		require.Equal(t, want, got, "%q", source)
		if want != source {
			_, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+got+"\n}", 0)
			require.NoError(t, err, "%q", got)
		}
	}
}

func TestACallOverSeveralLines(t *testing.T) {
	d := sitDown(t, nil)
	d.line("> x := []int{3, 1}")
	d.types("> slices.Sort(x")
	d.keys("enter")
	d.line(")")
	d.line("> x")
	require.Contains(t, d.printed(), "= [1,3]")
}
