package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// call is a call or a conversion as an expression.
func (f *fn) call(e *ast.CallExpr) string {
	if f.info.Types[e.Fun].IsType() {
		return f.conversion(e)
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if b, ok := f.info.Uses[id].(*types.Builtin); ok {
			return f.builtin(e, b.Name())
		}
	}
	sig, ok := f.under(e.Fun).(*types.Signature)
	if !ok {
		refuse(e.Pos(), "this call", "the interpreter does not know the type of the function", "call a function by its name")
	}
	if len(e.Args) == 1 && sig.Params().Len() > 0 {
		if tuple, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
			return f.spread(e, sig, tuple)
		}
	}
	return f.callWith(e, sig, e.Args, e.Ellipsis.IsValid())
}

// spread is f(g()) where g has several results: they pass through temporaries.
func (f *fn) spread(e *ast.CallExpr, sig *types.Signature, tuple *types.Tuple) string {
	var names []string
	for range tuple.Len() {
		names = append(names, f.fresh("t"))
	}
	results := strings.TrimPrefix(f.signature(types.NewSignatureType(nil, nil, nil, nil, sig.Results(), false), e.Pos()), "()")
	ret := ""
	if sig.Results().Len() > 0 {
		ret = "return "
	}
	early := f.early
	f.early = false
	inner := f.value(e.Args[0])
	first, call := "", ""
	if f.fixedTarget(e.Fun) {
		call = f.callText(e, sig, f.packed(sig, names, f.typesOf(tuple), e.Pos()), names, f.typesOf(tuple))
	} else {
		fun := f.fresh("f")
		first = fun + " := " + f.value(e.Fun) + "; "
		call = fun + "(" + strings.Join(f.packed(sig, names, f.typesOf(tuple), e.Pos()), ", ") + ")"
	}
	f.early = early
	return fmt.Sprintf("func()%s { %s%s := %s; %s%s }()", results, first, strings.Join(names, ", "), inner, ret, call)
}

// fixedTarget reports whether it makes no difference when the function of a call is evaluated.
func (f *fn) fixedTarget(fun ast.Expr) bool {
	o := calleeFunc(f.info, fun)
	if o == nil {
		return false
	}
	if sel, ok := ast.Unparen(fun).(*ast.SelectorExpr); ok {
		if _, ok := f.info.Selections[sel]; ok {
			return f.pure(sel.X)
		}
	}
	return true
}

// packed converts argument texts to the parameters of a lowered function, extra ones into a slice.
func (f *fn) packed(sig *types.Signature, args []string, from []types.Type, pos token.Pos) []string {
	var out []string
	n := sig.Params().Len()
	for i := range n {
		p := sig.Params().At(i).Type()
		if sig.Variadic() && i == n-1 {
			elem := p.(*types.Slice).Elem()
			var rest []string
			for j := i; j < len(args); j++ {
				rest = append(rest, f.convert(args[j], from[j], elem, pos))
			}
			out = append(out, f.sliceOf(p, rest, pos))
			break
		}
		out = append(out, f.convert(args[i], from[i], p, pos))
	}
	return out
}

func (f *fn) sliceOf(t types.Type, elems []string, pos token.Pos) string {
	if len(elems) == 0 {
		return converted(f.typ(t, pos), "nil")
	}
	return f.typ(t, pos) + "{" + strings.Join(elems, ", ") + "}"
}

// arguments converts the arguments of a call to the parameters of a lowered function.
func (f *fn) arguments(sig *types.Signature, args []ast.Expr, ellipsis bool, pos token.Pos) []string {
	var out []string
	n := sig.Params().Len()
	for i := range n {
		p := sig.Params().At(i).Type()
		if sig.Variadic() && i == n-1 && !ellipsis {
			elem := p.(*types.Slice).Elem()
			var rest []string
			for _, a := range args[i:] {
				rest = append(rest, f.conv(a, elem))
			}
			out = append(out, f.sliceOf(p, rest, pos))
			break
		}
		out = append(out, f.conv(args[i], p))
	}
	return out
}

// callWith calls e.Fun with the given arguments.
func (f *fn) callWith(e *ast.CallExpr, sig *types.Signature, args []ast.Expr, ellipsis bool) string {
	if o := calleeFunc(f.info, e.Fun); o != nil && f.isNativeCall(e.Fun, o) {
		return f.bothWays(o, f.typeOf(e), f.nativeCall(e, o, sig, args, ellipsis))
	}
	if s, ok := f.standardCall(e, args); ok {
		return s
	}
	return f.callText(e, sig, f.arguments(sig, args, ellipsis, e.Pos()), nil, nil)
}

// isNativeCall reports whether a function or method is compiled code that the call reaches directly.
func (f *fn) isNativeCall(fun ast.Expr, o *types.Func) bool {
	if sel, ok := ast.Unparen(fun).(*ast.SelectorExpr); ok {
		if s, ok := f.info.Selections[sel]; ok {
			if s.Kind() != types.MethodVal {
				return false
			}
			s2 := f.lookupSelection(sel)
			m, ok := s2.obj.(*types.Func)
			if !ok || isUserMethod(m) {
				return false
			}
			t := f.pathEnd(f.typeOf(sel.X), s2.index)
			return !types.IsInterface(t) || f.typ(t, fun.Pos()) != "any"
		}
	}
	if o.Signature().Recv() != nil {
		return false
	}
	return !dyn.UserPackage(o.Pkg()) && !f.isStandardGeneric(o)
}

// pathEnd is the type of the value whose method is called.
func (f *fn) pathEnd(t types.Type, index []int) types.Type {
	for _, i := range index[:len(index)-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		t = t.Underlying().(*types.Struct).Field(i).Type()
	}
	return t
}

// callText calls e.Fun with arguments that are already lowered. raw and from are the arguments as they
// were before conversion, for natives; nil where there is no such thing.
func (f *fn) callText(e *ast.CallExpr, sig *types.Signature, args, raw []string, from []types.Type) string {
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.SelectorExpr:
		if _, ok := f.info.Selections[fun]; ok {
			sel := f.lookupSelection(fun)
			if m, ok := sel.obj.(*types.Func); ok && !sel.expr {
				if f.isNativeCall(e.Fun, m) {
					return f.nativeMethodText(fun, sel, f.nativeArgs(m, sig, raw, from, e.Pos()))
				}
				return f.methodCall(fun, sel, args)
			}
		}
	case *ast.FuncLit: // called here, so that it has nothing to recover
		if f.recovers(fun.Body) {
			args = append([]string{"nil"}, args...)
		}
		return f.literal(fun, true) + "(" + strings.Join(args, ", ") + ")"
	}
	if o := calleeFunc(f.info, e.Fun); o != nil && o.Signature().Recv() == nil {
		if f.isNativeCall(e.Fun, o) {
			return f.nativeName(o, e.Pos()) + "(" + strings.Join(f.nativeArgs(o, sig, raw, from, e.Pos()), ", ") + ")"
		}
		key, display := f.funcKey(o)
		if f.funcRecovers(key) {
			args = append([]string{"nil"}, args...)
		}
		return f.instance(key, display, f.typeArgs(e.Fun)) + "(" + strings.Join(args, ", ") + ")"
	}
	f.note(e.Pos())
	return f.value(e.Fun) + "(" + strings.Join(args, ", ") + ")"
}

// methodCall calls a method that is written in a cell, or one of an interface.
func (f *fn) methodCall(fun *ast.SelectorExpr, sel selection, args []string) string {
	m := sel.obj.(*types.Func)
	recv, t := f.receiver(fun.X, sel)
	if !types.IsInterface(t) {
		return f.methodCallText(recv, t, m, args, false, fun.Pos())
	}
	if id, ok := ast.Unparen(fun.X).(*ast.Ident); ok && f.pure(id) && len(sel.index) == 1 {
		return f.methodCallText(recv, t, m, args, false, fun.Pos())
	}
	sig := f.typeOf(fun).Underlying().(*types.Signature)
	x := f.fresh("x")
	results := strings.TrimPrefix(f.signature(types.NewSignatureType(nil, nil, nil, nil, sig.Results(), false), fun.Pos()), "()")
	ret := ""
	if sig.Results().Len() > 0 {
		ret = "return "
	}
	return fmt.Sprintf("func()%s { var %s any = %s; %s%s }()", results, x, recv, ret, f.methodCallText(x, t, m, args, false, fun.Pos()))
}

// conversion is T(x).
func (f *fn) conversion(e *ast.CallExpr) string {
	x := e.Args[0]
	to := f.typeOf(e)
	if f.isNil(x) || types.IsInterface(to) {
		return f.conv(x, to)
	}
	from := f.typeOf(x)
	if f.info.Types[x].Value != nil && isUntyped(from) {
		from = types.Default(from)
		if b, fb := basicOf(to), basicOf(from); b != nil && fb != nil && b.Info()&types.IsNumeric != 0 && fb.Info()&types.IsNumeric != 0 {
			return f.conv(x, to) // a constant converted to a type parameter's type
		}
	}
	if isUntyped(from) {
		from = types.Default(from)
	}
	if _, ok := to.Underlying().(*types.Array); ok {
		if _, ok := from.Underlying().(*types.Slice); ok {
			refuse(e.Pos(), "a conversion from a slice to an array", "the interpreter has none", "declare the array and fill it: var a [4]int; copy(a[:], s)")
		}
	}
	if p, ok := to.Underlying().(*types.Pointer); ok {
		if _, ok := p.Elem().Underlying().(*types.Array); ok {
			if _, ok := from.Underlying().(*types.Slice); ok {
				refuse(e.Pos(), "a conversion from a slice to an array pointer", "the interpreter has none", "declare an array and fill it: var a [4]int; copy(a[:], s)")
			}
		}
	}
	a, b := f.typ(from, e.Pos()), f.typ(to, e.Pos())
	s := f.conv(x, from)
	if a == b {
		return "(" + s + ")"
	}
	if tb, fb := basicOf(to), basicOf(from); tb != nil && fb != nil && tb.Info()&types.IsInteger != 0 && fb.Info()&types.IsFloat != 0 {
		return fmt.Sprintf("%s(rt.FloatTo%s(float64(%s)))", b, integerOf(tb), s)
	}
	if tb := basicOf(to); tb != nil && tb.Info()&types.IsString != 0 {
		if fb := basicOf(from); fb != nil && fb.Info()&types.IsInteger != 0 {
			return b + "(rt.RuneString(int64(" + s + ")))"
		}
	}
	if strings.HasPrefix(b, "*") || strings.HasPrefix(b, "chan") || strings.HasPrefix(b, "func") {
		if _, ok := to.Underlying().(*types.Signature); ok {
			return s
		}
		if strings.HasPrefix(b, "*") {
			refuse(e.Pos(), "a conversion between pointer types", "the interpreter has none", "convert the value instead of the pointer: v := T(*p)")
		}
		return converted(b, s)
	}
	return converted(b, s)
}

// converted writes a conversion. The interpreter takes a parenthesised type name for a value.
func converted(t, s string) string {
	if strings.ContainsAny(t, "*[( ") {
		return "(" + t + ")(" + s + ")"
	}
	return t + "(" + s + ")"
}

// integerOf names the integer type that a float is converted to, for a native helper that does what the compiler does.
func integerOf(b *types.Basic) string {
	switch b.Kind() {
	case types.Uint64, types.Uint, types.Uintptr:
		return "Uint64"
	case types.Uint32:
		return "Uint32"
	}
	return "Int64"
}

// nativeCall calls compiled code.
func (f *fn) nativeCall(e *ast.CallExpr, o *types.Func, sig *types.Signature, args []ast.Expr, ellipsis bool) string {
	n := sig.Params().Len()
	var out []string
	for i, a := range args {
		var p types.Type
		spread := false
		switch {
		case sig.Variadic() && i >= n-1 && !ellipsis:
			p = sig.Params().At(n - 1).Type().(*types.Slice).Elem()
		default:
			p = sig.Params().At(i).Type()
			spread = ellipsis && i == n-1
		}
		s := f.nativeArg(o, i, a, p)
		if spread {
			s += "..."
		}
		out = append(out, s)
	}
	f.note(e.Pos())
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
		if _, ok := f.info.Selections[sel]; ok {
			return f.nativeMethodText(sel, f.lookupSelection(sel), out)
		}
	}
	return f.nativeName(o, e.Pos()) + "(" + strings.Join(out, ", ") + ")"
}

// bothWays takes the direction from a channel of compiled code, as lowered channels have none.
func (f *fn) bothWays(o types.Object, t types.Type, text string) string {
	c, ok := t.(*types.Chan)
	if !ok || c.Dir() != types.RecvOnly || !native(o) {
		return text
	}
	switch dyn.Key(c.Elem()) {
	case "time.Time":
		return "rt.TimeChan(" + text + ")"
	case "struct {}":
		return "rt.DoneChan(" + text + ")"
	}
	return text
}

// nativeArg is one argument for compiled code.
func (f *fn) nativeArg(o *types.Func, i int, a ast.Expr, p types.Type) string {
	if lit, ok := ast.Unparen(a).(*ast.FuncLit); ok && (!types.IsInterface(p) || f.run.Faithful(f.typeOf(a))) {
		return f.literal(lit, false)
	}
	if isEmptyInterface(p) && !f.isNil(a) && !types.IsInterface(f.typeOf(a)) {
		f.checkAny(o, i, f.typeOf(a), a.Pos())
		if xmlFuncs[o.FullName()] {
			f.checkXML(o, f.typeOf(a), a.Pos())
			return f.conv(a, types.Default(f.typeOf(a)))
		}
		if o.Pkg().Path() == engine.HostPath || rawAny[o.FullName()] {
			f.methodsFor(types.Default(f.typeOf(a)), a.Pos()) // the host may ask for its text
			return f.conv(a, types.Default(f.typeOf(a)))
		}
	}
	return f.conv(a, p)
}

// nativeArgs are arguments for compiled code that exist as texts already.
func (f *fn) nativeArgs(o *types.Func, sig *types.Signature, raw []string, from []types.Type, pos token.Pos) []string {
	var out []string
	n := sig.Params().Len()
	for i, s := range raw {
		var p types.Type
		if sig.Variadic() && i >= n-1 {
			p = sig.Params().At(n - 1).Type().(*types.Slice).Elem()
		} else {
			p = sig.Params().At(i).Type()
		}
		if isEmptyInterface(p) && !types.IsInterface(from[i]) {
			f.checkAny(o, i, from[i], pos)
			if o.Pkg().Path() == engine.HostPath || rawAny[o.FullName()] {
				out = append(out, s)
				continue
			}
		}
		out = append(out, f.convert(s, from[i], p, pos))
	}
	return out
}

// nativeCallText calls compiled code with lowered arguments, the last one a slice if the function is variadic.
func (f *fn) nativeCallText(o *types.Func, sig *types.Signature, args []string, from []types.Type, variadic bool, pos token.Pos) string {
	var out []string
	for i, s := range args {
		if variadic && i == len(args)-1 {
			out = append(out, s+"...")
			continue
		}
		out = append(out, s)
	}
	return f.nativeName(o, pos) + "(" + strings.Join(out, ", ") + ")"
}

// nativeMethodText calls a method of a compiled type.
func (f *fn) nativeMethodText(sel *ast.SelectorExpr, s selection, args []string) string {
	m := s.obj.(*types.Func)
	_, wantPtr := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
	t := f.typeOf(sel.X)
	text := f.receiverOperand(sel.X, t, s.index[:len(s.index)-1], wantPtr)
	if !f.isNativeRecv(t) {
		text, _ = f.fieldPath(text, t, s.index[:len(s.index)-1], sel.Pos())
	}
	f.note(sel.Sel.Pos())
	if hook, ok := methodHooks[m.FullName()]; ok {
		if _, isPtr := f.pathEnd(t, s.index).Underlying().(*types.Pointer); wantPtr && !isPtr && !strings.HasPrefix(text, "&") && !strings.HasPrefix(text, "(&") {
			text = "&" + text
		}
		return hook + "(" + strings.Join(append([]string{text}, args...), ", ") + ")"
	}
	return text + "." + m.Name() + "(" + strings.Join(args, ", ") + ")"
}

func (f *fn) isNativeRecv(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && !dyn.IsUser(n)
}

// nativeName is a compiled function in the lowered file.
func (f *fn) nativeName(o *types.Func, pos token.Pos) string {
	if o.Pkg().Path() == engine.HostPath {
		return f.hostName(o.Name())
	}
	if hook, ok := funcHooks[o.FullName()]; ok {
		return hook
	}
	if _, ok := f.symbols(o.Pkg().Path())[o.Name()]; !ok {
		refuse(pos, o.Pkg().Name()+"."+o.Name(), "the interpreter does not have it", withoutFunc(o))
	}
	return f.importName(o.Pkg().Path()) + "." + o.Name()
}

func isEmptyInterface(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}

// withoutFunc says what to write instead of a function of the standard library that the interpreter does not have.
func withoutFunc(o *types.Func) string {
	switch o.FullName() {
	case "iter.Pull", "iter.Pull2":
		return "range over the sequence, or collect it first with slices.Collect"
	case "math/rand/v2.N":
		return "use rand.IntN or rand.Int64N"
	}
	return "write what it does as a function of the cell"
}
