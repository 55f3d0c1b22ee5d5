package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func (f *fn) switchStmt(s *ast.SwitchStmt, label string) {
	f.emit("{")
	if s.Init != nil {
		f.stmt(s.Init)
	}
	var tag *ast.Ident
	if s.Tag != nil {
		tag = f.bindTag(s.Tag)
	}
	f.chosenClause(s, tag, label)
	f.emit("}")
}

// clauseBody writes the statements of a clause in a block, because the interpreter does not support labels directly
// in clauses.
func (f *fn) clauseBody(list []ast.Stmt) {
	if len(list) > 0 {
		if last, ok := list[len(list)-1].(*ast.BranchStmt); ok && last.Tok == token.FALLTHROUGH {
			defer f.stmt(last)
			list = list[:len(list)-1]
		}
	}
	f.emit("{")
	f.block(list)
}

// chosenClause lowers a switch to code that first determines the number of the clause, and then switches on that
// number.
func (f *fn) chosenClause(s *ast.SwitchStmt, tag *ast.Ident, label string) {
	k, otherwise := f.fresh("clause"), -1
	f.emit("%s := -1", k)
	depth := 0
	for i, c := range s.Body.List {
		clause := c.(*ast.CaseClause)
		if clause.List == nil {
			otherwise = i
			continue
		}
		for _, e := range clause.List {
			f.emit("if %s { %s = %d } else {", f.caseCondition(e, tag), k, i)
			depth++
		}
	}
	f.emit("%s = %d", k, otherwise)
	f.emit("%s", strings.Repeat("}", depth))
	f.relabel(label)
	f.emit("switch %s {", k)
	for i, c := range s.Body.List {
		f.emit("case %d:", i)
		f.clauseBody(c.(*ast.CaseClause).Body)
	}
	f.emit("}")
}

// caseCondition returns the condition under which a case expression matches the tag.
func (f *fn) caseCondition(e ast.Expr, tag *ast.Ident) string {
	switch {
	case tag != nil:
		return f.equal(&ast.BinaryExpr{X: tag, Op: token.EQL, Y: e, OpPos: e.Pos()})
	case types.IsInterface(f.typeOf(e)):
		return "rt.Eq(" + f.anyOf(e) + ", any(true))"
	}
	return f.condition(e)
}

// relabel puts a label for break and continue directly before a statement. The original label precedes the code
// that prepares the statement; it remains for goto.
func (f *fn) relabel(label string) {
	if label == "" {
		return
	}
	l := f.fresh("L")
	f.breaks[label] = l
	f.emit("%s:", l)
}

// bindTag stores the value of a switch tag in a temporary variable, with which case expressions can then be
// compared.
func (f *fn) bindTag(e ast.Expr) *ast.Ident {
	t, name := types.Default(f.typeOf(e)), f.fresh("tag")
	text := f.conv(e, t)
	f.emit("var %s %s = %s", name, f.typ(t, e.Pos()), text)
	return f.variableOf(name, t, e.Pos())
}

// variableOf returns an identifier for a variable of the lowered function, for use as an expression.
func (f *fn) variableOf(name string, t types.Type, pos token.Pos) *ast.Ident {
	v, id := types.NewVar(pos, f.u.Pkg, name, t), &ast.Ident{Name: name, NamePos: pos}
	f.vars[v], f.info.Uses[id], f.info.Types[id] = name, v, types.TypeAndValue{Type: t}
	return id
}

func (f *fn) typeSwitch(s *ast.TypeSwitchStmt, label string) {
	f.emit("{")
	if s.Init != nil {
		f.stmt(s.Init)
	}
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X.(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = a.Rhs[0].(*ast.TypeAssertExpr).X
	}
	held := f.fresh("held")
	f.emit("var %s any = %s", held, f.anyOf(x))
	f.relabel(label)
	var lists [][]int
	for _, c := range s.Body.List {
		var ids []int
		for _, e := range c.(*ast.CaseClause).List {
			if f.isNil(e) {
				ids = append(ids, 0)
				continue
			}
			ids = append(ids, f.typeID(f.typeOf(e), e.Pos()))
		}
		lists = append(lists, ids)
	}
	f.emit("switch rt.TypeCase(%s, %d) {", held, f.run.TypeCases(lists))
	for i, c := range s.Body.List {
		clause := c.(*ast.CaseClause)
		if clause.List == nil {
			f.emit("default:")
		} else {
			f.emit("case %d:", i)
		}
		f.bindCase(clause, held)
		f.clauseBody(clause.Body)
	}
	f.emit("}")
	f.emit("}")
}

// bindCase declares the variable of a type switch in one of its clauses.
func (f *fn) bindCase(c *ast.CaseClause, held string) {
	v := f.info.Implicits[c]
	if v == nil {
		return
	}
	t := f.objType(v)
	if types.IsInterface(t) {
		f.emit("var %s %s = %s", f.local(v), f.typ(t, c.Pos()), f.toNative(held, t, c.Pos()))
		return
	}
	f.emit("%s := %s", f.local(v), f.held(held, t, c.Pos()))
}
