package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// conv lowers an expression and converts it to a type that it is assignable to.
func (f *fn) conv(e ast.Expr, to types.Type) string {
	if f.isNil(e) {
		return f.nilOf(to, e.Pos())
	}
	tv := f.info.Types[e]
	if tv.Value != nil {
		from := f.subst(tv.Type, f.tparam)
		if types.IsInterface(to) {
			from = types.Default(from)
			return f.convert(f.constant(tv.Value, from, e.Pos()), from, to, e.Pos())
		}
		return f.constant(tv.Value, to, e.Pos())
	}
	from := f.typeOf(e)
	if b, ok := from.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		// the untyped bool of a comparison, or an untyped operand of a shift
		if types.IsInterface(to) {
			return f.convert(f.value(e), types.Default(from), to, e.Pos())
		}
		if basicOf(to) != nil && f.typ(to, e.Pos()) != basicName(b, e.Pos()) {
			return f.typ(to, e.Pos()) + "(" + f.value(e) + ")"
		}
		return f.value(e)
	}
	return f.convert(f.value(e), from, to, e.Pos())
}

func (f *fn) nilOf(to types.Type, pos token.Pos) string {
	if types.IsInterface(to) || isFunc(to) {
		return "nil"
	}
	return converted(f.typ(to, pos), "nil")
}

// convert converts the text of a value from one type to another that it is assignable to.
func (f *fn) convert(s string, from, to types.Type, pos token.Pos) string {
	switch {
	case !types.IsInterface(to):
		if sig, ok := from.Underlying().(*types.Signature); ok {
			if n, ok := types.Unalias(to).(*types.Named); ok && sig.Variadic() && !dyn.IsUser(n) {
				refuse(pos, "a variadic function handed to the standard library",
					"the interpreter cannot call it from there", "wrap it in a function literal that is not variadic")
			}
			return s
		}
		a, b := f.typ(from, pos), f.typ(to, pos)
		if a != b {
			return converted(b, s)
		}
		return s
	case types.IsInterface(from):
		return f.reface(s, from, to, pos)
	}
	switch {
	case f.run.Compiled(from) == nil:
		refuse(pos, "a value of a cell's own type in an interface",
			"the interpreter has lost what makes its type "+typeText(from),
			"hand over its parts, or values of basic types")
	case nativeInterface(f.typ(to, pos)):
		return s
	}
	return f.boxed(s, from, pos)
}

// boxed converts a value to type any. The value of a function is returned by another function; otherwise it would
// remain a part of the interpreter's syntax tree.
func (f *fn) boxed(s string, from types.Type, pos token.Pos) string {
	if isFunc(from) {
		q := f.fresh("f")
		return "func(" + q + " " + f.typ(from, pos) + ") any { return " + q + " }(" + s + ")"
	}
	return "any(" + s + ")"
}

// nativeInterface reports whether an interface type, given in lowered form, is a native one with methods.
func nativeInterface(lowered string) bool { return lowered != "any" }

// reface converts a value from one interface type to another.
func (f *fn) reface(s string, from, to types.Type, pos token.Pos) string {
	a, b := f.typ(from, pos), f.typ(to, pos)
	if a == b {
		return s
	}
	if nativeInterface(a) {
		s = "rt.Plain(" + s + ")"
	}
	return f.toNative(s, to, pos)
}

// toNative converts a value of lowered type any to a native interface type, if the target lowers to one.
func (l *unit) toNative(s string, to types.Type, pos token.Pos) string {
	t := l.typ(to, pos)
	if !nativeInterface(t) {
		return s
	}
	if t == "rt.Error" {
		return "rt.ToError(" + s + ")"
	}
	named := types.Unalias(to).(*types.Named)
	return l.adapter(named) + "(" + s + ")"
}

// adapter returns the name of a native function that converts any to a native interface type.
func (l *unit) adapter(t *types.Named) string {
	name := "To_" + plain(strings.NewReplacer("/", "_", ".", "_").Replace(dyn.Key(t)))
	if _, ok := l.natives[name]; !ok {
		l.natives[name] = l.run.Adapter(l.run.Compiled(t))
	}
	return "u." + name
}

// conversion lowers T(x).
func (f *fn) conversion(e *ast.CallExpr) string {
	x := e.Args[0]
	to := f.typeOf(e)
	if f.isNil(x) || types.IsInterface(to) {
		return f.conv(x, to)
	}
	from := f.typeOf(x)
	if isUntyped(from) {
		from = types.Default(from)
	}
	_, toSlice := to.Underlying().(*types.Slice)
	if _, ok := from.Underlying().(*types.Slice); ok && !toSlice && basicOf(to) == nil {
		refuse(e.Pos(), "a conversion from a slice to an array", "the interpreter has none",
			"declare the array and fill it: var a [4]int; copy(a[:], s)")
	}
	a, b := f.typ(from, e.Pos()), f.typ(to, e.Pos())
	s := f.conv(x, from)
	if a == b {
		return "(" + s + ")"
	}
	if tb, fb := basicOf(to), basicOf(from); tb != nil && fb != nil && tb.Info()&types.IsInteger != 0 &&
		fb.Info()&types.IsFloat != 0 {
		return fmt.Sprintf("%s(rt.FloatTo%s(float64(%s)))", b, integerOf(tb), s)
	}
	if tb := basicOf(to); tb != nil && tb.Info()&types.IsString != 0 {
		if fb := basicOf(from); fb != nil && fb.Info()&types.IsInteger != 0 {
			return b + "(rt.RuneString(int64(" + s + ")))"
		}
	}
	if isFunc(to) {
		return s
	}
	if strings.HasPrefix(b, "*") {
		refuse(e.Pos(), "a conversion between pointer types", "the interpreter has none",
			"convert the value instead of the pointer: v := T(*p)")
	}
	return converted(b, s)
}

// converted writes a conversion. It puts parentheses around the type only where they are needed, because the
// interpreter takes a name in parentheses for a value.
func converted(t, s string) string {
	if strings.ContainsAny(t, "*[( ") {
		return "(" + t + ")(" + s + ")"
	}
	return t + "(" + s + ")"
}

// integerOf returns the end of the name of the native helper that converts a float to type b exactly as compiled
// code does.
func integerOf(b *types.Basic) string {
	switch b.Kind() {
	case types.Uint64, types.Uint, types.Uintptr:
		return "Uint64"
	case types.Uint32:
		return "Uint32"
	}
	return "Int64"
}
