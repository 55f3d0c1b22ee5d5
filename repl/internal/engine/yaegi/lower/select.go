package lower

import (
	"go/ast"
	"go/types"
)

// selectStmt leaves the choice to compiled code: which case, and what was received.
func (f *fn) selectStmt(s *ast.SelectStmt, label string) {
	f.emit("{")
	sel, chosen := f.fresh("sel"), f.fresh("chosen")
	f.emit("%s := rt.NewSelect()", sel)
	binds := make([]func(), len(s.Body.List))
	for i, c := range s.Body.List {
		f.marked = false
		switch st := c.(*ast.CommClause).Comm.(type) {
		case nil:
			f.emit("rt.SelectDefault(%s)", sel)
		case *ast.SendStmt:
			elem := f.under(st.Chan).(*types.Chan).Elem()
			ch, v := f.fresh("ch"), f.fresh("v")
			f.emit("%s := %s", ch, f.value(st.Chan))
			f.emit("var %s %s = %s", v, f.typ(elem, st.Pos()), f.conv(st.Value, elem))
			f.emit("rt.SelectSend(%s, %s, &%s)", sel, ch, v)
		case *ast.ExprStmt:
			f.emit("rt.SelectReceive(%s, %s)", sel, f.value(ast.Unparen(st.X).(*ast.UnaryExpr).X))
		case *ast.AssignStmt:
			recv := ast.Unparen(st.Rhs[0]).(*ast.UnaryExpr)
			f.emit("rt.SelectReceive(%s, %s)", sel, f.value(recv.X))
			elem := f.under(recv.X).(*types.Chan).Elem()
			binds[i] = func() { f.bindReceived(st, sel, elem) }
		}
	}
	f.note(s.Pos())
	f.emit("%s := rt.Choose(%s)", chosen, sel)
	f.push(&loopFrame{label: label})
	f.relabel(label)
	f.emit("switch %s {", chosen)
	for i, c := range s.Body.List {
		f.emit("case %d:", i)
		if binds[i] != nil {
			binds[i]()
		}
		f.clauseBody(c.(*ast.CommClause).Body)
	}
	f.emit("}")
	f.pop()
	f.emit("}")
}

// bindReceived assigns what a case of a select statement has received.
func (f *fn) bindReceived(s *ast.AssignStmt, sel string, elem types.Type) {
	f.marked = false
	v := f.fresh("v")
	f.emit("var %s %s", v, f.typ(elem, s.Pos()))
	f.emit("%s := rt.Received(%s, &%s)", f.fresh("ok"), sel, v)
	texts := []string{v, "rt.ReceivedOK(" + sel + ")"}
	from := []types.Type{elem, types.Typ[types.Bool]}
	for i, l := range s.Lhs {
		if isBlank(l) {
			continue
		}
		if o := f.defined(l); o != nil {
			f.define(o, f.convert(texts[i], from[i], f.objType(o), l.Pos()), l.Pos())
			continue
		}
		p := f.place(l)
		f.emit("%s = %s", p, f.convert(texts[i], from[i], f.typeOf(l), l.Pos()))
	}
}
