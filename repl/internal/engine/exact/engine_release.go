package exact

import (
	"go/types"
	"iter"
	"slices"
	"weak"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// release drops whatever is no longer needed of cells that have ended: their statements, and their function
// literals unless a value refers to one. A session may have thousands of cells.
func (e *Engine) release() {
	if len(e.ended) == 0 {
		return
	}
	for _, p := range e.ended {
		for _, name := range []string{"init", p.entry} {
			if fn := p.pkg.Func(name); name != "" && fn != nil {
				delete(e.codes, fn)
				delete(e.named, nameOf(fn))
				strip(fn)
			}
		}
	}
	e.ended = nil
	for fn, c := range e.codes {
		if c.fn != fn { // the code is found by the function's name instead
			delete(e.codes, fn)
		}
	}
	for fn, c := range e.codes {
		if outer := outermost(fn); outer != fn && e.codes[outer] == nil {
			delete(e.codes, fn)
			e.loose = append(e.loose, weak.Make(c))
		}
	}
	e.loose = slices.DeleteFunc(e.loose, func(w weak.Pointer[code]) bool {
		c := w.Value()
		return c == nil || c.settle()
	})
	e.count.Lock()
	defer e.count.Unlock()
	e.stacks = nil // free frames on these stacks refer to functions
}

// outermost returns the declared function that contains a function literal, at any depth. For a function that is
// not a literal it returns the function itself.
func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// settle drops the source of a compiled function literal that never needs to be compiled again, because it mentions
// no type of cells, which might gain methods. It reports whether it dropped the source.
func (c *code) settle() bool {
	if c.lasting || c.body.Load() == nil {
		return false
	}
	if c.lasting = mentionsCells(c.fn); c.lasting {
		return false
	}
	c.settled, c.fn = outermost(c.fn).Name(), nil
	return true
}

// mentionsCells reports whether a value in a function has a type that a cell declared, or a type composed of one.
func mentionsCells(fn *ssa.Function) bool {
	seen := map[types.Type]bool{}
	for t := range typesIn(fn) {
		if ofCells(t, seen) {
			return true
		}
	}
	return false
}

// typesIn yields the types of the values in a function, and those that it asserts.
func typesIn(fn *ssa.Function) iter.Seq[types.Type] {
	return func(yield func(types.Type) bool) {
		if !yield(fn.Signature) {
			return
		}
		for _, v := range fn.FreeVars {
			if !yield(v.Type()) {
				return
			}
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if v, ok := in.(ssa.Value); ok && !yield(v.Type()) {
					return
				}
				if t, ok := in.(*ssa.TypeAssert); ok && !yield(t.AssertedType) {
					return
				}
				for _, v := range in.Operands(nil) {
					if *v != nil && !yield((*v).Type()) {
						return
					}
				}
			}
		}
	}
}

// ofCells reports whether a type was declared by a cell, or is composed of one that was.
func ofCells(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "main" {
		return true
	}
	for part := range rtype.Parts(t) {
		if ofCells(part, seen) {
			return true
		}
	}
	return false
}

// strip removes a function's instructions, which refer to each other and to the cell's syntax.
func strip(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok && v.Referrers() != nil {
				*v.Referrers() = nil
			}
		}
		b.Instrs = nil
	}
	fn.AnonFuncs = nil
}
