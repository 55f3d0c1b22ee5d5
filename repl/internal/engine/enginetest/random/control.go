package random

import (
	"fmt"
	"strings"
)

func (g *generator) forLoop() string {
	i := g.name("i")
	body := g.with(func() string {
		g.loop++
		defer func() { g.loop-- }()
		return g.block(1 + g.n(2))
	}, variable{i, tInt, true})
	switch g.n(4) {
	case 0:
		fs := g.name("fs")
		return fmt.Sprintf("var %s []func() int\nfor %s := 0; %s < %d; %s++ {\n%s = append(%s, func() int { %s += 10; return %s })\n%s}\nfor _, f := range %s { fmt.Print(f(), f(), \" \") }\nfmt.Println()\n",
			fs, i, i, 1+g.n(4), i, fs, fs, i, i, body, fs)
	case 1:
		l := g.name("L")
		return fmt.Sprintf("%s:\nfor %s := 0; %s < %d; %s++ {\nfor j := range 3 {\nif (%s + j) %% 3 == %d { %s %s }\nfmt.Print(%s, j, \";\")\n}\n%s}\nfmt.Println()\n",
			l, i, i, 1+g.n(4), i, i, g.n(3), g.one("continue", "break"), l, i, body)
	case 2:
		return fmt.Sprintf("for %s := range %s {\nif %s == %d { %s }\n%s}\n", i, g.one("3", "int8(4)", "uint(2)", "5"),
			i, g.n(4), g.one("continue", "break"), strings.ReplaceAll(body, i, "int("+i+")"))
	}
	return fmt.Sprintf("for %s := %d; %s < %d; %s++ {\n%s}\n", i, g.n(2), i, 1+g.n(4), i, body)
}

// rangeLoop writes a range loop whose output does not depend on map order.
func (g *generator) rangeLoop() string {
	k, v := g.name("k"), g.name("e")
	var over string
	kt, vt := tInt, g.anyType()
	switch g.n(7) {
	case 0:
		over, vt = g.expr(tString, 1), &typ{src: "rune", kind: kInt, size: 32}
	case 1:
		over = "[]" + vt.src + "{" + g.list(vt, g.n(4), 2, false) + "}"
	case 2:
		a := g.array(vt)
		over = g.one("", "&") + g.literal(a, 2, false)
	case 3:
		return fmt.Sprintf("for %s := range counter(%d) {\nif %s == %d { %s }\n%s}\n", k, g.n(5), k, g.n(4),
			g.one("continue", "break"),
			g.with(func() string { return g.block(1) }, variable{k, tInt, true}))
	case 4:
		kt = g.keyType()
		over = fmt.Sprintf("pairs([]%s{%s}, []%s{%s})", kt.src, g.list(kt, 3, 1, false), vt.src,
			g.list(vt, 1+g.n(3), 1, false))
	case 5:
		m := g.name("m")
		return fmt.Sprintf("%s := map[string]%s{\"a\": %s, \"b\": %s}\nfor _, %s := range keys(%s) {\n%s := %s[%s]\n_ = %s\n%s}\n", m, vt.src, g.literal(vt, 1, false), g.literal(vt, 1, false), k, m, v, m, k, v,
			g.with(func() string { return g.block(1) }, variable{k, tString, true}, variable{v, vt, false}))
	case 6:
		over, kt, vt = g.one("slices.All", "slices.Backward")+"([]int{4, 5, 6})", tInt, tInt
	}
	return fmt.Sprintf("for %s, %s := range %s {\n_, _ = %s, %s\n%s}\n", k, v, over, k, v,
		g.with(func() string { return g.block(1 + g.n(2)) }, variable{k, kt, true}, variable{v, vt, false}))
}

func (g *generator) switchStmt() string {
	if g.yes(2) {
		return fmt.Sprintf("switch {\ncase %s:\n%s%scase %s, %s:\n%sdefault:\n%s}\n", g.expr(tBool, 2), g.block(1),
			g.one("", "fallthrough\n"), g.expr(tBool, 1), g.expr(tBool, 1), g.block(1), g.block(1))
	}
	return fmt.Sprintf("switch x := %s %% 5; x {\ncase 0, 1:\n%scase 2:\n%s%sdefault:\nfmt.Println(\"other\", x)\n}\n",
		g.typed(tInt, g.expr(tInt, 2)), g.block(1), g.block(1), g.one("", "fallthrough\n"))
}

func (g *generator) typeSwitch() string {
	var b strings.Builder
	seen := map[string]bool{"any": true, "error": true}
	for range 4 {
		t := g.anyType()
		if seen[t.src] {
			continue
		}
		seen[t.src] = true
		shown := "fmt.Printf(\"%T\\n\", x)"
		if !t.deep(4) {
			shown = "fmt.Printf(\"%T " + g.verb(t) + "\\n\", x, x)"
		}
		fmt.Fprintf(&b, "case %s:\n%s\n", t.src, shown)
	}
	x := g.expr(tAny, 3)
	if t := g.anyType(); g.yes(2) {
		x = "any(" + g.expr(t, 2) + ")"
	}
	return fmt.Sprintf("switch x := %s.(type) {\n%scase nil:\nfmt.Println(\"nil\", x)\ncase fmt.Stringer:\nfmt.Println(x.String())\ncase error:\nfmt.Println(x.Error())\ncase func(int) int, []any:\nfmt.Printf(\"%%T\\n\", x)\ndefault:\nfmt.Printf(\"other %%T\\n\", x)\n}\n", x, b.String())
}

// closure writes functions that share a variable, and calls of them.
func (g *generator) closure() string {
	f, t := g.name("f"), g.anyType()
	p := variable{g.name("p"), t, false}
	body := g.with(func() string { return g.block(1) + "return " + g.expr(t, 2) + "\n" }, p)
	r := g.name("r")
	s := fmt.Sprintf("%s := func(%s %s, rest ...int) %s {\n%s}\n%s := %s(%s%s)\n_ = %s\n", f, p.name, t.src, t.src,
		body, r, f, g.expr(t, 1), g.one("", ", 1", ", []int{1, 2}..."), r)
	g.scope = append(g.scope, variable{r, t, false})
	if g.yes(3) {
		m := g.name("m")
		s += fmt.Sprintf("var %s func(int) int\n%s = func(n int) int { if n <= 1 { return 1 }; return n * %s(n-1) }\nfmt.Println(%s(%d))\n", m, m, m, m, g.n(10))
	}
	return s
}

// deferred writes a function with deferred calls, and perhaps a panic, and prints its results.
func (g *generator) deferred() string {
	t := g.anyType()
	res := variable{g.name("res"), t, false}
	body := g.with(func() string {
		s := ""
		for i := range 1 + g.n(3) {
			s += g.one(
				fmt.Sprintf("defer fmt.Print(\"d%d \", %s, \"\\n\")\n", i, g.flatArgs(1)),
				fmt.Sprintf("defer func() { fmt.Printf(\"r%d %%v\\n\", recover()) }()\n", i),
				fmt.Sprintf("defer func() { %s = %s }()\n", res.name, g.expr(t, 1)),
				fmt.Sprintf("defer func(n int) { if r := recover(); r != nil { fmt.Printf(\"%%T %%v\\n\", r, r); if n %% 2 == 0 { panic(fmt.Sprint(\"again \", n)) } } }(%s)\n", g.expr(tInt, 1)),
				fmt.Sprintf("for i := range %d { defer func() { fmt.Print(i, \" \") }() }\n", g.n(4)),
			)
		}
		return s + g.block(1) + g.boom() + "return " + g.expr(t, 2) + "\n"
	}, res)
	out := g.name("v")
	s := fmt.Sprintf("%s := func() (%s %s) {\ndefer func() { if r := recover(); r != nil { fmt.Printf(\"out %%T %%v\\n\", r, r) } }()\n%s}()\n_ = %s\n", out, res.name, t.src, body, out)
	g.scope = append(g.scope, variable{out, t, false})
	return s
}

// boom writes a statement that may panic, such as an index out of range.
func (g *generator) boom() string {
	z := g.name("z")
	c := g.expr(tBool, 1)
	return g.one("", "", fmt.Sprintf("if %s {\n", c)+g.one(
		"panic("+g.literal(tString, 0, true)+")\n",
		"panic("+g.literal(tErr, 0, true)+")\n",
		"panic("+g.literal(g.flatType(), 2, true)+")\n",
		z+" := 0\nfmt.Println(1 / "+z+")\n",
		z+" := []int{1}\nfmt.Println("+z+"[len("+z+")+"+fmt.Sprint(g.n(3))+"])\n",
		z+" := \"abc\"\nn := len("+z+") + 2\nfmt.Println("+z+"[1:n])\n",
		"var "+z+" map[string]int\n"+z+"[\"a\"]++\n",
		"var "+z+" *struct{ X int }\nfmt.Println("+z+".X)\n",
		"var "+z+" any = "+g.literal(g.flatType(), 1, true)+"\nfmt.Println("+z+".("+g.anyType().src+"))\n",
		"var "+z+" any\nfmt.Println("+z+".(fmt.Stringer))\n",
		"var "+z+" func()\n"+z+"()\n",
		z+" := -1\nfmt.Println(make([]int, "+z+"))\n",
		z+" := make(chan int)\nclose("+z+")\nclose("+z+")\n",
		z+" := map[any]int{}\n"+z+"[[]int{1}] = 2\n",
		"var "+z+", w any = []int{1}, []int{1}\nfmt.Println("+z+" == w)\n",
		z+" := []int{1, 2}\nfmt.Println([4]int("+z+"))\n",
	)+"}\n")
}

// flatType returns a type whose values do not print addresses and contain no errors.
func (g *generator) flatType() *typ {
	for range 10 {
		if t := g.anyType(); !t.deep(4) && !t.holds(kErr, 4) && t.kind != kAny {
			return t
		}
	}
	return tInt
}

// jump writes a loop with goto.
func (g *generator) jump() string {
	l, n := g.name("again"), g.name("n")
	return fmt.Sprintf("{\n%s := 0\n%s:\n%s++\nfmt.Print(%s, \" \")\nif %s < %d { goto %s }\nfmt.Println()\n}\n", n, l,
		n, n, n, 1+g.n(4), l)
}
