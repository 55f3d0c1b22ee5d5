package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// funcValue lowers a function that is used as a value.
func (f *fn) funcValue(e ast.Expr, o *types.Func) string {
	sig := f.typeOf(e).Underlying().(*types.Signature)
	// The interpreter passes a declared function as a part of its syntax tree; a literal is a real function.
	return f.forward(sig, func(args []string) string {
		if dyn.UserPackage(o.Pkg()) || f.isStandardGeneric(o) {
			return f.calling(f.funcKey(o), f.typeArgs(e), args)
		}
		if sig.Variadic() {
			args[len(args)-1] += "..."
		}
		return f.nativeName(o, e.Pos()) + "(" + strings.Join(args, ", ") + ")"
	}, e.Pos())
}

// calling writes a call of a function or method from a cell or from the embedded standard library. The receiver is
// the first argument.
func (l *unit) calling(key string, targs []types.Type, args []string) string {
	name := l.instance(key, targs)
	if src := l.funcs[key]; src != nil {
		sig := src.info.Defs[src.decl.Name].(*types.Func).Signature()
		params := slices.Collect(sig.Params().Variables())
		if sig.Recv() != nil {
			params = append([]*types.Var{sig.Recv()}, params...)
		}
		for i, v := range params {
			if signed(v.Type()) {
				args[i] = "any(" + args[i] + ")"
			}
		}
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// signed reports whether a value of a type may equal the zero value but contain a negative zero. The interpreter
// loses the sign when it passes such a value to a declared function, but not when the value is in an interface.
func signed(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsFloat != 0
	case *types.Array:
		return signed(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if signed(f.Type()) {
				return true
			}
		}
	}
	return false
}

func (f *fn) typesOf(t *types.Tuple) []types.Type {
	var out []types.Type
	for i := range t.Len() {
		out = append(out, t.At(i).Type())
	}
	return out
}

// forward writes a function literal with the given signature that returns the result of call for its own
// parameters.
func (f *fn) forward(sig *types.Signature, call func(args []string) string, pos token.Pos) string {
	var names, params []string
	for i := range sig.Params().Len() {
		n := f.fresh("a")
		names = append(names, n)
		params = append(params, n+" "+f.typ(sig.Params().At(i).Type(), pos))
	}
	results, ret := f.resultsText(sig.Results(), pos)
	return fmt.Sprintf("func(%s)%s { %s%s }", strings.Join(params, ", "), results, ret, call(names))
}

// funcKey returns the key of a function written in a cell or in the embedded standard library.
func (f *fn) funcKey(o *types.Func) string {
	o = o.Origin()
	if dyn.UserPackage(o.Pkg()) {
		return o.Name()
	}
	return o.Pkg().Path() + "." + o.Name()
}

// typeArgs returns the type arguments of a use of a generic function.
func (f *fn) typeArgs(e ast.Expr) []types.Type {
	var id *ast.Ident
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	case *ast.IndexExpr:
		return f.typeArgs(x.X)
	case *ast.IndexListExpr:
		return f.typeArgs(x.X)
	}
	inst := f.info.Instances[id]
	var args []types.Type
	for i := range inst.TypeArgs.Len() {
		args = append(args, f.subst(inst.TypeArgs.At(i), f.tparam))
	}
	return args
}

// calleeFunc returns the function that an expression names; nil if the expression is anything but the name of a
// function.
func calleeFunc(info *types.Info, e ast.Expr) *types.Func {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		o, _ := info.Uses[e].(*types.Func)
		return o
	case *ast.SelectorExpr:
		o, _ := info.Uses[e.Sel].(*types.Func)
		return o
	case *ast.IndexExpr:
		return calleeFunc(info, e.X)
	case *ast.IndexListExpr:
		return calleeFunc(info, e.X)
	}
	return nil
}
