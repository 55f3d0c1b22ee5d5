package dyn

import (
	"go/types"
	"reflect"
	"strings"
)

// Eq is == of two interfaces.
func (r *Runtime) Eq(a, b any, site int) bool {
	if dynamicType(a) != dynamicType(b) {
		return false
	}
	r.comparable(a, site)
	av, _ := unbox(a)
	bv, _ := unbox(b)
	if t := reflect.TypeOf(av); t != nil && t.Kind() == reflect.Struct || t != nil && t.Kind() == reflect.Array {
		return r.equal(reflect.ValueOf(av), reflect.ValueOf(bv), site)
	}
	return av == bv
}

// EqValue is == of two structs or arrays.
func (r *Runtime) EqValue(id int, a, b any, site int) bool {
	return r.equal(reflect.ValueOf(a), reflect.ValueOf(b), site)
}

func (r *Runtime) equal(a, b reflect.Value, site int) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).Name == "X__"+itoa(i) { // blank fields do not take part
				continue
			}
			if !r.equal(a.Field(i), b.Field(i), site) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := range a.Len() {
			if !r.equal(a.Index(i), b.Index(i), site) {
				return false
			}
		}
		return true
	case reflect.Interface:
		if !a.CanInterface() {
			return a.Equal(b)
		}
		return r.Eq(a.Interface(), b.Interface(), site)
	}
	return a.Equal(b)
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + itoa(i%10)
}

// comparable panics if what x holds cannot be compared.
func (r *Runtime) comparable(x any, site int) {
	v, t := unbox(x)
	switch {
	case t != nil:
		if !types.Comparable(t.Go) {
			panic(r.runtimeError("comparing uncomparable type "+t.Name, site))
		}
	case v != nil && !reflect.TypeOf(v).Comparable():
		panic(r.runtimeError("comparing uncomparable type "+r.NameOf(x), site))
	}
}

// Key checks that what x holds can be the key of a map.
func (r *Runtime) Key(x any, site int) any {
	v, t := unbox(x)
	if t != nil && !types.Comparable(t.Go) || t == nil && v != nil && !reflect.TypeOf(v).Comparable() {
		panic(r.runtimeError("hash of unhashable type "+r.NameOf(x), site))
	}
	return x
}

// NameOf is the name of the type of what x holds, as %T prints it.
func (r *Runtime) NameOf(x any) string {
	if _, t := unbox(x); t != nil {
		return t.Name
	}
	switch x := x.(type) {
	case RuntimeError:
		if strings.Contains(string(x), "out of range [") {
			return "runtime.boundsError"
		}
		return "runtime.errorString"
	case plainError:
		return "runtime.plainError"
	case *jsonTypeError:
		return "*json.UnmarshalTypeError"
	case typeAssertionError:
		return "*runtime.TypeAssertionError"
	}
	if x == nil {
		return "<nil>"
	}
	return nativeName(reflect.TypeOf(x))
}

func isInterface(t *Type) bool { return types.IsInterface(t.Go) }
