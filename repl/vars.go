package repl

import (
	"github.com/gorlm/rlm/internal/kit/celltype"
	"github.com/gorlm/rlm/repl/internal/check"
)

// Vars lists the session's variables, in order of name.
func (n *Notebook) Vars() []Var {
	var out []Var
	for _, sym := range n.front.Variables() {
		out = append(out, n.describe(sym, false))
	}
	return out
}

// describe describes a variable. It reads only a bounded part of the value, and calls methods of cells only under
// the engine's protection.
func (n *Notebook) describe(sym *check.Symbol, withDigest bool) (out Var) {
	last, known := n.last[sym.Obj.Name()]
	out = Var{Name: sym.Name, Type: celltype.TypeName(sym.Obj.Type()), Cell: sym.Cell}
	if known {
		out.Cell, out.Digest = last.Cell, last.Digest
	}
	defer func() {
		if r := recover(); r != nil {
			out.Preview = "(cannot be shown)"
		}
	}()
	held, ok := n.engine.Var(sym.Obj.Name())
	if !ok {
		return out
	}
	out.Size = n.reader.Size(held)
	out.Preview = n.reader.Preview(held, sym.Obj.Type())
	if withDigest {
		out.Digest = n.reader.Digest(held, sym.Obj.Type())
	}
	return out
}

// changed returns the variables that a cell created or changed, of those that it can reach, and stores their
// descriptions.
func (n *Notebook) changed(cell int, change *check.Change) []Var {
	declared := map[string]bool{}
	for _, v := range change.Vars {
		declared[v.Engine] = true
	}
	var out []Var
	for _, sym := range n.front.Reach(change) {
		engine := sym.Obj.Name()
		before, known := n.last[engine]
		now := n.describe(sym, true)
		if known && same(before, now, declared[engine]) {
			continue
		}
		now.Cell = cell
		n.last[engine] = now
		out = append(out, now)
	}
	return out
}

// same reports whether a variable has kept its value. Digests decide. A value without a digest (a function, a
// channel, a large value) is compared by preview and size, and counts as changed if the cell declares the variable.
func same(before, now Var, declared bool) bool {
	if before.Digest != "" || now.Digest != "" {
		return before.Digest == now.Digest
	}
	return !declared && before.Preview == now.Preview && before.Size == now.Size
}
