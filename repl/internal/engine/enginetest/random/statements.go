package random

import (
	"fmt"
	"strings"
)

// step writes a function that prints what it computes.
func (g *generator) step(i int) string {
	g.scope, g.loop, g.depth = nil, 0, 0
	var b strings.Builder
	for range 2 {
		b.WriteString(g.define())
	}
	for range 3 + g.n(3) {
		if g.yes(3) {
			b.WriteString(g.define())
		}
		if g.yes(3) {
			b.WriteString(g.feature())
		} else {
			b.WriteString(g.stmt())
		}
	}
	for _, v := range g.scope {
		b.WriteString(g.print(v))
	}
	return fmt.Sprintf("func step%d_%d() {\n%s}", i, g.seed, b.String())
}

func (g *generator) define() string {
	t := g.anyType()
	if g.yes(4) {
		t = g.composed()
	}
	v := variable{name: g.name("v"), t: t}
	var s string
	switch g.n(3) {
	case 0:
		s = fmt.Sprintf("var %s %s = %s\n", v.name, t.src, g.expr(t, 2))
	case 1:
		s = fmt.Sprintf("%s := %s\n", v.name, g.typed(t, g.literal(t, 3, false)))
	default:
		s = fmt.Sprintf("%s := %s\n", v.name, g.typed(t, g.expr(t, 3)))
	}
	g.scope = append(g.scope, v)
	return s + "_ = " + v.name + "\n"
}

// typed returns the expression e with type t, even if e is an untyped constant.
func (g *generator) typed(t *typ, e string) string {
	if t.kind <= kBool || t.kind == kErr || t.kind == kAny {
		return t.src + "(" + e + ")"
	}
	return e
}

// print prints a variable, through js if its value would print as an address.
func (g *generator) print(v variable) string {
	if v.t.deep(4) {
		return fmt.Sprintf("fmt.Println(%q, js(%s))\n", v.name, v.name)
	}
	return fmt.Sprintf("fmt.Printf(\"%s %s\\n\", %s)\n", v.name, g.verb(v.t), v.name)
}

// verb returns a verb that prints no addresses for values of a type.
func (g *generator) verb(t *typ) string {
	if t.holds(kErr, 4) {
		return g.one("%v", "%+v", "%s", "%q", "%v", "%T", "%10v")
	}
	if g.yes(3) {
		return g.one("%d", "%s", "%q", "%x", "%X", "%t", "%g", "%e", "%.2f", "%8.3f", "%5d", "%-8v|", "%05d", "%+d",
			"%c", "%U", "%o", "%b", "%08b", "%6.2f", "%.3v", "%#x", "% x", "%+q", "%#q", "%12s", "%-5t", "%z", "%.0f",
			"%#o", "%O", "%+.1e", "%G")
	}
	return g.one("%v", "%+v", "%#v", "%T", "%v", "%+v", "%#v")
}

// block writes a few statements in a scope.
func (g *generator) block(n int) string {
	old := g.scope
	g.depth++
	var b strings.Builder
	for range n {
		if g.yes(4) {
			b.WriteString(g.define())
		}
		b.WriteString(g.stmt())
	}
	g.depth--
	g.scope = old
	return b.String()
}

// with calls f with the variables vs added to the scope.
func (g *generator) with(f func() string, vs ...variable) string {
	old := g.scope
	g.scope = append(append([]variable(nil), old...), vs...)
	s := f()
	g.scope = old
	return s
}

func (g *generator) stmt() string {
	if g.depth > 3 {
		return g.assign()
	}
	switch g.n(16) {
	case 0:
		return fmt.Sprintf("if %s {\n%s}\n", g.expr(tBool, 2), g.block(1))
	case 1:
		return fmt.Sprintf("if x := %s; %s {\n_ = x\n%s} else {\n%s}\n", g.typed(tInt, g.expr(tInt, 2)),
			g.expr(tBool, 2), g.block(1), g.block(1))
	case 2, 3:
		return g.forLoop()
	case 4, 5:
		return g.rangeLoop()
	case 6:
		return g.switchStmt()
	case 7:
		return g.typeSwitch()
	case 8:
		return g.closure()
	case 9:
		return g.deferred()
	case 10:
		return fmt.Sprintf("fmt.Println(%s)\n", g.flatArgs(1+g.n(3)))
	case 11:
		return g.jump()
	}
	return g.assign()
}

// flatArgs writes expressions that do not print an address.
func (g *generator) flatArgs(n int) string {
	var out []string
	for range n {
		t := g.anyType()
		if t.deep(4) || t.holds(kErr, 4) {
			out = append(out, "js("+g.expr(t, 2)+")")
			continue
		}
		out = append(out, g.expr(t, 2))
	}
	return strings.Join(out, ", ")
}

// assign writes an assignment to a variable, a field or an element, or to two of these.
func (g *generator) assign() string {
	if len(g.scope) == 0 {
		return g.define()
	}
	v := g.scope[g.n(len(g.scope))]
	if v.fixed {
		return fmt.Sprintf("fmt.Println(%s)\n", g.flatArgs(1))
	}
	switch t := v.t; {
	case t.kind == kMap && g.yes(2):
		return fmt.Sprintf("if %s != nil { %s[%s] = %s }\n", v.name, v.name, g.expr(t.key, 1), g.value(t.elem, 2))
	case t.kind == kMap && g.yes(3):
		return g.one("delete("+v.name+", "+g.expr(t.key, 1)+")\n", "clear("+v.name+")\n",
			"fmt.Println(len("+v.name+"))\n")
	case t.kind == kSlice && g.yes(3):
		return fmt.Sprintf("%s = append(%s%s, %s)\n", v.name, v.name,
			g.one("", "[:len("+v.name+")/2]", "[:len("+v.name+"):len("+v.name+")]"), g.value(t.elem, 2))
	case t.kind == kSlice && g.yes(2):
		return fmt.Sprintf("for i := range %s { if i %% 2 == 0 { %s[i], %s[len(%s)-1-i] = %s, %s[i] } }\n", v.name,
			v.name, v.name, v.name, g.value(t.elem, 1), v.name)
	case t.kind == kArray && t.size > 0 && g.yes(2):
		w := g.name("w")
		return fmt.Sprintf("%s := %s\n%s[%d] = %s\n_ = %s\n", w, v.name, v.name, g.n(t.size), g.value(t.elem, 2), w)
	case t.kind == kStruct && len(t.ptrs) > 0 && g.yes(2):
		return fmt.Sprintf("%s.%s(%s)\n", v.name, t.ptrs[g.n(len(t.ptrs))], g.expr(tInt, 1))
	case t.kind == kStruct && len(t.fields) > 0 && g.yes(2):
		f := t.fields[g.n(len(t.fields))]
		return fmt.Sprintf("%s.%s = %s\n", v.name, f.name, g.value(f.t, 2))
	case t.kind == kPtr && g.yes(2):
		return fmt.Sprintf("if %s != nil { *%s = %s }\n", v.name, v.name, g.value(t.elem, 2))
	case t.kind == kInt && g.yes(2):
		return v.name + g.one("++", "--", " += "+g.expr(t, 1), " -= "+g.expr(t, 1), " *= 3", " ^= "+g.expr(t, 1),
			" <<= 1", " >>= 2", " |= 1", " &^= 4", " %= 7") + "\n"
	case t.kind == kString && g.yes(2):
		return v.name + " += " + g.expr(t, 1) + "\nif len(" + v.name + ") > 40 { " + v.name + " = " + v.name + "[len(" +
			v.name + ")-10:] }\n"
	case g.yes(4):
		for _, w := range g.scope {
			if w.t.src == t.src && w.name != v.name && !w.fixed {
				return fmt.Sprintf("%s, %s = %s, %s\n", v.name, w.name, g.value(t, 1), g.value(t, 1))
			}
		}
	}
	return fmt.Sprintf("%s = %s\n", v.name, g.value(v.t, 3))
}

// value writes a value to assign. For types that contain themselves it is a literal: a loop that stores a variable
// in itself would double the variable's size each time.
func (g *generator) value(t *typ, d int) string {
	if t.recursive(nil) {
		return g.literal(t, 2, false)
	}
	return g.expr(t, d)
}
