package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
)

// value lowers an expression as a value of its own type, or of its default type if it is an untyped constant.
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
		return f.selector(e)
	case *ast.CallExpr:
		return f.call(e)
	case *ast.StarExpr:
		return f.deref(e)
	case *ast.IndexExpr:
		if m, ok := f.under(e.X).(*types.Map); ok {
			if b := basicOf(m.Elem()); b != nil && b.Info()&types.IsBoolean != 0 {
				// For a missing entry, the interpreter would branch as if its value were true.
				return "(" + f.index(e) + " == true)"
			}
		}
		return f.index(e)
	case *ast.IndexListExpr:
		return f.funcValue(e, calleeFunc(f.info, e))
	case *ast.SliceExpr:
		return f.slice(e)
	case *ast.TypeAssertExpr:
		return f.assertion(e)
	case *ast.CompositeLit:
		return f.composite(e, f.typeOf(e))
	case *ast.FuncLit:
		return f.literal(e)
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
	refuse(pos, "the variable "+cell.Display(v.Name()), "the interpreter does not know it",
		"declare it again in this cell")
	return ""
}

// isGlobal reports whether v is declared at package level. All units have the same package but different scopes.
func isGlobal(v *types.Var) bool { return v.Parent() != nil && v.Parent().Parent() == types.Universe }

// deref lowers *p as a value, with a check for nil, which the interpreter does not make.
func (f *fn) deref(e *ast.StarExpr) string {
	p := f.value(e.X)
	q := f.fresh("p")
	t := f.typ(f.typeOf(e), e.Pos())
	return fmt.Sprintf("func(%s *%s) %s { if %s == nil { rt.Nil() }; return *%s }(%s)", q, t, t, q, q, p)
}

// pure reports whether an expression can be evaluated twice, or earlier in its statement, without a difference.
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
		return f.info.Types[e.Fun].IsType() && len(e.Args) == 1 && basicOf(f.typeOf(e)) != nil &&
			basicOf(f.typeOf(e.Args[0])) != nil && f.pure(e.Args[0])
	case *ast.IndexExpr:
		return !isFunc(f.typeOf(e.X)) && f.pure(e.X) && f.pure(e.Index)
	case *ast.StarExpr:
		return f.pure(e.X)
	}
	return false
}
