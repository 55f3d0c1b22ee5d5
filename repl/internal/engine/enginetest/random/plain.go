package random

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
)

// Plain returns a program that declares nothing generic, starts no goroutine and stores no value of its own types
// in an interface: an interpreter for plain cells must run such programs. Some programs go slightly further; the
// interpreter must notice that it would compute wrong values for these.
func Plain(seed int64) (Program, error) {
	for attempt := range int64(20) {
		g := &generator{r: rand.New(rand.NewSource(seed*1000 + attempt)), seed: seed}
		p := Program{Seed: seed, plain: true, Decls: g.plainDecls()}
		for i := range 2 {
			p.Steps = append(p.Steps, g.plainStep(i))
		}
		if bad, err := p.wrong(); err != nil || len(bad) == 0 {
			return p, err
		}
	}
	return Program{}, fmt.Errorf("seed %d: no plain program that type-checks", seed)
}

// placeholder matches a part to fill in a plain pattern: a name between guillemets.
var placeholder = regexp.MustCompile(`«[a-zA-Z]+»`)

// fill replaces the placeholders of a pattern. «i», «s», «b», «f» and «n» become expressions of type int,
// string, bool, float64 and the program's number type, which do not call the program's functions; «I», «S»
// and «B» may contain calls; «C» is a call; «k» is a small number; «var» is a variable of type int; «block»
// is a list of statements, «do» a statement without blocks. @ becomes a number that is unique to the pattern,
// and § the suffix of the program's names.
func (g *generator) fill(pattern string) string {
	g.names++
	pattern = strings.ReplaceAll(strings.ReplaceAll(pattern, "@", fmt.Sprint(g.names)), "§", fmt.Sprintf("_%d", g.seed))
	return placeholder.ReplaceAllStringFunc(pattern, func(p string) string {
		switch p {
		case "«k»":
			return fmt.Sprint(g.n(5))
		case "«var»":
			return g.one("x", "x", "y", "y", "xs[1]", "a[«k»%3]", "v.A", "q.A", `m["a"]`)
		case "«block»":
			return g.plainBlock(1 + g.n(2))
		case "«do»":
			return g.fill(g.one(plainSimple...))
		case "«i»":
			return g.plainInt(2)
		case "«s»":
			return g.plainString(2)
		case "«b»":
			return g.plainBool(2)
		case "«f»":
			return g.plainFloat(2)
		case "«n»":
			return g.plainNumber(2)
		case "«I»":
			return g.withCalls("«C»", g.plainInt(1), g.one("+", "-", "*", "^", "+"))
		case "«C»":
			return g.one("f(«i»)", "f(«i»)", "inc§(«i»)", "v.Sum(«i»)", "v.Bump(«k»)", "q.Bump(«i»)", "tr§(«k», «i»)",
				"many§(«k», xs...)", "many§(«i», «i», «k»)",
				"func() int { «do»return «i» }()", "f(f(«i»))", "tr§(«k», f(«k»))", "len(text§(«i», «s»))")
		case "«S»":
			return g.withCalls(g.one("text§(«i», «s»)", "text§(f(«k»), «s»)", "v.Name()", "q.Name()",
				"fmt.Sprint(f(«k»), «i»)", "strconv.Itoa(inc§(«i»))"), g.plainString(1), "+")
		case "«B»":
			return g.one("«b»", "f(«i») > «i»", "inc§(«k») > «k» && «b»", "tr§(«k», «i») == «k» || «b»")
		}
		return p
	})
}

// withCalls joins operands whose order Go leaves open: calls first, and an operand that only reads after them.
// Rarely, it puts them the other way round.
func (g *generator) withCalls(calls, read, operator string) string {
	if g.yes(150) {
		calls, read = read, calls
	} else if g.yes(2) {
		return g.fillAll(calls)
	}
	return g.fillAll("(" + calls + " " + operator + " " + read + ")")
}

// fillAll calls fill until no placeholders are left.
func (g *generator) fillAll(pattern string) string {
	for range 9 {
		if !placeholder.MatchString(pattern) && !strings.ContainsAny(pattern, "@§") {
			break
		}
		pattern = g.fill(pattern)
	}
	return pattern
}

// plainInt writes an expression of type int. It begins with a variable, because a constant expression might not fit
// into its type.
func (g *generator) plainInt(d int) string {
	if d == 0 || g.yes(4) {
		return g.one("x", "y", "x", "y", "len(xs)", "xs[0]", "xs[len(xs)-1]", "a[1]", "len(s)", "v.A", "q.A", `m["a"]`,
			"m[s]", "len(v.D)", "int(n)", "a[x&1]", "cap(xs[:1:2])", "total§", "x + k2§")
	}
	a, b := g.plainInt(d-1), g.plainInt(d-1)
	return g.fillAll(g.one("("+a+" + "+b+")", "("+a+" - "+b+")", "("+a+" * "+b+")", "("+a+" + «k»)", "("+a+" / 3)",
		"("+a+" % 7)", "("+a+" << «k»)", "("+a+" >> uint("+b+"&3))", "-("+a+")", "^("+a+")",
		"("+a+" &^ "+b+")", "("+a+" | "+b+")", "min("+a+", "+b+", 9)", "max("+a+", «k»)", "strings.Count(s, \"a\")",
		"len(fmt.Sprint("+a+"))", "int(int8("+a+"))", "int(uint16("+a+"))", "("+a+")", g.intElement()))
}

// intElement writes an operand of type int that reads a variable indirectly.
func (g *generator) intElement() string {
	return g.one("[]int{«k», x}[1]", "map[string]int{\"a\": x}[\"a\"]", "[...]int{2: y}[2]", "struct{ P int }{x}.P",
		"len([]rune(w))", "int([]byte(\"abc\")[1])", "*(&y)")
}

func (g *generator) plainString(d int) string {
	if d == 0 || g.yes(3) {
		return g.one("s", "w", "s", "v.B", "q.B", "s[:min(len(s), 2)]", "w[len(w)/2:]", `"`+texts[g.n(len(texts))]+`"`)
	}
	a, b := g.plainString(d-1), g.plainString(d-1)
	return g.fillAll(g.one("("+a+" + "+b+")", "strings.ToUpper("+a+")", "strconv.Itoa(«i»)", "fmt.Sprint(«i», "+a+")",
		"fmt.Sprintf(\"%d|%s|%v\", «i», "+a+", «b»)", "string([]byte("+a+"))", "string(rune('a' + x&7))",
		"strings.Repeat("+a+", «k»%3)",
		"fmt.Sprintf(\"%q %x %5d\", "+a+", «k», «i»)", "strings.TrimSpace("+a+")", "string([]rune("+a+"))",
		"strconv.Quote("+b+")", "strings.Join([]string{"+a+", "+b+"}, \",\")"))
}

func (g *generator) plainBool(d int) string {
	if d == 0 || g.yes(4) {
		return g.one("ok", "!ok", "x > y", "s == w", "len(xs) > 2", "v.C == n", "a == [3]int{}")
	}
	a := g.plainBool(d - 1)
	return g.fillAll(g.one("("+a+" && «b»)", "("+a+" || «b»)", "!("+a+")", "«i» < «i»", "«s» < «s»", "«n» >= «n»",
		"«f» != «f»", "("+a+" == ok)", "strings.Contains(«s», «s»)", "«i» == «i»"))
}

func (g *generator) plainFloat(d int) string {
	if d == 0 {
		return g.one("fl", "fl", "1.5", "v.F")
	}
	a := g.plainFloat(d - 1)
	return g.fillAll(g.one("(fl + "+a+")", "(fl * "+a+")", "(fl - "+a+")", "float64(«i»)", "math.Floor(fl)", "fl / 4",
		"float64(float32(fl))", "math.Abs("+a+")"))
}

func (g *generator) plainNumber(d int) string {
	if d == 0 {
		return g.one("n", "n", "num§(«k»)", "v.C")
	}
	a := g.plainNumber(d - 1)
	return g.fillAll(g.one("(n + "+a+")", "(n * "+a+")", "(n - "+a+")", "num§(«i»)", "(n << «k»)", "(n >> 1)",
		"(n / 3)", "^n", "-n", "(n &^ "+a+")", "num§(uint8(«i»))"))
}

// plainDecls returns the types and functions of a plain program.
func (g *generator) plainDecls() (decls []string) {
	num := g.one("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "uint")
	fields := g.one("F float64", "F float64; G [2]int", "F float64; H struct{ P, Q int }")
	for _, d := range []string{
		"type num§ " + g.one("", "= ") + num,
		"type pair§ struct { A int; B string; C num§; " + fields + " }",
		"type item§ struct { A int; B string; C num§; F float64; D []int }",
		"type over§ struct { item§; K int }",
		"type texts§ []string",
		"var total§ = «k»",
		"const ( k0§ = iota + «k»; k1§; k2§; _; k4§ = 1 << iota )",
		"func (i item§) Sum(k int) int { " + g.one("", "i.A++; ", "i.A, i.D = k, nil; ") +
			"return i.A + len(i.D) * k }",
		"func (i *item§) Bump(k int) int { i.A += k; " + g.one("", "if len(i.D) > 0 { i.D[0] += k }; ",
			"i.D = append(i.D[:len(i.D):len(i.D)], k); if len(i.D) > 5 { i.D = nil }; ") + "return i.A }",
		"func (i *item§) Self() *item§ { i.A++; return i }",
		"func (i item§) Name() string { return i.B + strconv.Itoa(i.A) }",
		"func (t texts§) Longest() (best string) { for _, s := range t { if len(s) > len(best) { best = s } }; return }",
		"func inc§(k int) int { " + g.one("total§ += k", "total§ = total§*2 + k", "total§++") + "; return total§ }",
		"func tr§(k, v int) int { fmt.Print(\"<\", k, \">\"); return v }",
		"func text§(k int, s string) string { if len(s) > 20 { s = s[:20] }; return " +
			g.one("s + fmt.Sprint(k)", "fmt.Sprint(k, s)", "strings.Repeat(s, k&1) + \".\"") + " }",
		"func many§(k int, rest ...int) (sum int) { for i, r := range rest { sum += r * k; " +
			g.one("", "if i > 2 { return }; ", "rest[i] = r + 1; ") + "_ = i }; return }",
		"func two§(k int, s string) (int, string) { return " +
			g.one("k + 1, s", "len(s), fmt.Sprint(k)", "inc§(k), s") + " }",
		"func named§(k int, s string) (r int, t string, err error) { r, t = k, s; " +
			g.one("if k > 2 { return k, s, errors.New(t) }; return", "r++; { r := 5; _ = r }; return r, t + s, nil",
				"for r = range 3 { if r == k { return } }; return t1§(r), t, err",
				"defer fmt.Print(\"d\", r, t, \" \"); r = 7; return r + k, t, nil", "t, r = text§(r, t), t1§(k); return",
				"n := r; defer func() { n++; fmt.Print(n, \" \") }(); r += n; return",
				"if r, t := t1§(k), s; r > 2 { return r, t, io.EOF }; return") + " }",
		"func t1§(k int) int { if k <= 0 { return 1 }; return k%5 + t1§(k/2) }",
		"func loop§(k int) (out []int) { " +
			g.one("for i := 0; i < k&3; i++ { out = append(out, i*k) }; return",
				"for i := range k & 3 { out = append(out, i); if i == 1 { break } }; return out",
				"out = make([]int, 2, 4); out[k&1] = k; return") + " }",
		"func deep§(k int) (r, s int) { if k <= 0 { return " + g.one("1, 2", "inc§(1), 2", "inc§(1), total§") +
			" }; r, s = deep§(k - 1); " + g.one("r, s = s, r+k", "s += r", "return s, r") + "; return }",
	} {
		g.scope = nil
		decls = append(decls, g.fillAll(d))
	}
	return decls
}

// plainStep writes a function that works on a fixed set of variables and prints them at its end.
func (g *generator) plainStep(i int) string {
	f := g.one("k + 1", "k * 2 - y", "x", "len(s) + k")
	f = "return " + f
	if g.yes(2) {
		f = g.one("x += k; return x", "xs[0] += k; return xs[0]", "v.A++; return v.A + k", `m["f"] += k; return m["f"]`,
			"x, y = y, x+k; return y", "a[1] ^= k; return a[1]", "if k > 3 { return k }; x++; return x",
			"s += \"f\"; if len(s) > 30 { s = s[20:] }; return len(s)")
	}
	var b strings.Builder
	for range 4 + g.n(3) {
		b.WriteString(g.fillAll(g.one(plainPatterns...)))
	}
	if g.yes(8) {
		b.WriteString(g.fillAll(g.one(plainBeyond...)))
	}
	return g.fillAll(fmt.Sprintf(
		"func step%d§() {\nx, y, s, w, ok := %d, %d, %s, %s, %v\nfl := %s\nvar n num§ = %d\n", i, g.n(20)-5, g.n(9),
		g.literal(tString, 0, true), g.literal(tString, 0, true), g.yes(2),
		g.one("0.5", "2.25", "-3.0", "1e3")+" * float64(x)", g.n(100))+
		"xs := []int{«k», «k», x, y}\nys := "+g.one(
		"xs[1:]", "xs[:2]", "xs[:2:2]", "append([]int(nil), xs...)", "append(xs[:1:1], 7, 8)", "slices.Clone(xs)")+
		"\nm := map[string]int{\"a\": «k», w: y}\na := [3]int{1: x}\nv := item§{A: x, B: s, D: "+
		g.one("xs", "nil", "[]int{1}", "xs[:1]")+"}\n"+
		"q := "+g.one("&v", "&item§{A: y}", "v.Self()", "new(item§)")+"\nf := func(k int) int { "+f+" }\n") +
		b.String() +
		g.fillAll("fmt.Println(x, y, s, w, ok, fl, n, xs, ys, m)\nfmt.Println(a, v.A, v.B, v.C, v.F, v.D, q.A, q.B, q.D)\nfmt.Println(f(1))\nfmt.Printf(\"%v %v %d %d\\n\", v, *q, total§, n)\n}")
}

func (g *generator) plainBlock(n int) string {
	var b strings.Builder
	g.depth++
	for range n {
		if g.depth > 2 {
			b.WriteString(g.fillAll(g.one(plainSimple...)))
			continue
		}
		b.WriteString(g.fillAll(g.one(plainPatterns...)))
	}
	g.depth--
	return b.String()
}
