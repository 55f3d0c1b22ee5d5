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

// funcValue is a function used as a value.
func (f *fn) funcValue(e ast.Expr, o *types.Func) string {
	sig := f.typeOf(e).Underlying().(*types.Signature)
	switch {
	case o.Pkg() != nil && o.Pkg().Path() == engine.HostPath, native(o) && !f.isStandardGeneric(o):
		return f.nativeFuncValue(e, o, sig)
	}
	key := f.funcKey(o)
	targs := f.typeArgs(e)
	// The interpreter hands on a declared function as a part of its syntax tree; a literal is a real function.
	return f.forward(sig, func(args []string) string {
		return f.calling(key, targs, args)
	}, e.Pos())
}

// calling is the call of a function or method that is written in a cell; its receiver is the first argument.
func (l *unit) calling(key string, targs []types.Type, args []string) string {
	name := l.instance(key, targs)
	if src := l.funcs[key]; src != nil {
		for i, t := range l.parameters(src, targs) {
			if signed(t) {
				args[i] = "any(" + args[i] + ")"
			}
		}
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// parameters are the types of a function's receiver, if it has one, and parameters.
func (l *unit) parameters(src *source, targs []types.Type) []types.Type {
	sig := src.info.Defs[src.decl.Name].(*types.Func).Signature()
	m := typeParams(sig, targs)
	var out []types.Type
	if sig.Recv() != nil {
		out = append(out, l.subst(sig.Recv().Type(), m))
	}
	for v := range sig.Params().Variables() {
		out = append(out, l.subst(v.Type(), m))
	}
	return out
}

// typeParams maps the type parameters of a function or of its receiver.
func typeParams(sig *types.Signature, targs []types.Type) map[*types.TypeParam]types.Type {
	params := sig.TypeParams()
	if sig.Recv() != nil {
		params = sig.RecvTypeParams()
	}
	m := map[*types.TypeParam]types.Type{}
	for i, a := range targs {
		m[params.At(i)] = a
	}
	return m
}

// signed reports whether a value of a type may be a negative zero and nothing else. The interpreter makes it a zero where it is
// the argument of a declared function, but not in an interface.
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

// nativeFuncValue wraps a native function, so that it takes lowered arguments.
func (f *fn) nativeFuncValue(e ast.Expr, o *types.Func, sig *types.Signature) string {
	if decoders[o.FullName()] || o.FullName() == "errors.As" {
		refuse(e.Pos(), o.FullName()+" as a value", "what it is handed is not known", "call it in a function literal")
	}
	return f.forward(sig, func(args []string) string {
		if sig.Variadic() {
			args[len(args)-1] += "..."
		}
		return f.nativeName(o, e.Pos()) + "(" + strings.Join(args, ", ") + ")"
	}, e.Pos())
}

func (f *fn) typesOf(t *types.Tuple) []types.Type {
	var out []types.Type
	for i := range t.Len() {
		out = append(out, t.At(i).Type())
	}
	return out
}

// forward is a function literal with the given signature that returns what call makes of its parameters.
func (f *fn) forward(sig *types.Signature, call func(args []string) string, pos token.Pos) string {
	var names, params []string
	for i := range sig.Params().Len() {
		n := f.fresh("a")
		names = append(names, n)
		params = append(params, n+" "+f.typ(sig.Params().At(i).Type(), pos))
	}
	results, ret := f.resultsText(sig, pos)
	return fmt.Sprintf("func(%s)%s { %s%s }", strings.Join(params, ", "), results, ret, call(names))
}

// funcKey is the key of a function that is written in a cell or in the embedded standard library.
func (f *fn) funcKey(o *types.Func) string {
	o = o.Origin()
	if dyn.UserPackage(o.Pkg()) {
		return o.Name()
	}
	return o.Pkg().Path() + "." + o.Name()
}

// typeArgs are the type arguments of a use of a generic function.
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

// funcInstance is f[T] as a value.
func (f *fn) funcInstance(e ast.Expr) string {
	var x ast.Expr
	switch e := e.(type) {
	case *ast.IndexExpr:
		x = e.X
	case *ast.IndexListExpr:
		x = e.X
	}
	o := calleeFunc(f.info, x)
	if o == nil {
		refuse(e.Pos(), "this instantiation", "the interpreter does not know the function", "call it directly")
	}
	return f.funcValue(e, o)
}

// calleeFunc is the function that an expression names; nil if it is no plain name of one.
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
