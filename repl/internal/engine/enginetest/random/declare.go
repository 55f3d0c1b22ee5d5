package random

import (
	"fmt"
	"strings"
)

// declareType declares a type, with methods.
func (g *generator) declareType() {
	switch g.n(10) {
	case 0:
		g.declareScalar(tInt)
	case 1:
		g.declareScalar(g.number())
	case 2:
		g.declareScalar(tString)
	case 3:
		g.declareOver(g.composed())
	case 4:
		g.declareGeneric()
	case 5:
		g.declareRecursive()
	case 6:
		g.declareError()
	default:
		g.declareStruct()
	}
}

func (g *generator) typeName() string {
	if g.yes(5) {
		return g.top("t")
	}
	return g.top("T")
}

func (g *generator) add(t *typ) {
	g.named = append(g.named, t)
	g.types = append(g.types, t)
	if g.yes(2) {
		g.types = append(g.types, slice(t))
	}
	if g.yes(3) {
		g.types = append(g.types, &typ{src: "*" + t.src, kind: kPtr, elem: t})
	}
	if g.yes(3) {
		g.types = append(g.types, &typ{src: "map[string]" + t.src, kind: kMap, key: tString, elem: t})
	}
}

// declareScalar declares a named number or string.
func (g *generator) declareScalar(under *typ) {
	t := *under
	t.src = g.typeName()
	g.decl("type %s %s", t.src, under.src)
	if under.kind == kInt && g.yes(2) {
		a, b := g.top("C"), g.top("C")
		g.decl("const (\n\t%s %s = iota + %d\n\t%s\n)", a, t.src, g.n(3), b)
	}
	g.special(&t, under.src+"(x)")
	g.add(&t)
}

// declareOver declares a named slice, map, array, function or struct.
func (g *generator) declareOver(under *typ) {
	t := *under
	t.src, t.method, t.ptrs = g.typeName(), nil, nil
	if t.kind == kPtr || t.kind == kAny {
		return // these cannot have methods
	}
	g.decl("type %s %s", t.src, under.src)
	if t.kind == kSlice || t.kind == kMap || t.kind == kArray {
		g.special(&t, "len(x)")
	}
	g.add(&t)
}

// special adds to a type some of the methods that packages look for, such as String. what is an expression with the
// receiver x that calls none of these methods.
func (g *generator) special(t *typ, what string) {
	recv := g.one("x "+t.src, "x "+t.src, "x *"+t.src)
	star := strings.Contains(recv, "*")
	if star {
		what = strings.ReplaceAll(strings.ReplaceAll(what, "(x)", "(*x)"), "x.", "x.")
	}
	id := g.names
	if g.yes(3) {
		g.decl("func (%s) String() string { return fmt.Sprint(\"S%d<\", %s, \">\") }", recv, id, what)
		if !star {
			t.method = append(t.method, "String")
		}
	}
	if g.yes(8) {
		g.decl("func (%s) GoString() string { return fmt.Sprint(\"G%d<\", %s, \">\") }", recv, id, what)
	}
	if g.yes(10) {
		g.decl("func (%s) Format(s fmt.State, verb rune) { w, ok := s.Width(); fmt.Fprint(s, \"F%d<\", string(verb), w, ok, s.Flag('+'), %s, \">\") }", recv, id, what)
	}
	switch g.n(9) {
	case 0:
		g.decl("func (%s) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprint(\"J%d \", %s)) }", recv, id,
			what)
	case 1:
		g.decl("func (%s) MarshalText() ([]byte, error) { return []byte(fmt.Sprint(\"M%d \", %s)), nil }", recv, id,
			what)
	}
	if g.yes(8) {
		g.decl("func (x *%s) UnmarshalJSON(b []byte) error { fmt.Print(\"{U%d \", string(b), \"}\"); return nil }",
			t.src, id)
	} else if g.yes(10) {
		g.decl("func (x *%s) UnmarshalText(b []byte) error { fmt.Print(\"{X%d \", string(b), \"}\"); return nil }",
			t.src, id)
	}
}

func (g *generator) declareStruct() {
	t := &typ{src: g.typeName(), kind: kStruct}
	var b strings.Builder
	for i := range 1 + g.n(4) {
		f := field{name: g.one("A", "B", "C", "d", "e", "F") + fmt.Sprint(i), t: g.fieldType()}
		tag := ""
		switch {
		case g.yes(6) && len(g.named) > 0:
			f = g.embed(t)
		case g.yes(5):
			tag = fmt.Sprintf(" `json:\"%s\" xml:\"%s\"`", g.one("k,omitempty", "-", "name", ",string", "n,omitzero"),
				g.one("k,attr", "-", "name", ",omitempty", "a>b"))
		}
		if f.t == nil {
			continue
		}
		t.fields = append(t.fields, f)
		if f.embedded {
			fmt.Fprintf(&b, "\t%s\n", f.t.src)
		} else {
			fmt.Fprintf(&b, "\t%s %s%s\n", f.name, f.t.src, tag)
		}
	}
	if g.yes(6) {
		fmt.Fprintf(&b, "\t_ %s\n", g.one("int", "string", "[2]bool"))
	}
	g.decl("type %s struct {\n%s}", t.src, b.String())
	simple := "\"x\""
	for _, f := range t.fields {
		if f.t.kind <= kBool && !f.embedded {
			simple = "fmt.Sprint(" + f.t.under() + "(x." + f.name + "))"
		}
	}
	g.special(t, simple)
	for _, f := range t.fields {
		if f.t.numeric() && !f.embedded && g.yes(2) {
			m := g.name("Add")
			g.decl("func (x *%s) %s(n int) *%s { x.%s += %s(n); return x }", t.src, m, t.src, f.name, f.t.src)
			t.ptrs = append(t.ptrs, m)
		}
	}
	if g.yes(2) {
		m := g.name("Text")
		g.decl("func (x %s) %s() string { return \"%s:\" + %s }", t.src, m, m, simple)
		t.method = append(t.method, m)
	}
	g.add(t)
}

func (g *generator) fieldType() *typ {
	if g.yes(4) {
		return g.composed()
	}
	return g.anyType()
}

// embed embeds a declared type that the struct does not embed yet.
func (g *generator) embed(t *typ) field {
	e := g.named[g.n(len(g.named))]
	name := strings.TrimPrefix(e.src, "*")
	if strings.Contains(name, "[") {
		return field{}
	}
	for _, f := range t.fields {
		if f.name == name {
			return field{}
		}
	}
	if g.yes(3) && e.kind == kStruct {
		e = &typ{src: "*" + e.src, kind: kPtr, elem: e}
	}
	return field{name: name, t: e, embedded: true}
}

// under returns the predeclared type that underlies a scalar type.
func (t *typ) under() string {
	switch t.kind {
	case kInt:
		return fmt.Sprintf("int%d", t.size)
	case kUint:
		return fmt.Sprintf("uint%d", t.size)
	case kFloat:
		return fmt.Sprintf("float%d", t.size)
	case kComplex:
		return "complex128"
	case kBool:
		return "bool"
	}
	return "string"
}

func (g *generator) declareError() {
	e := g.top("Err")
	ptr := g.one("", "*")
	g.decl("type %s struct { Code int; Err error }", e)
	g.decl("func (e %s%s) Error() string { if e.Err != nil { return fmt.Sprint(\"E\", e.Code, \": \", e.Err) }; return fmt.Sprint(\"E\", e.Code) }", ptr, e)
	g.decl("func (e %s%s) Unwrap() error { return e.Err }", ptr, e)
	if g.yes(3) {
		g.decl("func (e %s%s) Is(target error) bool { return target != nil && target.Error() == fmt.Sprint(\"E\", e.Code) }", ptr, e)
	}
	t := &typ{src: e, kind: kStruct, fields: []field{{name: "Code", t: tInt}, {name: "Err", t: tErr}}}
	g.named = append(g.named, t)
	g.funcs = append(g.funcs, fn{name: "new" + e, params: []*typ{tInt}, result: tErr})
	amp := map[string]string{"": "", "*": "&"}[ptr]
	g.decl("func new%s(n int) error { return fmt.Errorf(\"wrapped: %%w\", %s%s{n, io.EOF}) }", e, amp, e)
}

// declareGeneric declares a generic type and uses some of its instances.
func (g *generator) declareGeneric() {
	name := g.top("G")
	switch g.n(4) {
	case 0:
		g.decl("type %s[T any] struct { V T; N int }\nfunc (x %s[T]) Text() string { return fmt.Sprintf(\"%%T %%d\", x.V, x.N) }\nfunc (x *%s[T]) Add(n int) *%s[T] { x.N += n; return x }", name, name, name, name)
		for range 1 + g.n(2) {
			e := g.anyType()
			g.add(&typ{src: name + "[" + e.src + "]", kind: kStruct, fields: []field{
				{name: "V", t: e}, {name: "N", t: tInt},
			}, method: []string{"Text"}, ptrs: []string{"Add"}})
		}
	case 1:
		g.decl("type %s[K comparable, V any] map[K]V\nfunc (m %s[K, V]) Text() string { return fmt.Sprintf(\"%%T %%d\", m, len(m)) }", name, name)
		k, e := g.keyType(), g.anyType()
		g.add(&typ{src: name + "[" + k.src + ", " + e.src + "]", kind: kMap, key: k, elem: e, method: []string{"Text"}})
	case 2:
		g.decl("type %s[T any] []T\nfunc (s %s[T]) Text() string { return fmt.Sprintf(\"%%T %%d\", s, len(s)) }\nfunc (s %s[T]) Each(f func(int, T)) { for i, v := range s { f(i, v) } }", name, name, name)
		e := g.anyType()
		g.add(&typ{src: name + "[" + e.src + "]", kind: kSlice, elem: e, method: []string{"Text"}})
	case 3:
		g.decl("type %s[T num] struct { X, Y T }\nfunc (p %s[T]) String() string { return fmt.Sprint(p.X, \"/\", p.Y) }\nfunc (p %s[T]) Sum() T { return p.X + p.Y }", name, name, name)
		e := g.one("int", "float64", "uint8", "int16")
		et := map[string]*typ{
			"int": tInt, "float64": tFloat, "uint8": {src: "uint8", kind: kUint, size: 8},
			"int16": {src: "int16", kind: kInt, size: 16},
		}[e]
		g.add(&typ{
			src: name + "[" + e + "]", kind: kStruct, fields: []field{{name: "X", t: et}, {name: "Y", t: et}},
			method: []string{"String"},
		})
	}
}

// declareRecursive declares a type that contains itself.
func (g *generator) declareRecursive() {
	name := g.top("R")
	t := &typ{src: name, kind: kStruct}
	switch g.n(5) {
	case 0:
		t.fields = []field{
			{name: "V", t: g.types[g.n(len(g.types))]},
			{name: "Next", t: &typ{src: "*" + name, kind: kPtr, elem: t}},
		}
		g.decl("type %s struct { V %s; Next *%s }", name, t.fields[0].t.src, name)
	case 1:
		t.fields = []field{{name: "N", t: tInt}, {name: "Kids", t: slice(t)}}
		g.decl("type %s struct { N int; Kids []%s }\nfunc (r %s) Text() string { s := fmt.Sprint(r.N); for _, k := range r.Kids { s += \"(\" + k.Text() + \")\" }; return s }", name, name, name)
		t.method = []string{"Text"}
	case 2:
		t.fields = []field{
			{name: "N", t: tString},
			{name: "By", t: &typ{src: "map[string]" + name, kind: kMap, key: tString, elem: t}},
		}
		g.decl("type %s struct { N string; By map[string]%s }", name, name)
	case 3:
		t.kind, t.elem = kSlice, t
		g.decl("type %s []%s\nfunc (r %s) Text() string { s := \"[\"; for _, k := range r { s += k.Text() }; return s + \"]\" }", name, name, name)
		t.method = []string{"Text"}
	case 4:
		link := &typ{src: name + "b", kind: kStruct}
		link.fields = []field{{name: "Up", t: &typ{src: "*" + name, kind: kPtr, elem: t}}, {name: "S", t: tString}}
		t.fields = []field{{name: "Down", t: slice(link)}, {name: "N", t: tInt}}
		g.decl("type %s struct { Down []%sb; N int }\ntype %sb struct { Up *%s; S string }", name, name, name, name)
	}
	g.add(t)
}

// declareFunc declares a function without side effects.
func (g *generator) declareFunc() {
	f := fn{name: g.top("f"), result: g.anyType()}
	var params []string
	g.scope = nil
	for range 1 + g.n(3) {
		p := variable{name: g.name("p"), t: g.anyType(), fixed: true}
		params = append(params, p.name+" "+p.t.src)
		f.params = append(f.params, p.t)
		g.scope = append(g.scope, p)
	}
	body := ""
	for range g.n(3) {
		body += fmt.Sprintf("\tif %s { return %s }\n", g.expr(tBool, 2), g.expr(f.result, 2))
	}
	g.decl("func %s(%s) %s {\n%s\treturn %s\n}", f.name, strings.Join(params, ", "), f.result.src, body,
		g.expr(f.result, 2))
	g.scope = nil
	g.funcs = append(g.funcs, f)
}
