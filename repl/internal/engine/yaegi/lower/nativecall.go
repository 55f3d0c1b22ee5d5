package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// isNativeCall reports whether a function or method is compiled code that can be called directly.
func (f *fn) isNativeCall(fun ast.Expr, o *types.Func) bool {
	if sel, ok := ast.Unparen(fun).(*ast.SelectorExpr); ok && f.info.Selections[sel] != nil {
		return f.info.Selections[sel].Kind() == types.MethodVal && !isUserMethod(o)
	}
	return o.Signature().Recv() == nil && !dyn.UserPackage(o.Pkg()) && !f.isStandardGeneric(o)
}

// nativeCall lowers a call of compiled code.
func (f *fn) nativeCall(e *ast.CallExpr, o *types.Func, sig *types.Signature) string {
	var args []string
	for i, a := range e.Args {
		args = append(args, f.nativeArg(e, o, i, a, parameter(sig, e, i)))
	}
	if e.Ellipsis.IsValid() {
		args[len(args)-1] += "..."
	}
	name := ""
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && f.info.Selections[sel] != nil {
		refuseNative(o, e.Pos())
		name = f.nativeReceiver(sel, f.info.Selections[sel]) + "." + o.Name()
	} else {
		name = f.nativeName(o, e.Pos())
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// nativeArg lowers one argument for compiled code.
func (f *fn) nativeArg(e *ast.CallExpr, o *types.Func, i int, a ast.Expr, p types.Type) string {
	t := types.Default(f.typeOf(a))
	switch {
	case !types.IsInterface(p) || types.IsInterface(t) || isUntyped(t):
		return f.conv(a, p)
	case o.Pkg().Path() == engine.HostPath:
		return f.conv(a, t) // the host receives the argument in its own type
	case f.run.Compiled(t) == nil && (f.std || f.shows(e, o, i, t)):
		return "rt.Plain(" + f.conv(a, t) + ")"
	}
	return f.conv(a, p)
}

// nativeReceiver lowers the receiver of a method of a compiled type.
func (f *fn) nativeReceiver(sel *ast.SelectorExpr, s *types.Selection) string {
	t, text := f.typeOf(sel.X), f.receiverOperand(sel.X, s)
	if f.isNativeRecv(t) {
		return text
	}
	text, _ = f.fieldPath(text, t, s.Index()[:len(s.Index())-1], sel.Pos())
	return text
}

func (f *fn) isNativeRecv(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && !dyn.IsUser(n)
}

// nativeName returns the name of a compiled function in the lowered file.
func (f *fn) nativeName(o *types.Func, pos token.Pos) string {
	if o.Pkg().Path() == engine.HostPath {
		return f.hostName(o.Name())
	}
	if hook, ok := funcHooks[o.FullName()]; ok {
		return hook
	}
	refuseNative(o, pos)
	if _, ok := f.symbols(o.Pkg().Path())[o.Name()]; !ok {
		refuse(pos, "a generic function of the standard library", "the interpreter does not have "+o.Pkg().Name()+"."+
			o.Name(), "write what it does as a function of the cell")
	}
	return f.importName(o.Pkg().Path()) + "." + o.Name()
}
