package dyn

import (
	"reflect"
	"slices"
)

// Is reports whether x.(T) succeeds, for the type T with the number id.
func (r *Runtime) Is(x any, id int) bool {
	switch t := r.typ(id); {
	case x == nil || t == nil:
		return x == nil && t == nil
	case t.Kind() == reflect.Interface:
		return reflect.TypeOf(x).Implements(t)
	default:
		return reflect.TypeOf(x) == t
	}
}

// As returns the value of the type assertion x.(T), for the type T with the number id, or panics.
func (r *Runtime) As(x any, id int) any {
	if !r.Is(x, id) {
		panic("interface conversion: it holds another type")
	}
	return x
}

// TypeCase returns the index of the type switch's clause that x matches; -1 if there is none.
func (r *Runtime) TypeCase(x any, list int) int {
	r.mu.RLock()
	clauses := r.cases[list]
	r.mu.RUnlock()
	return slices.IndexFunc(clauses, func(ids []int) bool {
		return slices.ContainsFunc(ids, func(id int) bool { return r.Is(x, id) })
	})
}

// ToError returns the value in an interface as an error; nil if it is not one.
func (r *Runtime) ToError(x any) error {
	err, _ := x.(error)
	return err
}

// IsNil reports whether an interface is nil.
func (r *Runtime) IsNil(x any) bool { return x == nil }

// Adapter makes a function that converts an interface value, lowered to any, to a native interface type.
func (r *Runtime) Adapter(target reflect.Type) reflect.Value {
	in := reflect.TypeFor[any]()
	return reflect.MakeFunc(reflect.FuncOf([]reflect.Type{in}, []reflect.Type{target}, false),
		func(args []reflect.Value) []reflect.Value {
			out := reflect.New(target).Elem()
			if x := args[0].Interface(); x != nil {
				out.Set(reflect.ValueOf(x))
			}
			return []reflect.Value{out}
		})
}

// Eq is the operator == for interfaces.
func (r *Runtime) Eq(a, b any) bool { return a == b }

// EqValue is the operator == for structs or arrays of one type.
func (r *Runtime) EqValue(a, b any) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		panic(&Fault{"values of one type are kept as " + reflect.TypeOf(a).String() + " and " +
			reflect.TypeOf(b).String()})
	}
	return a == b
}
