package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// isNativeCall reports whether a function or method is compiled code that the call reaches directly.
func (f *fn) isNativeCall(fun ast.Expr, o *types.Func) bool {
	if sel, ok := ast.Unparen(fun).(*ast.SelectorExpr); ok {
		if s, ok := f.info.Selections[sel]; ok {
			if s.Kind() != types.MethodVal {
				return false
			}
			s2 := f.lookupSelection(sel)
			m, ok := s2.obj.(*types.Func)
			if !ok || isUserMethod(m) {
				return false
			}
			t := f.pathEnd(f.typeOf(sel.X), s2.index)
			return !types.IsInterface(t) || f.typ(t, fun.Pos()) != "any"
		}
	}
	if o.Signature().Recv() != nil {
		return false
	}
	return !dyn.UserPackage(o.Pkg()) && !f.isStandardGeneric(o)
}

// nativeCall calls compiled code.
func (f *fn) nativeCall(e *ast.CallExpr, o *types.Func, sig *types.Signature, args []argument) string {
	n := sig.Params().Len()
	var out []string
	for i, a := range args {
		p := sig.Params().At(min(i, n-1)).Type()
		if sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
			p = p.(*types.Slice).Elem()
		}
		out = append(out, f.nativeArg(o, a, p, e.Pos()))
	}
	if e.Ellipsis.IsValid() {
		out[len(out)-1] += "..."
	}
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
		if _, ok := f.info.Selections[sel]; ok {
			return f.nativeMethodText(sel, f.lookupSelection(sel), out)
		}
	}
	return f.nativeName(o, e.Pos()) + "(" + strings.Join(out, ", ") + ")"
}

// bothWays takes the direction from a channel of compiled code, as lowered channels have none.
func (f *fn) bothWays(o types.Object, t types.Type, text string) string {
	c, ok := t.(*types.Chan)
	if !ok || c.Dir() != types.RecvOnly || !native(o) {
		return text
	}
	switch dyn.Key(c.Elem()) {
	case "time.Time":
		return "rt.TimeChan(" + text + ")"
	case "struct {}":
		return "rt.DoneChan(" + text + ")"
	}
	return text
}

// nativeArg is one argument for compiled code.
func (f *fn) nativeArg(o *types.Func, a argument, p types.Type, pos token.Pos) string {
	if lit, ok := ast.Unparen(a.expr).(*ast.FuncLit); ok && (!types.IsInterface(p) || f.run.Faithful(a.typ)) {
		return f.literal(lit)
	}
	if o.Pkg().Path() == engine.HostPath && types.IsInterface(p) && !types.IsInterface(a.typ) && !isUntyped(a.typ) {
		f.methodsFor(a.typ, pos) // the host may ask for its text
		return a.to(a.typ)
	}
	f.checkHanded(o, a.typ, pos)
	return a.to(p)
}

// nativeMethodText calls a method of a compiled type.
func (f *fn) nativeMethodText(sel *ast.SelectorExpr, s selection, args []string) string {
	m := s.obj.(*types.Func)
	_, wantPtr := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
	t := f.typeOf(sel.X)
	text := f.receiverOperand(sel.X, t, s.index[:len(s.index)-1], wantPtr)
	if !f.isNativeRecv(t) {
		text, _ = f.fieldPath(text, t, s.index[:len(s.index)-1], sel.Pos())
	}
	if hook, ok := methodHooks[m.FullName()]; ok {
		if _, isPtr := f.pathEnd(t, s.index).Underlying().(*types.Pointer); wantPtr && !isPtr && !strings.HasPrefix(text, "&") && !strings.HasPrefix(text, "(&") {
			text = "&" + text
		}
		return hook + "(" + strings.Join(append([]string{text}, args...), ", ") + ")"
	}
	return text + "." + m.Name() + "(" + strings.Join(args, ", ") + ")"
}

func (f *fn) isNativeRecv(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && !dyn.IsUser(n)
}

// nativeName is a compiled function in the lowered file.
func (f *fn) nativeName(o *types.Func, pos token.Pos) string {
	if o.Pkg().Path() == engine.HostPath {
		return f.hostName(o.Name())
	}
	if hook, ok := funcHooks[o.FullName()]; ok {
		return hook
	}
	refuseTemplates(o.Pkg().Path(), pos)
	if _, ok := f.symbols(o.Pkg().Path())[o.Name()]; !ok {
		refuse(pos, o.Pkg().Name()+"."+o.Name(), "the interpreter does not have it", "write what it does as a function of the cell")
	}
	return f.importName(o.Pkg().Path()) + "." + o.Name()
}
