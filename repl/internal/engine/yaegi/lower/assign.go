package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

func (f *fn) assign(s *ast.AssignStmt) {
	switch {
	case s.Tok != token.ASSIGN && s.Tok != token.DEFINE:
		f.opAssign(s.Lhs[0], s.Tok, s.Rhs[0])
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

// defined returns the variable that an identifier on the left declares; nil if it does not declare one.
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
	place := f.place(lhs)
	f.emit("%s = %s", place, f.settled(rhs, f.typeOf(lhs)))
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == name
}

// settled lowers an expression and converts it to the type of the variable that will store it. The interpreter
// builds a composite literal directly in that variable. This loses a struct, and reuses the memory of the previous
// round for a map, slice or array. So the value of a literal is first stored in a temporary variable.
func (f *fn) settled(e ast.Expr, to types.Type) string {
	text := f.conv(e, to)
	if _, ok := ast.Unparen(e).(*ast.CompositeLit); !ok {
		return text
	}
	t := f.fresh("t")
	f.emit("%s := %s", t, text)
	return t
}

// drop evaluates an expression only for its effects. It does not assign to _, which in the interpreter is a
// variable with a single type.
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

// opAssign lowers x op= y, or x op= 1 if there is no y. As in compiled code, the operands of x are read after the
// calls in y.
func (f *fn) opAssign(lhs ast.Expr, tok token.Token, rhs ast.Expr) {
	place := ""
	if !f.simplePlace(lhs) {
		place = f.stablePlace(lhs)
	}
	text := f.typ(f.typeOf(lhs), lhs.Pos()) + "(1)"
	switch t := f.typeOf(lhs); {
	case rhs == nil:
	case tok == token.SHL_ASSIGN || tok == token.SHR_ASSIGN:
		text = f.shiftCount(rhs)
	default:
		text = f.conv(rhs, t)
	}
	if isIdent(lhs) {
		f.emit("%s %s= %s", f.place(lhs), assignOps[tok], text)
		return
	}
	if place == "" && rhs != nil && f.calls(rhs) {
		t := f.fresh("t")
		f.emit("%s := %s", t, text)
		text = t
	}
	if place == "" {
		place = f.place(lhs)
	}
	f.emit("%s = %s %s %s", place, place, assignOps[tok], text)
}

func isIdent(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.Ident)
	return ok
}

func isMap(t types.Type) bool {
	_, ok := t.(*types.Map)
	return ok
}

// simplePlace reports whether an assignable expression can be evaluated twice.
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
