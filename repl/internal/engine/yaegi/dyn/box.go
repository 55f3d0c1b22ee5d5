package dyn

import "reflect"

// anyValue is a reflect.Value of type any.
func anyValue(v any) reflect.Value { return reflect.ValueOf(&v).Elem() }

// ToError takes what an interface holds as an error.
func (r *Runtime) ToError(x any) error {
	err, _ := x.(error)
	return err
}

// IsNil reports whether an interface holds nothing.
func (r *Runtime) IsNil(x any) bool { return x == nil }

// Adapter makes the function that turns what lowered code keeps in an interface into a value of a native interface type.
func (r *Runtime) Adapter(target reflect.Type) reflect.Value {
	in := reflect.TypeFor[any]()
	return reflect.MakeFunc(reflect.FuncOf([]reflect.Type{in}, []reflect.Type{target}, false), func(args []reflect.Value) []reflect.Value {
		out := reflect.New(target).Elem()
		if x := args[0].Interface(); x != nil {
			out.Set(reflect.ValueOf(x))
		}
		return []reflect.Value{out}
	})
}

// Method finds a method of what an interface holds. The function takes the held value as any first.
func (r *Runtime) Method(x any, name string) any {
	if x == nil {
		r.Nil()
	}
	if t := r.typeOf(x); t != nil {
		if m, ok := r.method(t, name); ok {
			return m.Interface()
		}
		panic(&Fault{"method " + name + " of " + reflect.TypeOf(x).String() + " is not known"})
	}
	return r.nativeMethod(reflect.TypeOf(x), name)
}

// nativeMethod is a method of a compiled type as a function whose first parameter is any.
func (r *Runtime) nativeMethod(t reflect.Type, name string) any {
	m, ok := t.MethodByName(name)
	if !ok {
		panic(&Fault{"method " + name + " of " + t.String() + " is not known"})
	}
	in := []reflect.Type{reflect.TypeFor[any]()}
	for i := 1; i < m.Type.NumIn(); i++ {
		in = append(in, m.Type.In(i))
	}
	var out []reflect.Type
	for i := range m.Type.NumOut() {
		o := m.Type.Out(i)
		if o == reflect.TypeFor[<-chan struct{}]() { // lowered channels have no direction
			o = reflect.TypeFor[chan struct{}]()
		}
		out = append(out, o)
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
		f := reflect.ValueOf(args[0].Interface()).Method(m.Index)
		if m.Type.IsVariadic() {
			return f.CallSlice(args[1:])
		}
		results := f.Call(args[1:])
		for i, v := range results {
			results[i] = converted(v, out[i])
		}
		return results
	}).Interface()
}

// Bound checks the receiver of a method value.
func (r *Runtime) Bound(x any) any {
	if x == nil {
		r.Nil()
	}
	return x
}

// Eq is == of two interfaces.
func (r *Runtime) Eq(a, b any) bool { return a == b }

// EqValue is == of two structs or arrays.
func (r *Runtime) EqValue(id int, a, b any) bool { return r.Box(id, a) == r.Box(id, b) }
