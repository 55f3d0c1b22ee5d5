package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// round describes a top-level variable that is declared anew each time a goto jumps back, and of which closures or
// pointers keep each instance. It becomes a local variable of the entry function. The session's variable gets its
// value after each declaration and, from the last instance, at the end of the cell.
type round struct{ local, session, last string }

// findRounds finds the variables that round describes, and adds rounds without names for them. It ignores variables
// that functions of the cell mention, because a function cannot mention a local variable of the entry function.
func (h *hoister) findRounds() {
	h.rounds = map[*ast.Ident]*round{}
	within := h.repeated()
	if len(within) == 0 {
		return
	}
	shared := h.shared()
	for _, stmt := range within {
		ids := h.defined(cell.Unlabel(stmt))
		if slices.ContainsFunc(ids, func(id *ast.Ident) bool { return shared[h.info.Defs[id]] }) {
			for _, id := range ids {
				h.rounds[id] = &round{}
			}
		}
	}
}

// repeated returns the statements between the first label that a goto jumps back to and the last such goto.
func (h *hoister) repeated() []ast.Stmt {
	labels := map[string]int{}
	first, last := len(h.c.Body.List), -1
	for i, stmt := range h.c.Body.List {
		for l, ok := stmt.(*ast.LabeledStmt); ok; l, ok = l.Stmt.(*ast.LabeledStmt) {
			labels[l.Label.Name] = i
		}
		ast.Inspect(stmt, func(n ast.Node) bool {
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
				if at, ok := labels[b.Label.Name]; ok {
					first, last = min(first, at), i
				}
			}
			_, function := n.(*ast.FuncLit)
			return !function
		})
	}
	if last < 0 {
		return nil
	}
	return h.c.Body.List[first : last+1]
}

// defined returns the variables that a statement declares. It returns nil if the statement also sets other
// variables, or if one of them is also declared elsewhere in the cell or mentioned by its functions.
func (h *hoister) defined(stmt ast.Stmt) []*ast.Ident {
	var ids []*ast.Ident
	switch stmt := stmt.(type) {
	case *ast.AssignStmt:
		for _, l := range stmt.Lhs {
			id, ok := l.(*ast.Ident)
			if !ok || stmt.Tok != token.DEFINE || id.Name != "_" && h.info.Defs[id] == nil {
				return nil
			}
			ids = append(ids, id)
		}
	case *ast.DeclStmt:
		g, ok := stmt.Decl.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			return nil
		}
		for _, spec := range g.Specs {
			ids = append(ids, spec.(*ast.ValueSpec).Names...)
		}
	}
	ids = slices.DeleteFunc(ids, func(id *ast.Ident) bool { return id.Name == "_" })
	if slices.ContainsFunc(ids, h.elsewhere) {
		return nil
	}
	return ids
}

// elsewhere reports whether another statement also declares the name, or a function of the cell mentions it.
func (h *hoister) elsewhere(id *ast.Ident) bool {
	found := false
	ast.Inspect(h.c.Body, func(n ast.Node) bool {
		if other, ok := n.(*ast.Ident); ok && other != id && other.Name == id.Name {
			obj := h.info.Defs[other]
			found = found || obj != nil && obj.Parent() == h.info.Defs[id].Parent()
		}
		return !found
	})
	for _, d := range h.c.File.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			other, ok := n.(*ast.Ident)
			found = found || ok && other.Name == id.Name && h.c.Unresolved[other]
			return !found
		})
	}
	return found
}

// shared returns the variables that function literals mention, and those whose address is taken, explicitly or by a
// method call.
func (h *hoister) shared() map[types.Object]bool {
	out := map[types.Object]bool{}
	mention := func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && h.info.Uses[id] != nil {
			out[h.info.Uses[id]] = true
		}
		return true
	}
	ast.Inspect(h.c.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ast.Inspect(n.Body, mention)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				ast.Inspect(n.X, mention)
			}
		case *ast.SliceExpr:
			ast.Inspect(n.X, mention)
		case *ast.SelectorExpr:
			if s := h.info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				ast.Inspect(n.X, mention)
			}
		}
		return true
	})
	return out
}

// inRounds returns a declaration of variables that have a round, unchanged, followed by assignments to the
// session's variables; nil for other statements.
func (h *hoister) inRounds(stmt ast.Stmt) []ast.Stmt {
	out := []ast.Stmt{stmt}
	ast.Inspect(stmt, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if v := h.rounds[id]; ok && v != nil {
			h.w.pos = stmt.End()
			at := &ast.UnaryExpr{OpPos: h.w.pos, Op: token.AND, X: h.w.ident(v.local)}
			out = append(out, h.assign(token.ASSIGN, h.w.ident(v.session), h.w.ident(v.local)),
				h.assign(token.ASSIGN, h.w.ident(v.last), at))
		}
		return true
	})
	if len(out) == 1 {
		return nil
	}
	return out
}

// lastRounds returns the statements that copy the last instances of such variables to the session's variables.
func (h *hoister) lastRounds() []ast.Stmt {
	var out []ast.Stmt
	for _, v := range h.vars {
		if v.last == "" {
			continue
		}
		set := h.assign(token.ASSIGN, h.w.ident(v.engine), &ast.StarExpr{Star: h.w.pos, X: h.w.ident(v.last)})
		ran := &ast.BinaryExpr{X: h.w.ident(v.last), OpPos: h.w.pos, Op: token.NEQ, Y: h.w.ident("nil")}
		body := &ast.BlockStmt{Lbrace: h.w.pos, List: []ast.Stmt{set}, Rbrace: h.w.pos}
		out = append(out, &ast.IfStmt{If: h.w.pos, Cond: ran, Body: body})
	}
	if out == nil {
		return nil
	}
	leave := &ast.FuncLit{
		Type: &ast.FuncType{Func: h.w.pos, Params: &ast.FieldList{Opening: h.w.pos, Closing: h.w.pos}},
		Body: &ast.BlockStmt{Lbrace: h.w.pos, List: out, Rbrace: h.w.pos},
	}
	return []ast.Stmt{&ast.DeferStmt{Defer: h.w.pos, Call: &ast.CallExpr{Fun: leave, Lparen: h.w.pos, Rparen: h.w.pos}}}
}
