package dyn

import (
	"go/types"
	"reflect"
	"slices"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// noValue is what a failed assertion hands to the interpreter: a value of no type a cell can name.
type noValue struct{ _ int }

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

// As2 is x.(T) with a second result: the plain value, or one of no type.
func (r *Runtime) As2(x any, id int) any {
	if !r.is(x, id) || x == nil {
		return noValue{}
	}
	return r.Val(x)
}

// As is x.(T); it panics as Go does.
func (r *Runtime) As(x any, id, from, site int) any {
	if x != nil && r.is(x, id) {
		return r.Val(x)
	}
	panic(r.typeError(x, id, from, site, ""))
}

// AsInterface2 is x.(I) with a second result.
func (r *Runtime) AsInterface2(x any, id int) (any, bool) {
	if x == nil {
		return nil, false
	}
	if _, ok := r.implements(x, r.typ(id)); !ok {
		return nil, false
	}
	return x, true
}

// AsInterface is x.(I); it panics as Go does.
func (r *Runtime) AsInterface(x any, id, from, site int) any {
	t := r.typ(id)
	if x == nil {
		panic(r.typeError(x, id, from, site, ""))
	}
	if missing, ok := r.implements(x, t); !ok {
		panic(r.typeError(x, id, from, site, missing))
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
		_, ok := r.implements(x, t)
		return ok
	}
	return r.is(x, id)
}

// implements reports whether what x holds has the methods of an interface, or which is missing.
func (r *Runtime) implements(x any, t *Type) (missing string, ok bool) {
	inter := t.Go.Underlying().(*types.Interface)
	if bt := r.typeOf(x); bt != nil {
		m, _ := types.MissingMethod(bt.Go, inter, true)
		if m == nil {
			return "", true
		}
		if _, has := r.method(bt, m.Name()); has && sameByKey(bt.Go, inter) {
			return "", true
		}
		return m.Name(), false
	}
	rt := reflect.TypeOf(x)
	for i := range inter.NumMethods() {
		m := inter.Method(i)
		nm, has := rt.MethodByName(m.Name())
		if !has || !r.sameSignature(nm.Type, m.Signature()) {
			return m.Name(), false
		}
	}
	return "", true
}

// sameByKey compares method sets by name and signature, because the objects of types of earlier cells are remade.
func sameByKey(t types.Type, inter *types.Interface) bool {
	for i := range inter.NumMethods() {
		want := inter.Method(i)
		obj, _, indirect := types.LookupFieldOrMethod(t, false, want.Pkg(), want.Name())
		m, ok := obj.(*types.Func)
		if !ok || indirect || Key(m.Signature()) != Key(want.Signature()) {
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

// typeError is the panic of an assertion.
func (r *Runtime) typeError(x any, id, from, site int, missing string) *Panic {
	want := r.typ(id)
	var iface *rtype.Type
	if from != 0 && !(x == nil && types.IsInterface(want.Go)) {
		iface = r.real(r.typ(from))
	}
	return &Panic{Value: rtype.AssertionError(iface, typeWord(x), r.real(want), missing), Site: site}
}
