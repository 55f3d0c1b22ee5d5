package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// stmts writes a list of statements. An empty list becomes a statement that does nothing, because the interpreter
// may not handle an empty list.
func (f *fn) stmts(list []ast.Stmt) {
	before := f.out.Len()
	for _, s := range list {
		f.stmt(s)
	}
	if f.out.Len() == before {
		f.emit("rt.Here()")
	}
}

// block writes the statements of a block and its closing brace.
func (f *fn) block(list []ast.Stmt) {
	f.stmts(list)
	f.emit("}")
}

func (f *fn) stmt(s ast.Stmt) {
	f.checkOrder(s)
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
	case *ast.ExprStmt:
		f.exprStmt(s)
	case *ast.AssignStmt:
		f.assign(s)
	case *ast.IncDecStmt:
		op := token.ADD_ASSIGN
		if s.Tok == token.DEC {
			op = token.SUB_ASSIGN
		}
		f.opAssign(s.X, op, nil)
	case *ast.DeclStmt:
		f.declare(s.Decl.(*ast.GenDecl))
	case *ast.BlockStmt:
		f.emit("{")
		f.block(s.List)
	case *ast.IfStmt:
		f.ifStmt(s)
	case *ast.ForStmt:
		f.forStmt(s, "")
	case *ast.RangeStmt:
		f.rangeStmt(s, "")
	case *ast.SwitchStmt:
		f.switchStmt(s, "")
	case *ast.TypeSwitchStmt:
		f.typeSwitch(s, "")
	case *ast.LabeledStmt:
		f.labeled(s)
	case *ast.BranchStmt:
		f.branch(s)
	case *ast.ReturnStmt:
		f.returnStmt(s)
	case *ast.DeferStmt:
		f.deferStmt(s)
	default:
		refuse(s.Pos(), "this statement", "the interpreter does not know it", "write it in another way")
	}
}

// calls reports whether an expression calls a function that is not a builtin.
func (f *fn) calls(e ast.Expr) bool {
	return holds(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && !f.info.Types[call.Fun].IsType() && !f.info.Types[call.Fun].IsBuiltin()
	})
}

func (f *fn) exprStmt(s *ast.ExprStmt) {
	e := ast.Unparen(s.X)
	call, ok := e.(*ast.CallExpr)
	if !ok {
		f.drop(e)
		return
	}
	text := f.value(f.unspread(call))
	if f.info.Types[call].Value != nil {
		return
	}
	f.emit("%s", text)
}

func (f *fn) declare(d *ast.GenDecl) {
	if d.Tok == token.TYPE && len(f.tparam) > 0 && !f.std {
		refuse(d.Pos(), "a type that a generic function declares",
			"it would be one and the same for all type arguments", "declare it outside of the function")
	}
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		vs := spec.(*ast.ValueSpec)
		var temps []string
		var from []types.Type
		if len(vs.Values) == 1 && len(vs.Names) > 1 {
			temps, from = f.tupleTemps(vs.Values[0]), f.tupleTypes(vs.Values[0])
		}
		for i, id := range vs.Names {
			if id.Name == "_" {
				if temps == nil && vs.Values != nil {
					t := types.Default(f.typeOf(vs.Values[i]))
					if vs.Type != nil {
						t = f.typeOf(vs.Type)
					}
					f.emit("var %s %s = %s", f.fresh("unused"), f.typ(t, id.Pos()), f.conv(vs.Values[i], t))
				}
				continue
			}
			v, text := f.info.Defs[id], ""
			if temps != nil {
				text = " = " + f.convert(temps[i], from[i], f.objType(v), id.Pos())
			} else if vs.Values != nil {
				text = " = " + f.settled(vs.Values[i], f.objType(v))
			}
			f.emit("var %s %s%s", f.local(v), f.typ(f.objType(v), id.Pos()), text)
		}
	}
}

func (f *fn) ifStmt(s *ast.IfStmt) {
	if s.Init != nil {
		f.emit("{")
		f.stmt(s.Init)
	}
	cond := f.condition(s.Cond)
	f.emit("if %s {", cond)
	f.stmts(s.Body.List)
	if s.Else != nil {
		f.emit("} else {")
		f.stmt(s.Else)
	}
	f.emit("}")
	if s.Init != nil {
		f.emit("}")
	}
}

// condition lowers a boolean expression.
func (f *fn) condition(e ast.Expr) string {
	f.root = true
	text := f.value(e)
	f.root = false
	if tv := f.info.Types[e]; tv.Value != nil {
		return "rt.Bool(" + text + ")"
	}
	return text
}

func (f *fn) labeled(s *ast.LabeledStmt) {
	f.checkOrder(s.Stmt)
	switch inner := s.Stmt.(type) {
	case *ast.ForStmt:
		f.forStmt(inner, s.Label.Name)
	case *ast.RangeStmt:
		f.rangeStmt(inner, s.Label.Name)
	case *ast.SwitchStmt:
		f.switchStmt(inner, s.Label.Name)
	case *ast.TypeSwitchStmt:
		f.typeSwitch(inner, s.Label.Name)
	default:
		f.stmt(s.Stmt)
	}
}
