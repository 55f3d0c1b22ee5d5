package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

func (f *fn) binary(e *ast.BinaryExpr) string {
	switch e.Op {
	case token.LAND, token.LOR:
		return f.logic(e)
	case token.EQL, token.NEQ:
		f.root = false
		return f.equal(e)
	case token.SHL, token.SHR:
		f.root = false
		x := f.conv(e.X, f.typeOf(e))
		if f.info.Types[e.X].Value != nil { // after an untyped constant the interpreter jumps to the wrong place
			x = f.typ(types.Default(f.typeOf(e)), e.Pos()) + "(" + x + ")"
		}
		return "(" + x + " " + e.Op.String() + " " + f.shiftCount(e.Y) + ")"
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
		t := f.operandType(e.X, e.Y)
		return "(" + f.operand(e.X, t) + " " + e.Op.String() + " " + f.operand(e.Y, t) + ")"
	}
	f.root = false
	t := f.typeOf(e)
	x, y := f.operand(e.X, t), f.operand(e.Y, t)
	return "(" + x + " " + e.Op.String() + " " + y + ")"
}

// operand lowers an operand of an arithmetic operation, as a value of the operation's type t.
func (f *fn) operand(e ast.Expr, t types.Type) string {
	return f.conv(e, types.Default(t))
}

func basicOf(t types.Type) *types.Basic {
	b, _ := t.Underlying().(*types.Basic)
	return b
}

// operandType returns the type in which two operands are compared.
func (f *fn) operandType(x, y ast.Expr) types.Type {
	tx, ty := f.typeOf(x), f.typeOf(y)
	if f.info.Types[x].Value != nil || isUntyped(tx) {
		return types.Default(ty)
	}
	return types.Default(tx)
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

func (f *fn) shiftCount(e ast.Expr) string {
	if tv := f.info.Types[e]; tv.Value != nil {
		v := constant.ToInt(tv.Value)
		n, ok := constant.Uint64Val(v)
		if !ok || n > 1<<20 {
			n = 1 << 20
		}
		return fmt.Sprintf("uint(%d)", n)
	}
	t := f.typeOf(e)
	if b := basicOf(t); b != nil && b.Info()&types.IsUnsigned == 0 {
		return fmt.Sprintf("rt.Shift(int64(%s))", f.value(e))
	}
	return "uint(" + f.value(e) + ")"
}

// negation lowers !x without a !, because the interpreter jumps to the wrong place after a ! in the first operand
// of &&.
func negation(x string) string { return "(" + x + " == false)" }

func (f *fn) equal(e *ast.BinaryExpr) string {
	not := func(s string) string { return s }
	if e.Op == token.NEQ {
		not = negation
	}
	if f.isNil(e.X) || f.isNil(e.Y) {
		x := e.X
		if f.isNil(x) {
			x = e.Y
		}
		if types.IsInterface(f.typeOf(x)) {
			return not("rt.IsNil(" + f.anyOf(x) + ")")
		}
		if _, ok := f.under(x).(*types.Signature); ok && !isVar(f.info, x) { // a missing entry is not a function
			q := f.fresh("f")
			return fmt.Sprintf("func(%s %s) bool { return %s %s nil }(%s)", q, f.typ(f.typeOf(x), e.Pos()), q, e.Op,
				f.value(x))
		}
		return "(" + f.value(x) + " " + e.Op.String() + " nil)"
	}
	tx, ty := f.typeOf(e.X), f.typeOf(e.Y)
	if types.IsInterface(tx) || types.IsInterface(ty) {
		empty := types.NewInterfaceType(nil, nil)
		return not(fmt.Sprintf("rt.Eq(%s, %s)", f.conv(e.X, empty), f.conv(e.Y, empty)))
	}
	t := f.operandType(e.X, e.Y)
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return not(fmt.Sprintf("rt.EqValue(%s, %s)", f.conv(e.X, t), f.conv(e.Y, t)))
	}
	return "(" + f.conv(e.X, t) + " " + e.Op.String() + " " + f.conv(e.Y, t) + ")"
}

// anyOf lowers an expression of an interface type as an any.
func (f *fn) anyOf(e ast.Expr) string {
	return f.conv(e, types.NewInterfaceType(nil, nil))
}

func (f *fn) unary(e *ast.UnaryExpr) string {
	switch e.Op {
	case token.AND:
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
			return f.pointerTo(lit, f.typeOf(lit))
		}
		return "&" + f.place(e.X)
	case token.NOT:
		return negation(f.value(e.X))
	}
	t := f.typeOf(e)
	x := f.operand(e.X, t)
	lt, b := f.typ(t, e.Pos()), basicOf(t)
	// The interpreter sometimes stores the result of a unary operator in the wrong place, so it receives only
	// binary operators.
	switch {
	case e.Op == token.ADD:
		return "(" + x + ")"
	case e.Op == token.SUB && b.Info()&types.IsInteger != 0:
		return "(" + lt + "(0) - (" + x + "))"
	case e.Op == token.SUB:
		return "((" + x + ") * " + lt + "(-1))"
	}
	return "((" + lt + "(0) - (" + x + ")) - " + lt + "(1))"
}
