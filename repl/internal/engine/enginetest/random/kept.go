package random

import (
	"fmt"
	"math/rand"
	"strings"
)

// Kept returns a program that keeps functions after the call that received them has ended. It calls them later,
// inside each other, and on other goroutines.
func Kept(seed int64) (Program, error) {
	for attempt := range int64(20) {
		g := &generator{r: rand.New(rand.NewSource(seed*1000 + attempt)), seed: seed}
		p := Program{Seed: seed}
		for i := range 2 {
			var b strings.Builder
			for range 2 + g.n(3) {
				fmt.Fprintf(&b, "{\n%s}\n", g.keeping())
			}
			p.Steps = append(p.Steps, fmt.Sprintf("func step%d_%d() {\n%s}", i, seed, b.String()))
		}
		p.Decls = g.decls
		bad, err := p.wrong()
		if err != nil {
			return p, err
		}
		if len(bad) == 0 {
			return p, nil
		}
	}
	return Program{}, fmt.Errorf("seed %d: no program that type-checks", seed)
}

// keeping writes one use of kept functions.
func (g *generator) keeping() string {
	return []func() string{
		g.keptSequences, g.keptSequences, g.keptSequences, g.keptOnce, g.keptTimers, g.keptComparators, g.tees,
		g.sortsWithin, g.pulledTogether,
		g.mapsWithin, g.predicatesWithin, g.sequencesOnGoroutines, g.panicsWithin, g.keptByLibrary, g.keptSplits,
		g.methodsKept, g.searches,
	}[g.n(17)]()
}

var keptTexts = []string{
	"1a2b3c4", "a,b;c d", "line one\\nline two\\n\\nlast", "xyzzy", "", "é世界 b", "aaa",
	"k=v;k2=v2", "one two  three\\tfour", "a1b22c333d4444",
}

func (g *generator) text() string { return `"` + keptTexts[g.n(len(keptTexts))] + `"` }

// predicate writes a function of a rune that depends on a variable.
func (g *generator) predicate(v string) string {
	return g.one(
		"func(r rune) bool { return r == "+v+" }", "func(r rune) bool { return r == "+v+" || r == ' ' }",
		"func(r rune) bool { "+v+"++; return "+v+"%3 == 0 }",
		"func(r rune) bool { s := strings.ToUpper(string(r)); t := s + string("+v+"); return t[:1] == \"B\" }",
		"func(r rune) bool { defer func() { "+v+" ^= 1 }(); return r < "+v+" }",
		"func(r rune) bool { return strings.IndexFunc(\"abc\", func(q rune) bool { return q == r }) >= 0 }",
	)
}

// sequence writes an expression of type iter.Seq[string].
func (g *generator) sequence(v string) string {
	return g.one(
		"strings.FieldsFuncSeq("+g.text()+", "+g.predicate(v)+")",
		"strings.FieldsFuncSeq("+g.text()+", "+g.predicate(v)+")",
		"strings.SplitSeq("+g.text()+", "+g.one(`","`, `"a"`, `" "`)+")", "strings.Lines("+g.text()+")",
		"strings.FieldsSeq("+g.text()+")", "strings.SplitAfterSeq("+g.text()+", \"b\")",
		"slices.Values([]string{"+g.text()+", "+g.text()+"})",
		"slices.Values(slices.Sorted(maps.Keys(map[string]int{"+g.text()+": 1, \"m\": 2})))",
		"func(yield func(string) bool) { for b := range bytes.FieldsFuncSeq([]byte("+g.text()+"), "+g.predicate(v)+
			") { if !yield(string(b)) { return } } }",
		"func(yield func(string) bool) { for c := range slices.Chunk([]byte("+g.text()+
			"), 2) { if !yield(string(c)) { return } } }",
		"func(yield func(string) bool) { for i, b := range slices.All(slices.Collect(bytes.SplitSeq([]byte("+g.text()+
			"), []byte(\"a\")))) { if !yield(fmt.Sprint(i, string(b))) { return } } }",
	)
}

// keptSequences writes sequences that are iterated later, in another order, more than once, or alternately.
func (g *generator) keptSequences() string {
	n := 2 + g.n(3)
	var b strings.Builder
	b.WriteString("var all []iter.Seq[string]\n")
	for i := range n {
		v := fmt.Sprintf("v%d", i)
		fmt.Fprintf(&b, "%s := rune('a' + %d)\n_ = %s\nall = append(all, %s)\n", v, g.n(5), v, g.sequence(v))
	}
	b.WriteString(g.one(
		"for i := range all { s := all[len(all)-1-i]; for p := range s { fmt.Printf(\"%q \", p) }; for p := range s { fmt.Printf(\"%q,\", p) }; fmt.Println() }\n",
		"for p := range all[0] { for q := range all[1] { if len(q) > 3 { break }; fmt.Print(p, q, \";\") } }\nfor _, s := range all { fmt.Println(len(slices.Collect(s))) }\n",
		"m := map[int]iter.Seq[string]{}\nfor i, s := range all { m[i] = s }\nfor i := range len(m) { fmt.Printf(\"%q\\n\", slices.Collect(m[i])) }\n",
		"next, stop := iter.Pull(all[0])\nfor p := range all[1] { q, ok := next(); fmt.Print(p, q, ok, \" \") }\nstop()\nfmt.Printf(\"%q\\n\", slices.Collect(all[len(all)-1]))\n",
		"joined := func(yield func(string) bool) { for _, s := range all { for p := range s { if !yield(p) { return } } } }\nfmt.Printf(\"%q\\n\", slices.Collect(joined))\nfor p := range joined { if len(p) == 1 { break }; fmt.Print(p) }\nfmt.Println(slices.Sorted(joined))\n",
	))
	return b.String()
}

func (g *generator) keptOnce() string {
	return fmt.Sprintf(`n := %d
f := sync.OnceFunc(func() { n += %d; fmt.Println("once", n) })
v := sync.OnceValue(func() string { n *= 2; return fmt.Sprint("v", n) })
w := sync.OnceValues(func() ([]string, error) { n++; return strings.FieldsFunc(%s, func(r rune) bool { return r == rune('a'+n%%3) }), %s })
for range 2 { f(); a, err := w(); fmt.Println(v(), a, err, n) }
kept := []func() string{v, func() string { return v() + "!" }, sync.OnceValue(func() string { f(); return v() + v() })}
for _, k := range kept { n++; fmt.Println(k(), n) }
`, g.n(9), g.n(9), g.text(), g.one("error(nil)", "io.EOF"))
}

func (g *generator) keptTimers() string {
	return fmt.Sprintf(`done := make(chan string, 8)
parts := []string{%s, %s}
for i, p := range parts {
	k := rune('a' + i)
	time.AfterFunc(time.Duration(i)*time.Millisecond, func() { done <- strings.Join(strings.FieldsFunc(p, func(r rune) bool { return r == k }), "|") })
}
got := []string{<-done, <-done}
slices.Sort(got)
fmt.Printf("%%q\n", got)
ctx, cancel := context.WithCancel(context.Background())
n := %d
stop := context.AfterFunc(ctx, func() { n += %d; done <- fmt.Sprint("after ", n) })
never := context.AfterFunc(ctx, func() { done <- "never" })
fmt.Println(never(), never())
cancel()
fmt.Println(<-done, stop(), ctx.Err())
`, g.text(), g.text(), g.n(9), g.n(9))
}

func (g *generator) keptComparators() string {
	t := g.top("order")
	g.decl("type %[1]s struct { less func(a, b string) int; keep func(string) bool; calls int }\nfunc (o *%[1]s) by(a, b string) int { o.calls++; return o.less(a, b) }", t)
	return fmt.Sprintf(`xs := strings.Split(%s, %s)
xs = append(xs, "b", "aa", "c")
o := &%s{less: %s}
o.keep = func(s string) bool { return len(s) > %d && o.calls >= 0 }
orders := []func(a, b string) int{o.by, strings.Compare, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), o.by(b, a)) }}
for _, by := range orders { ys := slices.Clone(xs); slices.SortStableFunc(ys, by); i, ok := slices.BinarySearchFunc(ys, "b", by); fmt.Printf("%%q %%d %%v\n", ys, i, ok) }
fmt.Printf("%%q %%q\n", slices.MinFunc(xs, o.by), slices.MaxFunc(xs, orders[2]))
xs = slices.DeleteFunc(xs, o.keep)
fmt.Println(len(xs), slices.ContainsFunc(xs, o.keep), o.calls > 0)
`, g.text(), g.one(`","`, `""`, `" "`), t, g.one("strings.Compare", "func(a, b string) int { return strings.Compare(b, a) }", "func(a, b string) int { ys := []string{a, b}; slices.SortFunc(ys, strings.Compare); if a == b { return 0 }; if ys[0] == a { return -1 }; return 1 }"), g.n(3))
}

// tees splits a sequence into two that are read alternately.
func (g *generator) tees() string {
	return fmt.Sprintf(`v := 'b'
_ = v
tee := func(s iter.Seq[string]) (iter.Seq[string], iter.Seq[string]) {
	var seen []string
	next, _ := iter.Pull(s)
	more := func(i int) bool {
		if i < len(seen) { return true }
		x, ok := next()
		if ok { seen = append(seen, x) }
		return ok
	}
	half := func(yield func(string) bool) { for i := 0; more(i); i++ { if !yield(seen[i]) { return } } }
	return half, half
}
a, b := tee(%s)
for x := range a { for y := range b { fmt.Print(x, y, ";"); if %s { break } } }
fmt.Println(len(slices.Collect(a)) == len(slices.Collect(b)))
`, g.sequence("v"), g.one("len(y) > 1", "x == y", "false"))
}

// sortsWithin writes a sort inside the comparison of another sort.
func (g *generator) sortsWithin() string {
	t := g.top("within")
	g.decl("type %[1]s struct { xs []int; less func(a, b int) bool }\nfunc (w %[1]s) Len() int { return len(w.xs) }\nfunc (w %[1]s) Less(i, j int) bool { return w.less(w.xs[i], w.xs[j]) }\nfunc (w %[1]s) Swap(i, j int) { w.xs[i], w.xs[j] = w.xs[j], w.xs[i] }", t)
	return fmt.Sprintf(`depth := 0
var less func(a, b int) bool
less = func(a, b int) bool {
	if depth < %d {
		depth++
		defer func() { depth-- }()
		ys := []int{b, a, a + b}
		%s
		return slices.Index(ys, a) < slices.Index(ys, b)
	}
	return a < b
}
xs := []int{%d, 3, 9, 1, %d, 5}
sort.Slice(xs, func(i, j int) bool { return less(xs[i], xs[j]) })
fmt.Println(xs, depth)
sort.Sort(sort.Reverse(%s{xs, less}))
fmt.Println(xs, sort.SliceIsSorted(xs, func(i, j int) bool { return less(xs[j], xs[i]) }))
`, 1+g.n(2), g.one("sort.Slice(ys, func(i, j int) bool { return less(ys[i], ys[j]) })", "sort.Stable("+t+"{ys, less})", "slices.SortFunc(ys, func(a, b int) int { if less(a, b) { return -1 }; if less(b, a) { return 1 }; return 0 })"), g.n(20), g.n(20), t)
}

func (g *generator) pulledTogether() string {
	return fmt.Sprintf(`v, w := 'a', 'b'
n1, s1 := iter.Pull(iter.Seq[string](%s))
n2, s2 := iter.Pull2(func(yield func(int, string) bool) { i := 0; for x := range iter.Seq[string](%s) { if !yield(i, x) { return }; i++ } })
for range %d {
	x, ok := n1()
	i, y, ok2 := n2()
	fmt.Print(x, ok, i, y, ok2, ";")
}
s1()
s2()
_, ok := n1()
fmt.Println(ok, v != w)
`, g.sequence("v"), g.sequence("w"), 1+g.n(6))
}

// mapsWithin writes a strings.Map inside the function that another strings.Map calls.
func (g *generator) mapsWithin() string {
	return fmt.Sprintf(`var shift func(depth int) func(r rune) rune
shift = func(depth int) func(r rune) rune {
	return func(r rune) rune {
		if depth == 0 { return r + 1 }
		s := strings.Map(shift(depth-1), string(r)+%s)
		b := %s
		q, _ := utf8.DecodeRuneInString(s + string(b))
		return q + rune(depth)
	}
}
for d := range %d { fmt.Printf("%%q\n", strings.Map(shift(d), %s)) }
same := shift(1)
fmt.Printf("%%q\n", strings.Map(func(r rune) rune { if r == 'b' { return -1 }; return same(same(r)) }, %s))
`, g.text(), g.one(`bytes.Map(shift(0), []byte("ab"))`, `bytes.TrimFunc([]byte("abc"), func(r rune) bool { return r == 'a' })`, `[]byte(nil)`), 2, g.text(), g.text())
}

// predicatesWithin writes predicates that pass themselves to the function that called them.
func (g *generator) predicatesWithin() string {
	call := g.one("strings.IndexFunc(%s, p)", "len(strings.FieldsFunc(%s, p))", "len(strings.TrimFunc(%s, p))",
		"strings.LastIndexFunc(%s, p)", "len(slices.Collect(strings.FieldsFuncSeq(%s, p)))",
		"len(bytes.FieldsFunc([]byte(%s), p))", "len(bytes.TrimLeftFunc([]byte(%s), p))")
	return fmt.Sprintf(`depth, calls := 0, 0
var p func(r rune) bool
p = func(r rune) bool {
	calls++
	mine := string(r)
	if depth < %d {
		depth++
		n := %s
		depth--
		return n > %d || mine == "b"
	}
	return mine < "b"
}
fmt.Println(%s, calls)
fmt.Println(strings.ContainsFunc(%s, p), calls, depth)
`, 1+g.n(2), fmt.Sprintf(call, g.text()), g.n(3), fmt.Sprintf(call, g.text()), g.text())
}

func (g *generator) sequencesOnGoroutines() string {
	return fmt.Sprintf(`texts := []string{%s, %s, "mno", strings.Repeat("ab", %d)}
out := make([]string, len(texts))
seqs := make([]iter.Seq[string], len(texts))
for i := range texts {
	k := rune('a' + i%%3)
	seqs[i] = strings.FieldsFuncSeq(texts[i], func(r rune) bool { t := texts[int(r)%%len(texts)]; u := t; return len(u) >= 0 && r == k })
}
var wg sync.WaitGroup
for i, s := range seqs { wg.Go(func() { for range %d { out[i] = strings.Join(slices.Collect(s), "/") } }) }
wg.Wait()
fmt.Printf("%%q\n", out)
for i, s := range seqs { next, stop := iter.Pull(s); x, ok := next(); stop(); fmt.Print(i, x, ok, " ") }
fmt.Println()
`, g.text(), g.text(), 1+g.n(60), 1+g.n(4))
}

// panicsWithin writes calls that end with a panic of a function that they received. The function is then used
// again.
func (g *generator) panicsWithin() string {
	return fmt.Sprintf(`n := 0
p := func(r rune) bool { n++; if n == %d { panic(fmt.Sprint("at ", n)) }; return r == 'a' }
try := func(f func() int) { defer func() { if r := recover(); r != nil { fmt.Println("recovered", r) } }(); fmt.Println(f()) }
for range 3 { try(func() int { return len(strings.FieldsFunc(%s, p)) }) }
less := func(a, b string) int { n++; if n%%%d == 0 { panic("less") }; return strings.Compare(a, b) }
xs := []string{"c", "a", "b"}
for range 2 { try(func() int { slices.SortFunc(xs, less); return len(xs) }) }
try(func() int { sort.Slice(xs, func(i, j int) bool { return less(xs[i], xs[j]) < 0 }); return n })
s := strings.FieldsFuncSeq(%s, p)
try(func() int { for x := range s { if x == "never" { return 1 } }; return len(slices.Collect(s)) })
try(func() int { return sort.Search(9, func(i int) bool { return i*i >= %d }) })
`, 2+g.n(5), g.text(), 2+g.n(4), g.text(), g.n(80))
}

func (g *generator) keptByLibrary() string {
	return fmt.Sprintf(`n := %d
t := template.Must(template.New("t").Funcs(template.FuncMap{"f": func(s string) string { n++; return strings.Map(func(r rune) rune { return r + rune(n&1) }, s) }, "k": func() []string { return strings.FieldsFunc(%s, func(r rune) bool { return r == 'a' }) }}).Parse("{{f .}}{{range k}}[{{f .}}]{{end}}\n"))
for range 2 { fmt.Println(t.Execute(os.Stdout, %s)) }
var m sync.Map
for _, k := range []string{"a", "b"} { m.Store(k, func() int { n++; return n + len(k) }) }
a, _ := m.Load("a")
b, _ := m.LoadOrStore("b", func() int { return 0 })
fmt.Println(a.(func() int)(), b.(func() int)(), a.(func() int)())
re := regexp.MustCompile("[a-z]+")
up := func(s string) string { n++; return fmt.Sprint(n, strings.ToUpper(s)) }
fmt.Println(re.ReplaceAllStringFunc(%s, func(s string) string { return re.ReplaceAllStringFunc(s+"z", up) }))
l := list.New()
for i := range 3 { l.PushBack(func() int { n += i; return n }) }
for e := l.Back(); e != nil; e = e.Prev() { fmt.Print(e.Value.(func() int)(), " ") }
fmt.Println()
`, g.n(9), g.text(), g.text(), g.text())
}

func (g *generator) keptSplits() string {
	return fmt.Sprintf(`made := func(k byte) *bufio.Scanner {
	sc := bufio.NewScanner(strings.NewReader(%s))
	sc.Split(func(data []byte, end bool) (int, []byte, error) {
		if i := bytes.IndexFunc(data, func(r rune) bool { return r == rune(k) }); i >= 0 { return i + 1, data[:i], nil }
		if end && len(data) > 0 { return len(data), data, nil }
		return 0, nil, nil
	})
	return sc
}
a, b := made('a'), made('b')
for a.Scan() { if b.Scan() { fmt.Printf("%%q ", b.Text()) }; fmt.Printf("%%q;", a.Text()) }
fmt.Println(a.Err(), b.Err())
`, g.text())
}

func (g *generator) methodsKept() string {
	t := g.top("keeper")
	g.decl("type %[1]s struct { k rune; seen []string }\nfunc (k *%[1]s) cut(r rune) bool { k.seen = append(k.seen, string(r)); return r == k.k }\nfunc (k %[1]s) all(s string) iter.Seq[string] { return strings.FieldsFuncSeq(s, k.cut) }", t)
	return fmt.Sprintf(`x, y := &%[1]s{k: 'a'}, %[1]s{k: 'b'}
cuts := []func(rune) bool{x.cut, y.cut, (&%[1]s{k: 'c'}).cut}
seqs := []iter.Seq[string]{x.all(%[2]s), y.all(%[3]s), strings.FieldsFuncSeq(%[2]s, x.cut)}
for i, s := range seqs { x.k++; fmt.Printf("%%q %%q\n", slices.Collect(s), strings.FieldsFunc(%[3]s, cuts[i])) }
fmt.Println(len(x.seen), len(y.seen))
`, t, g.text(), g.text())
}

func (g *generator) searches() string {
	return fmt.Sprintf(`xs := []int{1, 4, 9, 16, %d}
slices.Sort(xs)
at := func(k int) func(int) bool { return func(i int) bool { return xs[i] >= k } }
find := func(k int) (int, bool) { return sort.Find(len(xs), func(i int) int { return cmp.Compare(k, xs[sort.Search(len(xs), at(xs[i]))]) }) }
for k := range 5 { fmt.Print(sort.Search(len(xs), at(k*4)), " "); i, ok := find(k * 4); fmt.Print(i, ok, ";") }
fmt.Println(slices.IndexFunc(xs, func(x int) bool { return sort.Search(x, func(i int) bool { return i*i >= x }) > %d }))
`, g.n(30), g.n(5))
}
