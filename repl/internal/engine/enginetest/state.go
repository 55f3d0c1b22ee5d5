package enginetest

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// notebooks tests the output of sessions that consist of several cells.
func notebooks(t *testing.T, make Maker) {
	type cell struct{ source, want string }
	for _, nb := range []struct {
		name  string
		cells []cell
	}{
		{"variables", []cell{
			{"x := 1\nxs := []int{1, 2}", ""},
			{"x += 5\nxs = append(xs, x)", ""},
			{"fmt.Println(x, xs)", "6 [1 2 6]\n"},
		}},
		{"a variable of another type under the same name", []cell{
			{"v := 1\nold := func() int { return v }", ""},
			{`v := fmt.Sprint(v, "!")`, ""},
			{"fmt.Println(v, old())", "1! 1\n"},
		}},
		{"pointers to variables", []cell{
			{"n := 1\np := &n", ""},
			{"*p = 7", ""},
			{"n++\nfmt.Println(n, *p)", "8 8\n"},
		}},
		{"functions that are replaced", []cell{
			{"func f() int { return 1 }\nfunc g() int { return f() * 10 }", ""},
			{"func f() int { return 2 }", ""},
			{"fmt.Println(f(), g())", "2 20\n"},
		}},
		{"functions and variables that refer to each other", []cell{
			{"total := 0\nfunc add(n int) { total += n }\nadd(3)", ""},
			{"for i := range 4 { add(i) }\nfmt.Println(total)", "9\n"},
		}},
		{"types with methods", []cell{
			{"type P struct{ a, b int }\nfunc (p P) Sum() int { return p.a + p.b }\np := P{1, 2}", ""},
			{"func (p *P) Double() { p.a *= 2; p.b *= 2 }\np.Double()\nfmt.Println(p.Sum())", "6\n"},
			{"var s interface{ Sum() int } = P{3, 4}\nfmt.Println(s.Sum())", "7\n"},
		}},
		{"a method that is replaced", []cell{
			{"type T struct{}\nfunc (T) String() string { return \"one\" }\nvar s fmt.Stringer = T{}", ""},
			{"func (T) String() string { return \"two\" }\nfmt.Println(s, T{})", "two two\n"},
		}},
		{"types that are declared again", []cell{
			{"type R struct{ N int }\nold := R{1}", ""},
			{"type R struct{ S string }\nr := R{\"x\"}\nfmt.Println(old.N, r.S)", "1 x\n"},
			{"var a any = old\n_, is := a.(R)\nfmt.Println(is)", "false\n"},
		}},
		{"generic functions and types", []cell{
			{"type Set[K comparable] map[K]bool\nfunc (s Set[K]) Add(k K) { s[k] = true }\nfunc Map[T, U any](xs []T, f func(T) U) (out []U) {\n\tfor _, x := range xs {\n\t\tout = append(out, f(x))\n\t}\n\treturn\n}", ""},
			{"s := Set[string]{}\ns.Add(\"a\")\nfmt.Println(len(s), Map([]int{1, 2}, func(n int) string { return fmt.Sprint(n * 2) }))", "1 [2 4]\n"},
		}},
		{"closures keep their variables", []cell{
			{"func counter() func() int {\n\tn := 0\n\treturn func() int { n++; return n }\n}\nnext := counter()", ""},
			{"next()\nnext()", ""},
			{"fmt.Println(next())", "3\n"},
		}},
		{"channels between cells", []cell{
			{"ch := make(chan int, 3)\nch <- 1\nch <- 2", ""},
			{"close(ch)\nfor v := range ch { fmt.Print(v, \" \") }", "1 2 "},
		}},
		{"deferred calls end with their cell", []cell{
			{"defer fmt.Println(\"end\")\nfmt.Println(\"begin\")", "begin\nend\n"},
			{"fmt.Println(\"next\")", "next\n"},
		}},
		{"the variables of a program come first", []cell{
			{"var a = b + 1\nvar b = 2\nfunc init() { fmt.Println(\"init\", a, b) }\nfunc main() { fmt.Println(\"main\") }", "init 3 2\nmain\n"},
			{"fmt.Println(a)", "3\n"},
		}},
		{"a variable without a value is zero again", []cell{
			{"var n int\nn = 5", ""},
			{"var n int\nfmt.Println(n)", "0\n"},
		}},
		{"what the host provides", []cell{
			{"fmt.Println(llm_query(\"what?\"), len(context))", "ans(what?) 595\n"},
			{"ask := llm_query\nfmt.Println(ask(\"q\"))", "ans(q)\n"},
		}},
	} {
		t.Run(nb.name, func(t *testing.T) {
			session := NewNotebook(t, make)
			for i, c := range nb.cells {
				require.Equal(t, c.want, session.ok(t, i+1, c.source), c.source)
			}
		})
	}
}

// values tests that the host reads variables as plain Go values.
func values(t *testing.T, make Maker) {
	nb := NewNotebook(t, make)
	nb.ok(t, 1, "n := 3\ns := \"text\"\nxs := []float64{1, 2}\nm := map[string][]int{\"a\": {1}}\nvar e error\nvar a any = 7\nvar p *int\nb := []byte(\"hi\")")
	for name, want := range map[string]any{
		"n": 3, "s": "text", "xs": []float64{1, 2}, "m": map[string][]int{"a": {1}}, "e": nil, "a": 7, "p": (*int)(nil),
		"b": []byte("hi"),
	} {
		sym := nb.Front.Lookup(name)
		require.NotNil(t, sym, name)
		got, ok := nb.Engine.Var(sym.Obj.Name())
		require.True(t, ok, name)
		require.Equal(t, want, got, name)
	}
	_, ok := nb.Engine.Var("missing")
	require.False(t, ok)

	nb.Context = "another"
	require.Equal(t, "another\n", nb.ok(t, 2, "fmt.Println(context)"), "the host writes its variables between cells")
	nb.ok(t, 3, "type S struct{ A int }\nv := S{4}")
	got, ok := nb.Engine.Var("v")
	require.True(t, ok)
	require.EqualValues(t, 4, reflect.ValueOf(got).Field(0).Int())
}
