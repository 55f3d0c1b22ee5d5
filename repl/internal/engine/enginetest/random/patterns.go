package random

import (
	"fmt"
	"strings"
)

// namedResults writes named results that closures, goroutines, iterators and deferred calls share.
func (g *generator) namedResults() string {
	f, t := g.top("named"), g.flatType()
	v := func() string { return g.typed(t, g.literal(t, 2, true)) }
	sets := g.one("x = "+v(), "x, n = "+v()+", 7", "func() { x = "+v()+" }()", "for n = range 3 { }",
		"for range counter(2) { n++ }", "")
	ends := g.one("return", "return "+v()+", n + 1", "return "+v()+", 5", "return x, n",
		"if n > 2 { return "+v()+", 9 }; return", "defer func() { n *= 2 }(); return x, n + 1")
	switch g.n(5) {
	case 0: // a closure that outlives the call
		g.decl("func %s(n0 int) (x %s, get func() string) {\nn := n0\nget = func() string { n++; return fmt.Sprint(js(x), n) }\n%s\n%s\n}", f, t.src, sets,
			g.one("return", "return "+v()+", get", "return x, get",
				"inner := get; return "+v()+", func() string { return inner() + \"!\" }", "defer func() { x = "+v()+
					" }(); return "+v()+", get", "{ x := "+v()+"; _ = x; n++ }; return "+v()+", get"))
		return fmt.Sprintf("{ x, get := %s(%d); fmt.Println(js(x), get(), get()) }\n", f, g.n(5))
	case 1: // deferred calls
		g.decl("func %s() (x %s, n int) {\ndefer func() { %s; fmt.Print(js(x), n, \" \"); %s }()\n%s\n%s\n}", f, t.src,
			g.one("n++", "if r := recover(); r != nil { n += 100 }", "n -= len(js(x))"), g.one("n++", "x = "+v(),
				"x, n = "+v()+", n*3", ""), sets, g.one(ends, "panic("+g.literal(tString, 0, true)+")"))
		return fmt.Sprintf("func() { defer func() { fmt.Println(recover()) }(); x, n := %s(); fmt.Println(js(x), n) }()\n", f)
	case 2: // a goroutine
		g.decl("func %s(done chan string) (x %s, n int, look func()) {\ngo1 := make(chan bool)\ngo func() { <-go1; done <- fmt.Sprint(js(x), n) }()\nlook = func() { close(go1) }\n%s\nreturn %s, %s, look\n}", f, t.src, sets, g.one("x", v()), g.one("n", "n+1", "3"))
		return fmt.Sprintf("{ done := make(chan string); x, n, look := %s(done); look(); fmt.Println(js(x), n, <-done) }\n", f)
	case 3: // an iterator
		g.decl("func %s() (x %s, n int, all iter.Seq2[int, string]) {\nall = func(yield func(int, string) bool) { for i := range 3 { n++; if !yield(n, js(x)) { x = %s; return }; _ = i } }\n%s\nreturn %s, %s, all\n}", f, t.src, v(), sets, g.one("x", v()), g.one("n", "n+1", "3"))
		return fmt.Sprintf("{ x, n, all := %s(); for i, s := range all { fmt.Print(i, s, \";\"); if i > %d { break } }; for i, s := range all { fmt.Print(i, s, \";\") }; fmt.Println(js(x), n) }\n", f, g.n(6))
	}
	// nested calls, and results that shadow others
	g.decl("func %[1]s(d int) (x %[2]s, n int) {\nadd := func(k int) (n int) { defer func() { n += k }(); return k + d }\nif d > 0 { x, n = %[1]s(d - 1); n += add(d)\n%[4]s }\n%[3]s\n}", f, t.src, ends, sets)
	return fmt.Sprintf("{ x, n := %s(%d); fmt.Println(js(x), n) }\n", f, g.n(4))
}

// blankFields writes structs with blank fields: comparisons ignore them, and literals do not set them.
func (g *generator) blankFields() string {
	t := g.top("Blank")
	b, c := g.one("int", "string", "[2]int8", "bool", "float64", "struct{ A, B int }", "any"),
		g.one("int", "string", "uint8")
	of := func(typ string) string {
		return map[string]string{
			"int": fmt.Sprint(g.n(9)), "string": `"` + string(rune('a'+g.n(5))) + `"`,
			"[2]int8": fmt.Sprintf("[2]int8{%d}", g.n(9)), "bool": g.one("true", "false"),
			"float64":            g.one("1.5", "math.NaN()"),
			"struct{ A, B int }": fmt.Sprintf("struct{ A, B int }{%d, 1}", g.n(9)),
			"any":                g.one("1", `"x"`, "2.5"), "uint8": fmt.Sprint(g.n(9)),
		}[typ]
	}
	g.decl("type %s struct { _ %s; K %s; _ %s }\nfunc set%s[T comparable](xs ...T) int { m := map[T]bool{}; for _, x := range xs { m[x] = true }; return len(m) }", t, b, c, b, t)
	one := func() string { return fmt.Sprintf("%s{%s, %s, %s}", t, of(b), of(c), of(b)) }
	key := g.one(t, "[2]"+t, "struct { P "+t+"; N int }", "any")
	of2 := func() string {
		switch key {
		case t:
			return one()
		case "any":
			return g.one("any(", "any(struct { Q "+t+" }{")[:4] + one() + ")"
		case "[2]" + t:
			return key + "{" + one() + "}"
		}
		return key + "{P: " + one() + "}"
	}
	var s strings.Builder
	fmt.Fprintf(&s, "{ a, b, c := %s, %s, %s\nfmt.Println(a == b, a == c, set%s(a, b, c), slices.Index([]%s{b, c, a}, a))\n", of2(), of2(), of2(), t, key)
	fmt.Fprintf(&s, "m := map[%s]int{a: 1}\nm[b] += 2; m[c] += 4\ndelete(m, %s)\nfmt.Println(len(m), m[a], m[b], maps.Equal(m, map[%s]int{c: 4, b: 2}))\n", key, of2(), key)
	fmt.Fprintf(&s, "fmt.Printf(\"%s %%v\\n\", a, len(slices.Compact([]%s{a, b, c, c})))\n", g.one("%v", "%+v", "%#v"),
		key)
	fmt.Fprintf(&s, "switch a { case b: fmt.Println(\"b\"); case c: fmt.Println(\"c\"); default: fmt.Println(\"none\") }\nvar sm sync.Map; sm.Store(a, 1); _, ok := sm.Load(b); x, y := any(a), any(b); fmt.Println(ok, x == y, js(c)) }\n")
	return s.String()
}

// deferredBuiltins writes deferred calls of builtin functions, and goroutines that run such functions.
func (g *generator) deferredBuiltins() string {
	k := g.n(4)
	late := g.one("defer delete(m, \"a\")", "defer clear(m)", "defer clear(xs)", "defer copy(xs, []int{7, 8, 9, 10})",
		"defer copy(bs, \"xyz\")", "defer close(c)", "defer recover()", "defer panic(\"late\")",
		"defer func() { defer recover() }()", "defer func() { defer delete(m, \"b\"); m[\"z\"] = 1 }()",
		"for range 2 { defer recover() }", "defer copy(xs[1:], xs)",
		"func() { defer clear(xs); xs = append(xs, 5) }()")
	return fmt.Sprintf("{ m, xs, bs, c := map[string]int{\"a\": 1, \"b\": 2}, []int{1, 2, 3}, []byte(\"abc\"), make(chan int, 1)\n"+
		"func() {\ndefer func() { fmt.Println(\"out\", recover()) }()\n%s\n%s\n%s\nm = maps.Clone(m); xs = slices.Clone(xs)\nif %d == 0 { panic(\"early\") }\nif %d == 1 { var z []int; _ = z[len(xs)] }\n}()\n"+
		"d := make(chan int); go close(d); _, ok := <-d\nfmt.Println(len(m), xs, string(bs), ok)\nselect { case _, ok := <-c: fmt.Println(\"closed\", !ok); default: fmt.Println(\"open\") } }\n",
		late, g.one("", "defer delete(m, \"b\")", "defer recover()", "m[\"c\"] = 3"),
		g.one("", "defer func() { fmt.Print(len(m), xs, \" \") }()", "defer copy(xs, []int{4})"), k, k)
}

// labels writes jumps by goto, break and continue, past captured variables and deferred calls.
func (g *generator) labels() string {
	l, t := g.name("L"), g.flatType()
	x := g.typed(t, g.literal(t, 1, true))
	switch g.n(6) {
	case 0: // a variable that is new in each round
		return fmt.Sprintf("{ var fs []func() string\ni := 0\n%[1]s:\nx, n := %[2]s, i*10\nfs = append(fs, func() string { n++; return fmt.Sprint(js(x), n) })\np := &n\ni++\n*p += i\nif i < %[3]d { goto %[1]s }\nfor _, f := range fs { fmt.Print(f(), f(), \" \") }\nfmt.Println() }\n", l, x, 2+g.n(3))
	case 1: // out of blocks and loops
		return fmt.Sprintf("func() { defer fmt.Println(\"left\")\nfor i := range 4 { for j := range counter(3) { switch { case i*j == %d: fmt.Print(\"q\"); continue; case i+j > %d: return }\nfmt.Print(i, j, \" \") } }\n}()\n", 1+g.n(4), 2+g.n(4))
	case 2: // past a statement, and out of a labelled switch
		return fmt.Sprintf("{ n := %[2]d\nif n > 2 { goto %[1]sb }\nfmt.Print(\"small \")\n%[1]sb:\n%[1]s: switch n { case 0, 1, 2: for { n++; if n > 5 { break %[1]s } }; case 3: if n == 3 { break %[1]s }; fmt.Print(\"never\"); default: for i := range 5 { if i == n { break }; if i == 2 { break %[1]s } } }\nfmt.Println(n) }\n", l, g.n(6))
	case 3: // back and forth
		return fmt.Sprintf("{ n, s := 0, \"\"\nfirst%[1]s: if n > %[2]d { goto last%[1]s }\nn++\nif n%%2 == 0 { s += \"e\"; goto first%[1]s }\nfor { if s += \"o\"; len(s) > n { goto first%[1]s } }\nlast%[1]s: fmt.Println(n, s) }\n", l, 1+g.n(6))
	case 4: // labelled jumps between nested loops of all kinds, and closures
		return fmt.Sprintf("{ var fs []func() int\n%[1]s: for i := range 3 { for k, v := range []int{5, 6, 7} { w := v * i\nfs = append(fs, func() int { w++; return w + k })\nfor q := range pairs([]int{1, 2}, []string{\"a\", \"b\"}) { if q == 2 && i == %[2]d { continue %[1]s }; if v == 7 { break %[1]s }; defer func() { _ = q }() }\nselect { case <-make(chan int): default: if k == 1 { break }; w += 100 } } }\nfor _, f := range fs { fmt.Print(f(), \" \") }\nfmt.Println() }\n", l, g.n(3))
	}
	return fmt.Sprintf("{ f := func(n int) (x int, err error) {\nretry%[1]s: y := n + x\ndefer func() { x += y }()\nif n--; n > 0 { x++; goto retry%[1]s }\nif y > %[2]d { err = errors.New(\"big\"); goto out%[1]s }\nout%[1]s: return x + 1, err }\nfmt.Println(f(%[3]d)) }\n", l, g.n(4), g.n(5))
}
