package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

// declared has the variables and functions that the statements below use. Some of the functions change variables
// that these statements read.
const declared = `type box struct{ n, m int }
func (b *box) next() int { b.n++; return b.n }
func (b *box) sum() int { return b.n + b.m }
func (b box) both() int { return b.n + b.m }
func (b box) plus(n int) int { return b.n*10 + n }
func use(f func() int, n int) int { return f()*10 + n }
func fill(xs []int) int { xs[0] = 9; return 1 }
func fillWith(xs []int, v int) int { xs[0] = v; return 1 }
func local() int { xs := []int{1}; xs[0] = 2; return xs[0] }
still := 3
x, b, xs, m, p := 1, &box{1, 2}, []int{1, 2}, map[string]int{"a": 1}, new(int)
next := func() int { x++; return x }
same := func() int { return x }
put := func() int { m["a"]++; return 1 }
set := func() int { *p = 5; return 1 }
q, e := &x, b
z := box{3, 4}
y := &z
text, runes := []byte("ab"), []rune("cd")
reset := func() int { z = box{}; return 1 }
twice := func(f func() int) int { return f() + f() }
`

// yaegi refuses a statement that reads a value to the left of a call of a cell's function, if some call may change
// the value. All other statements compute the same values as in the exact engine.
func TestStatementsThatReadBesideCalls(t *testing.T) {
	refused := map[string]bool{
		"x*10 + next()": true, "x*10 + same()": true, "x + next()": true, "next() + x*10": false,
		"x*10 + twice(next)": true, "x*10 + twice(same)": true, "x*10 + local()": true,
		"b.n + b.next()": true, "b.m + b.next()": true, "b.n + b.sum()": true, "b.n + local()": true,
		"z.m + local()": true, "z.m": false,
		"xs[0] + fill(xs)": true, "xs[0] + fillWith(xs, 7)": true, "x*2 + fillWith(xs, 7)": true,
		"xs[0] + next()": true, "len(xs)*x + fill(xs)": true, "len(xs) + fill(xs)": false,
		"still*2 + next()": false, "fill(xs[1:]) + still": false,
		"m[\"a\"] + put()": true, "len(m) + put()": true, "len(m) + next()": true,
		"*p + set()": true, "*p + next()": true, "*q*10 + next()": true, "*q + local()": true, "e.n + b.next()": true,
		"y.n*2 + reset()": true, "xs[x] + local()": true,
		"fmt.Sprint(x+1, next())": true, "fmt.Sprint(x, local())": true, "fmt.Sprint(still, local(), next())": false,
		"fmt.Sprint(next(), x+1)": false,
		"[]int{x * 2, next()}":    true, "[]int{local(), x * 2}": false, "x > 0 && next() > 0": true,
		"still > 0 && next() > 0": false, "fill(xs) + fill(xs)": false, "x*10 + len(fmt.Sprint(next()))": true,
		`string(text), copy(text, "xy")`: true, `string(runes), copy(runes, []rune{'x'})`: true,
		`string(text) + fmt.Sprint(next())`: true, `copy(text, "xy"), string(text)`: false,
		`string(text), string(runes), next()`: true,
		"use(b.both, b.next())":               true, "b.plus(b.next())": false, "b.plus(still), b.both()": false,
		"use(b.sum, b.next())": false, "string(text), x": false,
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
				var refusal *engine.RefusedError
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

// Constructs that yaegi leaves to the exact engine run there, and similar allowed ones run in both.
func TestWhatYaegiLeavesToTheExactEngine(t *testing.T) {
	for _, c := range []struct{ name, refused, runs string }{
		{
			"select", "c := make(chan int, 1)\nselect { case c <- 1: default: }",
			"c := make([]int, 1)\nfmt.Println(c[0])",
		},
		{"channels", "c := make(chan int, 1)\nc <- 1\nfmt.Println(<-c)", "c := []int{1}\nfmt.Println(c[0])"},
		{
			"channels of packages", "ctx, stop := context.WithCancel(context.Background())\nstop()\n<-ctx.Done()",
			"ctx, stop := context.WithCancel(context.Background())\nstop()\nfmt.Println(ctx.Err())",
		},
		{
			"goroutines", "var wg sync.WaitGroup\nwg.Add(1)\ngo wg.Done()\nwg.Wait()",
			"var mu sync.Mutex\nmu.Lock()\ndefer mu.Unlock()\nfmt.Println(1)",
		},
		{
			"goroutines of packages", "var wg sync.WaitGroup\nwg.Go(func() {})\nwg.Wait()",
			"var once sync.Once\nonce.Do(func() { fmt.Println(1) })",
		},
		{
			"goroutines of method values", "var wg sync.WaitGroup\nrun := wg.Go\nrun(func() {})\nwg.Wait()",
			"var b strings.Builder\nadd := b.WriteString\nadd(\"x\")\nfmt.Println(b.String())",
		},
		{
			"generic functions", "func id[T any](v T) T { return v }\nfmt.Println(id(1))",
			"func id(v int) int { return v }\nfmt.Println(id(1), slices.Max([]int{1, 2}))",
		},
		{
			"generic types", "type box[T any] struct{ v T }\nfmt.Println(box[int]{1}.v)",
			"type box struct{ v int }\nfmt.Println(box{1}.v)",
		},
		{
			"interfaces with methods", "type shape interface{ Area() int }\nvar s shape\nfmt.Println(s == nil)",
			"type shape struct{ area func() int }\ns := shape{func() int { return 2 }}\nfmt.Println(s.area())",
		},
		{
			"interfaces of packages",
			"type up struct{}\nfunc (up) Read(b []byte) (int, error) { return 0, io.EOF }\nvar r io.Reader = up{}\nfmt.Println(r == nil)", "var r io.Reader = strings.NewReader(\"x\")\nb, err := io.ReadAll(r)\nfmt.Println(string(b), err)",
		},
		{
			"String methods", "type level int\nfunc (l level) String() string { return \"level\" }\nfmt.Println(level(1))",
			"type level int\nfunc (l level) name() string { return \"level\" }\nfmt.Println(level(1), level(1).name())",
		},
		{
			"String methods of embedded fields", "type at struct{ time.Duration }\nfmt.Println(at{time.Second})",
			"type at struct{ d time.Duration }\nfmt.Println(at{time.Second}.d)",
		},
		{
			"own types in interfaces", "type p struct{ X int }\nvar v any = p{1}\nfmt.Println(v)",
			"var v any = struct{ X int }{1}\nfmt.Println(v)",
		},
		{
			"own types as keys of any", "type k string\nm := map[any]int{k(\"a\"): 1}\nfmt.Println(m[\"a\"])",
			"m := map[any]int{\"a\": 1, 2: 3}\nfmt.Println(m[\"a\"], m[2])",
		},
		{
			"names of own types", "type p struct{ X int }\nfmt.Printf(\"%T %#v\", p{}, p{})",
			"type p struct{ X int }\nfmt.Printf(\"%v %+v\", p{}, p{})",
		},
		{
			"formats that are computed", "type p struct{ X int }\nf := \"%v\"\nfmt.Printf(f, p{})",
			"type p struct{ X int }\nconst f = \"%v %d\"\nfmt.Printf(f, p{}, 3)",
		},
		{
			"errors that name own types",
			"type p struct{ X int }\nvar v p\nfmt.Println(json.Unmarshal([]byte(`{\"X\": \"a\"}`), &v))",
			"var v struct{ X int }\nfmt.Println(json.Unmarshal([]byte(`{\"X\": \"a\"}`), &v))",
		},
		{
			"named results that a closure holds",
			"func f() (n int, g func() int) { g = func() int { return n }; return 7, g }\nn, g := f()\nfmt.Println(n, g())", "func f() (n int, g func() int) { m := 7; g = func() int { return m }; n = m; return }\nn, g := f()\nfmt.Println(n, g())",
		},
		{
			"named results of literals", "f := func() (n int, p *int) { return 7, &n }\nn, p := f()\nfmt.Println(n, *p)",
			"f := func() (n int, p *int) { m := 7; return m, &m }\nn, p := f()\nfmt.Println(n, *p)",
		},
		{
			"named results of methods",
			"type t struct{ n int }\nfunc (v t) both() (r t, add func()) { add = r.bump; return v, add }\nfunc (v *t) bump() { v.n++ }\nr, add := t{1}.both()\nadd()\nfmt.Println(r.n)", "type t struct{ n int }\nfunc (v t) twice() (r t) { r.n = 2 * v.n; return }\nfmt.Println(t{2}.twice().n)",
		},
		{
			"named results behind a defer", "func f() (n int) { defer func() { n++ }(); return 1 }\nfmt.Println(f())",
			"func f() (n int) { defer fmt.Println(\"done\"); return 1 }\nfmt.Println(f())",
		},
		{
			"fields without a name", "type r struct{ _, ID int }\nm := map[r]int{{1, 2}: 3}\nfmt.Println(m[r{ID: 2}])",
			"type r struct{ A, ID int }\nm := map[r]int{{1, 2}: 3}\nfmt.Println(m[r{1, 2}], m[r{ID: 2}])",
		},
		{
			"fields without a name below", "type r struct{ _ int; ID int }\nvar rs [2]r\nfmt.Println(rs[0] == rs[1])",
			"type r struct{ ID int }\nvar rs [2]r\nfmt.Println(rs[0] == rs[1])",
		},
		{
			"fields without a name in a local type",
			"func f() bool { type r struct{ _ string; ID int }; return r{\"a\", 1} == r{\"b\", 1} }\nfmt.Println(f())",
			"func f() bool { type r struct{ ID int }; return r{1} == r{1} }\nfmt.Println(f())",
		},
		{
			"fields without a name of generic functions",
			"type r struct{ _ string; ID int }\nfmt.Println(slices.Index([]r{{\"a\", 1}}, r{\"b\", 1}))",
			"type r struct{ ID int }\nfmt.Println(slices.Index([]r{{1}}, r{1}))",
		},
		{"println of named numbers", "println(time.Second)", "println(int64(time.Second))"},
		{"println of own numbers", "type n int\nprintln(n(3))", "type n int\nprintln(int(n(3)))"},
		{
			"recover that nothing calls", "func f() { defer recover() }\nf()",
			"func f() { defer func() { recover() }() }\nf()\nfmt.Println(1)",
		},
		{
			"jumps over declarations", "n := 0\nagain: x := n\nn++\nif n < 3 { goto again }\nfmt.Println(x)",
			"n, x := 0, 0\nfor n < 3 { x = n; n++ }\nfmt.Println(x)",
		},
		{"complex numbers", "fmt.Println(complex(1, 2))", "fmt.Println(1.5 * 2)"},
		{"println of floats", "println(1.5)", "println(\"a\", 2, true)"},
		{
			"what is computed once", "var once = sync.OnceValue(func() int { return 1 })\nfmt.Println(once())",
			"once := sync.OnceFunc(func() { fmt.Println(1) })\nonce()\nonce()",
		},
		{
			"structs that contain each other", "type A struct{ b []B }\ntype B struct{ a *A }\nfmt.Println(A{})",
			"type A struct{ next *A; more []A }\nfmt.Println(len(A{}.more))",
		},
		{
			"operations on computed places", "f := func() *struct{ n int } { return &struct{ n int }{} }\nf().n += 2",
			"xs := [][]int{{1}}\nm := map[string]*struct{ n int }{\"a\": {}}\nxs[0][len(xs)-1] += 2\nm[\"a\"].n++\nfmt.Println(xs, m[\"a\"].n)",
		},
		{"goto", "n := 0\nagain: n++\nif n < 3 { goto again }", "n := 0\nfor n < 3 { n++ }\nfmt.Println(n)"},
		{
			"jumps out of a range over a function",
			"outer: for i := range 3 { for v := range slices.Values([]int{1, 2}) { if v > i { continue outer } } }",
			"for i := range 3 { for _, v := range slices.Collect(slices.Values([]int{1, 2})) { if v > i { break }; fmt.Println(i, v) } }",
		},
		{
			"ranges over floats", "m := map[float64]int{1: 2}\nfor k := range m { fmt.Println(k) }",
			"m := map[float64]int{1: 2}\nm[1]++\nfmt.Println(m[1], len(m))",
		},
		{
			"deferred builtins", "m := map[int]int{1: 1}\nfunc() { defer delete(m, 1) }()",
			"m := map[int]int{1: 1}\nfunc() { defer func() { delete(m, 1) }() }()\nfmt.Println(len(m))",
		},
		{
			"decoding beside interfaces",
			"type I interface{ M() }\nvar v any\nfmt.Println(json.Unmarshal([]byte(\"1\"), &v), v)",
			"type N interface{ ~int | ~string }\nvar v any\nfmt.Println(json.Unmarshal([]byte(\"1\"), &v), v)",
		},
		{
			"errors.As", "type I interface{ error; Code() int }\nvar i I\nfmt.Println(errors.As(io.EOF, &i))",
			"var e *strconv.NumError\n_, err := strconv.Atoi(\"x\")\nfmt.Println(errors.As(err, &e), e.Num)",
		},
		{"computed functions", "pick := func() func(int, error) { return func(n int, err error) { fmt.Println(n, err) } }\npick()(strconv.Atoi(\"4\"))", "func f(n int, err error) { fmt.Println(n, err) }\nf(strconv.Atoi(\"4\"))"},
		{
			"templates", "type T struct{ n int }\nfunc (t T) N() int { return t.n }\ntemplate.Must(template.New(\"t\").Parse(\"{{.N}}\")).Execute(os.Stdout, T{1})",
			"fmt.Println(strings.NewReplacer(\"{{.N}}\", \"1\").Replace(\"{{.N}}\"))",
		},
		{
			"a variable for a template", "var t *template.Template\nfmt.Println(t == nil)",
			"var r *strings.Reader\nfmt.Println(r == nil)",
		},
		{
			"types of generic functions",
			"func f[T any]() any { type U struct{}; return U{} }\nfmt.Println(f[int]() == f[string]())",
			"func f() int { type U struct{ n int }; return U{1}.n }\nfmt.Println(f() == f())",
		},
		{
			"conversions to arrays", "fmt.Println([2]int([]int{1, 2}))",
			"fmt.Println([]byte(\"ab\"), string([]rune{'a'}))",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, e := range engines {
				out, err := enginetest.NewNotebook(t, e.make).Run(1, c.refused)
				var refusal *engine.RefusedError
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

// yaegi accepts a function that reads a variable beside a call if nothing changes the variable. It refuses a later
// cell that would change it.
func TestVariablesThatLaterCellsChange(t *testing.T) {
	for _, c := range []struct{ name, change string }{
		{"by a function that is replaced", "func f() int { x = 5; return 1 }\nfmt.Println(g())"},
		{"through a pointer", "p := &x\nfunc f() int { *p = 5; return 1 }\nfmt.Println(g())"},
		{"by a closure", "set := func() { x = 5 }\nfunc f() int { set(); return 1 }\nfmt.Println(g())"},
		{"not at all", "func f() int { return 2 }\nx = 7\nfmt.Println(g())"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var printed []string
			for _, e := range engines {
				nb := enginetest.NewNotebook(t, e.make)
				_, err := nb.Run(1, "x := 1\nfunc f() int { return 1 }\nfunc g() int { return x*10 + f() }\nfmt.Println(g())")
				require.NoError(t, err)
				_, err = nb.Run(2, c.change)
				var refusal *engine.RefusedError
				if e.name == "yaegi" && c.name != "not at all" {
					require.ErrorAs(t, err, &refusal)
					continue
				}
				require.NoError(t, err)
				printed = append(printed, nb.Out.Take())
			}
			require.Equal(t, printed[0], printed[len(printed)-1])
		})
	}
}
