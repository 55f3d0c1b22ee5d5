package cell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   []string // kind and text of each chunk
	}{
		"nothing":            {"", nil},
		"comments":           {"// a\n/* b */", nil},
		"statements are one": {"x := 1\ny := 2", []string{"statements x := 1\ny := 2"}},
		"on one line":        {"x := 1; y := 2", []string{"statements x := 1; y := 2"}},
		"imports anywhere": {
			"x := 1\nimport \"fmt\"\ny := 2",
			[]string{"statements x := 1", "import import \"fmt\"", "statements y := 2"},
		},
		"a package clause": {
			"package main\nfunc main() {}", []string{"package package main", "declaration func main() {}"},
		},
		"types and constants": {
			"type T int\nconst c = 1", []string{"declaration type T int", "declaration const c = 1"},
		},
		"var counts as a statement": {"var x = 1\nx++", []string{"statements var x = 1\nx++"}},
		"a function": {
			"func f(a int) (b int) { return a }\nf(1)",
			[]string{"declaration func f(a int) (b int) { return a }", "statements f(1)"},
		},
		"a method":                   {"func (t *T) M() {}", []string{"declaration func (t *T) M() {}"}},
		"a method of a generic type": {"func (t *T[K, V]) M() {}", []string{"declaration func (t *T[K, V]) M() {}"}},
		"a generic function":         {"func F[T any](x T) {}", []string{"declaration func F[T any](x T) {}"}},
		"a literal that is called":   {"func() { x() }()", []string{"statements func() { x() }()"}},
		"a literal with results": {
			"func() (int, error) { return 0, nil }()", []string{"statements func() (int, error) { return 0, nil }()"},
		},
		"a literal with a parameter": {
			"func(f func(int) int) {}(nil)", []string{"statements func(f func(int) int) {}(nil)"},
		},
		"braces over lines": {"if x {\n\ty()\n}\nz()", []string{"statements if x {\n\ty()\n}\nz()"}},
		"words in text are none": {
			"x := `\nimport \"a\"\nfunc f() {}\n`", []string{"statements x := `\nimport \"a\"\nfunc f() {}\n`"},
		},
		"a block":                       {"{ x := 1 }", []string{"statements { x := 1 }"}},
		"a type in a block stays there": {"{ type T int }", []string{"statements { type T int }"}},
	} {
		t.Run(name, func(t *testing.T) {
			chunks, _, failed := split(c.source, false)
			require.Nil(t, failed)
			var got []string
			for _, ch := range chunks {
				kind := map[chunkKind]string{
					statements: "statements", packageClause: "package", importDecl: "import",
					declaration: "declaration",
				}[ch.kind]
				got = append(got, kind+" "+c.source[ch.start:ch.end])
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestSplitRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		source, message string
		line, column    int
	}{
		"never closed":     {"f(\n", "syntax error: this ( is never closed", 1, 2},
		"the innermost":    {"f({[", "syntax error: this [ is never closed", 1, 4},
		"never opened":     {"x := 1\n}", "syntax error: unexpected }: there is no { that it closes", 2, 1},
		"another bracket":  {"f(\n1]", "syntax error: unexpected ]: the ( of line 1 is still open", 2, 2},
		"open text":        {"x := \"a", "syntax error: string literal not terminated", 1, 6},
		"open raw text":    {"x := `a\nb", "syntax error: raw string literal not terminated", 1, 6},
		"open comment":     {"x /* a", "syntax error: comment not terminated", 1, 3},
		"a foreign letter": {"x := 1 ¿ 2", "syntax error: illegal character U+00BF '¿'", 1, 8},
		"the mark":         {"x" + Mark + "2 := 1", "the letter " + Mark + " cannot be part of a name here", 1, 1},
		"too many brackets": {
			strings.Repeat("(", maxBrackets+1),
			"brackets are nested more than 400 deep; build the value in steps", 1, maxBrackets + 1,
		},
		"too many parts": {
			"x := 1" + strings.Repeat("+1", maxOperands),
			"one expression has more than 4000 parts; build the value in steps", 1, 4004,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, failed := split(c.source, false)
			require.NotNil(t, failed)
			require.Equal(t, Error{Line: c.line, Column: c.column, Message: c.message}, *failed)
		})
	}
	_, _, failed := split("x"+Mark+"2 := 1", true)
	require.Nil(t, failed, "the host may use the mark")
}

// No comment changes positions: errors keep their position in the cell.
func TestLineCommentsDoNotCount(t *testing.T) {
	source := "//line other.go:99\nx := 1"
	_, clean, failed := split(source, false)
	require.Nil(t, failed)
	require.Len(t, clean, len(source))
	require.NotContains(t, clean, "//line ")
}

func TestDisplay(t *testing.T) {
	for marked, want := range map[string]string{
		"": "", "x": "x", "x" + Mark + "2": "x", "a" + Mark + "12 + b" + Mark + "3": "a + b",
		"T" + Mark + "2.name": "T.name", "show" + Mark: "show",
	} {
		require.Equal(t, want, Display(marked))
	}
}
