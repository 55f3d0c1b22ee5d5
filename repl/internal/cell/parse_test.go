package cell

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func parsed(t *testing.T, source string) *Cell {
	t.Helper()
	c, errs := Parse(token.NewFileSet(), 3, source)
	require.Nil(t, errs, source)
	return c
}

func TestParse(t *testing.T) {
	c := parsed(t, "\uFEFFx := 1\r\nimport \"fmt\"\r\ntype T int\r\nfmt.Println(x, y)\r\n")
	require.Equal(t, 3, c.Number)
	require.NotContains(t, c.Source, "\r")
	require.Len(t, c.Imports, 1)
	require.Len(t, c.File.Decls, 1, "imports are not among the declarations")
	require.Len(t, c.Body.List, 2)
	require.False(t, c.Program)
	var open []string
	for id := range c.Unresolved {
		open = append(open, id.Name)
	}
	slices.Sort(open)
	require.Equal(t, []string{"fmt", "int", "y"}, open)
}

func TestLineEndsAndAccents(t *testing.T) {
	require.Equal(t, "x := 1 // one\ny := 2", parsed(t, "x := 1 // one\ry := 2").Source)
	require.Equal(t, "x := `a\rb`\ny := 2", parsed(t, "x := `a\rb`\ny := 2").Source,
		"a return beside other line ends is none")
	c := parsed(t, "gro\u0308ße := \"o\u0308\" + `o\u0308` // o\u0308\r\ngro\u0308ße += string('e')")
	require.Equal(t, "größe := \"o\u0308\" + `o\u0308` // o\u0308\ngröße += string('e')", c.Source,
		"only names are composed")
	_, errs := Parse(token.NewFileSet(), 1, "x := \"o\u0308")
	require.ErrorContains(t, errs, "not terminated")
}

func TestPositionsAreThoseOfTheCell(t *testing.T) {
	c := parsed(t, "x := 1\n\nfunc f() int {\n\treturn undefined\n}\n  y := f()")
	want := map[string]string{"undefined": "cell 3:4:9", "y": "cell 3:6:3", "x": "cell 3:1:1"}
	c.Inspect(func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && want[id.Name] != "" {
			require.Equal(t, want[id.Name], c.fset.Position(id.Pos()).String())
			delete(want, id.Name)
		}
		return true
	})
	require.Empty(t, want)
	e := c.ErrorAt(c.Body.List[1].Pos(), "message", "hint")
	require.Equal(t, Error{Line: 6, Column: 3, Message: "message", Hint: "hint"}, *e)
}

func TestPrograms(t *testing.T) {
	for source, program := range map[string]bool{
		"": true, "func f() {}": true, "var x = 1\nfunc f() {}": true, "package main\nfunc main() {}": true,
		"import \"fmt\"": true,
		"x := 1":         false, "var x = 1\nx++": false, "f()": false,
	} {
		require.Equal(t, program, parsed(t, source).Program, source)
	}
}

func TestTopLevelVars(t *testing.T) {
	for source, want := range map[string][]string{
		"x := 1\ny, z := 2, 3":                    {"x", "y", "z"},
		"var a, b int\nvar (\n\tc = 1\n)\nd = 4":  {"a", "b", "c"},
		"_ = 1\n_, err := f()":                    {"err"},
		"for i := range 3 { x := i }\n{ y := 1 }": nil,
		"if v, ok := m[1]; ok { w := v }":         nil,
		"here:\nx := 1":                           {"x"},
		"f := func() { inner := 1 }":              {"f"},
	} {
		require.Equal(t, want, slices.Sorted(maps.Keys(parsed(t, source).TopLevelVars())), source)
	}
}

// x := 2 after x := 1 assigns, as it would in another cell.
func TestDefinitionsThatDeclareNothingNewAssign(t *testing.T) {
	for source, want := range map[string]string{
		"x := 1\nx := 2": ":= =", "x := 1\nx, y := 2, 3": ":= :=", "x, y := 1, 2\ny, x := 3, 4": ":= =",
		"var x int\nx := 2": "=", "x := 1\n{ x := 2 }": ":=", "_ := 1": "=", "a := 1\na.b := 2": ":= :=",
	} {
		var got []string
		for _, stmt := range parsed(t, source).Body.List {
			if as, ok := stmt.(*ast.AssignStmt); ok {
				got = append(got, as.Tok.String())
			}
		}
		require.Equal(t, want, strings.Join(got, " "), source)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		source, message string
		line            int
		hint            string
	}{
		"too long": {
			strings.Repeat("x", MaxSource+1),
			"the cell has 262145 bytes of source, more than the 262144 that are allowed; long text belongs into the context, not into code", 0, "",
		},
		"not UTF-8": {"x := 1\ny := \"\xff\"", "invalid UTF-8 encoding", 2, ""},
		"numbered lines": {
			"1 | x := 1\n2 | y := 2", "syntax error: the lines are numbered", 1,
			"leave out the numbers",
		},
		"python":           {"def f(x):\n\treturn x", "syntax error: expected ';', found f", 1, "Python"},
		"prose":            {"- first, look at the text", "syntax error: expected 1 expression", 1, "prose"},
		"the end":          {"x :=", "syntax error: expected operand, found the end of the cell", 1, ""},
		"a shell":          {"$ go run .", "syntax error: illegal character U+0024 '$'", 1, ""},
		"entity":           {"fmt.Println(a &lt; b)", "syntax error: missing ','", 1, "HTML"},
		"left out":         {"x := 1\n...\ny := 2", "syntax error: expected statement, found '...'", 2, "write it out"},
		"non-breaking":     {"x\u00a0:= 1", "syntax error: illegal character U+00A0", 1, "ordinary"},
		"the output of it": {"In [1]: x := 1", "syntax error: ", 1, "prompt"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := Parse(token.NewFileSet(), 1, c.source)
			require.NotEmpty(t, errs)
			require.Contains(t, errs[0].Message, c.message)
			require.Equal(t, c.line, errs[0].Line)
			require.Contains(t, errs[0].Hint, c.hint)
			require.LessOrEqual(t, len(errs), 3)
			require.NotContains(t, errs.Error(), Mark)
		})
	}
}

func TestIsCell(t *testing.T) {
	for source, want := range map[string]bool{
		"x := 1": true, "fmt.Println(1)": true, "import \"fmt\"": true, "func f() {}": true, "type T int": true,
		"x++":              true,
		"for range 3 {\n}": true, "ch <- 1": true, "var x int": true,
		"42": false, "yes": false, "\"text\"": false, "a, b": false, "The answer is 42.": false, "": false, "x": false,
		"{\"json\": 1}": false, "a - b": false, "// a remark": false, "SELECT * FROM t": false, "print 'x'": false,
	} {
		require.Equal(t, want, IsCell(source), source)
	}
}
