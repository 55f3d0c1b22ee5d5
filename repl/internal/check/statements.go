package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// statements returns the body of the entry function: the cell's statements in order, with variable declarations
// turned into assignments.
func (h *hoister) statements() []ast.Stmt {
	var out []ast.Stmt
	if h.c.Program {
		out = h.initialisers()
	}
	first := h.firstAfterInits()
	for i, stmt := range h.c.Body.List {
		if i == first {
			out = append(out, h.initCalls()...)
		}
		if i == len(h.c.Body.List)-1 {
			out = append(out, h.showLast(stmt)...)
		}
		out = append(out, h.statement(stmt)...)
	}
	if first == len(h.c.Body.List) {
		out = append(out, h.initCalls()...)
	}
	return out
}

// initialisers returns the assignments to a program's package-level variables, in the order of their dependencies.
func (h *hoister) initialisers() []ast.Stmt {
	var out []ast.Stmt
	for _, d := range h.c.File.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, spec := range g.Specs {
				if spec := spec.(*ast.ValueSpec); len(spec.Values) == 0 {
					out = append(out, h.zero(spec)...)
				}
			}
		}
	}
	for _, init := range h.info.InitOrder {
		as := &ast.AssignStmt{TokPos: init.Rhs.Pos(), Tok: token.ASSIGN, Rhs: []ast.Expr{init.Rhs}}
		for _, v := range init.Lhs {
			name := v.Name()
			if to, ok := h.renamed[name]; ok {
				name = to
			}
			as.Lhs = append(as.Lhs, &ast.Ident{NamePos: v.Pos(), Name: name})
		}
		if init.Lhs[0].Name() == "_" && len(init.Lhs) == 1 {
			as.Rhs = []ast.Expr{h.convert(init.Lhs[0].Type(), init.Rhs)}
		}
		out = append(out, as)
	}
	return h.stepped(out)
}

// statement returns one statement of the cell as written in the entry function.
func (h *hoister) statement(stmt ast.Stmt) []ast.Stmt {
	switch s := stmt.(type) {
	case *ast.LabeledStmt:
		inner := h.statement(s.Stmt)
		if len(inner) == 0 {
			inner = []ast.Stmt{&ast.EmptyStmt{Semicolon: s.Colon, Implicit: true}}
		}
		s.Stmt = inner[0]
		return append([]ast.Stmt{s}, inner[1:]...)
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			break
		}
		if out := h.inRounds(s); out != nil {
			return h.stepped(out)
		}
		s.Tok = token.ASSIGN
		return h.stepped([]ast.Stmt{s})
	case *ast.DeclStmt:
		if g, ok := s.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
			if out := h.inRounds(s); out != nil {
				return h.stepped(out)
			}
			var out []ast.Stmt
			for _, spec := range g.Specs {
				out = append(out, h.varSpec(spec.(*ast.ValueSpec))...)
			}
			return h.stepped(out)
		}
	}
	return []ast.Stmt{stmt}
}

func (h *hoister) varSpec(spec *ast.ValueSpec) []ast.Stmt {
	if len(spec.Values) == 0 {
		return h.zero(spec)
	}
	as := &ast.AssignStmt{TokPos: spec.Pos(), Tok: token.ASSIGN, Rhs: spec.Values}
	for _, id := range spec.Names {
		as.Lhs = append(as.Lhs, id)
	}
	if spec.Type != nil && len(spec.Names) == len(spec.Values) {
		for i, id := range spec.Names {
			if id.Name == "_" {
				as.Rhs[i] = &ast.CallExpr{Fun: &ast.ParenExpr{X: spec.Type}, Args: []ast.Expr{as.Rhs[i]}}
			}
		}
	}
	return []ast.Stmt{as}
}

// convert builds T(x), so that an assignment to _ still checks the type.
func (h *hoister) convert(t types.Type, x ast.Expr) ast.Expr {
	h.w.pos = x.Pos()
	e, err := h.w.expr(t)
	if err != nil {
		return x
	}
	return &ast.CallExpr{Fun: &ast.ParenExpr{X: e}, Args: []ast.Expr{x}}
}

// zero resets existing variables to zero: x = *new(T).
func (h *hoister) zero(spec *ast.ValueSpec) []ast.Stmt {
	var out []ast.Stmt
	for _, id := range spec.Names {
		for i, v := range h.vars {
			if v.engine == id.Name && !v.reused {
				h.vars[i].step = h.steps
			}
			if v.engine != id.Name || !v.reused {
				continue
			}
			h.w.pos = id.Pos()
			t, err := h.w.expr(v.typ)
			if err != nil {
				continue // declareVars reports the error
			}
			out = append(out, h.assign(token.ASSIGN, id, &ast.StarExpr{Star: id.Pos(), X: &ast.CallExpr{
				Fun: h.w.ident("new"), Lparen: id.Pos(), Args: []ast.Expr{t}, Rparen: id.Pos(),
			}}))
		}
	}
	return out
}

// stepped appends an update of the progress counter. If the cell ends early, the counter shows which variables have
// been set.
func (h *hoister) stepped(stmts []ast.Stmt) []ast.Stmt {
	set := map[string]bool{}
	for _, stmt := range stmts {
		if as, ok := stmt.(*ast.AssignStmt); ok {
			for _, l := range as.Lhs {
				if id, ok := l.(*ast.Ident); ok {
					set[id.Name] = true
					h.w.pos = as.End()
				}
			}
		}
	}
	used := false
	for i := range h.vars {
		if v := &h.vars[i]; v.step < 0 && set[v.engine] {
			v.step, used = h.steps+1, true
		}
	}
	if !used {
		return stmts
	}
	h.steps++
	return append(stmts, h.assign(token.ASSIGN, h.w.ident(StepName),
		&ast.BasicLit{ValuePos: h.w.pos, Kind: token.INT, Value: strconv.Itoa(h.steps)}))
}

// showLast makes the last statement show the value of its expression. If the expression has several results, it
// returns a statement that assigns them to variables, which are then shown.
func (h *hoister) showLast(stmt ast.Stmt) []ast.Stmt {
	es, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return nil
	}
	tv, ok := h.info.Types[es.X]
	if !ok || !tv.IsValue() || tv.IsNil() {
		return nil
	}
	call, isCall := ast.Unparen(es.X).(*ast.CallExpr)
	receive, _ := ast.Unparen(es.X).(*ast.UnaryExpr)
	stands := isCall || receive != nil && receive.Op == token.ARROW
	if s, ok := tv.Type.Underlying().(*types.Struct); ok && s.NumFields() == 0 && stands {
		return nil // an expression without a useful value, such as a receive from a channel of empty structs
	}
	if isCall && h.silent(call, tv) {
		return nil
	}
	h.w.pos = es.X.Pos()
	shown := &ast.CallExpr{Fun: h.w.ident(ShowName), Lparen: es.X.Pos(), Args: []ast.Expr{es.X}, Rparen: es.X.End()}
	results, isTuple := tv.Type.(*types.Tuple)
	if !isTuple {
		es.X = shown
		return nil
	}
	define := &ast.AssignStmt{TokPos: es.X.Pos(), Tok: token.DEFINE, Rhs: []ast.Expr{es.X}}
	shown.Args = nil
	for i := range results.Len() {
		name := "result" + cell.Mark + strconv.Itoa(i)
		define.Lhs = append(define.Lhs, h.w.ident(name))
		shown.Args = append(shown.Args, h.w.ident(name))
	}
	es.X = shown
	return []ast.Stmt{define}
}

// silent reports whether a call's result is not shown because the call is made for its effect: it prints, writes or
// copies.
func (h *hoister) silent(call *ast.CallExpr, tv types.TypeAndValue) bool {
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return false
	}
	if b, ok := h.info.Uses[id].(*types.Builtin); ok && b.Name() == "copy" {
		return true
	}
	if host := h.s.hostObjects[id.Name]; host != nil && host.prints && h.info.Uses[id] == host.obj {
		return true
	}
	results, ok := tv.Type.(*types.Tuple)
	if !ok || results.Len() != 2 {
		return false
	}
	count, isBasic := results.At(0).Type().(*types.Basic)
	return isBasic && count.Kind() == types.Int && isError(results.At(1).Type()) && writes(id.Name)
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// writes reports whether a function with this name returns how much it wrote or read.
func writes(name string) bool {
	for _, prefix := range []string{"Print", "Fprint", "Write", "Fscan", "Sscan", "Scan", "Read", "Copy"} {
		if len(name) >= len(prefix) && name[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}
