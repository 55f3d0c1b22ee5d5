package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

// declared is what the cells below use: calls that change what their statements read, and calls that do not.
const declared = `type box struct{ n, m int }
func (b *box) next() int { b.n++; return b.n }
func (b *box) sum() int { return b.n + b.m }
func fill(xs []int) int { xs[0] = 9; return 1 }
func fillAny[T any](xs []T, v T) int { xs[0] = v; return 1 }
func local() int { xs := []int{1}; xs[0] = 2; return xs[0] }
x, b, xs, m, p := 1, &box{1, 2}, []int{1, 2}, map[string]int{"a": 1}, new(int)
next := func() int { x++; return x }
same := func() int { return x }
put := func() int { m["a"]++; return 1 }
set := func() int { *p = 5; return 1 }
q, e := &x, b
z := box{3, 4}
y := &z
reset := func() int { z = box{}; return 1 }
twice := func(f func() int) int { return f() + f() }
`

// What a statement reads on the left of a call that changes it is refused by yaegi; what it does not change has the values that the
// exact engine gives.
func TestStatementsThatReadBesideCalls(t *testing.T) {
	refused := map[string]bool{
		"x*10 + next()": true, "x*10 + same()": false, "x + next()": true, "next() + x*10": false,
		"x*10 + twice(next)": true, "x*10 + twice(same)": true, "x*10 + local()": false,
		"b.n + b.next()": true, "b.m + b.next()": false, "b.n + b.sum()": false, "b.n + local()": false,
		"xs[0] + fill(xs)": true, "xs[0] + fillAny(xs, 7)": true, "x*2 + fillAny(xs, 7)": false, "xs[0] + next()": false, "len(xs)*x + fill(xs)": false,
		"m[\"a\"] + put()": true, "len(m) + put()": true, "len(m) + next()": false,
		"*p + set()": true, "*p + next()": true, "*q*10 + next()": true, "*q + local()": true, "e.n + b.next()": true, "y.n*2 + reset()": true, "xs[x] + local()": true,
		"fmt.Sprint(x+1, next())": true, "fmt.Sprint(x, local())": false, "fmt.Sprint(next(), x+1)": false,
		"[]int{x * 2, next()}": true, "[]int{local(), x * 2}": false, "x > 0 && next() > 0": false, "x*10 + len(fmt.Sprint(next()))": true,
		"func() int { x++; return x }() + x*10": false, "x*10 + func() int { x++; return x }()": true,
	}
	for source, want := range refused {
		t.Run(source, func(t *testing.T) {
			var printed []string
			for _, e := range engines {
				nb := enginetest.NewNotebook(t, e.make)
				_, err := nb.Run(1, declared)
				require.NoError(t, err)
				out, err := nb.Run(2, "fmt.Println("+source+")\nfmt.Println(x, *b, xs, m, *p)")
				var refusal *engine.Refused
				if e.name == "yaegi" && want {
					require.ErrorAs(t, err, &refusal)
					continue
				}
				require.NoError(t, err)
				require.Nil(t, out.Panic)
				printed = append(printed, nb.Out.Take())
			}
			require.Equal(t, printed[0], printed[len(printed)-1])
		})
	}
}

// What yaegi leaves to the exact engine runs there, and what is next to it runs in both.
func TestWhatYaegiLeavesToTheExactEngine(t *testing.T) {
	for _, c := range []struct{ name, refused, runs string }{
		{"select", "c := make(chan int, 1)\nselect { case c <- 1: default: }", "c := make(chan int, 1)\nc <- 1\nfmt.Println(<-c)"},
		{"complex numbers", "fmt.Println(complex(1, 2))", "fmt.Println(1.5 * 2)"},
		{"println of floats", "println(1.5)", "println(\"a\", 2, true)"},
		{"what is computed once", "var once = sync.OnceValue(func() int { return 1 })\nfmt.Println(once())", "once := sync.OnceFunc(func() { fmt.Println(1) })\nonce()\nonce()"},
		{"structs that contain each other", "type A struct{ b []B }\ntype B struct{ a *A }\nfmt.Println(A{})", "type A struct{ next *A; more []A }\nfmt.Println(len(A{}.more))"},
		{"operations on computed places", "f := func() *struct{ n int } { return &struct{ n int }{} }\nf().n += 2", "xs := [][]int{{1}}\nm := map[string]*struct{ n int }{\"a\": {}}\nxs[0][len(xs)-1] += 2\nm[\"a\"].n++\nfmt.Println(xs, m[\"a\"].n)"},
		{"goto", "n := 0\nagain: n++\nif n < 3 { goto again }", "n := 0\nfor n < 3 { n++ }\nfmt.Println(n)"},
		{
			"jumps out of a range over a function",
			"outer: for i := range 3 { for v := range slices.Values([]int{1, 2}) { if v > i { continue outer } } }",
			"for i := range 3 { for v := range slices.Values([]int{1, 2}) { if v > i { break }; fmt.Println(i, v) } }",
		},
		{"ranges over floats", "m := map[float64]int{1: 2}\nfor k := range m { fmt.Println(k) }", "m := map[float64]int{1: 2}\nm[1]++\nfmt.Println(m[1], len(m))"},
		{"deferred builtins", "m := map[int]int{1: 1}\nfunc() { defer delete(m, 1) }()", "m := map[int]int{1: 1}\nfunc() { defer func() { delete(m, 1) }() }()\nfmt.Println(len(m))"},
		{
			"decoding beside interfaces", "type I interface{ M() }\nvar v any\nfmt.Println(json.Unmarshal([]byte(\"1\"), &v), v)",
			"type N interface{ ~int | ~string }\nvar v any\nfmt.Println(json.Unmarshal([]byte(\"1\"), &v), v)",
		},
		{"errors.As", "type I interface{ error; Code() int }\nvar i I\nfmt.Println(errors.As(io.EOF, &i))", "var e *strconv.NumError\n_, err := strconv.Atoi(\"x\")\nfmt.Println(errors.As(err, &e), e.Num)"},
		{"computed functions", "pick := func() func(int, error) { return func(n int, err error) { fmt.Println(n, err) } }\npick()(strconv.Atoi(\"4\"))", "f := func(n int, err error) { fmt.Println(n, err) }\nf(strconv.Atoi(\"4\"))"},
		{
			"templates", "type T struct{ n int }\nfunc (t T) N() int { return t.n }\ntemplate.Must(template.New(\"t\").Parse(\"{{.N}}\")).Execute(os.Stdout, T{1})",
			"fmt.Println(strings.NewReplacer(\"{{.N}}\", \"1\").Replace(\"{{.N}}\"))",
		},
		{"a variable for a template", "var t *template.Template\nfmt.Println(t == nil)", "var r *strings.Reader\nfmt.Println(r == nil)"},
		{"conversions to arrays", "fmt.Println([2]int([]int{1, 2}))", "fmt.Println([]byte(\"ab\"), string([]rune{'a'}))"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, e := range engines {
				out, err := enginetest.NewNotebook(t, e.make).Run(1, c.refused)
				var refusal *engine.Refused
				if e.name == "yaegi" {
					require.ErrorAs(t, err, &refusal)
					require.NotEmpty(t, refusal.Instead)
				} else {
					require.NoError(t, err)
					require.Nil(t, out.Panic)
				}
			}
			var printed []string
			for _, e := range engines {
				nb := enginetest.NewNotebook(t, e.make)
				out, err := nb.Run(1, c.runs)
				require.NoError(t, err)
				require.Nil(t, out.Panic)
				printed = append(printed, nb.Out.Take())
			}
			require.NotEmpty(t, printed[0])
			require.Equal(t, printed[0], printed[1])
		})
	}
}
