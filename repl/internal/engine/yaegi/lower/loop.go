package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// forStmt lowers a for statement. If its variables escape, they are new in each round: a round begins with copies
// of the previous round's variables, and then runs the post statement.
func (f *fn) forStmt(s *ast.ForStmt, label string) {
	f.emit("{")
	if s.Init != nil {
		f.stmt(s.Init)
	}
	vars := f.loopVars(s)
	if !kept(f.info, s, vars) {
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
	f.emit("}")
}

// loopVars returns the variables that the head of a for statement declares.
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

func isArray(t types.Type) bool {
	_, ok := t.(*types.Array)
	return ok
}

func (f *fn) branch(s *ast.BranchStmt) {
	switch s.Tok {
	case token.GOTO:
		refuse(s.Pos(), "goto", "only the jumps of loops are left to the interpreter",
			"use a loop with break or continue")
	case token.FALLTHROUGH:
		f.emit("fallthrough")
		return
	}
	if s.Label == nil {
		f.emit("%s", s.Tok)
		return
	}
	label, ok := f.breaks[s.Label.Name]
	if !ok {
		refuse(s.Pos(), s.Tok.String()+" out of a block", "the interpreter knows labels of loops and switches",
			"use a loop")
	}
	f.emit("%s %s", s.Tok, label)
}
