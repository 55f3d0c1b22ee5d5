package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// builtin lowers a call of a builtin function of the language.
func (f *fn) builtin(e *ast.CallExpr, name string) string {
	f.refuseSpread(e)
	switch name {
	case "len", "cap":
		return f.length(e, name)
	case "append":
		return f.appendCall(e)
	case "copy":
		return "copy(" + f.value(e.Args[0]) + ", " + f.value(e.Args[1]) + ")"
	case "delete":
		m := f.under(e.Args[0]).(*types.Map)
		return "delete(" + f.value(e.Args[0]) + ", " + f.conv(e.Args[1], m.Key()) + ")"
	case "make":
		return f.makeCall(e)
	case "new":
		return f.newCall(e)
	case "panic":
		return "rt.Panic(" + f.anyOf(e.Args[0]) + ")"
	case "recover":
		return "rt.Recover()"
	case "println":
		var args []string
		for _, a := range e.Args {
			if b, ok := types.Unalias(f.typeOf(a)).(*types.Basic); !ok ||
				b.Info()&(types.IsString|types.IsInteger|types.IsBoolean) == 0 {
				refuse(a.Pos(), "println of other values than text, whole numbers and truth values",
					"the interpreter writes it in another way", "use fmt.Println")
			}
			args = append(args, f.anyOf(a))
		}
		return "rt.PlainPrintln(" + strings.Join(args, ", ") + ")"
	case "min", "max":
		return f.extreme(e, name)
	case "clear":
		return "rt.Clear(" + f.value(e.Args[0]) + ")"
	case "print":
		refuse(e.Pos(), name, "few cells use it", "use fmt.Print")
	}
	refuse(e.Pos(), name, "few cells use it", "write what it does in another way")
	return ""
}

func (f *fn) length(e *ast.CallExpr, name string) string {
	t := f.under(e.Args[0])
	a, ok := t.(*types.Array)
	if p, isPtr := t.(*types.Pointer); isPtr {
		a, ok = p.Elem().Underlying().(*types.Array), true
	}
	if ok && f.pure(e.Args[0]) {
		return fmt.Sprint(a.Len())
	}
	return name + "(" + f.value(e.Args[0]) + ")"
}

func (f *fn) appendCall(e *ast.CallExpr) string {
	t := f.under(e).(*types.Slice)
	base := f.conv(e.Args[0], f.typeOf(e))
	if len(e.Args) == 1 {
		return base
	}
	if e.Ellipsis.IsValid() {
		last := f.value(e.Args[1])
		if f.isNil(e.Args[1]) {
			return base
		}
		if b := basicOf(f.typeOf(e.Args[1])); b != nil && b.Info()&types.IsString != 0 {
			last = "[]byte(" + last + ")"
		}
		return "append(" + base + ", " + last + "...)"
	}
	var args []string
	for _, a := range e.Args[1:] {
		args = append(args, f.conv(a, t.Elem()))
	}
	if types.IsInterface(t.Elem()) || len(args) > 1 {
		return "append(" + base + ", " + f.typ(types.NewSlice(t.Elem()), e.Pos()) + "{" + strings.Join(args, ", ") +
			"}...)"
	}
	return "append(" + base + ", " + strings.Join(args, ", ") + ")"
}

func (f *fn) makeCall(e *ast.CallExpr) string {
	t := f.typeOf(e)
	var args []string
	for _, a := range e.Args[1:] {
		if f.info.Types[a].Value != nil {
			args = append(args, f.constant(f.info.Types[a].Value, types.Typ[types.Int], a.Pos()))
			continue
		}
		args = append(args, "int("+f.value(a)+")")
	}
	return "make(" + strings.Join(append([]string{f.typ(t, e.Pos())}, args...), ", ") + ")"
}

func (f *fn) newCall(e *ast.CallExpr) string {
	t := f.typeOf(e).(*types.Pointer).Elem()
	if !f.info.Types[e.Args[0]].IsType() {
		refuse(e.Pos(), "new of a value", "the interpreter knows it of types only",
			"put the value into a variable and take its address")
	}
	return "new(" + f.typ(t, e.Pos()) + ")"
}

// extreme lowers min or max.
func (f *fn) extreme(e *ast.CallExpr, name string) string {
	t := f.typeOf(e)
	lt := f.typ(t, e.Pos())
	if b := basicOf(t); b != nil && b.Info()&types.IsFloat != 0 {
		out := "float64(" + f.conv(e.Args[0], t) + ")"
		for _, a := range e.Args[1:] {
			out = fmt.Sprintf("rt.Float%s(%s, float64(%s))", strings.ToUpper(name[:1])+name[1:], out, f.conv(a, t))
		}
		return lt + "(" + out + ")"
	}
	op := "<"
	if name == "max" {
		op = ">"
	}
	a, b := f.fresh("a"), f.fresh("b")
	out := f.conv(e.Args[0], t)
	for _, x := range e.Args[1:] {
		out = fmt.Sprintf("func(%s, %s %s) %s { if %s %s %s { return %s }; return %s }(%s, %s)", a, b, lt, lt, b, op, a,
			b, a, out, f.conv(x, t))
	}
	return out
}
