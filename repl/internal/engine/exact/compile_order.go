package exact

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"sort"

	"golang.org/x/tools/go/ssa"
)

// lateReads orders the instructions of a block as Go's compiler does. The language leaves open whether `x + f()`
// reads x before or after the call. go/ssa reads it before. The compiler, and so the programs that people compare
// with, first calls the functions of a statement, and reads variables as late as possible. So lateReads moves reads
// of a variable, and pure computations with the values read, behind those calls of the statement that do not need
// them.
func (s statements) lateReads(b *ssa.BasicBlock) []ssa.Instruction {
	in := b.Instrs
	of := map[ssa.Value]*statement{} // the statement that reads a value
	calls := false
	for _, i := range in {
		switch i := i.(type) {
		case *ssa.DebugRef:
			if _, ok := of[i.X]; !ok && !i.IsAddr {
				of[i.X] = s.at(i.Expr.Pos())
			}
		case *ssa.Call:
			calls = calls || mayWrite(i)
			if i.Call.Signature().Recv() != nil && !i.Call.IsInvoke() {
				s.readsReceiver(i.Call.Args[0], i.Pos(), of)
			}
		case *ssa.MakeClosure: // binds a method value
			for _, bound := range i.Bindings {
				s.readsReceiver(bound, i.Pos(), of)
			}
		}
	}
	if !calls {
		return in
	}
	in = slices.Clone(in)
	for k := range in {
		call, ok := in[k].(*ssa.Call)
		if !ok || !mayWrite(call) {
			continue
		}
		if st := s.at(call.Pos()); st != nil {
			readAfter(in, k, st, of)
		}
	}
	return in
}

// readsReceiver records which statement reads a method's receiver through a pointer, because the syntax has no
// expression for that read.
func (s statements) readsReceiver(v ssa.Value, at token.Pos, of map[ssa.Value]*statement) {
	if read, ok := v.(*ssa.UnOp); ok && read.Op == token.MUL && of[read] == nil {
		of[read] = s.at(at)
	}
}

// readAfter moves the reads of statement st behind its call at index k, unless that call needs them.
func readAfter(in []ssa.Instruction, k int, st *statement, of map[ssa.Value]*statement) {
	late, literals := map[ssa.Instruction]bool{}, map[ssa.Instruction]bool{}
	put := func(i ssa.Instruction) bool { return late[i] || literals[i] }
	for _, i := range in[:k] {
		v, _ := i.(ssa.Value)
		lit := literalOf(i)
		if lit != nil && lit.Comment == "complit" && !st.within(lit.Pos(), in[k].Pos()) {
			continue // a struct or array literal is complete before calls outside of it
		}
		if isRead(i) && of[v] == st || (isPure(i) || lit != nil) && slices.ContainsFunc(operands(i), put) {
			late[i] = true
		}
		if lit != nil && late[i] {
			literals[lit] = true
		}
	}
	if len(late) == 0 {
		return
	}
	for j := k; j >= 0; j-- { // do not move values that an earlier instruction or the call needs
		if late[in[j]] {
			continue
		}
		if _, ok := in[j].(*ssa.DebugRef); ok {
			continue
		}
		for _, o := range operands(in[j]) {
			delete(late, o)
			// a literal must be complete before its use
			if lit, ok := o.(*ssa.Alloc); ok && !isPlace(in[j]) && literalOf(in[j]) == nil {
				maps.DeleteFunc(late, func(i ssa.Instruction, _ bool) bool { return literalOf(i) == lit })
			}
		}
	}
	var early, behind []ssa.Instruction
	for _, i := range in[:k] {
		if late[i] {
			behind = append(behind, i)
		} else {
			early = append(early, i)
		}
	}
	copy(in, slices.Concat(early, in[k:k+1], behind))
}

// isRead reports whether an instruction reads a variable or elements.
func isRead(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.MUL
	case *ssa.Convert:
		return isSlice(i.X.Type())
	}
	return false
}

// literalOf returns the composite literal of which an instruction sets an element; nil for other instructions.
func literalOf(i ssa.Instruction) *ssa.Alloc {
	store, ok := i.(*ssa.Store)
	if !ok {
		return nil
	}
	for at := store.Addr; ; {
		switch a := at.(type) {
		case *ssa.FieldAddr:
			at = a.X
		case *ssa.IndexAddr:
			at = a.X
		case *ssa.Alloc:
			if isLiteral(a) {
				return a
			}
			return nil
		default:
			return nil
		}
	}
}

// isLiteral reports whether a variable contains a composite literal under construction.
func isLiteral(a *ssa.Alloc) bool { return a.Comment == "slicelit" || a.Comment == "complit" }

// isPlace reports whether an instruction computes the address of an element.
func isPlace(i ssa.Instruction) bool {
	switch i.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr:
		return true
	}
	return false
}

// isPure reports whether an instruction only computes, and so may be moved.
func isPure(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op != token.ARROW
	case *ssa.BinOp:
		return !types.Identical(i.Type().Underlying(), types.Typ[types.Bool]) // comparisons stay where they are
	case *ssa.Lookup: // m[string(b)] stays where it is
		c, ok := i.Index.(*ssa.Convert)
		return !i.CommaOk && !(ok && isSlice(c.X.Type()))
	case *ssa.Convert: // a conversion to a slice stays where it is
		return !isSlice(i.Type())
	case *ssa.Slice: // slicing stays where it is, except of a literal
		a, ok := i.X.(*ssa.Alloc)
		return ok && isLiteral(a)
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.ChangeType, *ssa.MakeInterface, *ssa.MakeClosure:
		return true
	}
	return false
}

// mayWrite reports whether a call may write variables or elements.
func mayWrite(c *ssa.Call) bool {
	b, builtin := c.Call.Value.(*ssa.Builtin)
	return !builtin || b.Name() == "append" || b.Name() == "copy"
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

func operands(i ssa.Instruction) (from []ssa.Instruction) {
	for _, o := range i.Operands(nil) {
		if in, ok := (*o).(ssa.Instruction); ok {
			from = append(from, in)
		}
	}
	return from
}

// statements are the simple statements of a function in source order.
type statements []*statement

type statement struct {
	from, to token.Pos
	literals map[token.Pos]token.Pos // positions of the braces of all composite literals in the function
}

// within reports whether position p is inside the composite literal whose opening brace is at brace.
func (s *statement) within(brace, p token.Pos) bool { return brace < p && p < s.literals[brace] }

// statementsOf lists the statements and expressions within which Go does not specify the order of reads and calls.
func statementsOf(fn *ssa.Function) (list statements) {
	var body ast.Node
	switch s := fn.Syntax().(type) {
	case *ast.FuncDecl:
		body = s.Body
	case *ast.FuncLit:
		body = s.Body
	}
	if body == nil {
		return nil
	}
	literals := map[token.Pos]token.Pos{}
	add := func(n ast.Node) { list = append(list, &statement{n.Pos(), n.End(), literals}) }
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CompositeLit:
			literals[n.Lbrace] = n.Rbrace
		case *ast.ExprStmt, *ast.AssignStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.ValueSpec, *ast.DeferStmt,
			*ast.GoStmt:
			add(n)
		case *ast.IfStmt:
			add(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				add(n.Cond)
			}
		case *ast.RangeStmt:
			add(n.X)
		case *ast.SwitchStmt:
			if n.Tag != nil {
				add(n.Tag)
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				add(e)
			}
		}
		return true
	})
	slices.SortFunc(list, func(a, b *statement) int { return cmp.Compare(a.from, b.from) })
	return list
}

// at returns the statement at a position; nil if there is none.
func (s statements) at(p token.Pos) *statement {
	if !p.IsValid() {
		return nil
	}
	i := sort.Search(len(s), func(i int) bool { return s[i].from > p })
	if i == 0 || p >= s[i-1].to {
		return nil
	}
	return s[i-1]
}
