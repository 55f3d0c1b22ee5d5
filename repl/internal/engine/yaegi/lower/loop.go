package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// loopFrame is a statement that break or continue can refer to.
type loopFrame struct {
	label string // as written; empty if there is none
	loop  bool   // continue may refer to it
	// Of a range over a function: the variables that say that the loop is over, and that its function is.
	over, returned string
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
	if !f.escapes(s) {
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

// escapes reports whether a loop may keep its variables beyond a round: it makes a function or a method value, takes an address or slices an
// array.
func (f *fn) escapes(s *ast.ForStmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND
		case *ast.SliceExpr:
			found = found || !isIdent(n.X) || isArray(f.under(n.X))
		case *ast.SelectorExpr:
			s := f.info.Selections[n]
			found = found || s != nil && s.Kind() != types.FieldVal
		}
		return !found
	})
	return found
}

func isArray(t types.Type) bool {
	_, ok := t.(*types.Array)
	return ok
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

// jump is break or continue.
func (f *fn) jump(tok token.Token, label string, pos token.Pos) {
	for i := len(f.loops) - 1; i >= 0; i-- {
		l := f.loops[i]
		switch target := label != "" && l.label == label || label == "" && (l.loop || tok == token.BREAK); {
		case target && l.over == "" && label != "":
			f.emit("%s %s", tok, f.breaks[label])
		case target && l.over == "":
			f.emit("%s", tok)
		case target && tok == token.CONTINUE:
			f.emit("return true")
		case target:
			f.emit("%s = true", l.over)
			f.emit("return false")
		case l.over != "":
			refuse(pos, tok.String()+" out of a range over a function", "its body is a function of its own", "use a variable that the outer loop tests")
		default:
			continue
		}
		return
	}
	refuse(pos, tok.String(), "its target is not a loop or switch", "use a loop")
}
