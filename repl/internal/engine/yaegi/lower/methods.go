package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// methodKey returns the key of a method declared in a cell.
func methodKey(recv types.Type, m *types.Func) string {
	if p, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = p.Elem()
	}
	return types.Unalias(recv).(*types.Named).Obj().Name() + "." + m.Name()
}

// isUserMethod reports whether a method is declared in a cell.
func isUserMethod(m *types.Func) bool {
	return m.Pkg() != nil && dyn.UserPackage(m.Pkg())
}

// methodValue lowers x.m or T.m that is not called directly to a closure.
func (f *fn) methodValue(e *ast.SelectorExpr, sel *types.Selection) string {
	m := sel.Obj().(*types.Func)
	sig := f.typeOf(e).Underlying().(*types.Signature)
	if sel.Kind() == types.MethodExpr {
		recv := sig.Params().At(0).Type()
		return f.forward(sig, func(args []string) string {
			text, t := f.receiverText(args[0], recv, sel, e.Pos())
			return f.methodCallText(text, t, m, args[1:], sig.Variadic(), e.Pos())
		}, e.Pos())
	}
	text, t := f.receiver(e.X, sel)
	if types.IsInterface(t) {
		refuse(e.Pos(), "a method value of an interface", "the interpreter looks for the method too late",
			"call it in a function literal")
	}
	bound := f.fresh("recv")
	literal := f.forward(sig, func(args []string) string {
		return f.methodCallText(bound, t, m, args, sig.Variadic(), e.Pos())
	}, e.Pos())
	return fmt.Sprintf("(func(%s %s) %s { return %s })(%s)", bound, f.typ(t, e.Pos()), f.typ(sig, e.Pos()), literal,
		text)
}

// methodCallText returns a method call. recv is already the value or address that the method takes as its receiver.
func (f *fn) methodCallText(
	recv string, t types.Type, m *types.Func, args []string, variadic bool, pos token.Pos,
) string {
	if isUserMethod(m) {
		return f.calling(methodKey(t, m), nil, append([]string{recv}, args...))
	}
	refuseNative(m, pos)
	if variadic && len(args) > 0 {
		args[len(args)-1] += "..."
	}
	return recv + "." + m.Name() + "(" + strings.Join(args, ", ") + ")"
}
