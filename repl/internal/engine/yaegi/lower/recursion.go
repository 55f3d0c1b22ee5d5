package lower

import (
	"go/token"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// checkRecursion refuses the shapes of recursive structs whose run-time types yaegi cannot build: two or more structs
// that contain each other other than by pointers.
func (l *unit) checkRecursion(key string, t *types.Struct, pos token.Pos) {
	for i := range t.NumFields() {
		inner := t.Field(i).Type()
		if p, ok := pointee(inner); ok {
			inner = p
		}
		l.checkEdge(key, inner, pos, map[string]bool{}, false)
	}
}

func pointee(t types.Type) (types.Type, bool) {
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		return u.Elem(), true
	case *types.Slice:
		if p, ok := types.Unalias(u.Elem()).(*types.Pointer); ok {
			return p.Elem(), true
		}
	case *types.Map:
		if p, ok := types.Unalias(u.Elem()).(*types.Pointer); ok {
			return p.Elem(), true
		}
	}
	return nil, false
}

func (l *unit) checkEdge(root string, t types.Type, pos token.Pos, seen map[string]bool, far bool) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if !dyn.IsUser(t) {
			return
		}
		key := dyn.Key(t)
		if key == root || seen[key] {
			return
		}
		seen[key] = true
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			l.checkEdge(root, t.Underlying(), pos, seen, far)
			return
		}
		for i := range st.NumFields() {
			ft := st.Field(i).Type()
			if p, ok := pointee(ft); ok {
				l.checkEdge(root, p, pos, seen, true)
				continue
			}
			if mentions(ft, root, map[types.Type]bool{}) {
				refuse(l.declaredAt(t.Obj(), pos), "the type "+typeText(t), "it and another type contain each other, and not only through pointers",
					"use pointers where the types refer to each other ([]*T, map[K]*T, *T)")
			}
			l.checkEdge(root, ft, pos, seen, true)
		}
	case *types.Slice:
		l.checkEdge(root, t.Elem(), pos, seen, far)
	case *types.Map:
		l.checkEdge(root, t.Elem(), pos, seen, far)
	case *types.Pointer:
		l.checkEdge(root, t.Elem(), pos, seen, far)
	case *types.Array:
		l.checkEdge(root, t.Elem(), pos, seen, far)
	}
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
