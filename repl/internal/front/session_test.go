package front

import (
	"bytes"
	"go/printer"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

func newTestSession(t testing.TB) *Session {
	t.Helper()
	im, err := stdlib.NewImporter()
	require.NoError(t, err)
	text, step := "some text", 0
	s, _, err := NewSession(im, []Builtin{
		{Name: "FINAL", Type: reflect.TypeFor[func(any, any)](), Skip: 1, Sited: true, Signal: true},
		{Name: "FINAL_VAR", Type: reflect.TypeFor[func(any, string)](), Skip: 1, Sited: true, Signal: true, ByName: true},
		{Name: "lines", Type: reflect.TypeFor[func(string, ...int) []string]()},
		{Name: "show" + mark, Type: reflect.TypeFor[func(any, ...any)](), Skip: 1, Sited: true},
	}, map[string]any{"context": &text, StepName: &step})
	require.NoError(t, err)
	return s
}

func TestPrint(t *testing.T) {
	s := newTestSession(t)
	for i, src := range []string{
		"x := 3\nfmt.Println(x)\nx",
		"x := x + 10\ny, err := strconv.Atoi(\"5\")\nx + y",
		"x := \"a\"\nfunc f(n int) string { return x + fmt.Sprint(n) }\nf(2)",
		"func f(n int) string { return \"new\" }\nfunc g(_ string, ...int) {}\ntype P struct{ x int }\np := P{x: 1}\nfunc (p *P) M() int { FINAL(p) }",
		"package main\nimport \"os\"\nvar a = b + 1\nvar b = 2\nfunc init() { a++ }\nfunc main() { fmt.Fprintln(os.Stdout, a, context); for i := range 3 { z := i; FINAL_VAR(z) } }",
		"lines := strings.Split(context, \"\\n\")\nlen(lines)",
		"lines(context, 1)\nlen(lines)",
		"time := time.Now()\nctx, cancel := context.WithCancel(context.Background())\ndefer cancel()\n_ = ctx",
		"time.Sub(time)",
		"type P struct { y string }\nq := P{y: \"1\"}\nFINAL_VAR(q)",
	} {
		ch, err := s.Check(i+1, src)
		if err != nil {
			for _, e := range err.(Errors) {
				t.Logf("cell %d: %d:%d %s", i+1, e.Line, e.Column, e.Message)
			}
			continue
		}
		var b bytes.Buffer
		require.NoError(t, printer.Fprint(&b, s.fset, ch.Unit.File))
		t.Log(b.String(), ch.Change.Notes, ch.Unit.Vars, ch.Calls)
		s.Commit(ch.Change)
	}
}
