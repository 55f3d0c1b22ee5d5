package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// loopFrame is a statement that break or continue can refer to.
type loopFrame struct {
	label string      // as written; empty if there is none
	loop  bool        // continue may refer to it
	iter  *rangeFrame // for a range over a function
}

func (f *fn) push(l *loopFrame) { f.loops = append(f.loops, l) }
func (f *fn) pop()              { f.loops = f.loops[:len(f.loops)-1] }

// forStmt lowers a for statement. Where its variables escape they are new in each round: a round starts with copies of those of the round
// before, and then runs the post statement.
func (f *fn) forStmt(s *ast.ForStmt, label string) {
	f.emit("{")
	if s.Init != nil {
		f.stmt(s.Init)
	}
	vars := f.loopVars(s)
	if !f.escapes(vars, s) {
		vars = nil
	}
	var last []string
	for _, v := range vars {
		p := f.fresh("last")
		last = append(last, p)
		f.emit("%s := &%s", p, f.local(v))
	}
	first := f.fresh("first")
	if s.Post != nil {
		f.emit("%s := true", first)
	}
	f.push(&loopFrame{label: label, loop: true})
	f.relabel(label)
	f.emit("for {")
	for i, v := range vars {
		delete(f.vars, v)
		f.emit("%s := *%s", f.local(v), last[i])
		f.emit("%s = &%s", last[i], f.local(v))
	}
	if s.Post != nil {
		f.emit("if %s { %s = false } else {", first, first)
		f.stmt(s.Post)
		f.emit("}")
	}
	if s.Cond != nil {
		f.marked = false
		f.emit("if %s { break }", negation(f.condition(s.Cond)))
	}
	f.block(s.Body.List)
	f.pop()
	f.emit("}")
}

// loopVars are the variables that the head of a for statement declares.
func (f *fn) loopVars(s *ast.ForStmt) []types.Object {
	a, ok := s.Init.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE {
		return nil
	}
	var out []types.Object
	for _, l := range a.Lhs {
		if v := f.defined(l); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// escapes reports whether a function literal sees one of the variables or something takes its address, so that each
// round needs variables of its own.
func (f *fn) escapes(vars []types.Object, s *ast.ForStmt) bool {
	is := func(e ast.Expr) bool {
		for {
			switch x := ast.Unparen(e).(type) {
			case *ast.SelectorExpr:
				e = x.X
				continue
			case *ast.IndexExpr:
				e = x.X
				continue
			case *ast.Ident:
				return slices.Contains(vars, f.info.Uses[x])
			}
			return false
		}
	}
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ast.Inspect(n.Body, func(m ast.Node) bool {
				if id, ok := m.(*ast.Ident); ok && slices.Contains(vars, f.info.Uses[id]) {
					found = true
				}
				return !found
			})
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		case *ast.SliceExpr:
			found = found || is(n.X)
		case *ast.SelectorExpr:
			if sel, ok := f.info.Selections[n]; ok && sel.Kind() != types.FieldVal && is(n.X) {
				found = true
			}
		}
		return !found
	})
	return found
}

func (f *fn) branch(s *ast.BranchStmt) {
	switch s.Tok {
	case token.GOTO:
		refuse(s.Pos(), "goto", "only the jumps of loops are left to the interpreter", "use a loop with break or continue")
	case token.FALLTHROUGH:
		f.emit("fallthrough")
		return
	}
	label := ""
	if s.Label != nil {
		label = s.Label.Name
	}
	f.jump(s.Tok, label, s.Pos())
}

// jump is break or continue, through the bodies of ranges over functions if need be.
func (f *fn) jump(tok token.Token, label string, pos token.Pos) {
	target := -1
	for i := len(f.loops) - 1; i >= 0; i-- {
		l := f.loops[i]
		if label != "" && l.label == label || label == "" && (l.loop || tok == token.BREAK) {
			target = i
			break
		}
	}
	if target < 0 {
		refuse(pos, tok.String(), "its target is not a loop, switch or select", "use a loop")
	}
	var inner *rangeFrame
	innerAt := -1
	for i := len(f.loops) - 1; i >= target; i-- {
		if f.loops[i].iter != nil {
			inner, innerAt = f.loops[i].iter, i
			break
		}
	}
	switch {
	case inner == nil:
		f.emit("%s%s", tok, f.labelText(label, target))
	case innerAt == target && tok == token.CONTINUE:
		f.emit("%s = 0", inner.phase)
		f.emit("return true")
	case innerAt == target:
		f.emit("%s = 2", inner.phase)
		f.emit("return false")
	default:
		refuse(pos, tok.String()+" out of a range over a function", "the interpreter leaves one loop at a time", "use a variable that the outer loop tests")
	}
}

func (f *fn) labelText(label string, target int) string {
	if label == "" {
		return ""
	}
	return " " + f.breaks[label]
}
