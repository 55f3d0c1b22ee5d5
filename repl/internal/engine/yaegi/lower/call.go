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
	if tuple, ok := f.resultsOf(e.Args); ok {
		return f.spread(e, sig, tuple)
	}
	return f.callWith(e, sig, f.exprArgs(e.Args))
}

// resultsOf are the results of the call that is the only argument of another one, if there are several.
func (f *fn) resultsOf(args []ast.Expr) (*types.Tuple, bool) {
	if len(args) != 1 {
		return nil, false
	}
	tuple, ok := f.typeOf(args[0]).(*types.Tuple)
	return tuple, ok
}

// argument is an argument of a call: an expression, or what a temporary holds.
type argument struct {
	expr ast.Expr // nil for a temporary
	typ  types.Type
	to   func(types.Type) string // its text, converted to a type
}

func (f *fn) exprArgs(list []ast.Expr) (out []argument) {
	for _, e := range list {
		out = append(out, argument{e, types.Default(f.typeOf(e)), func(t types.Type) string { return f.conv(e, t) }})
	}
	return out
}

func (f *fn) textArgs(texts []string, from []types.Type, pos token.Pos) (out []argument) {
	for i, s := range texts {
		out = append(out, argument{nil, from[i], func(t types.Type) string { return f.convert(s, from[i], t, pos) }})
	}
	return out
}

// spread is f(g()) where g has several results: they pass through temporaries.
func (f *fn) spread(e *ast.CallExpr, sig *types.Signature, tuple *types.Tuple) string {
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && f.info.Selections[sel] != nil && !f.pure(sel.X) || calleeFunc(f.info, e.Fun) == nil && !f.pure(e.Fun) {
		refuse(e.Pos(), "a computed function that is called with the results of a call", "the interpreter would compute it last", "put the results into variables first")
	}
	var names []string
	for range tuple.Len() {
		names = append(names, f.fresh("t"))
	}
	results, ret := f.resultsText(sig, e.Pos())
	inner := f.value(e.Args[0])
	call := f.callWith(e, sig, f.textArgs(names, f.typesOf(tuple), e.Pos()))
	return fmt.Sprintf("func()%s { %s := %s; %s%s }()", results, strings.Join(names, ", "), inner, ret, call)
}

// arguments converts the arguments of a call to the parameters of a lowered function, extra ones into a slice.
func (f *fn) arguments(sig *types.Signature, args []argument, ellipsis bool, pos token.Pos) []string {
	var out []string
	n := sig.Params().Len()
	for i := range n {
		p := sig.Params().At(i).Type()
		if !sig.Variadic() || i < n-1 || ellipsis {
			out = append(out, args[i].to(p))
			continue
		}
		var rest []string
		for _, a := range args[i:] {
			rest = append(rest, a.to(p.(*types.Slice).Elem()))
		}
		if len(rest) == 0 {
			out = append(out, converted(f.typ(p, pos), "nil"))
		} else {
			out = append(out, f.typ(p, pos)+"{"+strings.Join(rest, ", ")+"}")
		}
	}
	return out
}

// callWith calls e.Fun with the given arguments.
func (f *fn) callWith(e *ast.CallExpr, sig *types.Signature, args []argument) string {
	if o := calleeFunc(f.info, e.Fun); o != nil && f.isNativeCall(e.Fun, o) {
		return f.bothWays(o, f.typeOf(e), f.nativeCall(e, o, sig, args))
	}
	return f.callText(e, f.arguments(sig, args, e.Ellipsis.IsValid(), e.Pos()))
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

// callText calls e.Fun with arguments that are already lowered.
func (f *fn) callText(e *ast.CallExpr, args []string) string {
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.SelectorExpr:
		if _, ok := f.info.Selections[fun]; ok {
			sel := f.lookupSelection(fun)
			if _, ok := sel.obj.(*types.Func); ok && !sel.expr {
				return f.methodCall(fun, sel, args)
			}
		}
	case *ast.FuncLit:
		return "func" + f.literalBody(fun) + "(" + strings.Join(args, ", ") + ")"
	}
	if o := calleeFunc(f.info, e.Fun); o != nil && o.Signature().Recv() == nil {
		return f.calling(f.funcKey(o), f.typeArgs(e.Fun), args)
	}
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
