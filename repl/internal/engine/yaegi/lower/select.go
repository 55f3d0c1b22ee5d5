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

// selector is x.f, as a value: a field, a method value, a method expression, or an object of a package.
func (f *fn) selector(e *ast.SelectorExpr) string {
	if _, ok := f.info.Selections[e]; !ok {
		switch o := f.info.Uses[e.Sel].(type) {
		case *types.Var:
			return f.variable(o, e.Pos())
		case *types.Func:
			return f.funcValue(e, o)
		}
		refuse(e.Pos(), e.Sel.Name, "it cannot be used as a value here", "call it")
	}
	sel := f.lookupSelection(e)
	if v, ok := sel.obj.(*types.Var); ok {
		s, _ := f.fieldPath(f.value(e.X), f.typeOf(e.X), sel.index, e.Sel.Pos())
		_ = v
		return s
	}
	return f.methodValue(e, sel)
}

type selection struct {
	obj      types.Object
	index    []int
	indirect bool
	expr     bool // a method expression T.m
}

// lookupSelection finds a field or method again, as type parameters may stand for other types by now.
func (f *fn) lookupSelection(e *ast.SelectorExpr) selection {
	s := f.info.Selections[e]
	if len(f.tparam) == 0 {
		return selection{s.Obj(), s.Index(), s.Indirect(), s.Kind() == types.MethodExpr}
	}
	t := f.subst(s.Recv(), f.tparam)
	obj, index, indirect := types.LookupFieldOrMethod(t, true, s.Obj().Pkg(), e.Sel.Name)
	if obj == nil {
		refuse(e.Pos(), e.Sel.Name, "the interpreter does not find it for "+typeText(t), "write the function without type parameters")
	}
	return selection{obj, index, indirect, s.Kind() == types.MethodExpr}
}

// fieldPath writes the way to a field through embedded ones. It returns the text and the type at its end.
func (f *fn) fieldPath(s string, t types.Type, index []int, pos token.Pos) (string, types.Type) {
	for _, i := range index {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			f.note(pos)
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			refuse(pos, "this selector", "the interpreter finds no struct here", "write the embedded fields out")
		}
		name := st.Field(i).Name()
		if !f.isNativeStruct(t) {
			name = fieldName(st, i)
		}
		s += "." + name
		t = st.Field(i).Type()
	}
	return s, t
}

// isNativeStruct reports whether a struct type is compiled Go.
func (l *unit) isNativeStruct(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && l.nativeType(n) != nil && !dyn.IsUser(n)
}

// note marks the position before the statement, unless the statement has a mark already.
func (f *fn) note(pos token.Pos) {
	if f.std || f.marked {
		return
	}
	f.marked = true
	f.emit("at = %d", f.site(pos))
}

// receiver is the receiver argument for a method found through e.X: the value or its address, as the method wants.
func (f *fn) receiver(x ast.Expr, sel selection) (string, types.Type) {
	m := sel.obj.(*types.Func)
	recv := m.Signature().Recv().Type()
	_, wantPtr := types.Unalias(recv).(*types.Pointer)
	t := f.typeOf(x)
	path := sel.index[:len(sel.index)-1]
	return f.receiverText(f.receiverOperand(x, t, path, wantPtr), t, path, wantPtr, x.Pos())
}

// receiverOperand is x itself; a place if its address will be taken.
func (f *fn) receiverOperand(x ast.Expr, t types.Type, path []int, wantPtr bool) string {
	if _, isPtr := t.Underlying().(*types.Pointer); !isPtr && wantPtr && !types.IsInterface(t) {
		if _, ok := ast.Unparen(x).(*ast.CompositeLit); !ok && f.addressable(x) {
			return f.place(x)
		}
	}
	return f.value(x)
}

func (f *fn) addressable(x ast.Expr) bool { return f.info.Types[x].Addressable() || isVar(f.info, x) }

func isVar(info *types.Info, x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = info.Uses[id].(*types.Var)
	return ok
}

// receiverText follows path from s and takes or drops an address at its end.
func (f *fn) receiverText(s string, t types.Type, path []int, wantPtr bool, pos token.Pos) (string, types.Type) {
	s, t = f.fieldPath(s, t, path, pos)
	_, isPtr := t.Underlying().(*types.Pointer)
	if types.IsInterface(t) {
		return s, t
	}
	switch {
	case wantPtr && !isPtr:
		return "(&" + s + ")", types.NewPointer(t)
	case !wantPtr && isPtr:
		f.note(pos)
		return "(*" + s + ")", t.Underlying().(*types.Pointer).Elem()
	}
	return s, t
}

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
	sig := f.typeOf(e).Underlying().(*types.Signature)
	var names, params []string
	for i := range sig.Params().Len() {
		n := f.fresh("a")
		names = append(names, n)
		params = append(params, n+" "+f.typ(sig.Params().At(i).Type(), e.Pos()))
	}
	results := strings.TrimPrefix(f.signature(types.NewSignatureType(nil, nil, nil, nil, sig.Results(), false), e.Pos()), "()")
	ret := ""
	if sig.Results().Len() > 0 {
		ret = "return "
	}
	if sel.expr {
		recv := sig.Params().At(0).Type()
		_, wantPtr := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
		early := f.early
		f.early = false
		text, t := f.receiverText(names[0], recv, sel.index[:len(sel.index)-1], wantPtr, e.Pos())
		call := f.methodCallText(text, t, m, names[1:], sig.Variadic(), e.Pos())
		f.early = early
		return fmt.Sprintf("func(%s)%s { %s%s }", strings.Join(params, ", "), results, ret, call)
	}
	text, t := f.receiver(e.X, sel)
	bound := f.fresh("recv")
	if types.IsInterface(t) {
		text = fmt.Sprintf("rt.Bound(%s, %d)", f.convert(text, t, types.NewInterfaceType(nil, nil), e.Pos()), f.site(e.Pos()))
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
	all := append([]string{recv}, args...)
	if f.funcRecovers(key) {
		all = append([]string{"nil"}, all...)
	}
	return f.instance(key, key, targs) + "(" + strings.Join(all, ", ") + ")"
}

// funcRecovers reports whether a user-defined function calls recover itself and so takes the state of panics.
func (l *unit) funcRecovers(key string) bool {
	src := l.funcs[key]
	return src != nil && src.decl.Body != nil && callsRecover(src.info, src.decl.Body)
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
	return fmt.Sprintf("rt.Method(%s, %q, %d).(%s)", recv, m.Name(), f.site(pos), f.methodType(sig, pos))
}

// methodType is the type of a registered method: its signature with the receiver as any in front.
func (f *unit) methodType(sig *types.Signature, pos token.Pos) string {
	s := f.signature(sig, pos)
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
	if n, ok := types.Unalias(t).(*types.Named); ok && dyn.IsUser(n) && !types.IsInterface(t) && n.NumMethods() > 0 {
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
	f.name = l.fresh("m_" + plain(m.Name()))
	l.at[f.name] = displayName(m.Name())
	sig := sel.Type().(*types.Signature)
	params := []string{"r any"}
	var names []string
	for i := range sig.Params().Len() {
		n := fmt.Sprintf("a%d", i)
		names = append(names, n)
		params = append(params, n+" "+l.typ(sig.Params().At(i).Type(), pos))
	}
	results := strings.TrimPrefix(l.signature(types.NewSignatureType(nil, nil, nil, nil, sig.Results(), false), pos), "()")
	ret := ""
	if sig.Results().Len() > 0 {
		ret = "return "
	}
	f.emit("	r1 := %s", l.held("rt.Val(r)", t, pos))
	_, wantPtr := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
	text, rt := f.receiverText("r1", t, sel.Index()[:len(sel.Index())-1], wantPtr, pos)
	f.emit("	%s%s", ret, f.methodCallText(text, rt, m, names, sig.Variadic(), pos))
	fmt.Fprintf(&l.decls, "func %s(%s)%s {\n%s}\n\n", f.name, strings.Join(params, ", "), results, f.out.String())
	fmt.Fprintf(&l.init, "\trt.Register(%d, %q, %s)\n", l.typeID(t), m.Name(), f.name)
}

// funcValue is a function used as a value.
func (f *fn) funcValue(e ast.Expr, o *types.Func) string {
	sig := f.typeOf(e).Underlying().(*types.Signature)
	switch {
	case o.Pkg() != nil && o.Pkg().Path() == engine.HostPath, native(o) && !f.isStandardGeneric(o):
		return f.nativeFuncValue(e, o, sig)
	}
	key, display := f.funcKey(o)
	name := f.instance(key, display, f.typeArgs(e))
	// The interpreter hands on a declared function as a part of its syntax tree; a literal is a real function.
	return f.forward(sig, func(args []string) string {
		if f.funcRecovers(key) {
			args = append([]string{"rt.TakePanics()"}, args...)
		}
		return name + "(" + strings.Join(args, ", ") + ")"
	}, e.Pos())
}

// nativeFuncValue wraps a native function, so that it takes lowered arguments.
func (f *fn) nativeFuncValue(e ast.Expr, o *types.Func, sig *types.Signature) string {
	return f.forward(sig, func(args []string) string {
		return f.nativeCallText(o, sig, args, f.typesOf(sig.Params()), sig.Variadic(), e.Pos())
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
	results := strings.TrimPrefix(f.signature(types.NewSignatureType(nil, nil, nil, nil, sig.Results(), false), pos), "()")
	ret := ""
	if sig.Results().Len() > 0 {
		ret = "return "
	}
	early := f.early
	f.early = false
	s := fmt.Sprintf("func(%s)%s { %s%s }", strings.Join(params, ", "), results, ret, call(names))
	f.early = early
	return s
}

// funcKey is the key of a function that is written in a cell or in the embedded standard library.
func (f *fn) funcKey(o *types.Func) (key, display string) {
	o = o.Origin()
	if dyn.UserPackage(o.Pkg()) {
		return o.Name(), o.Name()
	}
	return o.Pkg().Path() + "." + o.Name(), o.Pkg().Name() + "." + o.Name()
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
