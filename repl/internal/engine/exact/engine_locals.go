package exact

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// localArgs returns the type arguments of the function in which a type is declared.
func (e *Engine) localArgs(obj *types.TypeName) []types.Type { return e.locals[obj] }

// noteLocals records the types that an instance of a generic function declares, before the first of them is made. A
// type T in the instance f[int] is called T[int]. go/ssa makes separate objects for these types, which are in no
// scope.
func (e *Engine) noteLocals(fn *ssa.Function) {
	outer := outermost(fn)
	if len(outer.TypeArgs()) == 0 || outer.Syntax() == nil {
		return
	}
	seen := map[types.Type]bool{}
	var note func(t types.Type)
	note = func(t types.Type) {
		t = types.Unalias(t)
		if seen[t] {
			return
		}
		seen[t] = true
		if n, ok := t.(*types.Named); ok {
			obj, at := n.Obj(), outer.Syntax()
			if obj.Parent() == nil && at.Pos() < obj.Pos() && obj.Pos() < at.End() {
				e.locals[obj] = outer.TypeArgs()
				note(n.Underlying())
			}
		}
		for part := range rtype.Parts(t) {
			note(part)
		}
	}
	for t := range typesIn(fn) {
		note(t)
	}
}
