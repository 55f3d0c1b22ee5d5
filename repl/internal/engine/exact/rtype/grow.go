package rtype

import (
	"go/types"
	"iter"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// Grow makes new versions of the session's types that have gained methods, and of all types that mention these,
// because Go caches its findings about the old ones. scope belongs to the package with the newest objects. Grow
// reports whether there are such types.
func (b *Builder) Grow(scope *types.Scope) bool {
	var named []types.Type
	changed := map[string]bool{}
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() || b.byKey[Key(obj.Type())] == nil {
			continue
		}
		named = append(named, obj.Type())
		if sig, _ := b.methodSets(obj.Type()); sig != b.byKey[Key(obj.Type())].methods {
			changed[Key(obj.Type())] = true
		}
	}
	if len(changed) == 0 {
		return false
	}
	for _, m := range b.byKey {
		if t := b.goType[m.typ]; t != nil && mentions(t, changed, map[types.Type]bool{}) {
			m.methods = ""
			if n, ok := t.(*types.Named); !ok || n.TypeArgs().Len() > 0 {
				named = append(named, newest(t, scope))
			}
		}
	}
	b.composed = map[string][]*mem.Type{}
	for rt, t := range b.composites {
		b.composed[Key(t)] = append(b.composed[Key(t)], rt)
	}
	clear(b.byType)
	for _, t := range named {
		b.Of(t)
	}
	return true
}

// means sets the Go type of all versions of a type to t, which may consist of newer objects than when the versions
// were made.
func (b *Builder) means(m *typeEntry, t types.Type) {
	b.goType[m.typ] = t
	for _, old := range m.old {
		b.goType[old] = t
		b.goType[mem.TypeOf(reflect.PointerTo(old.Reflect()))] = types.NewPointer(t)
	}
}

// newest returns t with the package-level types that it mentions replaced by the objects of the same names in a
// scope.
func newest(t types.Type, scope *types.Scope) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		obj, ok := scope.Lookup(t.Obj().Name()).(*types.TypeName)
		if !ok || t.Obj().Pkg() == nil || t.Obj().Pkg().Path() != "main" || t.Obj().Parent() == nil ||
			t.Obj().Parent().Parent() != types.Universe {
			return t
		}
		if t.TypeArgs().Len() == 0 {
			return obj.Type()
		}
		var args []types.Type
		for arg := range t.TypeArgs().Types() {
			args = append(args, newest(arg, scope))
		}
		if made, err := types.Instantiate(nil, obj.Type(), args, false); err == nil {
			return made
		}
	case *types.Pointer:
		return types.NewPointer(newest(t.Elem(), scope))
	case *types.Slice:
		return types.NewSlice(newest(t.Elem(), scope))
	case *types.Array:
		return types.NewArray(newest(t.Elem(), scope), t.Len())
	case *types.Map:
		return types.NewMap(newest(t.Key(), scope), newest(t.Elem(), scope))
	case *types.Chan:
		return types.NewChan(t.Dir(), newest(t.Elem(), scope))
	case *types.Struct:
		fields, tags := make([]*types.Var, t.NumFields()), make([]string, t.NumFields())
		for i := range fields {
			f := t.Field(i)
			fields[i], tags[i] = types.NewField(f.Pos(), f.Pkg(), f.Name(), newest(f.Type(), scope), f.Embedded()),
				t.Tag(i)
		}
		return types.NewStruct(fields, tags)
	case *types.Signature:
		return types.NewSignatureType(
			nil, nil, nil, newestOf(t.Params(), scope), newestOf(t.Results(), scope), t.Variadic())
	case *types.Interface:
		var methods []*types.Func
		for m := range t.Methods() {
			methods = append(methods,
				types.NewFunc(m.Pos(), m.Pkg(), m.Name(), newest(m.Signature(), scope).(*types.Signature)))
		}
		return types.NewInterfaceType(methods, nil).Complete()
	}
	return t
}

func newestOf(t *types.Tuple, scope *types.Scope) *types.Tuple {
	var out []*types.Var
	for v := range t.Variables() {
		out = append(out, types.NewParam(v.Pos(), v.Pkg(), v.Name(), newest(v.Type(), scope)))
	}
	return types.NewTuple(out...)
}

// mentions reports whether a type is composed of one whose key is in keys.
func mentions(t types.Type, keys map[string]bool, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok {
		if n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "main" {
			return false
		}
		return keys[Key(t)] || mentions(n.Underlying(), keys, seen)
	}
	for part := range Parts(t) {
		if mentions(part, keys, seen) {
			return true
		}
	}
	return false
}

// Parts yields the types that an unnamed type is composed of, or the type arguments of a named type.
func Parts(t types.Type) iter.Seq[types.Type] {
	return func(yield func(types.Type) bool) {
		variables := func(list iter.Seq[*types.Var]) bool {
			for v := range list {
				if !yield(v.Type()) {
					return false
				}
			}
			return true
		}
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			t.TypeArgs().Types()(yield)
		case *types.Map:
			_ = yield(t.Key()) && yield(t.Elem())
		case interface{ Elem() types.Type }:
			yield(t.Elem())
		case *types.Signature:
			_ = variables(t.Params().Variables()) && variables(t.Results().Variables())
		case *types.Tuple:
			variables(t.Variables())
		case *types.Struct:
			variables(t.Fields())
		case *types.Interface:
			for m := range t.Methods() {
				if !yield(m.Type()) {
					return
				}
			}
		}
	}
}
