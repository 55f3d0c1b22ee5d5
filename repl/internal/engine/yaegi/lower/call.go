package lower

import (
	"go/ast"
	"go/types"
	"strings"
)

// call lowers a call or a conversion as an expression.
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
		refuse(e.Pos(), "this call", "the interpreter does not know the type of the function",
			"call a function by its name")
	}
	f.refuseSpread(e)
	if o := calleeFunc(f.info, e.Fun); o != nil && f.isNativeCall(e.Fun, o) {
		return f.nativeCall(e, o, sig)
	}
	return f.callText(e, f.arguments(sig, e, func(a ast.Expr, t types.Type) string { return f.conv(a, t) }))
}

// unspread turns the statement f(g()), where g has several results, into f(a, b), where a and b are variables.
func (f *fn) unspread(e *ast.CallExpr) *ast.CallExpr {
	o := calleeFunc(f.info, e.Fun)
	if len(e.Args) != 1 || o == nil || o.Signature().Recv() != nil {
		return e
	}
	tuple, ok := f.typeOf(e.Args[0]).(*types.Tuple)
	if !ok {
		return e
	}
	out := &ast.CallExpr{Fun: e.Fun, Lparen: e.Lparen, Rparen: e.Rparen}
	for i, name := range f.tupleTemps(e.Args[0]) {
		out.Args = append(out.Args, f.variableOf(name, tuple.At(i).Type(), e.Pos()))
	}
	f.info.Types[out] = f.info.Types[e]
	return out
}

// refuseSpread refuses f(g()) if g has several results.
func (f *fn) refuseSpread(e *ast.CallExpr) {
	if len(e.Args) != 1 {
		return
	}
	if _, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
		refuse(e.Pos(), "a call with the results of another one", "the interpreter cannot spread them",
			"put the results into variables first")
	}
}

// parameter returns the type of the parameter for the i-th argument of a call.
func parameter(sig *types.Signature, e *ast.CallExpr, i int) types.Type {
	n := sig.Params().Len()
	p := sig.Params().At(min(i, n-1)).Type()
	if sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
		return p.(*types.Slice).Elem()
	}
	return p
}

// arguments returns the arguments for a call of a lowered function; variadic ones are in a slice.
func (f *fn) arguments(sig *types.Signature, e *ast.CallExpr, text func(a ast.Expr, t types.Type) string) []string {
	var out []string
	for i, a := range e.Args {
		out = append(out, text(a, parameter(sig, e, i)))
	}
	if !sig.Variadic() || e.Ellipsis.IsValid() {
		return out
	}
	n := sig.Params().Len() - 1
	slice := f.typ(sig.Params().At(n).Type(), e.Pos())
	rest := converted(slice, "nil")
	if len(out) > n {
		rest = slice + "{" + strings.Join(out[n:], ", ") + "}"
	}
	return append(out[:n:n], rest)
}

// callText returns a call of e.Fun with arguments that are already lowered.
func (f *fn) callText(e *ast.CallExpr, args []string) string {
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.SelectorExpr:
		if sel := f.info.Selections[fun]; sel != nil && sel.Kind() == types.MethodVal {
			recv, t := f.receiver(fun.X, sel)
			return f.methodCallText(recv, t, sel.Obj().(*types.Func), args, false, e.Pos())
		}
	case *ast.FuncLit:
		return f.literal(fun) + "(" + strings.Join(args, ", ") + ")"
	}
	if o := calleeFunc(f.info, e.Fun); o != nil && o.Signature().Recv() == nil {
		return f.calling(f.funcKey(o), f.typeArgs(e.Fun), args)
	}
	return f.value(e.Fun) + "(" + strings.Join(args, ", ") + ")"
}
