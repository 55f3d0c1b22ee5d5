package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// selector lowers x.f as a value: a field, a method value, a method expression, or an object of a package.
func (f *fn) selector(e *ast.SelectorExpr) string {
	sel, ok := f.info.Selections[e]
	if !ok {
		switch o := f.info.Uses[e.Sel].(type) {
		case *types.Var:
			return f.variable(o, e.Pos())
		case *types.Func:
			return f.funcValue(e, o)
		}
		refuse(e.Pos(), e.Sel.Name, "it cannot be used as a value here", "call it")
	}
	if sel.Kind() == types.FieldVal {
		s, _ := f.fieldPath(f.value(e.X), f.typeOf(e.X), sel.Index(), e.Sel.Pos())
		return s
	}
	return f.methodValue(e, sel)
}

// fieldPath writes the path to a field through embedded fields. It returns the text and the type of the last field.
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

// isNativeStruct reports whether a struct type is a compiled type.
func (l *unit) isNativeStruct(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && l.run.Compiled(n) != nil
}

// receiver lowers the receiver of a method that is called on x: the value or its address, whichever the method
// takes.
func (f *fn) receiver(x ast.Expr, sel *types.Selection) (string, types.Type) {
	return f.receiverText(f.receiverOperand(x, sel), f.typeOf(x), sel, x.Pos())
}

// wantsPointer reports whether a method has a pointer as its receiver.
func wantsPointer(sel *types.Selection) bool {
	_, ok := types.Unalias(sel.Obj().(*types.Func).Signature().Recv().Type()).(*types.Pointer)
	return ok
}

// receiverOperand lowers x itself, as a place if its address will be taken.
func (f *fn) receiverOperand(x ast.Expr, sel *types.Selection) string {
	t := f.typeOf(x)
	if _, isPtr := t.Underlying().(*types.Pointer); !isPtr && wantsPointer(sel) && !types.IsInterface(t) {
		if _, ok := ast.Unparen(x).(*ast.CompositeLit); !ok && (f.info.Types[x].Addressable() || isVar(f.info, x)) {
			return f.place(x)
		}
	}
	return f.value(x)
}

func isVar(info *types.Info, x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = info.Uses[id].(*types.Var)
	return ok
}

// receiverText follows the path of embedded fields from s to a method's receiver. At the end it takes or follows an
// address if the method needs that.
func (f *fn) receiverText(s string, t types.Type, sel *types.Selection, pos token.Pos) (string, types.Type) {
	s, t = f.fieldPath(s, t, sel.Index()[:len(sel.Index())-1], pos)
	p, isPtr := t.Underlying().(*types.Pointer)
	switch want := wantsPointer(sel); {
	case types.IsInterface(t) || want == isPtr:
		return s, t
	case want:
		return "(&" + s + ")", types.NewPointer(t)
	}
	return "(*" + s + ")", p.Elem()
}
