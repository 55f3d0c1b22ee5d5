package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

func (f *fn) deferStmt(s *ast.DeferStmt) {
	p := f.fresh("panics")
	text := f.delayed(s.Call, p)
	f.emit("rt.Push(%s, func(%s *rt.Panics) { %s })", f.defers, p, text)
}

// delayed is a call whose function and arguments are evaluated now and which runs later. panics is the name of the
// parameter through which it may recover; empty for a go statement.
func (f *fn) delayed(e *ast.CallExpr, panics string) string {
	state := "nil"
	if panics != "" {
		state = panics
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if b, ok := f.info.Uses[id].(*types.Builtin); ok {
			return f.delayedBuiltin(e, b.Name())
		}
	}
	if f.info.Types[e.Fun].IsType() {
		refuse(e.Pos(), "a deferred conversion", "it has no effect", "leave it out")
	}
	sig := f.under(e.Fun).(*types.Signature)
	var args []string
	var from []types.Type
	if len(e.Args) == 1 && sig.Params().Len() > 0 {
		if tuple, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
			args, from = f.tupleTemps(e.Args[0]), f.typesOf(tuple)
		}
	}
	fun, method := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if method {
		_, method = f.info.Selections[fun]
	}
	var target string
	lit, isLit := ast.Unparen(e.Fun).(*ast.FuncLit)
	o := calleeFunc(f.info, e.Fun)
	switch {
	case isLit:
		target = f.fresh("lit")
		f.emit("%s := %s", target, f.literal(lit, true))
	case method, o == nil:
		target = f.fresh("call")
		f.emit("%s := %s", target, f.value(e.Fun))
	}
	if args == nil {
		args, from = f.delayedArgs(e, sig)
	}
	if target != "" {
		packed := args
		if !e.Ellipsis.IsValid() {
			packed = f.packed(sig, args, from, e.Pos())
		}
		if isLit && f.recovers(lit.Body) {
			packed = append([]string{state}, packed...)
		}
		return target + "(" + strings.Join(packed, ", ") + ")"
	}
	return f.delayedStatic(e, o, sig, args, from)
}

// delayedStatic is a delayed call of a function that is known by name.
func (f *fn) delayedStatic(e *ast.CallExpr, o *types.Func, sig *types.Signature, args []string, from []types.Type) string {
	if f.isNativeCall(e.Fun, o) {
		if e.Ellipsis.IsValid() {
			args[len(args)-1] += "..."
			return f.nativeName(o, e.Pos()) + "(" + strings.Join(args, ", ") + ")"
		}
		return f.nativeName(o, e.Pos()) + "(" + strings.Join(f.nativeArgs(o, sig, args, from, e.Pos()), ", ") + ")"
	}
	if !e.Ellipsis.IsValid() {
		args = f.packed(sig, args, from, e.Pos())
	}
	key, display := f.funcKey(o)
	return f.calling(key, display, f.typeArgs(e.Fun), args)
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
	switch name {
	case "panic", "print", "println":
		var args []string
		for _, a := range e.Args {
			t := f.fresh("t")
			f.emit("var %s any = %s", t, f.anyOf(a))
			args = append(args, t)
		}
		if name == "panic" {
			return fmt.Sprintf("rt.Panic(%s, %d)", args[0], f.site(e.Pos()))
		}
		return fmt.Sprintf("rt.Builtin%s(%s)", strings.ToUpper(name[:1])+name[1:], strings.Join(args, ", "))
	case "close":
		t := f.fresh("t")
		f.emit("%s := %s", t, f.value(e.Args[0]))
		return "close(" + t + ")"
	case "delete":
		m, k := f.fresh("t"), f.fresh("t")
		mt := f.under(e.Args[0]).(*types.Map)
		f.emit("%s := %s", m, f.value(e.Args[0]))
		f.emit("var %s %s = %s", k, f.typ(mt.Key(), e.Pos()), f.conv(e.Args[1], mt.Key()))
		return "delete(" + m + ", " + k + ")"
	case "recover":
		return "rt.Recover(nil)"
	}
	refuse(e.Pos(), name+" in a defer or go statement", "the interpreter cannot delay it", "put it into a function literal")
	return ""
}
