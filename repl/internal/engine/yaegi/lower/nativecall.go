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
func (f *fn) nativeCall(e *ast.CallExpr, o *types.Func, sig *types.Signature, args []ast.Expr, ellipsis bool) string {
	n := sig.Params().Len()
	var out []string
	if text, ok := f.errorsAs(o, args); ok {
		return text
	}
	for i, a := range args {
		var p types.Type
		spread := false
		switch {
		case sig.Variadic() && i >= n-1 && !ellipsis:
			p = sig.Params().At(n - 1).Type().(*types.Slice).Elem()
		default:
			p = sig.Params().At(i).Type()
			spread = ellipsis && i == n-1
		}
		s := f.nativeArg(o, a, p)
		if spread {
			s += "..."
		}
		out = append(out, s)
	}
	f.note(e.Pos())
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

// errorsAs is errors.As with a pointer to a variable of an interface type that a cell declares.
func (f *fn) errorsAs(o *types.Func, args []ast.Expr) (string, bool) {
	if o.FullName() != "errors.As" {
		return "", false
	}
	p, ok := f.under(args[1]).(*types.Pointer)
	if !ok || !types.IsInterface(p.Elem()) || !dyn.OwnInterface(p.Elem()) {
		return "", false
	}
	return fmt.Sprintf("rt.ErrorsAs(%s, %s, %d)", f.value(args[0]), f.value(args[1]), f.typeID(p.Elem())), true
}

// nativeArg is one argument for compiled code.
func (f *fn) nativeArg(o *types.Func, a ast.Expr, p types.Type) string {
	if lit, ok := ast.Unparen(a).(*ast.FuncLit); ok && (!types.IsInterface(p) || f.run.Faithful(f.typeOf(a))) {
		return f.literal(lit, false)
	}
	if t := types.Default(f.typeOf(a)); o.Pkg().Path() == engine.HostPath && types.IsInterface(p) && !types.IsInterface(t) && !f.isNil(a) {
		f.methodsFor(t, a.Pos()) // the host may ask for its text
		return f.conv(a, t)
	}
	return f.nativeAny(o, f.conv(a, p), f.typeOf(a), a.Pos())
}

// nativeArgs are arguments for compiled code that exist as texts already.
func (f *fn) nativeArgs(o *types.Func, sig *types.Signature, raw []string, from []types.Type, pos token.Pos) []string {
	var out []string
	n := sig.Params().Len()
	for i, s := range raw {
		var p types.Type
		if sig.Variadic() && i >= n-1 {
			p = sig.Params().At(n - 1).Type().(*types.Slice).Elem()
		} else {
			p = sig.Params().At(i).Type()
		}
		if o.Pkg().Path() == engine.HostPath && types.IsInterface(p) {
			p = from[i]
		}
		out = append(out, f.nativeAny(o, f.convert(s, from[i], p, pos), from[i], pos))
	}
	return out
}

// nativeCallText calls compiled code with lowered arguments, the last one a slice if the function is variadic.
func (f *fn) nativeCallText(o *types.Func, sig *types.Signature, args []string, from []types.Type, variadic bool, pos token.Pos) string {
	var out []string
	for i, s := range args {
		if variadic && i == len(args)-1 {
			out = append(out, s+"...")
			continue
		}
		out = append(out, s)
	}
	return f.nativeName(o, pos) + "(" + strings.Join(out, ", ") + ")"
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
	f.note(sel.Sel.Pos())
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
	if _, ok := f.symbols(o.Pkg().Path())[o.Name()]; !ok {
		refuse(pos, o.Pkg().Name()+"."+o.Name(), "the interpreter does not have it", withoutFunc(o))
	}
	return f.importName(o.Pkg().Path()) + "." + o.Name()
}

// withoutFunc says what to write instead of a function of the standard library that the interpreter does not have.
func withoutFunc(o *types.Func) string {
	switch o.FullName() {
	case "iter.Pull", "iter.Pull2":
		return "range over the sequence, or collect it first with slices.Collect"
	case "math/rand/v2.N":
		return "use rand.IntN or rand.Int64N"
	}
	return "write what it does as a function of the cell"
}
