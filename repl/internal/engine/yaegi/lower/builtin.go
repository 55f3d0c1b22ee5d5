package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// builtin is a call of a function of the language.
func (f *fn) builtin(e *ast.CallExpr, name string) string {
	switch name {
	case "len", "cap":
		return f.length(e, name)
	case "append":
		return f.appendCall(e)
	case "copy":
		if len(e.Args) == 1 {
			refuse(e.Pos(), "copy of the results of a call", "the interpreter cannot spread them", "put the results into variables first")
		}
		return "copy(" + f.value(e.Args[0]) + ", " + f.value(e.Args[1]) + ")"
	case "delete":
		if len(e.Args) == 1 {
			refuse(e.Pos(), "delete of the results of a call", "the interpreter cannot spread them", "put the results into variables first")
		}
		m := f.under(e.Args[0]).(*types.Map)
		return "delete(" + f.value(e.Args[0]) + ", " + f.conv(e.Args[1], m.Key()) + ")"
	case "make":
		return f.makeCall(e)
	case "new":
		return f.newCall(e)
	case "panic":
		return fmt.Sprintf("rt.Panic(%s, %d)", f.anyOf(e.Args[0]), f.site(e.Pos()))
	case "print", "println":
		var args []string
		for _, a := range e.Args {
			args = append(args, f.anyOf(a))
		}
		return fmt.Sprintf("rt.Builtin%s(%s)", strings.ToUpper(name[:1])+name[1:], strings.Join(args, ", "))
	case "recover":
		if f.panics == "" {
			return "rt.Recover(nil)"
		}
		return "rt.Recover(" + f.panics + ")"
	case "min", "max":
		return f.extreme(e, name)
	case "clear":
		return "rt.Clear(" + f.value(e.Args[0]) + ")"
	case "close":
		f.note(e.Pos())
		return "close(" + f.value(e.Args[0]) + ")"
	case "real", "imag":
		return f.typ(f.typeOf(e), e.Pos()) + "(" + name + "(" + f.value(e.Args[0]) + "))"
	case "complex":
		t := f.typeOf(e)
		part := types.Typ[types.Float64]
		if b := basicOf(t); b != nil && b.Kind() == types.Complex64 {
			part = types.Typ[types.Float32]
		}
		return f.typ(t, e.Pos()) + "(complex(" + f.conv(e.Args[0], part) + ", " + f.conv(e.Args[1], part) + "))"
	}
	refuse(e.Pos(), name, "the interpreter does not have it", "write what it does as a function of the cell")
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
	if ok {
		return fmt.Sprintf("func(%s %s) int { return %d }(%s)", f.fresh("x"), f.typ(f.typeOf(e.Args[0]), e.Pos()), a.Len(), f.value(e.Args[0]))
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
		return "append(" + base + ", " + f.typ(types.NewSlice(t.Elem()), e.Pos()) + "{" + strings.Join(args, ", ") + "}...)"
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
	if _, ok := t.Underlying().(*types.Slice); ok {
		f.note(e.Pos())
		switch len(args) {
		case 1:
			if f.info.Types[e.Args[1]].Value == nil {
				args[0] = fmt.Sprintf("rt.MakeLen(%s, %d)", args[0], f.site(e.Pos()))
			}
		case 2:
			if f.info.Types[e.Args[2]].Value == nil || f.info.Types[e.Args[1]].Value == nil {
				args = []string{fmt.Sprintf("rt.MakeLen(%s, %d)", args[0], f.site(e.Pos())), fmt.Sprintf("rt.MakeCap(%s, %s, %d)", args[0], args[1], f.site(e.Pos()))}
				if !f.pure(e.Args[1]) {
					refuse(e.Args[1].Pos(), "make with a computed length", "the interpreter would compute it twice", "put the length into a variable first")
				}
			}
		}
	}
	return "make(" + strings.Join(append([]string{f.typ(t, e.Pos())}, args...), ", ") + ")"
}

func (f *fn) newCall(e *ast.CallExpr) string {
	t := f.typeOf(e).(*types.Pointer).Elem()
	if !f.info.Types[e.Args[0]].IsType() {
		v := f.fresh("v")
		lt := f.typ(t, e.Pos())
		return fmt.Sprintf("func(%s %s) *%s { return &%s }(%s)", v, lt, lt, v, f.conv(e.Args[0], t))
	}
	return "new(" + f.typ(t, e.Pos()) + ")"
}

// extreme is min or max.
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
		out = fmt.Sprintf("func(%s, %s %s) %s { if %s %s %s { return %s }; return %s }(%s, %s)", a, b, lt, lt, b, op, a, b, a, out, f.conv(x, t))
	}
	return out
}
