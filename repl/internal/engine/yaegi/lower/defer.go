package lower

import (
	"go/ast"
	"go/types"
	"strings"
)

func (f *fn) deferStmt(s *ast.DeferStmt) {
	text := f.delayed(s.Call)
	f.emit("rt.Push(%s, func() { %s })", f.defers, text)
}

// delayed evaluates the function and arguments of a call now, and returns a function that makes the call later.
func (f *fn) delayed(e *ast.CallExpr) string {
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && f.info.Types[e.Fun].IsBuiltin() {
		return f.delayedBuiltin(e, id.Name)
	}
	sig, ok := f.under(e.Fun).(*types.Signature)
	if !ok {
		refuse(e.Pos(), "a deferred conversion", "it has no effect", "leave it out")
	}
	f.refuseSpread(e)
	target := f.fresh("call")
	f.emit("%s := %s", target, f.value(e.Fun))
	args := f.arguments(sig, e, func(a ast.Expr, p types.Type) string {
		t := f.fresh("t")
		f.emit("var %s %s = %s", t, f.typ(p, a.Pos()), f.settled(a, p))
		return t
	})
	return target + "(" + strings.Join(args, ", ") + ")"
}

func (f *fn) delayedBuiltin(e *ast.CallExpr, name string) string {
	t := f.fresh("t")
	switch name {
	case "panic":
		f.emit("var %s any = %s", t, f.anyOf(e.Args[0]))
		return "rt.Panic(" + t + ")"
	}
	refuse(e.Pos(), "a builtin in a defer statement", "the interpreter cannot delay it",
		"put it into a function literal")
	return ""
}
