package random

import (
	"fmt"
	"strconv"
	"strings"
)

var texts = []string{
	``, `a`, `hello`, `Go is fun`, `1`, `-7`, `3.5`, `true`, `x,y,z`, `é世界`, `a\tb\n`, `\"quoted\"`, `<&>`, `\xff\x00`,
	`0x1F`, `k=v;k2=v2`, `  pad `, `ZzZ`, `[1,2]`, `{\"A\":1}`,
}

var floats = []string{"0", "1", "-2.5", "1e10", "0.1", "1e-7", "123456.789", "-0.5", "3", "1e21", "1.5e300"}

// literal writes a value of a type. If flat is set, the value contains only nil pointers and nil functions.
func (g *generator) literal(t *typ, d int, flat bool) string {
	paren := t.src
	if t.kind == kPtr || t.kind == kFunc || t.kind == kSlice || t.kind == kMap {
		paren = "(" + t.src + ")"
	}
	switch t.kind {
	case kInt, kUint:
		return g.whole(t)
	case kFloat:
		f := floats[g.n(len(floats))]
		if t.size == 32 && f == "1.5e300" {
			f = "1.5e30"
		}
		return t.src + "(" + f + ")"
	case kComplex:
		return fmt.Sprintf("%s(complex(%s, %s))", t.src, floats[g.n(5)], floats[g.n(5)])
	case kString:
		s := `"` + texts[g.n(len(texts))] + `"`
		if t.src != "string" {
			return t.src + "(" + s + ")"
		}
		return s
	case kBool:
		return t.src + "(" + g.one("true", "false") + ")"
	case kSlice:
		if d <= 0 || g.yes(6) {
			return g.one(paren+"(nil)", t.src+"{}")
		}
		return t.src + "{" + g.list(t.elem, g.n(4), d-1, flat) + "}"
	case kArray:
		if t.size == 0 {
			return t.src + "{}"
		}
		return t.src + "{" + g.list(t.elem, g.n(t.size), d-1, flat) + "}"
	case kMap:
		if d <= 0 || g.yes(6) {
			return g.one(paren+"(nil)", t.src+"{}")
		}
		var out []string
		for range g.n(3) {
			out = append(out, g.literal(t.key, d-1, flat)+": "+g.literal(t.elem, d-1, flat))
		}
		return t.src + "{" + strings.Join(out, ", ") + "}"
	case kStruct:
		var out []string
		for _, f := range t.fields {
			if f.name != "_" && (d > 0 || f.t.kind <= kBool) && !g.yes(4) {
				out = append(out, f.name+": "+g.literal(f.t, d-1, flat))
			}
		}
		return t.src + "{" + strings.Join(out, ", ") + "}"
	case kPtr:
		switch {
		case flat || d <= 0 || g.yes(4):
			return paren + "(nil)"
		case t.elem.kind == kStruct || t.elem.kind == kSlice || t.elem.kind == kMap:
			if l := g.literal(t.elem, d-1, flat); strings.HasSuffix(l, "}") {
				return "&" + l
			}
		}
		return "ptr(" + g.literal(t.elem, d-1, flat) + ")"
	case kFunc:
		if flat || d <= 0 {
			return paren + "(nil)"
		}
		return "func(n int) " + t.elem.src + " { _ = n; return " + g.literal(t.elem, d-1, flat) + " }"
	case kErr:
		switch g.n(5) {
		case 0:
			return "error(nil)"
		case 1:
			for _, f := range g.funcs {
				if strings.HasPrefix(f.name, "newErr") {
					return f.name + "(" + strconv.Itoa(g.n(4)) + ")"
				}
			}
		case 2:
			return "io.EOF"
		case 3:
			return fmt.Sprintf("fmt.Errorf(\"w%d: %%w\", %s)", g.n(5),
				g.one("io.EOF", "errors.New(\"in\")", "strconv.ErrSyntax"))
		}
		return "errors.New(" + g.literal(tString, 0, true) + ")"
	}
	for range 5 { // look for a suitable type to store in an any
		if t := g.anyType(); d > 0 && !t.deep(4) && t.kind != kErr && t.kind != kAny && !t.holds(kErr, 4) {
			value := g.literal(t, d-1, true)
			if none, ok := strings.CutSuffix(value, "(nil)"); ok && t.kind == kSlice {
				// Go 1.26 compiles a nil slice, in an interface in a struct that is itself converted to an
				// interface, to a nil interface.
				value = strings.TrimSuffix(strings.TrimPrefix(none, "("), ")") + "{}"
			}
			return "any(" + value + ")"
		}
	}
	return g.one("any(nil)", "any(7)", "any(\"s\")", "any(2.5)")
}

func (g *generator) list(t *typ, n, d int, flat bool) string {
	var out []string
	for range n {
		out = append(out, g.literal(t, d, flat))
	}
	return strings.Join(out, ", ")
}

func (g *generator) whole(t *typ) string {
	n := int64(g.n(20))
	if g.yes(4) {
		n = []int64{127, 100, 64, 255, 65535, 1 << 31, 1<<62 + 3}[g.n(7)]
	}
	if bits := t.size; bits < 64 {
		n &= 1<<(bits-1) - 1
	}
	if t.kind == kInt && g.yes(3) {
		n = -n - 1
	}
	if t.src == "int" && g.yes(2) {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s(%d)", t.src, n)
}

// expr writes an expression of a type, without side effects.
func (g *generator) expr(t *typ, d int) string {
	if d <= 0 || g.yes(6) {
		if v := g.variable(t); v != "" && !g.yes(4) {
			return v
		}
		return g.literal(t, 2, false)
	}
	switch g.n(12) {
	case 0:
		return fmt.Sprintf("iff(%s, %s, %s)", g.expr(tBool, d-1), g.expr(t, d-1), g.expr(t, d-1))
	case 1:
		return fmt.Sprintf("tr(%d, %s)", g.n(100), g.expr(t, d-1))
	case 2:
		return fmt.Sprintf("at([]%s{%s, %s}, %s)", t.src, g.expr(t, d-1), g.expr(t, d-1), g.expr(tInt, d-1))
	case 3:
		if f := g.function(t); f != nil {
			args := make([]string, len(f.params))
			for i, p := range f.params {
				args[i] = g.expr(p, d-1)
			}
			return f.name + "(" + strings.Join(args, ", ") + ")"
		}
	case 4:
		return fmt.Sprintf("func() %s { return %s }()", t.src, g.expr(t, d-1))
	case 5:
		return fmt.Sprintf("as[%s](%s)", t.src, g.expr(tAny, d-1))
	case 6:
		if e := g.element(t); e != "" {
			return e
		}
	case 7:
		k := g.keyType()
		return fmt.Sprintf("(map[%s]%s{%s: %s})[%s]", k.src, t.src, g.literal(k, 1, false), g.expr(t, d-1),
			g.expr(k, d-1))
	}
	if t.kind <= kBool {
		return g.operation(t, d)
	}
	if t.kind == kSlice && g.yes(2) {
		return fmt.Sprintf("append(%s, %s)", g.expr(t, d-1), g.expr(t.elem, d-1))
	}
	if t.kind == kStruct && g.yes(2) {
		var out []string
		for _, f := range t.fields {
			if !g.yes(4) {
				out = append(out, f.name+": "+g.expr(f.t, d-1))
			}
		}
		return t.src + "{" + strings.Join(out, ", ") + "}"
	}
	return g.expr(t, d-1)
}

// operation writes an operator for a scalar type, with its operands.
func (g *generator) operation(t *typ, d int) string {
	a := func() string { return g.expr(t, d-1) }
	switch t.kind {
	case kInt, kUint:
		switch g.n(8) {
		case 0:
			return fmt.Sprintf("(%s %s %d)", a(), g.one("/", "%"), 1+g.n(7))
		case 1:
			return fmt.Sprintf("(%s %s %s)", a(), g.one("<<", ">>"),
				g.one("1", "3", "uint8("+strconv.Itoa(g.n(70))+")"))
		case 2:
			return g.one("-", "^") + "(" + a() + ")"
		case 3:
			from := g.number()
			if from.kind == kInt || from.kind == kUint {
				return t.src + "(" + g.expr(from, d-1) + ")"
			}
		case 4:
			return g.one("min", "max", "sum") + "(" + a() + ", " + a() + ")"
		case 5:
			return t.src + "(len(" + g.expr(tString, d-1) + "))"
		}
		return "(" + a() + " " + g.one("+", "-", "*", "&", "|", "^", "&^") + " " + a() + ")"
	case kFloat:
		switch g.n(5) {
		case 0:
			return t.src + "(" + g.expr(tInt, d-1) + ")"
		case 1:
			return fmt.Sprintf("%s(math.%s(float64(%s)))", t.src, g.one("Abs", "Floor", "Trunc", "Round"), a())
		case 2:
			return g.one("min", "max", "sum") + "(" + a() + ", " + a() + ")"
		}
		return t.src + "(" + a() + " " + g.one("+", "-", "*") + " " + a() + ")"
	case kComplex:
		return "(" + a() + " " + g.one("+", "-", "*") + " " + a() + ")"
	case kString:
		switch g.n(5) {
		case 0:
			return fmt.Sprintf("%s(strings.%s(string(%s)))", t.src, g.one("ToUpper", "TrimSpace", "Title", "ToLower"),
				a())
		case 1:
			return fmt.Sprintf("%s(strconv.Itoa(%s))", t.src, g.expr(tInt, d-1))
		case 2:
			if m := g.textOf(d); m != "" {
				return t.src + "(" + m + ")"
			}
		}
		return "cut(" + a() + " + " + a() + ")"
	}
	u := g.anyType()
	switch g.n(6) {
	case 0:
		return "!(" + a() + ")"
	case 1:
		if u.comparable(4) && u.kind != kAny && u.kind != kErr && !u.holds(kAny, 4) && !u.holds(kErr, 4) {
			return t.src + "(" + g.expr(u, d-1) + " " + g.one("==", "!=") + " " + g.expr(u, d-1) + ")"
		}
	case 2:
		if u.ordered() {
			return t.src + "(" + g.expr(u, d-1) + " " + g.one("<", ">", "<=", ">=", "==", "!=") + " " + g.expr(u, d-1) +
				")"
		}
	}
	return "(" + a() + " " + g.one("&&", "||", "==", "!=") + " " + a() + ")"
}

// textOf writes a call of a method that returns a string.
func (g *generator) textOf(d int) string {
	for range 3 {
		if len(g.named) == 0 {
			return ""
		}
		t := g.named[g.n(len(g.named))]
		if len(t.method) == 0 {
			continue
		}
		m := t.method[g.n(len(t.method))]
		if g.yes(3) {
			return fmt.Sprintf("%s.%s(%s)", t.src, m, g.expr(t, d-1))
		}
		return "(" + g.expr(t, d-1) + ")." + m + "()"
	}
	return ""
}

// variable writes a variable in scope of the given type, or a field or element of that type of a variable in scope.
func (g *generator) variable(t *typ) string {
	var found []string
	for _, v := range g.scope {
		if v.t.src == t.src {
			found = append(found, v.name, v.name)
		}
		if v.t.kind == kStruct {
			for _, f := range v.t.fields {
				if f.t.src == t.src && f.name != "" {
					found = append(found, v.name+"."+f.name)
				}
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return found[g.n(len(found))]
}

// element writes an element of a variable in scope.
func (g *generator) element(t *typ) string {
	for _, v := range g.scope {
		if v.t.elem == nil || v.t.elem.src != t.src || g.yes(2) {
			continue
		}
		switch v.t.kind {
		case kSlice:
			return "at(" + v.name + ", " + g.expr(tInt, 1) + ")"
		case kMap:
			return v.name + "[" + g.expr(v.t.key, 1) + "]"
		case kArray:
			if v.t.size > 0 {
				return fmt.Sprintf("%s[%d]", v.name, g.n(v.t.size))
			}
		}
	}
	return ""
}

func (g *generator) function(result *typ) *fn {
	for i := range g.funcs {
		if g.funcs[i].result.src == result.src && !g.yes(2) {
			return &g.funcs[i]
		}
	}
	return nil
}
