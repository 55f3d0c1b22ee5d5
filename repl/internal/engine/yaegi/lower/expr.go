package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// value is an expression as a value of its own type; the default type for an untyped constant.
func (f *fn) value(e ast.Expr) string {
	tv := f.info.Types[e]
	if tv.Value != nil {
		return f.constant(tv.Value, types.Default(f.subst(tv.Type, f.tparam)), e.Pos())
	}
	root := f.root
	f.root = false
	switch e := e.(type) {
	case *ast.ParenExpr:
		f.root = root
		return "(" + f.value(e.X) + ")"
	case *ast.BinaryExpr:
		f.root = root
		return f.binary(e)
	case *ast.UnaryExpr:
		f.root = root && e.Op == token.NOT
		return f.unary(e)
	case *ast.Ident:
		return f.ident(e)
	case *ast.SelectorExpr:
		text := f.selector(e)
		if s, ok := f.info.Selections[e]; ok && s.Kind() == types.FieldVal {
			return f.bothWays(s.Obj(), s.Type(), text)
		}
		return text
	case *ast.CallExpr:
		return f.call(e)
	case *ast.StarExpr:
		return f.deref(e)
	case *ast.IndexExpr:
		if m, ok := f.under(e.X).(*types.Map); ok {
			if b := basicOf(m.Elem()); b != nil && b.Info()&types.IsBoolean != 0 {
				// The interpreter branches on a missing entry as if it were one.
				return "(" + f.index(e) + " == true)"
			}
		}
		return f.index(e)
	case *ast.IndexListExpr:
		return f.funcInstance(e)
	case *ast.SliceExpr:
		return f.slice(e)
	case *ast.TypeAssertExpr:
		return f.assertion(e)
	case *ast.CompositeLit:
		return f.composite(e, f.typeOf(e))
	case *ast.FuncLit:
		return f.literal(e, false)
	}
	refuse(e.Pos(), "this expression", "the interpreter does not know it", "write it in another way, in smaller steps")
	return ""
}

func (f *fn) isNil(e ast.Expr) bool {
	t, ok := f.info.TypeOf(e).(*types.Basic)
	return ok && t.Kind() == types.UntypedNil
}

func (f *fn) ident(e *ast.Ident) string {
	o := f.info.Uses[e]
	if o == nil {
		o = f.info.Defs[e]
	}
	switch o := o.(type) {
	case *types.Nil:
		return "nil"
	case *types.Var:
		return f.variable(o, e.Pos())
	case *types.Func:
		return f.funcValue(e, o)
	}
	refuse(e.Pos(), e.Name, "it cannot be used as a value here", "call it")
	return ""
}

func (f *fn) variable(v *types.Var, pos token.Pos) string {
	if name, ok := f.lookup(v); ok {
		return name
	}
	if v.Pkg() != nil && v.Pkg().Path() == engine.HostPath {
		return f.hostName(v.Name())
	}
	if v.Pkg() != nil && native(v) {
		return f.importName(v.Pkg().Path()) + "." + v.Name()
	}
	if name, ok := f.globals[v.Name()]; ok && isGlobal(v) {
		return name
	}
	refuse(pos, "the variable "+cell.Display(v.Name()), "the interpreter does not know it", "declare it again in this cell")
	return ""
}

// isGlobal reports whether v is declared at package level. All units share one package, each with a scope of its own.
func isGlobal(v *types.Var) bool { return v.Parent() != nil && v.Parent().Parent() == types.Universe }

// conv is an expression converted to a type it is assignable to.
func (f *fn) conv(e ast.Expr, to types.Type) string {
	if f.isNil(e) {
		return f.nilOf(to, e.Pos())
	}
	tv := f.info.Types[e]
	if tv.Value != nil {
		from := f.subst(tv.Type, f.tparam)
		if types.IsInterface(to) {
			from = types.Default(from)
			return f.convert(f.constant(tv.Value, from, e.Pos()), from, to, e.Pos())
		}
		return f.constant(tv.Value, to, e.Pos())
	}
	from := f.typeOf(e)
	if b, ok := from.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		// an untyped bool of a comparison, or an untyped operand of a shift
		if types.IsInterface(to) {
			return f.convert(f.value(e), types.Default(from), to, e.Pos())
		}
		if basicOf(to) != nil && f.typ(to, e.Pos()) != basicName(b, e.Pos()) {
			return f.typ(to, e.Pos()) + "(" + f.value(e) + ")"
		}
		return f.value(e)
	}
	return f.convert(f.value(e), from, to, e.Pos())
}

func (f *fn) nilOf(to types.Type, pos token.Pos) string {
	switch to.Underlying().(type) {
	case *types.Interface:
		return "nil"
	case *types.Signature:
		return "nil"
	}
	return converted(f.typ(to, pos), "nil")
}

// convert takes the text of a value from one type to another that it is assignable to.
func (f *fn) convert(s string, from, to types.Type, pos token.Pos) string {
	switch {
	case !types.IsInterface(to):
		if _, ok := to.Underlying().(*types.Signature); ok {
			return f.convertFunc(s, from, to, pos)
		}
		a, b := f.typ(from, pos), f.typ(to, pos)
		if a != b {
			return converted(b, s)
		}
		return s
	case types.IsInterface(from):
		return f.reface(s, from, to, pos)
	}
	boxed := s
	if f.run.Faithful(from) {
		if nativeInterface(f.typ(to, pos)) {
			return s
		}
		if _, ok := from.Underlying().(*types.Signature); ok {
			q := f.fresh("f")
			return "func(" + q + " " + f.typ(from, pos) + ") any { return " + q + " }(" + s + ")"
		}
		return "any(" + s + ")"
	}
	f.methodsFor(from, pos)
	boxed = fmt.Sprintf("rt.Box(%d, %s)", f.typeID(from), s)
	return f.toNative(boxed, to, pos)
}

// convertFunc refuses function values that would change their shape on the way into or out of native code.
func (f *fn) convertFunc(s string, from, to types.Type, pos token.Pos) string {
	if sig, ok := from.Underlying().(*types.Signature); ok && sig.Variadic() && f.variadicNative(to) {
		refuse(pos, "a variadic function handed to the standard library", "the interpreter cannot call it from there", "wrap it in a function literal that is not variadic")
	}
	return s
}

func (f *fn) variadicNative(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && !dyn.IsUser(n)
}

// nativeInterface reports whether a lowered interface type is a native one with methods.
func nativeInterface(lowered string) bool { return lowered != "any" }

// reface converts between interface types.
func (f *fn) reface(s string, from, to types.Type, pos token.Pos) string {
	a, b := f.typ(from, pos), f.typ(to, pos)
	if a == b {
		return s
	}
	if nativeInterface(a) && a != "rt.Error" {
		s = "rt.Any(" + s + ")"
	} else if a == "rt.Error" {
		s = "rt.Plain(" + s + ")"
	}
	return f.toNative(s, to, pos)
}

// toNative converts a value of lowered type any to a native interface type, if that is what the target lowers to.
func (f *fn) toNative(s string, to types.Type, pos token.Pos) string {
	t := f.typ(to, pos)
	if !nativeInterface(t) {
		return s
	}
	if t == "rt.Error" {
		return "rt.ToError(" + s + ")"
	}
	named := types.Unalias(to).(*types.Named)
	return f.adapter(named) + "(" + s + ")"
}

// adapter is a native function from any to a native interface type.
func (f *fn) adapter(t *types.Named) string {
	name := "To_" + plain(strings.NewReplacer("/", "_", ".", "_").Replace(dyn.Key(t)))
	if _, ok := f.natives[name]; !ok {
		wrapper := f.symbols(t.Obj().Pkg().Path())["_"+t.Obj().Name()]
		f.natives[name] = f.run.Adapter(f.nativeType(t), wrapper)
	}
	return "u." + name
}

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
		if f.info.Types[e.X].Value != nil { // the interpreter loses its way after an untyped constant
			x = f.typ(types.Default(f.typeOf(e)), e.Pos()) + "(" + x + ")"
		}
		return "(" + x + " " + e.Op.String() + " " + f.shiftCount(e.Y) + ")"
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
		t := f.operandType(e.X, e.Y)
		return "(" + f.operand(e.X, t) + " " + e.Op.String() + " " + f.operand(e.Y, t) + ")"
	}
	f.root = false
	t := f.typeOf(e)
	if (e.Op == token.QUO || e.Op == token.REM) && f.info.Types[e.Y].Value == nil && isInteger(t) {
		return f.divide(e, t)
	}
	x, y := f.operand(e.X, t), f.operand(e.Y, t)
	if f.sharedArithmetic(e.X) && f.calls(&ast.ExprStmt{X: e.Y}) {
		// The compiler computes x from what the variables hold after the call.
		q, lt := f.fresh("y"), f.typ(types.Default(t), e.Pos())
		return fmt.Sprintf("func(%s %s) %s { return %s %s %s }(%s)", q, lt, lt, x, e.Op, q, y)
	}
	return "(" + x + " " + e.Op.String() + " " + y + ")"
}

// sharedArithmetic reports whether an expression computes from variables alone, one of which belongs to a function
// around this one or to the package, so that a call may change it.
func (f *fn) sharedArithmetic(e ast.Expr) bool {
	e = ast.Unparen(e)
	if _, ok := e.(*ast.BinaryExpr); !ok || f.info.Types[e].Value != nil || !f.pureArithmetic(e) {
		return false
	}
	shared := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := f.info.Uses[id].(*types.Var); ok && f.vars[v] == "" {
				shared = true
			}
		}
		return !shared
	})
	return shared
}

// operand writes an operand of an arithmetic operation whose type is known.
func (f *fn) operand(e ast.Expr, t types.Type) string {
	return f.conv(e, types.Default(t))
}

func isInteger(t types.Type) bool {
	b := basicOf(t)
	return b != nil && b.Info()&types.IsInteger != 0
}

func basicOf(t types.Type) *types.Basic {
	b, _ := t.Underlying().(*types.Basic)
	return b
}

// divide checks the divisor, so that a division by zero is reported where it is.
func (f *fn) divide(e *ast.BinaryExpr, t types.Type) string {
	x, y := f.operand(e.X, t), f.operand(e.Y, t)
	if f.early && f.pure(e.Y) {
		f.emit("if %s == 0 { rt.Divide(%d) }", y, f.site(e.OpPos))
	} else {
		f.note(e.OpPos)
	}
	return "(" + x + " " + e.Op.String() + " " + y + ")"
}

// operandType is the type at which two operands are compared.
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
		return fmt.Sprintf("rt.Shift(int64(%s), %d)", f.value(e), f.site(e.Pos()))
	}
	return "uint(" + f.value(e) + ")"
}

// negation is !x. The interpreter loses its way after ! as the first operand of &&.
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
		if _, ok := f.under(x).(*types.Signature); ok && !isVar(f.info, x) { // what a map does not hold is no function at all
			q := f.fresh("f")
			return fmt.Sprintf("func(%s %s) bool { return %s %s nil }(%s)", q, f.typ(f.typeOf(x), e.Pos()), q, e.Op, f.value(x))
		}
		return "(" + f.value(x) + " " + e.Op.String() + " nil)"
	}
	tx, ty := f.typeOf(e.X), f.typeOf(e.Y)
	if types.IsInterface(tx) || types.IsInterface(ty) {
		empty := types.NewInterfaceType(nil, nil)
		return not(fmt.Sprintf("rt.Eq(%s, %s, %d)", f.conv(e.X, empty), f.conv(e.Y, empty), f.site(e.OpPos)))
	}
	t := f.operandType(e.X, e.Y)
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return not(fmt.Sprintf("rt.EqValue(%d, %s, %s, %d)", f.typeID(t), f.conv(e.X, t), f.conv(e.Y, t), f.site(e.OpPos)))
	}
	return "(" + f.conv(e.X, t) + " " + e.Op.String() + " " + f.conv(e.Y, t) + ")"
}

// anyOf is the value of an interface-typed expression as lowered type any.
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
	case token.ARROW:
		return "(<-" + f.value(e.X) + ")"
	case token.NOT:
		return negation(f.value(e.X))
	}
	t := f.typeOf(e)
	x := f.operand(e.X, t)
	lt, b := f.typ(t, e.Pos()), basicOf(t)
	// The interpreter stores the result of a unary operator in the wrong place at times: only binary ones are left to it.
	switch {
	case e.Op == token.ADD:
		return "(" + x + ")"
	case e.Op == token.SUB && b.Info()&types.IsInteger != 0:
		return "(" + lt + "(0) - (" + x + "))"
	case e.Op == token.SUB:
		return "((" + x + ") * " + lt + "(-1))"
	case b.Info()&types.IsUnsigned != 0:
		return "(" + f.constant(allOnes(b), t, e.Pos()) + " ^ (" + x + "))"
	}
	return "(" + lt + "(-1) ^ (" + x + "))"
}

// allOnes is the largest value of an unsigned type.
func allOnes(b *types.Basic) constant.Value {
	bits := uint(64)
	switch b.Kind() {
	case types.Uint8:
		bits = 8
	case types.Uint16:
		bits = 16
	case types.Uint32:
		bits = 32
	}
	return constant.MakeUint64(^uint64(0) >> (64 - bits))
}

// deref is *p as a value. The interpreter does not notice that p is nil.
func (f *fn) deref(e *ast.StarExpr) string {
	p := f.value(e.X)
	site := f.site(e.Pos())
	if f.early && f.pure(e.X) {
		f.emit("if %s == nil { rt.Nil(%d) }", p, site)
		return "(*" + p + ")"
	}
	q := f.fresh("p")
	t := f.typ(f.typeOf(e), e.Pos())
	return fmt.Sprintf("func(%s *%s) %s { if %s == nil { rt.Nil(%d) }; return *%s }(%s)", q, t, t, q, site, q, p)
}

// pure reports whether an expression may be evaluated twice, or earlier in its statement, without a difference.
func (f *fn) pure(e ast.Expr) bool {
	if f.info.Types[e].Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.ParenExpr:
		return f.pure(e.X)
	case *ast.BasicLit:
		return true
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.MUL, token.AND, token.OR, token.XOR:
			return f.pure(e.X) && f.pure(e.Y)
		case token.QUO, token.REM, token.SHL, token.SHR:
			v := f.info.Types[e.Y].Value
			return f.pure(e.X) && v != nil && constant.Sign(v) > 0
		}
	case *ast.UnaryExpr:
		return e.Op == token.SUB && f.pure(e.X)
	case *ast.SelectorExpr:
		if s, ok := f.info.Selections[e]; ok {
			return s.Kind() == types.FieldVal && f.pure(e.X)
		}
		return true
	case *ast.CallExpr:
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && len(e.Args) == 1 {
			if b, ok := f.info.Uses[id].(*types.Builtin); ok && (b.Name() == "len" || b.Name() == "cap") {
				return f.pure(e.Args[0])
			}
		}
		return f.info.Types[e.Fun].IsType() && len(e.Args) == 1 && basicOf(f.typeOf(e)) != nil && basicOf(f.typeOf(e.Args[0])) != nil && f.pure(e.Args[0])
	case *ast.StarExpr:
		return f.pure(e.X)
	}
	return false
}
