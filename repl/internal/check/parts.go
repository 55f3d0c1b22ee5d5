package check

import (
	"go/types"
	"iter"
)

// parts yields the types that a type is composed of. For a named type these are its type arguments only, not the
// types in its declaration.
func parts(t types.Type) iter.Seq[types.Type] {
	return func(yield func(types.Type) bool) {
		all := func(list iter.Seq[types.Type]) bool {
			for part := range list {
				if !yield(part) {
					return false
				}
			}
			return true
		}
		switch t := t.(type) {
		case *types.Alias:
			yield(t.Rhs())
		case *types.Named:
			all(t.TypeArgs().Types())
		case *types.Map:
			_ = yield(t.Key()) && yield(t.Elem())
		case *types.Signature:
			_ = all(typesOf(t.Params().Variables())) && all(typesOf(t.Results().Variables()))
		case *types.Tuple:
			all(typesOf(t.Variables()))
		case *types.Struct:
			all(typesOf(t.Fields()))
		case *types.Interface:
			_ = all(typesOf(t.Methods())) && all(t.EmbeddedTypes())
		case *types.Union:
			all(typesOf(t.Terms()))
		case *types.TypeParam:
			yield(t.Constraint())
		case interface{ Elem() types.Type }: // pointer, slice, array, channel
			yield(t.Elem())
		}
	}
}

// typesOf yields the types of variables, methods or terms.
func typesOf[T interface{ Type() types.Type }](list iter.Seq[T]) iter.Seq[types.Type] {
	return func(yield func(types.Type) bool) {
		for x := range list {
			if !yield(x.Type()) {
				return
			}
		}
	}
}
