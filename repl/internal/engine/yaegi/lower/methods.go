package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// methodKey is the key of a user-defined method, and the type arguments of its receiver.
func methodKey(recv types.Type, m *types.Func) (string, []types.Type) {
	if p, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = p.Elem()
	}
	n := types.Unalias(recv).(*types.Named)
	var args []types.Type
	for i := range n.TypeArgs().Len() {
		args = append(args, n.TypeArgs().At(i))
	}
	return n.Obj().Name() + "." + m.Name(), args
}

// isUserMethod reports whether a method is written in a cell.
func isUserMethod(m *types.Func) bool {
	return m.Pkg() != nil && dyn.UserPackage(m.Pkg())
}

// methodValue is x.m or T.m without a call: a closure.
func (f *fn) methodValue(e *ast.SelectorExpr, sel selection) string {
	m := sel.obj.(*types.Func)
	f.checkHanded(m, types.Typ[types.Invalid], e.Pos())
	sig := f.typeOf(e).Underlying().(*types.Signature)
	var names, params []string
	for i := range sig.Params().Len() {
		n := f.fresh("a")
		names = append(names, n)
		params = append(params, n+" "+f.typ(sig.Params().At(i).Type(), e.Pos()))
	}
	results, ret := f.resultsText(sig, e.Pos())
	if sel.expr {
		recv := sig.Params().At(0).Type()
		_, wantPtr := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
		text, t := f.receiverText(names[0], recv, sel.index[:len(sel.index)-1], wantPtr, e.Pos())
		call := f.methodCallText(text, t, m, names[1:], sig.Variadic(), e.Pos())
		return fmt.Sprintf("func(%s)%s { %s%s }", strings.Join(params, ", "), results, ret, call)
	}
	text, t := f.receiver(e.X, sel)
	bound := f.fresh("recv")
	if types.IsInterface(t) {
		text = "rt.Bound(" + f.convert(text, t, types.NewInterfaceType(nil, nil), e.Pos()) + ")"
		t = types.NewInterfaceType([]*types.Func{m}, nil).Complete()
	}
	call := f.methodCallText(bound, t, m, names, sig.Variadic(), e.Pos())
	rt := f.typ(t, e.Pos())
	return fmt.Sprintf("(func(%s %s) func(%s)%s { return func(%s)%s { %s%s } })(%s)", bound, rt,
		strings.Join(params, ", "), results, strings.Join(params, ", "), results, ret, call, text)
}

// methodCallText calls a method on a receiver that is already a value or an address as the method wants it.
func (f *fn) methodCallText(recv string, t types.Type, m *types.Func, args []string, variadic bool, pos token.Pos) string {
	switch {
	case types.IsInterface(t) && f.typ(t, pos) == "any":
		return f.dispatch(recv, m, t, pos) + "(" + strings.Join(append([]string{recv}, args...), ", ") + ")"
	case methodHooks[m.FullName()] != "":
		return methodHooks[m.FullName()] + "(" + strings.Join(append([]string{recv}, args...), ", ") + ")"
	case !isUserMethod(m):
		if variadic && len(args) > 0 {
			args[len(args)-1] += "..."
		}
		text := recv + "." + m.Name() + "(" + strings.Join(args, ", ") + ")"
		if res := m.Signature().Results(); res.Len() == 1 {
			return f.bothWays(m, res.At(0).Type(), text)
		}
		return text
	}
	key, targs := methodKey(t, m)
	return f.calling(key, targs, append([]string{recv}, args...))
}

// dispatch finds the method of what an interface holds: a function whose first parameter is the held value.
func (f *fn) dispatch(recv string, m *types.Func, t types.Type, pos token.Pos) string {
	sig := f.subst(m.Signature(), f.tparam).(*types.Signature)
	if inter, ok := t.Underlying().(*types.Interface); ok {
		for i := range inter.NumMethods() {
			if im := inter.Method(i); im.Name() == m.Name() {
				sig = f.subst(im.Signature(), f.tparam).(*types.Signature)
			}
		}
	}
	return fmt.Sprintf("rt.Method(%s, %q).(%s)", recv, m.Name(), f.methodType(sig, pos))
}

// methodType is the type of a registered method: its signature with the receiver as any in front.
func (l *unit) methodType(sig *types.Signature, pos token.Pos) string {
	s := l.signature(sig, pos)
	if strings.HasPrefix(s, "()") {
		return "func(any" + s[1:]
	}
	return "func(any, " + s[1:]
}

// methodsFor registers the methods of a type that is put into an interface, and of the types of its parts, once.
func (l *unit) methodsFor(t types.Type, pos token.Pos) {
	key := dyn.Key(t)
	if l.reached[key] {
		return
	}
	remember(l, l.reached, key, true)
	l.register(t, pos)
	if mayPromote(t) {
		l.register(types.NewPointer(t), pos)
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		l.methodsFor(u.Elem(), pos)
	case *types.Slice:
		l.methodsFor(u.Elem(), pos)
	case *types.Array:
		l.methodsFor(u.Elem(), pos)
	case *types.Chan:
		l.methodsFor(u.Elem(), pos)
	case *types.Map:
		l.methodsFor(u.Key(), pos)
		l.methodsFor(u.Elem(), pos)
	case *types.Struct:
		if !l.isNativeStruct(t) {
			fmt.Fprintf(&l.init, "\trt.TypeOf(%d, (*%s)(nil))\n", l.typeID(t), l.typ(t, pos))
			for i := range u.NumFields() {
				l.methodsFor(u.Field(i).Type(), pos)
			}
		}
	}
}

// mayPromote reports whether a pointer to a type may have methods: declared in cells, or promoted from a field.
func mayPromote(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && dyn.IsUser(n) && n.NumMethods() > 0 {
		return !types.IsInterface(t)
	}
	u, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range u.Fields() {
		if f.Embedded() {
			return true
		}
	}
	return false
}

// register registers the methods of one type.
func (l *unit) register(t types.Type, pos token.Pos) {
	if types.IsInterface(t) || l.run.Faithful(t) {
		return
	}
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		sel := set.At(i)
		m := sel.Obj().(*types.Func)
		if !m.Exported() && !isUserMethod(m) {
			continue // promoted from compiled code, where nobody can reach it
		}
		id := dyn.Key(t) + "." + m.Name()
		if l.methods[id] {
			continue
		}
		remember(l, l.methods, id, true)
		l.queue = append(l.queue, func() { l.registerMethod(t, sel, m, pos) })
	}
}

func (l *unit) registerMethod(t types.Type, sel *types.Selection, m *types.Func, pos token.Pos) {
	f := l.newFn(l.u.Info, l.u.Fset, nil)
	name := l.fresh("m_" + plain(m.Name()))
	sig := sel.Type().(*types.Signature)
	params := []string{"r any"}
	var names []string
	for i := range sig.Params().Len() {
		n := fmt.Sprintf("a%d", i)
		names = append(names, n)
		params = append(params, n+" "+l.typ(sig.Params().At(i).Type(), pos))
	}
	results, ret := l.resultsText(sig, pos)
	f.emit("	r1 := %s", l.held("rt.Val(r)", t, pos))
	_, wantPtr := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
	if _, ok := t.(*types.Pointer); ok && !wantPtr && len(sel.Index()) == 1 {
		f.emit("	if r1 == nil { rt.Nil() }")
	}
	text, rt := f.receiverText("r1", t, sel.Index()[:len(sel.Index())-1], wantPtr, pos)
	f.emit("	%s%s", ret, f.methodCallText(text, rt, m, names, sig.Variadic(), pos))
	fmt.Fprintf(&l.decls, "func %s(%s)%s {\n%s}\n\n", name, strings.Join(params, ", "), results, f.out.String())
	fmt.Fprintf(&l.init, "\trt.Register(%d, %q, %s)\n", l.typeID(t), m.Name(), name)
}
