package typed

import "go/types"

// recursive finds the named types under t that contain themselves; only these need separate definitions.
func recursive(t types.Type) map[*types.Named]bool {
	found := map[*types.Named]bool{}
	var open []*types.Named
	done := map[*types.Named]bool{}
	var walk func(t types.Type)
	walk = func(t types.Type) {
		t = types.Unalias(t)
		if named, ok := t.(*types.Named); ok {
			if special(t) != "" || decodesItself(t) {
				return
			}
			for _, o := range open {
				if o == named {
					found[named] = true
					return
				}
			}
			if done[named] {
				return
			}
			open = append(open, named)
			defer func() { open = open[:len(open)-1]; done[named] = true }()
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			walk(u.Elem())
		case *types.Slice:
			walk(u.Elem())
		case *types.Array:
			walk(u.Elem())
		case *types.Map:
			walk(u.Elem())
		case *types.Struct:
			for i := range u.NumFields() {
				walk(u.Field(i).Type())
			}
		}
	}
	walk(t)
	return found
}

// decodesItself reports whether t is a compiled type with its own JSON or text decoding that encoding/json would
// use.
func decodesItself(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || declaredInCell(named) {
		return false
	}
	return hasMethod(named, "UnmarshalJSON") || hasMethod(named, "UnmarshalText")
}

// checkMethods rejects a cell's type with a method for decoding: its methods cannot be called from here.
func checkMethods(t types.Type, path string) error {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || !declaredInCell(named) {
		return nil
	}
	for _, m := range []string{"UnmarshalJSON", "UnmarshalText"} {
		if hasMethod(named, m) {
			return unsupported(path, t,
				"its method "+m+" would not be called; use a plain type here and convert it afterwards")
		}
	}
	return nil
}

func declaredInCell(named *types.Named) bool {
	pkg := named.Obj().Pkg()
	return pkg != nil && pkg.Name() == "main"
}

func hasMethod(named *types.Named, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, named.Obj().Pkg(), name)
	_, ok := obj.(*types.Func)
	return ok
}

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

func isBytes(t types.Type) bool {
	s, ok := types.Unalias(t).Underlying().(*types.Slice)
	return ok && isByte(s.Elem())
}
