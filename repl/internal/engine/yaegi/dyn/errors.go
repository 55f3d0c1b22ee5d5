package dyn

import (
	"errors"
	"go/types"
	"reflect"
)

// ErrorsIs is errors.Is: like Go's, through the methods of cells.
func (r *Runtime) ErrorsIs(err, target error) bool {
	if err == nil || target == nil {
		return err == nil && target == nil
	}
	comparableTarget := r.isComparable(target)
	return r.isError(err, target, comparableTarget)
}

func (r *Runtime) isComparable(x any) bool {
	v, t := unbox(x)
	if t != nil {
		return types.Comparable(t.Go)
	}
	return reflect.TypeOf(v).Comparable()
}

func (r *Runtime) isError(err, target error, comparableTarget bool) bool {
	for {
		if comparableTarget && dynamicType(err) == dynamicType(target) && r.Eq(err, target, 0) {
			return true
		}
		if is, ok := r.errorMethod(err, "Is", "func(error) bool"); ok {
			if is.Call([]reflect.Value{anyValue(err), errorValue(target)})[0].Bool() {
				return true
			}
		} else if x, ok := err.(interface{ Is(error) bool }); ok && x.Is(target) {
			return true
		}
		list, next := r.unwrapped(err)
		for _, e := range list {
			if e != nil && r.isError(e, target, comparableTarget) {
				return true
			}
		}
		if next == nil {
			return false
		}
		err = next
	}
}

func errorValue(err error) reflect.Value { return reflect.ValueOf(&err).Elem() }

// errorMethod is a method of an error that was declared in a cell.
func (r *Runtime) errorMethod(err error, name, signature string) (reflect.Value, bool) {
	_, t := unbox(err)
	if t == nil {
		return reflect.Value{}, false
	}
	return r.hasMethod(t, name, signature)
}

// unwrapped is what an error wraps: one error, or several.
func (r *Runtime) unwrapped(err error) (several []error, one error) {
	if m, ok := r.errorMethod(err, "Unwrap", "func() error"); ok {
		e, _ := m.Call([]reflect.Value{anyValue(err)})[0].Interface().(error)
		return nil, e
	}
	if m, ok := r.errorMethod(err, "Unwrap", "func() []error"); ok {
		list, _ := m.Call([]reflect.Value{anyValue(err)})[0].Interface().([]error)
		return list, nil
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		return nil, x.Unwrap()
	case interface{ Unwrap() []error }:
		return x.Unwrap(), nil
	}
	return nil, nil
}

// ErrorsUnwrap is errors.Unwrap.
func (r *Runtime) ErrorsUnwrap(err error) error {
	if err == nil {
		return nil
	}
	if _, t := unbox(err); t != nil {
		_, next := r.unwrapped(err)
		return next
	}
	return errors.Unwrap(err)
}

// ErrorsAs is errors.As. target is a pointer to a variable whose type the box around it tells.
func (r *Runtime) ErrorsAs(err error, target any) bool {
	if err == nil {
		return false
	}
	v, t := unbox(target)
	if v == nil {
		panic("errors: target cannot be nil")
	}
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		panic("errors: target must be a non-nil pointer")
	}
	if t == nil {
		return r.asNative(err, p)
	}
	want := t.Go.Underlying().(*types.Pointer).Elem()
	return r.asError(err, p.Elem(), want, target)
}

// asNative looks for an error of a compiled type.
func (r *Runtime) asNative(err error, p reflect.Value) bool {
	for err != nil {
		if _, t := unbox(err); t == nil && reflect.TypeOf(err).AssignableTo(p.Type().Elem()) {
			p.Elem().Set(reflect.ValueOf(err))
			return true
		}
		if p.Type().Elem() == reflect.TypeFor[error]() {
			p.Elem().Set(reflect.ValueOf(err))
			return true
		}
		list, next := r.unwrapped(err)
		for _, e := range list {
			if e != nil && r.asNative(e, p) {
				return true
			}
		}
		err = next
	}
	return false
}

func (r *Runtime) asError(err error, slot reflect.Value, want types.Type, target any) bool {
	for err != nil {
		if r.matches(err, r.lookup(want).ID) {
			if types.IsInterface(want) {
				slot.Set(reflect.ValueOf(any(err)))
			} else {
				slot.Set(reflect.ValueOf(r.Val(err)))
			}
			return true
		}
		if as, ok := r.errorMethod(err, "As", "func(interface {}) bool"); ok {
			if as.Call([]reflect.Value{anyValue(err), anyValue(target)})[0].Bool() {
				return true
			}
		}
		list, next := r.unwrapped(err)
		for _, e := range list {
			if e != nil && r.asError(e, slot, want, target) {
				return true
			}
		}
		err = next
	}
	return false
}
