package random

import (
	"fmt"
	"strings"
)

// feature writes a use of a package or a language feature, with random types and values.
func (g *generator) feature() string {
	return []func() string{
		g.formats, g.formats, g.formats, g.jsonRound, g.jsonRound, g.jsonText, g.xmlText, g.sorting, g.heaps, g.lists,
		g.errorChains, g.textual, g.generics, g.methodValues, g.goroutines, g.selects, g.goexit, g.arrays, g.complexes,
		g.pulls, g.constants, g.evaluation, g.maps, g.builders, g.anonymous, g.embeddedInterfaces, g.nestedJumps,
		g.iterators,
		g.namedResults, g.namedResults, g.blankFields, g.blankFields, g.deferredBuiltins, g.labels, g.labels,
	}[g.n(35)]()
}

// formats writes calls that print nested values with many verbs.
func (g *generator) formats() string {
	t := g.flatType()
	v := g.name("v")
	s := fmt.Sprintf("%s := %s\n", v, g.typed(t, g.literal(t, 3, true)))
	if g.yes(4) && !t.deep(4) {
		e := g.anyType()
		for e.deep(4) || e.kind == kErr || e.kind == kAny || e.holds(kErr, 4) {
			e = tString
		}
		return fmt.Sprintf("fmt.Printf(\"%s %s %s\\n\", &%s{%s}, []any{%s, nil}, map[string]%s{\"k\": %s})\n",
			g.one("%v", "%+v", "%#v"), g.verb(tAny), g.verb(e),
			"struct{ A, B "+e.src+" }", "A: "+g.literal(e, 2, true), g.literal(e, 2, true), e.src,
			g.literal(e, 2, true))
	}
	for range 1 + g.n(3) {
		s += fmt.Sprintf("fmt.Printf(\"%s|%s|%s\\n\", %s, %s, any(%s))\n", g.verb(t), g.verb(t), g.verb(t), v, v, v)
	}
	return s + fmt.Sprintf("fmt.Println(fmt.Sprint(%s, %s), %s == nil)\n", v, v, "any("+v+")")
}

func (g *generator) jsonRound() string {
	t := g.anyType()
	v, b, w := g.name("v"), g.name("b"), g.name("w")
	return fmt.Sprintf(`%[1]s := %[4]s
%[2]s, err := json.%[6]s
fmt.Println(string(%[2]s), err)
var %[3]s %[5]s
err = json.Unmarshal(%[2]s, &%[3]s)
fmt.Println(js(%[3]s), js(&%[3]s), err)
`, v, b, w, g.typed(t, g.literal(t, 3, false)), t.src, g.one("Marshal("+v+")", "Marshal(&"+v+")", "MarshalIndent("+v+", \">\", \"  \")", "Marshal([]any{"+v+", &"+v+"})", "Marshal(map[string]any{\"x\": "+v+"})"))
}

var documents = []string{
	`{}`, `null`, `[]`, `[1,2,"x"]`, `{"A0":1,"B1":"x","C2":[1],"name":{"V":2}}`, `{"A0":"x","V":{},"N":3.5,"k":7}`,
	`"text"`, `12`, `300`, `-1`, `1e400`, `true`, `{"A":1,"B":2,"X":[]}`,
	`[[1],[2,[3]]]`, `{"a":{"N":1},"b":{"N":2}}`, `{"Next":{"Next":{"V":5}},"Kids":[{"N":1},{"N":"bad"}]}`, `{"A0":`,
	`{"Code":"x","Err":null}`, `{"B0":null,"A1":true,"F2":"s","d3":1,"name":"1"}`,
}

func (g *generator) jsonText() string {
	t := g.anyType()
	w := g.name("w")
	doc := documents[g.n(len(documents))]
	switch g.n(3) {
	case 0:
		return fmt.Sprintf("var %s %s\n{ d := json.NewDecoder(strings.NewReader(`%s`)); d.DisallowUnknownFields(); err := d.Decode(&%s); fmt.Println(js(%s), err) }\n", w, t.src, doc, w, w)
	case 1:
		return fmt.Sprintf("var %s %s\n{ err := json.Unmarshal([]byte(`%s`), &%s); var te *json.UnmarshalTypeError; fmt.Println(js(%s), err, errors.As(err, &te)); if te != nil { fmt.Println(te.Value, te.Type, te.Offset, te.Struct, te.Field) } }\n", w, t.src, doc, w, w)
	}
	return fmt.Sprintf("var %s %s\nfmt.Println(json.Unmarshal([]byte(`%s`), &%s))\nfmt.Println(js(%s))\n", w, t.src,
		doc, w, w)
}

func (g *generator) xmlText() string {
	t := g.anyType()
	v, w := g.name("v"), g.name("w")
	return fmt.Sprintf("%s := %s\n{ b, err := xml.%s\nfmt.Println(string(b), err)\nvar %s %s\nif err == nil && len(b) > 0 { err = xml.Unmarshal(b, &%s); fmt.Println(js(%s), err != nil) } }\n",
		v, g.typed(t, g.literal(t, 2, false)), g.one("Marshal("+v+")", "MarshalIndent(&"+v+", \"\", \" \")"), w, t.src,
		w, w)
}

func (g *generator) sorting() string {
	t := g.flatType()
	xs := g.name("xs")
	s := fmt.Sprintf("%s := []%s{%s}\n", xs, t.src, g.list(t, 2+g.n(5), 2, true))
	key := "fmt.Sprint"
	switch g.n(4) {
	case 0:
		s += fmt.Sprintf("sort.SliceStable(%s, func(i, j int) bool { return %s(%s[i]) < %s(%s[j]) })\n", xs, key, xs,
			key, xs)
	case 1:
		s += fmt.Sprintf("slices.SortStableFunc(%s, func(a, b %s) int { return %s(%s(b), %s(a)) })\n", xs, t.src,
			g.one("cmp.Compare", "strings.Compare"), key, key)
	case 2:
		n := g.top("by")
		g.decl("type %s []%s\nfunc (x %s) Len() int { return len(x) }\nfunc (x %s) Less(i, j int) bool { return fmt.Sprint(x[i]) < fmt.Sprint(x[j]) }\nfunc (x %s) Swap(i, j int) { x[i], x[j] = x[j], x[i] }", n, t.src, n, n, n)
		s += fmt.Sprintf("sort.Stable(%s%s(%s)%s)\nfmt.Println(sort.IsSorted(%s(%s)))\n", g.one("", "sort.Reverse("), n,
			xs, ")", n, xs)
		s = strings.Replace(s, "sort.Stable("+n+"("+xs+"))", "sort.Stable("+n+"("+xs+"))", 1)
		if !strings.Contains(s, "Reverse") {
			s = strings.Replace(s, xs+"))\nfmt", xs+"))\nfmt", 1)
			s = strings.Replace(s, "sort.Stable("+n+"("+xs+")))", "sort.Stable("+n+"("+xs+"))", 1)
		}
	default:
		s += fmt.Sprintf("fmt.Println(slices.IndexFunc(%s, func(x %s) bool { return %s(x) > \"5\" }), apply(%s, func(x %s) string { return %s(x) }))\nslices.Reverse(%s)\n", xs, t.src, key, xs, t.src, key, xs)
	}
	return s + fmt.Sprintf("fmt.Printf(\"%s\\n\", %s)\n", g.one("%v", "%+v", "%#v"), xs)
}

func (g *generator) heaps() string {
	n, e := g.top("heap"), g.one("int", "string", "float64")
	g.decl("type %s []%s\nfunc (h %s) Len() int { return len(h) }\nfunc (h %s) Less(i, j int) bool { return h[i] %s h[j] }\nfunc (h %s) Swap(i, j int) { h[i], h[j] = h[j], h[i] }\nfunc (h *%s) Push(x any) { *h = append(*h, x.(%s)) }\nfunc (h *%s) Pop() any { o := *h; x := o[len(o)-1]; *h = o[:len(o)-1]; return x }",
		n, e, n, n, g.one("<", ">"), n, n, e, n)
	et := map[string]*typ{"int": tInt, "string": tString, "float64": tFloat}[e]
	return fmt.Sprintf("{ h := &%s{%s}\nheap.Init(h)\nheap.Push(h, %s(%s))\nfor h.Len() > 0 { fmt.Print(heap.Pop(h), \" \") }\nfmt.Println() }\n", n, g.list(et, 5, 1, true), e, g.literal(et, 1, true))
}

func (g *generator) lists() string {
	t := g.flatType()
	return fmt.Sprintf("{ l := list.New()\nfor _, x := range []%s{%s} { l.PushFront(x) }\nl.MoveToBack(l.Front())\nfor e := l.Front(); e != nil; e = e.Next() { fmt.Printf(\"%%T %%v;\", e.Value, e.Value) }\nfmt.Println(l.Len()) }\n", t.src, g.list(t, 3, 2, true))
}

func (g *generator) errorChains() string {
	err := g.name("err")
	s := fmt.Sprintf("%s := %s\n%s = fmt.Errorf(\"%s: %%w\", %s)\n", err, g.typed(tErr, g.expr(tErr, 2)), err,
		g.one("a", "ctx"), err)
	if g.yes(3) {
		s += fmt.Sprintf("%s = errors.Join(%s, %s)\n", err, err, g.literal(tErr, 1, true))
	}
	s += fmt.Sprintf("fmt.Println(%s, errors.Is(%s, io.EOF), errors.Unwrap(%s) == io.EOF)\n", err, err, err)
	for _, t := range g.named {
		if strings.HasPrefix(t.src, "Err") {
			s += fmt.Sprintf("{ var a *%s; fmt.Println(errAs(%s, &a)) }\n{ var a interface{ Unwrap() error }; fmt.Println(errors.As(%s, &a)) }\n{ b, ok := %s.(fmt.Stringer); fmt.Println(b == nil, ok) }\n", t.src, err, err, err)
		}
	}
	return strings.ReplaceAll(s, "errAs(", "errors.As(")
}

func (g *generator) textual() string {
	a, b := g.expr(tString, 2), g.literal(tString, 0, true)
	return g.one(
		fmt.Sprintf("for i, f := range strings.Split(%s, %s) { fmt.Printf(\"%%d:%%q \", i, f) }\nfmt.Println()\n", a,
			b),
		fmt.Sprintf("{ n, err := strconv.%s; fmt.Println(n, err) }\n", g.one("Atoi("+a+")", "ParseInt("+a+", 0, 8)",
			"ParseFloat("+a+", 64)", "ParseBool("+a+")", "Unquote("+a+")", "ParseUint("+a+", 16, 64)")),
		fmt.Sprintf("fmt.Println(strings.Map(func(r rune) rune { if r == 'o' { return -1 }; return unicode.ToUpper(r) }, %s), strings.FieldsFunc(%s, func(r rune) bool { return r < 'e' }))\n", a, a),
		fmt.Sprintf("for w := range strings.FieldsSeq(%s) { fmt.Print(len(w), w, \";\") }\nfmt.Println(strings.Count(%s, \"l\"), strings.NewReplacer(\"l\", \"L\", \"o\", \"\").Replace(%s))\n", a, a, a),
		fmt.Sprintf("fmt.Println(regexp.MustCompile(`[a-z]+`).ReplaceAllStringFunc(%s, func(s string) string { return strconv.Quote(s) }))\n", a),
		fmt.Sprintf("{ var x int; var s string; n, err := fmt.Sscanf(%s, \"%%d %%s\", &x, &s); fmt.Println(n, err, x, s) }\n", a),
		fmt.Sprintf("for i, r := range []rune(%s) { fmt.Print(i, string(r), unicode.IsLetter(r), []byte(string(r))) }\nfmt.Println()\n", a),
		fmt.Sprintf("{ sc := bufio.NewScanner(strings.NewReader(%s)); sc.Split(bufio.ScanWords); for sc.Scan() { fmt.Print(sc.Text(), \"|\") }; fmt.Println() }\n", a),
		fmt.Sprintf("{ w := tabwriter.NewWriter(os.Stdout, 0, 4, 1, '.', 0); fmt.Fprintf(w, \"%%s\\t%%v\\tx\\n\", %s, %s); w.Flush() }\n", b, g.expr(tInt, 1)),
		fmt.Sprintf("{ a, b, ok := strings.Cut(%s, \"l\"); fmt.Println(a, b, ok, time.Duration(len(a))*time.Millisecond) }\n", a),
	)
}

func (g *generator) maps() string {
	k, e := g.keyType(), g.anyType()
	m := g.name("m")
	s := fmt.Sprintf("%s := map[%s]%s{}\nfor i, k := range []%s{%s} { %s[k] = %s; _ = i }\nfmt.Println(len(%s))\n", m,
		k.src, e.src, k.src, g.list(k, 4, 2, false), m, g.expr(e, 2), m)
	if !e.deep(4) {
		s += fmt.Sprintf("fmt.Printf(\"%s\\n\", %s)\n", g.verb(e), m)
	}
	if k.kind == kString || k.kind == kInt {
		s += fmt.Sprintf("for _, k := range keys(%s) { fmt.Print(k, js(%s[k]), \" \") }\nfmt.Println()\n", m, m)
	}
	return s + fmt.Sprintf("if v, ok := %s[%s]; ok { delete(%s, %s); fmt.Println(js(v)) }\nfmt.Println(len(%s))\n", m,
		g.literal(k, 1, false), m, g.literal(k, 1, false), m)
}

func (g *generator) builders() string {
	return fmt.Sprintf("{ var sb strings.Builder\nfor i := range %d { fmt.Fprintf(&sb, \"%%d-%%v,\", i, %s) }\nsb.WriteByte('!'); sb.WriteRune('é')\nfmt.Println(sb.String(), sb.Len()) }\n", g.n(4), g.expr(g.flatType(), 2))
}
