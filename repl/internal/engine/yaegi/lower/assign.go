package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

func (f *fn) assign(s *ast.AssignStmt) {
	switch {
	case s.Tok != token.ASSIGN && s.Tok != token.DEFINE:
		f.opAssign(s.Lhs[0], s.Tok, "", s.Rhs[0], s.TokPos)
	case len(s.Lhs) == 1:
		f.assignOne(s.Lhs[0], s.Rhs[0], s.Tok)
	case len(s.Rhs) == 1:
		f.assignTuple(s)
	default:
		f.assignParallel(s)
	}
}

func isBlank(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "_"
}

// defined is the variable that an identifier on the left declares; nil if it declares none.
func (f *fn) defined(e ast.Expr) types.Object {
	if id, ok := e.(*ast.Ident); ok {
		if o := f.info.Defs[id]; o != nil {
			return o
		}
	}
	return nil
}

func (f *fn) assignOne(lhs, rhs ast.Expr, tok token.Token) {
	if isBlank(lhs) {
		if f.isNil(rhs) {
			return
		}
		f.drop(rhs)
		return
	}
	if v := f.defined(lhs); v != nil && tok == token.DEFINE {
		f.define(v, f.settled(rhs, f.objType(v)), lhs.Pos())
		return
	}
	if f.pre && f.readLate(lhs) && f.calls(&ast.ExprStmt{X: rhs}) {
		t := f.fresh("t")
		f.emit("var %s %s = %s", t, f.typ(f.typeOf(lhs), lhs.Pos()), f.conv(rhs, f.typeOf(lhs)))
		if f.simplePlace(lhs) {
			f.emit("%s = %s", f.place(lhs), t)
		} else {
			f.emit("%s = %s", f.stablePlace(lhs), t)
		}
		return
	}
	place := f.place(lhs)
	f.emit("%s = %s", place, f.settled(rhs, f.typeOf(lhs)))
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == name
}

// readLate reports whether the compiler reads the operands of an assignable expression after the calls on the right,
// where the language leaves the order open.
func (f *fn) readLate(lhs ast.Expr) bool {
	switch e := ast.Unparen(lhs).(type) {
	case *ast.IndexExpr:
		key := basicOf(f.typeOf(e.Index))
		inner := f.pure(e.X) || !isMap(f.under(e.X)) && f.readLate(e.X)
		return inner && f.pure(e.Index) && key != nil && key.Info()&(types.IsInteger|types.IsString) != 0
	case *ast.SelectorExpr:
		s, ok := f.info.Selections[e]
		return ok && s.Kind() == types.FieldVal && (f.pure(e.X) || f.readLate(e.X))
	case *ast.StarExpr:
		return f.pure(e.X)
	}
	return false
}

// settled is an expression converted to the type of the variable that it is to be stored in. The interpreter builds a
// composite literal in the place of that variable: it loses a struct, and takes the variable of the round before for
// the new one of a map, slice or array. So literals go through a temporary.
func (f *fn) settled(e ast.Expr, to types.Type) string {
	text := f.conv(e, to)
	if _, ok := ast.Unparen(e).(*ast.CompositeLit); !ok {
		return text
	}
	t := f.fresh("t")
	f.emit("%s := %s", t, text)
	return t
}

// drop evaluates an expression for its effects. The interpreter's own _ is a variable of one type.
func (f *fn) drop(e ast.Expr) {
	t := types.Default(f.typeOf(e))
	f.emit("var %s %s = %s", f.fresh("unused"), f.typ(t, e.Pos()), f.conv(e, t))
}

// define declares a local variable.
func (f *fn) define(v types.Object, text string, pos token.Pos) {
	if types.IsInterface(f.objType(v)) {
		f.emit("var %s %s = %s", f.local(v), f.typ(f.objType(v), pos), text)
		return
	}
	f.emit("%s := %s", f.local(v), text)
}

func (f *fn) one(x ast.Expr) string {
	t := f.typeOf(x)
	if b := basicOf(t); b != nil && b.Info()&types.IsInteger != 0 {
		if s := f.typ(t, x.Pos()); s != "int" {
			return s + "(1)"
		}
		return "1"
	}
	return f.typ(t, x.Pos()) + "(1)"
}

// opAssign is x op= y; y is given as a text or an expression.
func (f *fn) opAssign(lhs ast.Expr, tok token.Token, text string, rhs ast.Expr, pos token.Pos) {
	t := f.typeOf(lhs)
	op := assignOps[tok]
	if _, ok := ast.Unparen(lhs).(*ast.Ident); !ok && rhs != nil && !f.early && f.calls(&ast.ExprStmt{X: rhs}) && f.pre {
		if e, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok && f.readLate(lhs) && isIdent(e.X) && isIdent(e.Index) {
			t, operand := f.fresh("t"), f.opOperand(tok, rhs, t)
			f.note(pos)
			f.emit("%s := %s", t, operand)
			f.opAssign(lhs, tok, t, nil, pos)
			return
		}
		if e, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok && isMap(f.under(e.X)) {
			f.opAssignMap(e, op, func() string { return f.opOperand(tok, rhs, t) }, pos)
			return
		}
		p := f.stablePlace(lhs)
		f.emit("%s = %s %s %s", p, p, op, f.opOperand(tok, rhs, t))
		return
	}
	if rhs != nil {
		text = f.opOperand(tok, rhs, t)
		if (tok == token.QUO_ASSIGN || tok == token.REM_ASSIGN) && isInteger(t) && f.info.Types[rhs].Value == nil {
			if f.early && f.pure(rhs) {
				f.emit("if %s == 0 { rt.Divide(%d) }", text, f.site(pos))
			} else {
				f.note(pos)
			}
		}
	}
	if _, ok := ast.Unparen(lhs).(*ast.Ident); ok || f.simplePlace(lhs) && (rhs == nil || f.early || !f.calls(&ast.ExprStmt{X: rhs})) {
		p := f.place(lhs)
		if _, ok := ast.Unparen(lhs).(*ast.Ident); ok {
			if text == "1" && rhs == nil {
				f.emit("%s%s%s", p, op, op)
				return
			}
			f.emit("%s %s= %s", p, op, text)
			return
		}
		f.emit("%s = %s %s %s", p, p, op, text)
		return
	}
	if e, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok {
		if isMap(f.under(e.X)) {
			f.opAssignMap(e, op, func() string { return text }, pos)
			return
		}
	}
	p := f.addressOf(lhs)
	f.emit("*%s = *%s %s %s", p, p, op, text)
}

func isIdent(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.Ident)
	return ok
}

func isMap(t types.Type) bool {
	_, ok := t.(*types.Map)
	return ok
}

func (f *fn) opOperand(tok token.Token, rhs ast.Expr, t types.Type) string {
	if tok == token.SHL_ASSIGN || tok == token.SHR_ASSIGN {
		return f.shiftCount(rhs)
	}
	return f.conv(rhs, t)
}

// opAssignMap is m[k] op= y where m and k must be evaluated once.
func (f *fn) opAssignMap(e *ast.IndexExpr, op string, operand func() string, pos token.Pos) {
	mt := f.under(e.X).(*types.Map)
	m, k := f.fresh("m"), f.fresh("k")
	f.emit("%s := %s", m, f.value(e.X))
	f.emit("var %s %s = %s", k, f.typ(mt.Key(), e.Pos()), f.conv(e.Index, mt.Key()))
	f.note(pos)
	f.emit("%s[%s] = %s[%s] %s %s", m, k, m, k, op, operand())
}

// simplePlace reports whether evaluating an assignable expression twice makes no difference.
func (f *fn) simplePlace(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return f.pure(e.X) && f.pure(e.Index)
	default:
		return f.pure(e)
	}
}

var assignOps = map[token.Token]string{
	token.ADD_ASSIGN: "+", token.SUB_ASSIGN: "-", token.MUL_ASSIGN: "*", token.QUO_ASSIGN: "/", token.REM_ASSIGN: "%",
	token.AND_ASSIGN: "&", token.OR_ASSIGN: "|", token.XOR_ASSIGN: "^", token.SHL_ASSIGN: "<<", token.SHR_ASSIGN: ">>",
	token.AND_NOT_ASSIGN: "&^",
}
