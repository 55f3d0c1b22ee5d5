package lower

import (
	"go/token"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// checkRecursion refuses structs that contain each other: the interpreter makes run-time types for those that contain themselves, and
// for others only where all links between them are pointers, which few programs keep to.
func (l *unit) checkRecursion(key string, t *types.Struct, pos token.Pos) {
	for f := range t.Fields() {
		if between := leadsTo(f.Type(), key, map[string]bool{}); between != nil {
			refuse(l.declaredAt(between.Obj(), pos), "the type "+typeText(between), "it and another type contain each other",
				"use one struct for both, or names or numbers where one refers to the other")
		}
	}
}

// leadsTo is the struct through which a type leads back to another one; nil if there is none.
func leadsTo(t types.Type, root string, seen map[string]bool) *types.Named {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		key := dyn.Key(n)
		st, ok := n.Underlying().(*types.Struct)
		if key == root || seen[key] || !dyn.IsUser(n) {
			return nil
		}
		seen[key] = true
		if ok {
			for f := range st.Fields() {
				if mentions(f.Type(), root, map[types.Type]bool{}) || leadsTo(f.Type(), root, seen) != nil {
					return n
				}
			}
			return nil
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return leadsTo(u.Elem(), root, seen)
	case *types.Map:
		return leadsTo(u.Elem(), root, seen)
	case *types.Pointer:
		return leadsTo(u.Elem(), root, seen)
	case *types.Array:
		return leadsTo(u.Elem(), root, seen)
	}
	return nil
}

// mentions reports whether t names the type with the given key outside of other named structs.
func mentions(t types.Type, key string, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		if dyn.Key(t) == key {
			return true
		}
		if _, ok := t.Underlying().(*types.Struct); ok || !dyn.IsUser(t) {
			return false
		}
		return mentions(t.Underlying(), key, seen)
	case *types.Pointer:
		return mentions(t.Elem(), key, seen)
	case *types.Slice:
		return mentions(t.Elem(), key, seen)
	case *types.Array:
		return mentions(t.Elem(), key, seen)
	case *types.Chan:
		return mentions(t.Elem(), key, seen)
	case *types.Map:
		return mentions(t.Key(), key, seen) || mentions(t.Elem(), key, seen)
	case *types.Signature:
		for i := range t.Params().Len() {
			if mentions(t.Params().At(i).Type(), key, seen) {
				return true
			}
		}
		for i := range t.Results().Len() {
			if mentions(t.Results().At(i).Type(), key, seen) {
				return true
			}
		}
	}
	return false
}
