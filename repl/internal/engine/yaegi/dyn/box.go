package dyn

import (
	"go/types"
	"reflect"
)

// Box is a value in an interface with a type that the interpreter would not keep.
type Box struct {
	T *Type
	V any
	r *Runtime
}

// ErrorBox is a Box whose type implements error.
type ErrorBox struct{ Box }

// Error calls the method of the cell.
func (b ErrorBox) Error() string {
	m, ok := b.r.method(b.T, "Error")
	if !ok {
		return "?"
	}
	return m.Call([]reflect.Value{anyValue(b)})[0].String()
}

// GoValue returns the value and its Go type, so that others can show it as what it is.
func (b Box) GoValue() (any, types.Type) { return b.V, b.T.Go }

// anyValue is a reflect.Value of type any.
func anyValue(v any) reflect.Value { return reflect.ValueOf(&v).Elem() }

// Box puts a value into an interface.
func (r *Runtime) Box(id int, v any) any {
	t := r.typ(id)
	b := Box{T: t, V: v, r: r}
	if t.isError {
		return ErrorBox{b}
	}
	return b
}

// unbox splits what an interface holds into value and type; the type is nil where the interpreter keeps it.
func unbox(x any) (any, *Type) {
	switch b := x.(type) {
	case Box:
		return b.V, b.T
	case ErrorBox:
		return b.V, b.T
	}
	return x, nil
}

// Val is the plain value of what an interface holds.
func (r *Runtime) Val(x any) any {
	v, _ := unbox(x)
	return v
}

// Any brings a value of a native interface type back to what lowered code keeps in interfaces: adapters made by
// Adapter are taken off.
func (r *Runtime) Any(x any) any {
	if x == nil {
		return nil
	}
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Struct && v.NumField() > 0 && v.Type().Field(0).Name == "IValue" {
		return v.Field(0).Interface()
	}
	return x
}

// ToError takes what an interface holds as an error.
func (r *Runtime) ToError(x any) error {
	err, _ := x.(error)
	return err
}

// IsNil reports whether an interface holds nothing.
func (r *Runtime) IsNil(x any) bool { return x == nil }

// Adapter makes the function that turns what lowered code keeps in an interface into a value of a native interface
// type; wrapper is a nil pointer to a struct whose fields are the methods.
func (r *Runtime) Adapter(target reflect.Type, wrapper reflect.Value) reflect.Value {
	in := reflect.TypeFor[any]()
	return reflect.MakeFunc(reflect.FuncOf([]reflect.Type{in}, []reflect.Type{target}, false), func(args []reflect.Value) []reflect.Value {
		out := reflect.New(target).Elem()
		x := args[0].Interface()
		if x != nil {
			out.Set(r.adapt(x, target, wrapper))
		}
		return []reflect.Value{out}
	})
}

func (r *Runtime) adapt(x any, target reflect.Type, wrapper reflect.Value) reflect.Value {
	_, t := unbox(x)
	if t == nil || reflect.TypeOf(x).Implements(target) && target == reflect.TypeFor[error]() {
		return reflect.ValueOf(x)
	}
	if !wrapper.IsValid() {
		panic(r.fault("no adapter for " + target.String()))
	}
	w := reflect.New(wrapper.Type().Elem()).Elem()
	w.Field(0).Set(reflect.ValueOf(x))
	for i := 1; i < w.NumField(); i++ {
		m, ok := r.method(t, w.Type().Field(i).Name[1:])
		if !ok {
			continue
		}
		w.Field(i).Set(bind(m, x, w.Field(i).Type()))
	}
	return w
}

// bind makes a function of the given type that calls a registered method on x.
func bind(m reflect.Value, x any, t reflect.Type) reflect.Value {
	self := anyValue(x)
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		return m.Call(append([]reflect.Value{self}, args...))
	})
}

// Method finds a method of what an interface holds. The function takes the held value as any first.
func (r *Runtime) Method(x any, name string, site int) any {
	if x == nil {
		panic(r.runtimeError(nilDereference, site))
	}
	if _, t := unbox(x); t != nil {
		if m, ok := r.method(t, name); ok {
			return m.Interface()
		}
		panic(r.fault("method " + name + " of " + t.Name + " is not known"))
	}
	return r.nativeMethod(reflect.TypeOf(x), name)
}

// nativeMethod is a method of a compiled type as a function whose first parameter is any.
func (r *Runtime) nativeMethod(t reflect.Type, name string) any {
	m, ok := t.MethodByName(name)
	if !ok {
		panic(r.fault("method " + name + " of " + t.String() + " is not known"))
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
	variadic := m.Type.IsVariadic()
	return reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
		f := reflect.ValueOf(args[0].Interface()).Method(m.Index)
		if variadic {
			return f.CallSlice(args[1:])
		}
		results := f.Call(args[1:])
		for i, v := range results {
			if c, ok := v.Interface().(<-chan struct{}); ok {
				results[i] = reflect.ValueOf(bothWays(c))
			}
		}
		return results
	}).Interface()
}

// Bound checks the receiver of a method value.
func (r *Runtime) Bound(x any, site int) any {
	if x == nil {
		panic(r.runtimeError(nilDereference, site))
	}
	return x
}
