package lower

import (
	"go/ast"
	"go/types"
)

// rangeMap lowers a range over a map. Compiled code lists the keys in the order that the cell's seed determines.
// Entries that have been deleted in the meantime are skipped, and values are read in each round.
func (f *fn) rangeMap(s *ast.RangeStmt, m *types.Map, label string) {
	if mayBeNaN(m.Key()) {
		refuse(s.X.Pos(), "a range over a map whose keys are or hold floats or interfaces",
			"one that is NaN cannot be looked up", "use keys that are whole numbers or text")
	}
	over, keys, k, v, known := f.fresh("over"), f.fresh("keys"), f.fresh("k"), "_", f.fresh("ok")
	f.emit("%s := %s", over, f.value(s.X))
	f.emit("%s := rt.Keys(%s).([]%s)", keys, over, f.typ(m.Key(), s.X.Pos()))
	if s.Value != nil && !isBlank(s.Value) {
		v = f.fresh("v")
	}
	f.relabel(label)
	f.emit("for _, %s := range %s {", k, keys)
	f.emit("%s, %s := %s[%s]", v, known, over, k)
	f.emit("if !%s { continue }", known)
	f.bindRange(s, []string{k, v}, []types.Type{m.Key(), m.Elem()})
	f.block(s.Body.List)
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// mayBeNaN reports whether a key of the type can be unequal to itself.
func mayBeNaN(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsFloat != 0
	case *types.Interface:
		return true
	case *types.Array:
		return mayBeNaN(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			if mayBeNaN(v.Type()) {
				return true
			}
		}
	}
	return false
}
