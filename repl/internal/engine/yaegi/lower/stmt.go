package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// stmts writes a list of statements. After an empty one the interpreter may lose its way.
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
	case *ast.SelectStmt:
		f.selectStmt(s)
	case *ast.LabeledStmt:
		f.labeled(s)
	case *ast.BranchStmt:
		f.branch(s)
	case *ast.ReturnStmt:
		f.returnStmt(s)
	case *ast.SendStmt:
		ch := f.under(s.Chan).(*types.Chan)
		c, v := f.value(s.Chan), f.conv(s.Value, ch.Elem())
		f.emit("%s <- %s", c, v)
	case *ast.GoStmt:
		f.inOwnFrame(func() { f.emit("rt.Go(func() { %s })", f.delayed(s.Call)) })
	case *ast.DeferStmt:
		f.deferStmt(s)
	default:
		refuse(s.Pos(), "this statement", "the interpreter does not know it", "write it in another way")
	}
}

// calls reports whether an expression calls something that could change a variable.
func (f *fn) calls(e ast.Expr) bool {
	return holds(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return calleeKey(f.info, n) != "" || len(handed(f.info, n)) > 0
		case *ast.UnaryExpr:
			return n.Op == token.ARROW
		}
		return false
	})
}

// selectStmt is a select statement without cases, which waits for ever.
func (f *fn) selectStmt(s *ast.SelectStmt) {
	if len(s.Body.List) > 0 {
		refuse(s.Pos(), "select", "the seed of the cell decides between its cases", "receive from one channel at a time")
	}
	never := f.fresh("never")
	f.emit("var %s chan int", never)
	f.emit("<-%s", never)
}

func (f *fn) exprStmt(s *ast.ExprStmt) {
	e := ast.Unparen(s.X)
	call, ok := e.(*ast.CallExpr)
	if !ok {
		f.drop(e)
		return
	}
	text := f.value(call)
	if f.info.Types[call].Value != nil {
		return
	}
	f.emit("%s", text)
}

func (f *fn) declare(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		vs := spec.(*ast.ValueSpec)
		switch {
		case len(vs.Values) == 0:
			for _, id := range vs.Names {
				if id.Name != "_" {
					v := f.info.Defs[id]
					f.emit("var %s %s", f.local(v), f.typ(f.objType(v), id.Pos()))
				}
			}
		case len(vs.Values) == len(vs.Names):
			for i, id := range vs.Names {
				if id.Name == "_" {
					if vs.Type != nil {
						t := f.typeOf(vs.Type)
						f.emit("var %s %s = %s", f.fresh("unused"), f.typ(t, id.Pos()), f.conv(vs.Values[i], t))
					} else {
						f.drop(vs.Values[i])
					}
					continue
				}
				v := f.info.Defs[id]
				text := f.settled(vs.Values[i], f.objType(v))
				f.emit("var %s %s = %s", f.local(v), f.typ(f.objType(v), id.Pos()), text)
			}
		default:
			temps := f.tupleTemps(vs.Values[0])
			from := f.tupleTypes(vs.Values[0], len(vs.Names))
			for i, id := range vs.Names {
				if id.Name != "_" {
					v := f.info.Defs[id]
					f.emit("var %s %s = %s", f.local(v), f.typ(f.objType(v), id.Pos()), f.convert(temps[i], from[i], f.objType(v), id.Pos()))
				}
			}
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

// condition is a boolean expression.
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
