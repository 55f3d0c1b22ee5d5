package dyn

import (
	"fmt"
	"go/types"
	"reflect"
	"unsafe"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// The interpreter's values are laid out in memory as the compiler's, under types that have lost their names and methods. So a value is
// put into an interface by writing the type that Go has for it, made by package rtype, over the interpreter's; and back. Compiled code
// then needs to know nothing: fmt, encoding/json, errors and == see what they see of a compiled program.
//
// Invariants: only types that sameLayout has compared are written over each other, and neither the word behind the type nor what it
// points to is touched. Interfaces that cells declare are those of any in both (rtype.Builder.Bare).

// retype is what v holds, under another type of the same layout.
func retype(v any, t *rtype.Type) any {
	if typeWord(v).Direct() != t.Direct() { // reflect and the compiler are not of one mind about fields without a size
		return converted(reflect.ValueOf(v), t.Reflect()).Interface()
	}
	*(*unsafe.Pointer)(unsafe.Pointer(&v)) = unsafe.Pointer(t)
	return v
}

// typeWord is the type of what v holds.
func typeWord(v any) *rtype.Type { return *(**rtype.Type)(unsafe.Pointer(&v)) }

// ofWord is a value of a type from its word in an interface.
func ofWord(t *rtype.Type, word unsafe.Pointer) (v any) {
	*(*[2]unsafe.Pointer)(unsafe.Pointer(&v)) = [2]unsafe.Pointer{unsafe.Pointer(t), word}
	return v
}

// converted is a value under another type of the same layout.
func converted(v reflect.Value, to reflect.Type) reflect.Value {
	if v.Type() == to {
		return v
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return reflect.NewAt(to, p.UnsafePointer()).Elem()
}

// bothWays takes the direction from a channel: a direction is a matter of types alone.
func bothWays[T any](c <-chan T) chan T { return *(*chan T)(unsafe.Pointer(&c)) }

// sameLayout reports whether values of two types are the same in memory.
func sameLayout(a, b reflect.Type) bool {
	if a == b {
		return true
	}
	x, y := rtype.Of(a), rtype.Of(b)
	if a.Kind() != b.Kind() || x.Size != y.Size || x.PtrBytes != y.PtrBytes {
		return false
	}
	switch a.Kind() {
	case reflect.Struct:
		if a.NumField() != b.NumField() {
			return false
		}
		for i := range a.NumField() {
			if f, g := a.Field(i), b.Field(i); f.Offset != g.Offset || !sameLayout(f.Type, g.Type) {
				return false
			}
		}
	case reflect.Array:
		return a.Len() == b.Len() && sameLayout(a.Elem(), b.Elem())
	case reflect.Interface:
		return (a.NumMethod() == 0) == (b.NumMethod() == 0)
	}
	return true
}

// real is the type that Go has for a type of cells.
func (r *Runtime) real(t *Type) *rtype.Type {
	if rt := t.real.Load(); rt != nil {
		return rt
	}
	r.building.Lock()
	defer r.building.Unlock()
	rt := r.builder.Of(t.Go)
	r.byReal.Store(rt, t)
	t.real.Store(rt)
	return rt
}

// held is the type under which the interpreter keeps a value of a type. v is one that it keeps, or nil.
func (r *Runtime) held(t *Type, v any) *rtype.Type {
	if rt := t.held.Load(); rt != nil {
		return rt
	}
	rt := r.reflectType(t.Go)
	if rt == nil && v != nil {
		rt = reflect.TypeOf(v)
	}
	if rt == nil || !sameLayout(rt, r.real(t).Reflect()) {
		panic(&Fault{fmt.Sprintf("a value of type %s is kept as %v", rtype.Name(t.Go), rt)})
	}
	t.held.Store(rtype.Of(rt))
	return rtype.Of(rt)
}

// typeOf is the type of cells of what an interface holds; nil if it is a compiled one.
func (r *Runtime) typeOf(x any) *Type {
	if x == nil {
		return nil
	}
	if t, ok := r.byReal.Load(typeWord(x)); ok {
		return t.(*Type)
	}
	r.building.Lock()
	g := r.builder.GoType(typeWord(x)) // of a part of a value
	r.building.Unlock()
	if g == nil {
		return nil
	}
	t := r.lookup(g)
	r.byReal.Store(typeWord(x), t)
	return t
}

// GoType is the type of what an interface holds, if it is one of cells; nil if not.
func (r *Runtime) GoType(x any) types.Type {
	if t := r.typeOf(x); t != nil {
		return t.Go
	}
	return nil
}

// Box puts a value into an interface.
func (r *Runtime) Box(id int, v any) any {
	t := r.typ(id)
	if v == nil { // a function or an interface
		return reflect.Zero(r.real(t).Reflect()).Interface()
	}
	held := r.held(t, v)
	if w := typeWord(v); w != held && !sameLayout(w.Reflect(), held.Reflect()) {
		panic(&Fault{fmt.Sprintf("a value of type %s was kept as %v", rtype.Name(t.Go), w.Reflect())})
	}
	return retype(v, r.real(t))
}

// Val is the value of what an interface holds, as the interpreter keeps it.
func (r *Runtime) Val(x any) any {
	if t := r.typeOf(x); t != nil {
		return retype(x, r.held(t, nil))
	}
	return x
}

// calledMethod is a method of a type of cells as compiled code calls it: with the receiver's word in an interface first.
func (r *Runtime) calledMethod(t types.Type, sel *types.Selection, typ reflect.Type) reflect.Value {
	name := sel.Obj().Name()
	return reflect.MakeFunc(typ, func(args []reflect.Value) []reflect.Value {
		self := r.lookup(t)
		m, ok := r.method(self, name)
		if !ok {
			panic(&Fault{"method " + name + " of " + rtype.Name(t) + " is not known"})
		}
		in := []reflect.Value{anyValue(ofWord(r.real(self), args[0].UnsafePointer()))}
		for i, a := range args[1:] {
			in = append(in, converted(a, m.Type().In(i+1)))
		}
		defer r.passing()
		out := m.Call(in)
		for i, v := range out {
			out[i] = converted(v, typ.Out(i))
		}
		return out
	})
}
