package lower

import (
	"go/ast"
	"go/token"
	"go/types"

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
	if _, ok := sel.obj.(*types.Var); ok {
		s, _ := f.fieldPath(f.value(e.X), f.typeOf(e.X), sel.index, e.Sel.Pos())
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
		return "(*" + s + ")", t.Underlying().(*types.Pointer).Elem()
	}
	return s, t
}
