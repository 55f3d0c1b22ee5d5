package check

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// seeds returns all cells of the notebook's scripts.
func seeds(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"../../testdata/sessions/*.txt", "../../testdata/errors/*.txt"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			cells := strings.ReplaceAll(string(data), "\n===\n", "\n%\n")
			out = append(out, strings.Split(cells, "\n%\n")...)
		}
	}
	require.NotEmpty(t, out)
	return out
}

// hard returns invalid and odd sources, and those that would overwhelm a parser or checker without limits.
func hard() map[string]string {
	n := 100_000
	return map[string]string{
		"parentheses":      strings.Repeat("(", n) + "1" + strings.Repeat(")", n),
		"brackets":         "x := " + strings.Repeat("[]", n/2) + "int{}",
		"braces":           strings.Repeat("{", n) + strings.Repeat("}", n),
		"sum":              "x := 1" + strings.Repeat("+1", n),
		"negations":        "x := " + strings.Repeat("-", n) + "1",
		"pointers":         "var x " + strings.Repeat("*", n) + "int",
		"calls":            "f" + strings.Repeat("()", n),
		"selectors":        "x" + strings.Repeat(".x", n),
		"functions":        strings.Repeat("func(){", n/8) + strings.Repeat("}", n/8),
		"else if":          "if true {}" + strings.Repeat(" else if true {}", n/20),
		"labels":           strings.Repeat("a: ", n/3),
		"doubling":         "const a0 = \"xxxxxxxxxxxxxxxx\"\n" + doubling(64),
		"shift":            "const c = 1 << 1 << 100000000000",
		"large array":      "var x [1 << 40][1 << 40]int",
		"type nest":        "type T[P any] struct { f *T[[]P] }\nvar x T[int]",
		"instances":        "func f[T any]() { f[[]T]() }\nf[int]()",
		"many errors":      strings.Repeat("undefinedName(1)\n", n/20),
		"many vars":        manyVars(5000),
		"nul":              "x := \x00",
		"not utf-8":        "x := \"\xff\xfe\"",
		"only a cell.Mark": "ʹ := 1",
		"reserved":         "showʹ(1)\nstepʹ = 5\ncellʹ1()",
		"self type":        "type T T",
		"cycle":            "var a = b\nvar b = a",
		"select":           "select " + strings.Repeat("{ case <-x: ", 300) + strings.Repeat("}", 300),
		"import chain":     strings.Repeat("import \"fmt\"\n", 5000),
		"composite":        "x := " + strings.Repeat("[]any{", 390) + strings.Repeat("}", 390),
		"raw string":       "x := `" + strings.Repeat("a\n", n) + "`",
		"switch":           "switch x := any(1).(type) {\n" + strings.Repeat("case int:\n", 5000) + "}",
		"comment":          strings.Repeat("//line x:1\n", 5000),
		"embedded self":    "type A struct { B }\ntype B struct { A }",
	}
}

func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("const a" + strconv.Itoa(i+1) + " = a" + strconv.Itoa(i) + " + a" + strconv.Itoa(i) + "\n")
	}
	return b.String() + "x := len(a" + strconv.Itoa(n) + ")"
}

func manyVars(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("v" + strconv.Itoa(i) + " := " + strconv.Itoa(i) + "\n")
	}
	return b.String()
}

func TestHardSources(t *testing.T) {
	for name, source := range hard() {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			checkCalmly(t, newTestSession(t), source)
			t.Log(time.Since(start))
		})
	}
}

// checkCalmly checks a cell twice in a session; any failure must be an ordinary error.
func checkCalmly(t testing.TB, s *Session, source string) {
	t.Helper()
	for number := 1; number <= 2; number++ {
		checked, err := s.Check(number, source)
		if err != nil {
			require.NotContains(t, err.Error(), "the cell cannot be checked", "%.2000s", source)
			for _, e := range err.(cell.Errors) {
				if !strings.Contains(source, cell.Mark) {
					require.NotContains(t, e.Message, cell.Mark, "%.2000s", source)
				}
			}
			return
		}
		s.Commit(checked.Change)
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		s := newTestSession(t)
		watchdog := time.AfterFunc(20*time.Second, func() { panic("no end: " + source) })
		defer watchdog.Stop()
		checkCalmly(t, s, source)
		cell.IsCell(source)
	})
}
