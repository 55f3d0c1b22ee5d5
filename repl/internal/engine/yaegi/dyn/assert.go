package dyn

import (
	"go/types"
	"reflect"
	"slices"
)

// is reports whether x holds exactly the type with the given number.
func (r *Runtime) is(x any, id int) bool {
	if x == nil || id == 0 {
		return x == nil && id == 0
	}
	if t := r.typeOf(x); t != nil {
		return t.ID == id
	}
	t := r.typ(id)
	return r.isFaithful(t.Go) && r.real(t) == typeWord(x)
}

// Is is the second result of x.(T).
func (r *Runtime) Is(x any, id int) bool { return x != nil && r.is(x, id) }

// As is the value in x.(T); it panics if x holds another type.
func (r *Runtime) As(x any, id int) any {
	if !r.Is(x, id) {
		panic("interface conversion: it holds another type")
	}
	return r.Val(x)
}

// Implements is the second result of x.(I).
func (r *Runtime) Implements(x any, id int) bool { return x != nil && r.implements(x, r.typ(id)) }

// AsInterface is x.(I); it panics if x lacks a method.
func (r *Runtime) AsInterface(x any, id int) any {
	if !r.Implements(x, id) {
		panic("interface conversion: it lacks a method")
	}
	return x
}

// TypeCase finds the clause of a type switch; -1 if there is none.
func (r *Runtime) TypeCase(x any, list int) int {
	r.mu.RLock()
	clauses := r.cases[list]
	r.mu.RUnlock()
	return slices.IndexFunc(clauses, func(ids []int) bool {
		return slices.ContainsFunc(ids, func(id int) bool { return r.matches(x, id) })
	})
}

func (r *Runtime) matches(x any, id int) bool {
	if x == nil || id == 0 {
		return x == nil && id == 0
	}
	t := r.typ(id)
	if types.IsInterface(t.Go) {
		return r.implements(x, t)
	}
	return r.is(x, id)
}

// implements reports whether what x holds has the methods of an interface.
func (r *Runtime) implements(x any, t *Type) bool {
	inter := t.Go.Underlying().(*types.Interface)
	if bt := r.typeOf(x); bt != nil {
		return sameByKey(bt.Go, inter)
	}
	rt := reflect.TypeOf(x)
	for m := range inter.Methods() {
		if nm, has := rt.MethodByName(m.Name()); !has || !r.sameSignature(nm.Type, m.Signature()) {
			return false
		}
	}
	return true
}

// sameByKey compares method sets by name and signature, because the objects of types of earlier cells are remade.
func sameByKey(t types.Type, inter *types.Interface) bool {
	for want := range inter.Methods() {
		obj, _, _ := types.LookupFieldOrMethod(t, false, want.Pkg(), want.Name())
		m, ok := obj.(*types.Func)
		if !ok || Key(m.Signature()) != Key(want.Signature()) {
			return false
		}
	}
	return true
}

func (r *Runtime) sameSignature(t reflect.Type, sig *types.Signature) bool {
	if t.NumIn()-1 != sig.Params().Len() || t.NumOut() != sig.Results().Len() || t.IsVariadic() != sig.Variadic() {
		return false
	}
	for i := range sig.Params().Len() {
		if p := r.reflectType(sig.Params().At(i).Type()); p != t.In(i+1) {
			return false
		}
	}
	for i := range sig.Results().Len() {
		if p := r.reflectType(sig.Results().At(i).Type()); p != t.Out(i) {
			return false
		}
	}
	return true
}
