package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
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
	results, ret := f.resultsText(sig, e.Pos())
	inner := f.value(e.Args[0])
	first, call := "", ""
	if f.fixedTarget(e.Fun) {
		call = f.callText(e, sig, f.packed(sig, names, f.typesOf(tuple), e.Pos()), names, f.typesOf(tuple))
	} else {
		fun := f.fresh("f")
		first = fun + " := " + f.value(e.Fun) + "; "
		call = fun + "(" + strings.Join(f.packed(sig, names, f.typesOf(tuple), e.Pos()), ", ") + ")"
	}
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
		return f.calling(key, display, f.typeArgs(e.Fun), args)
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
	results, ret := f.resultsText(sig, fun.Pos())
	return fmt.Sprintf("func()%s { var %s any = %s; %s%s }()", results, x, recv, ret, f.methodCallText(x, t, m, args, false, fun.Pos()))
}
