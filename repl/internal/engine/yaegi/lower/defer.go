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

// delayed is a call whose function and arguments are evaluated now and which runs later.
func (f *fn) delayed(e *ast.CallExpr) string {
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && f.info.Types[e.Fun].IsBuiltin() {
		return f.delayedBuiltin(e, id.Name)
	}
	sig, ok := f.under(e.Fun).(*types.Signature)
	if !ok {
		refuse(e.Pos(), "a deferred conversion", "it has no effect", "leave it out")
	}
	var args []string
	var from []types.Type
	target := f.fresh("call")
	if lit, ok := ast.Unparen(e.Fun).(*ast.FuncLit); ok {
		f.emit("%s := func%s", target, f.literalBody(lit))
	} else {
		f.emit("%s := %s", target, f.value(e.Fun))
	}
	if tuple, ok := f.resultsOf(e.Args); ok {
		args, from = f.tupleTemps(e.Args[0]), f.typesOf(tuple)
	} else {
		args, from = f.delayedArgs(e, sig)
	}
	packed := f.arguments(sig, f.textArgs(args, from, e.Pos()), e.Ellipsis.IsValid(), e.Pos())
	return target + "(" + strings.Join(packed, ", ") + ")"
}

// delayedArgs evaluates arguments into temporaries of the parameters' types.
func (f *fn) delayedArgs(e *ast.CallExpr, sig *types.Signature) (args []string, from []types.Type) {
	n := sig.Params().Len()
	for i, a := range e.Args {
		var p types.Type
		if sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
			p = sig.Params().At(n - 1).Type().(*types.Slice).Elem()
		} else {
			p = sig.Params().At(i).Type()
		}
		t := f.fresh("t")
		f.emit("var %s %s = %s", t, f.typ(p, a.Pos()), f.settled(a, p))
		args = append(args, t)
		from = append(from, p)
	}
	return args, from
}

func (f *fn) delayedBuiltin(e *ast.CallExpr, name string) string {
	t := f.fresh("t")
	switch name {
	case "panic":
		f.emit("var %s any = %s", t, f.anyOf(e.Args[0]))
		return "rt.Panic(" + t + ")"
	case "close":
		f.emit("%s := %s", t, f.value(e.Args[0]))
		return "close(" + t + ")"
	}
	refuse(e.Pos(), name+" in a defer or go statement", "the interpreter cannot delay it", "put it into a function literal")
	return ""
}
