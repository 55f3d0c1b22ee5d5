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
		if between := leadsBack(f.Type(), key, nil, map[string]bool{}); between != nil {
			refuse(l.declaredAt(between.Obj(), pos), "the type "+typeText(between), "it and another type contain each other",
				"use one struct for both, or names or numbers where one refers to the other")
		}
	}
}

// leadsBack is the struct through which a type leads to the one with the given key; nil if there is none in between, or if it does
// not lead there. within is the innermost struct that the way has come through.
func leadsBack(t types.Type, key string, within *types.Named, seen map[string]bool) *types.Named {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		k := dyn.Key(n)
		if k == key {
			return within
		}
		if seen[k] || !dyn.IsUser(n) {
			return nil
		}
		seen[k] = true
		if st, ok := n.Underlying().(*types.Struct); ok {
			for f := range st.Fields() {
				if leadsBack(f.Type(), key, n, seen) != nil {
					return n
				}
			}
			return nil
		}
	}
	var parts []types.Type
	switch u := t.Underlying().(type) {
	case *types.Map:
		parts = []types.Type{u.Key(), u.Elem()}
	case *types.Signature:
		if within == nil {
			return nil
		}
		for _, tuple := range []*types.Tuple{u.Params(), u.Results()} {
			for v := range tuple.Variables() {
				parts = append(parts, v.Type())
			}
		}
	case interface{ Elem() types.Type }:
		parts = []types.Type{u.Elem()}
	}
	for _, p := range parts {
		if n := leadsBack(p, key, within, seen); n != nil {
			return n
		}
	}
	return nil
}
