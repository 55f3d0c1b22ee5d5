package random

import (
	"fmt"
	"strings"
)

func (g *generator) generics() string {
	f := g.top("gen")
	t := g.anyType()
	switch g.n(5) {
	case 0:
		g.decl("func %s[T, U any](x T, y U) (U, T, string) { return y, x, fmt.Sprintf(\"%%T %%T\", x, y) }", f)
		u := g.anyType()
		return fmt.Sprintf("{ a, b, s := %s(%s, %s); fmt.Println(js(a), js(b), s) }\n", f, g.typed(t, g.expr(t, 2)),
			g.typed(u, g.expr(u, 2)))
	case 1:
		g.decl("func %s[S ~[]E, E any](s S, n int) S { var zero E; for range n { s = append(s, zero) }; return s[:len(s):len(s)] }", f)
		return fmt.Sprintf("{ s := %s([]%s{%s}, %d); fmt.Printf(\"%%T %%d \", s, len(s)); fmt.Println(js(s)) }\n", f,
			t.src, g.list(t, g.n(3), 2, false), g.n(3))
	case 2:
		g.decl("type %sI interface { ~int | ~string }\nfunc %s[T %sI](xs ...T) (out []string) { for _, x := range xs { switch v := any(x).(type) { case int: out = append(out, fmt.Sprint(\"int\", v)); case string: out = append(out, \"string\"+v); default: out = append(out, fmt.Sprintf(\"%%T\", v)) } }; return }", f, f, f)
		e := tInt
		for _, n := range g.named {
			if (n.kind == kInt && n.size == 64 || n.kind == kString) && g.yes(2) {
				e = n
			}
		}
		return fmt.Sprintf("fmt.Println(%s(%s, %s))\n", f, g.typed(e, g.expr(e, 1)), g.typed(e, g.expr(e, 1)))
	case 3:
		g.decl("type %sN[T any] struct { v T; next *%sN[T] }\nfunc (n *%sN[T]) push(v T) *%sN[T] { return &%sN[T]{v, n} }\nfunc (n *%sN[T]) All() iter.Seq2[int, T] { return func(yield func(int, T) bool) { i := 0; for ; n != nil; n = n.next { if !yield(i, n.v) { return }; i++ } } }", f, f, f, f, f, f)
		return fmt.Sprintf("{ var n *%sN[%s]\nn = n.push(%s).push(%s).push(%s)\nfor i, v := range n.All() { if i == %d { break }; fmt.Print(i, js(v), \" \") }\nfmt.Printf(\"%%T\\n\", n) }\n", f, t.src, g.expr(t, 1), g.expr(t, 1), g.literal(t, 2, false), g.n(4))
	}
	g.decl("func %s[K comparable, V any, R any](m map[K]V, f func(K, V) R) int { n := 0; for k, v := range m { _ = f(k, v); n++ }; return n }", f)
	k := g.keyType()
	return fmt.Sprintf("fmt.Println(%s(map[%s]%s{%s: %s}, func(k %s, v %s) string { return js(v) }))\n", f, k.src,
		t.src, g.literal(k, 1, false), g.expr(t, 2), k.src, t.src)
}

// methodValues writes method values whose receivers are bound early or late.
func (g *generator) methodValues() string {
	for range 6 {
		if len(g.named) == 0 {
			break
		}
		t := g.named[g.n(len(g.named))]
		v, f := g.name("v"), g.name("f")
		switch {
		case len(t.ptrs) > 0 && g.yes(2):
			m := t.ptrs[g.n(len(t.ptrs))]
			return fmt.Sprintf("%s := %s\n%s := %s.%s\n%s(2)\n%s = %s\n%s(3)\n(*%s).%s(&%s, 4)\nfmt.Println(js(%s))\n",
				v, g.literal(t, 2, false), f, v, m, f, v, g.literal(t, 2, false), f, t.src, m, v, v)
		case len(t.method) > 0:
			m := t.method[g.n(len(t.method))]
			return fmt.Sprintf("%s := %s\n%s := %s.%s\n%s = %s\nvar i%s interface { %s() string } = %s\nfmt.Println(%s(), %s.%s(), %s.%s(%s), i%s.%s())\n", v, g.typed(t, g.literal(t, 2, false)), f, v, m, v, g.typed(t, g.literal(t, 2, false)), v, m, v, f, v, m, t.src, m, v, v, m)
		}
	}
	return g.assign()
}

// goroutines writes concurrent computations, each with its own result variable.
func (g *generator) goroutines() string {
	t := g.anyType()
	out := g.name("out")
	switch g.n(4) {
	case 0:
		return fmt.Sprintf("%s := make([]%s, %d)\n{ var wg sync.WaitGroup\nfor i := range %s { wg.Add(1); go func() { defer wg.Done(); %s[i] = %s }() }\nwg.Wait() }\nfmt.Println(js(%s))\n", out, t.src, 1+g.n(4), out, out, strings.ReplaceAll(g.pure(t), "tr(", "at([]int{}, "), out)
	case 1:
		return fmt.Sprintf("{ ch := make(chan %s%s)\ngo func() { defer close(ch); for range %d { ch <- %s } }()\nfor v := range ch { fmt.Print(js(v), \" \") }\nv, ok := <-ch\nfmt.Println(js(v), ok) }\n", t.src, g.one("", ", 2"), g.n(4), g.pure(t))
	case 2:
		return fmt.Sprintf("{ var mu sync.Mutex; var wg sync.WaitGroup; total := 0; var n atomic.Int64\nfor i := range %d { wg.Go(func() { mu.Lock(); defer mu.Unlock(); total += i * i; n.Add(int64(i)) }) }\nwg.Wait()\nfmt.Println(total, n.Load()) }\n", g.n(6))
	}
	return fmt.Sprintf("{ jobs, done := make(chan int), make(chan string)\ngo func() { s := \"\"; for j := range jobs { s += fmt.Sprint(j, \",\") }; done <- s }()\nfor i := range %d { jobs <- i * 2 }\nclose(jobs)\nfmt.Println(<-done)\nvar once sync.Once\nfor range 3 { once.Do(func() { fmt.Println(\"once\") }) } }\n", 1+g.n(4))
}

// pure writes a value that is computed without printing anything.
func (g *generator) pure(t *typ) string { return g.literal(t, 2, false) }

// selects writes a select statement with at most one ready case at a time.
func (g *generator) selects() string {
	t := g.anyType()
	return fmt.Sprintf("{ a, b := make(chan %[1]s, 1), make(chan int, 1)\nvar never chan bool\nfor i := range 4 {\nif i %% 2 == 0 { a <- %[2]s } else if i == 3 { b <- i }\nselect {\ncase v := <-a: fmt.Println(\"a\", js(v))\ncase v, ok := <-b: fmt.Println(\"b\", v, ok)\ncase <-never: fmt.Println(\"never\")\ndefault: fmt.Println(\"none\")\n}\n}\nselect { case b <- 7: fmt.Println(\"sent\", len(b), cap(b)); case never <- true: }\nclose(a)\n_, ok := <-a\nfmt.Println(ok) }\n", t.src, g.literal(t, 2, false))
}

func (g *generator) goexit() string {
	return fmt.Sprintf("{ done := make(chan string, 3)\ngo func() { defer close(done); defer func() { done <- fmt.Sprint(\"last \", recover()) }()\nfunc() { defer func() { done <- fmt.Sprint(recover()) }(); panic(%s) }()\ndone <- \"after\" }()\nfor s := range done { fmt.Println(s) } }\n", g.literal(g.flatType(), 1, true))
}

// arrays writes copies of arrays, and slices of arrays and pointers to arrays, which share memory.
func (g *generator) arrays() string {
	t := g.anyType()
	a := g.name("a")
	s := fmt.Sprintf("%[1]s := [3]%[2]s{%[3]s}\n{ b, c, p := %[1]s, %[1]s[:2], &%[1]s\nb[0], c[1], p[2] = %[4]s, %[5]s, %[6]s\nq := (*[2]%[2]s)(c)\nd := [2]%[2]s(c)\nq[0] = %[4]s\nfmt.Println(js(%[1]s), js(b), js(c), js(d), len(p), cap(c), cap(%[1]s[1:2:2]))\nfor i, v := range p { if i == 0 { p[1] = %[4]s }; fmt.Print(js(v)) }\nfmt.Println(copy(c, p[1:])) }\n",
		a, t.src, g.list(t, 3, 1, false), g.literal(t, 1, false), g.literal(t, 1, false), g.literal(t, 1, false))
	g.scope = append(g.scope, variable{a, &typ{src: "[3]" + t.src, kind: kArray, size: 3, elem: t}, false})
	return s
}

func (g *generator) complexes() string {
	c := &typ{src: "complex128", kind: kComplex}
	return fmt.Sprintf("{ c := %s\nfmt.Printf(\"%s %%v %%v %%T\\n\", c, real(c), imag(c), complex64(c))\nfmt.Println(c == complex(real(c), imag(c)), -c, c*2i) }\n", g.expr(c, 2), g.one("%v", "%.2f", "%g", "%+.1e", "%8.2f"))
}

func (g *generator) pulls() string {
	t := g.anyType()
	return fmt.Sprintf("{ next, stop := iter.Pull(slices.Values([]%s{%s}))\nfor range %d { v, ok := next(); fmt.Print(js(v), ok, \" \") }\nstop()\nfmt.Println(next()) }\n", t.src, g.list(t, g.n(4), 1, false), g.n(4))
}

// constants writes constant expressions, which the compiler computes exactly.
func (g *generator) constants() string {
	return fmt.Sprintf("{ const a, b = %d, %s\nconst big = 1 << %d\nconst s = %s + \"é\"\ntype bits uint8\nconst ( x bits = 1 << iota; y; _; z )\nvar f float32 = a / b\nfmt.Println(a %s b, big >> %d, len(s), s[len(s)-1], x|y|z, x&^y, f, math.MaxUint32 %% (a + 1), 'a' + a, \"%%\"[0]) }\n",
		1+g.n(50), g.one("3", "7.5", "2e3", "'c'"), 62+g.n(60), g.literal(tString, 0, true), g.one("+", "-", "*", "/"),
		62+g.n(10))
}

// evaluation writes statements that show in which order functions are called, and when operands are read.
func (g *generator) evaluation() string {
	t := g.anyType()
	xs, i := g.name("xs"), g.name("i")
	return fmt.Sprintf("%s := []int{1, 2, 3}\n%s := 0\n%s\nfmt.Println(%s, %s)\nm%s := map[int]%s{tr(1, 1): tr(2, %s), tr(3, 2): tr(4, %s)}\nfmt.Println(len(m%s), tr(5, true) || tr(6, false), tr(7, false) && tr(8, true), js(struct{ A, B %s }{tr(9, %s), tr(10, %s)}))\n",
		xs, i, g.one(
			fmt.Sprintf("%s, %s[%s] = 2, 9", i, xs, i), fmt.Sprintf("%s[%s], %s = 5, 1", xs, i, i),
			fmt.Sprintf("%s[tr(1, 0)], %s[tr(2, 1)] = tr(3, 7), tr(4, 8)", xs, xs),
			fmt.Sprintf("%s[0], %s[1], %s[2] = %s[2], %s[0], %s[1]", xs, xs, xs, xs, xs, xs),
			fmt.Sprintf("%s, %s = append(%s, 4), len(%s)", xs, i, xs, xs),
			fmt.Sprintf("for %s, %s[%s] = range []int{7, 8} { }", i, xs, i),
			fmt.Sprintf("*(&%s[tr(1, 2)]) += tr(2, 5)", xs)),
		xs, i, i, t.src, g.literal(t, 1, false), g.literal(t, 1, false), i, t.src, g.literal(t, 1, false),
		g.literal(t, 1, false))
}

// anonymous writes unnamed types, and types declared in functions.
func (g *generator) anonymous() string {
	t, n := g.flatType(), g.name("local")
	return fmt.Sprintf("{ type %[1]s struct { %[2]s; P *%[1]s; Q []%[1]s }\nx := %[1]s{A: %[3]s, Q: []%[1]s{{}, {}}}\ny := struct { %[2]s }{x.A}\ntype alias = %[1]s\nvar z any = alias{}\n_, ok := z.(%[1]s)\nfmt.Printf(\"%%T %%T %%v %%T %%d\\n\", x, y, ok, x.P, len(x.Q))\nfmt.Println(js(x), js(y))\nfmt.Printf(\"%[4]s\\n\", y) }\n",
		n, "A "+t.src, g.typed(t, g.literal(t, 2, true)), g.one("%v", "%+v", "%#v"))
}

// embeddedInterfaces writes interfaces embedded in interfaces and structs, with methods that are promoted,
// overridden and called as expressions.
func (g *generator) embeddedInterfaces() string {
	a, t := g.top("Base"), g.flatType()
	g.decl("type %[1]sI interface { fmt.Stringer; Get() %[2]s }\ntype %[1]s struct { V %[2]s; n int }\nfunc (b *%[1]s) Get() %[2]s { b.n++; return b.V }\nfunc (b *%[1]s) String() string { return fmt.Sprint(\"base\", b.n) }\n"+
		"type %[1]sW struct { %[1]sI; Name string }\ntype %[1]sO struct { *%[1]sW; extra int }\nfunc (o %[1]sO) String() string { return \"over \" + o.%[1]sW.%[1]sI.String() }", a, t.src)
	return fmt.Sprintf("{ b := &%[1]s{V: %[2]s}\nw := &%[1]sW{b, %[3]s}\no := %[1]sO{w, %[4]d}\nfor _, i := range []%[1]sI{b, w, *w, o, &o} { v := i.Get(); fmt.Println(js(v), i, i.String(), %[1]sI.String(i)) }\n"+
		"f, h := o.Get, %[1]sO.String\no.%[1]sW = &%[1]sW{&%[1]s{}, \"other\"}\nfmt.Println(js(f()), h(o), o.Name)\nvar none %[1]sI\n"+
		"func() { defer func() { fmt.Printf(\"%%T %%v\\n\", recover(), none) }(); (%[1]sW{}).Get() }()\n_, isS := any(w).(fmt.Stringer)\n_, isE := any(o).(error)\nfmt.Println(isS, isE) }\n",
		a, g.typed(t, g.literal(t, 2, true)), g.literal(tString, 0, true), g.n(9))
}

// nestedJumps writes loops, selects and switches that are left by labels, with deferred calls in between.
func (g *generator) nestedJumps() string {
	l, m := g.name("Out"), g.name("In")
	return fmt.Sprintf("func() {\ndefer fmt.Println(\"left\")\nch := make(chan int, 4)\n%[1]s:\nfor i := 0; ; i++ {\ndefer func() { fmt.Print(\"<\", i, \">\") }()\n%[2]s:\nfor j := range counter(5) {\nswitch {\n"+
		"case j == %[3]d && i < 2: continue %[1]s\ncase j == %[4]d: break %[2]s\ncase i > %[5]d: break %[1]s\ncase i*j == 6: return\n}\nselect {\ncase ch <- i*10 + j: fmt.Print(\"s\", j, \" \")\ndefault:\n"+
		"for v := range ch { fmt.Print(v, \" \"); if len(ch) == 0 { continue %[2]s } }\n}\n}\nfmt.Print(\"|\")\n}\nfmt.Println(len(ch))\n}()\n", l, m, 1+g.n(4), 1+g.n(4), 1+g.n(4))
}

// iterators writes iterator functions: composed ones, generic ones, and ones that a panic or return leaves
// early.
func (g *generator) iterators() string {
	f, t := g.top("it"), g.anyType()
	g.decl("func %[1]sFilter[T any](s iter.Seq[T], keep func(T) bool) iter.Seq[T] { return func(yield func(T) bool) { defer fmt.Print(\"f\"); for v := range s { if keep(v) && !yield(v) { return } } } }\n"+
		"func %[1]sFirst[T any](s iter.Seq[T]) (out T, ok bool) { defer func() { if r := recover(); r != nil { fmt.Print(\"r\", r); ok = false } }(); for v := range s { defer fmt.Print(\"d\"); if ok { panic(\"second\") }; out, ok = v, true%[2]s }; return }",
		f, g.one("", "; return", "; break"))
	return fmt.Sprintf("{ n := 0\nall := slices.Values([]%[2]s{%[3]s})\nv, ok := %[1]sFirst(%[1]sFilter(all, func(%[2]s) bool { n++; return n %% %[4]d == 0 }))\nfmt.Println(js(v), ok, n)\n"+
		"next, stop := iter.Pull2(slices.All(slices.Collect(%[1]sFilter(all, func(%[2]s) bool { return true }))))\ni, v, ok := next()\nfmt.Println(i, js(v), ok)\nstop()\nfmt.Println(slices.Sorted(maps.Keys(map[int]bool{3: true, 1: false}))) }\n",
		f, t.src, g.list(t, 1+g.n(4), 1, false), 1+g.n(3))
}
