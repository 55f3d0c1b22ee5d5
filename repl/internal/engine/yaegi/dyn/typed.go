package dyn

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
)

// TypeOf is told the run-time type of a type of a cell by a pointer to it.
func (r *Runtime) TypeOf(id int, p any) {
	t := r.typ(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	t.native = reflect.TypeOf(p).Elem()
}

// canonical gives a value the run-time type of its Go type: inside of recursive types the interpreter uses placeholders.
func (r *Runtime) canonical(t types.Type, v reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
	default:
		return v
	}
	want := r.runtimeType(t)
	if want == nil || want == v.Type() || want.Kind() != v.Kind() || !v.CanInterface() {
		return v
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return reflect.NewAt(want, p.UnsafePointer()).Elem()
}

// runtimeType is the run-time type of any type whose parts are known; nil otherwise.
func (r *Runtime) runtimeType(t types.Type) reflect.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if !IsUser(t) {
			if r.isFaithful(t) {
				return r.reflectType(t)
			}
			return nil
		}
		if _, ok := t.Underlying().(*types.Struct); !ok {
			return r.runtimeType(t.Underlying())
		}
		r.mu.RLock()
		defer r.mu.RUnlock()
		if id, ok := r.byKey[Key(t)]; ok {
			return r.types[id].native
		}
		return nil
	case *types.Pointer:
		if e := r.runtimeType(t.Elem()); e != nil {
			return reflect.PointerTo(e)
		}
	case *types.Slice:
		if e := r.runtimeType(t.Elem()); e != nil {
			return reflect.SliceOf(e)
		}
	case *types.Map:
		k, e := r.runtimeType(t.Key()), r.runtimeType(t.Elem())
		if k != nil && e != nil {
			return reflect.MapOf(k, e)
		}
	case *types.Basic:
		return basics[t.Kind()]
	case *types.Interface:
		return reflect.TypeFor[any]()
	}
	return nil
}

// typed answers the directives of a format that fmt does not give to a Formatter: %T and %p.
func (r *Runtime) typed(format string, args []any) (string, []any) {
	if !strings.Contains(format, "T") && !strings.Contains(format, "p") {
		return format, args
	}
	var out strings.Builder
	changed := false
	next := 0
	newArgs := append([]any(nil), args...)
	for i := 0; i < len(format); {
		if format[i] != '%' {
			out.WriteByte(format[i])
			i++
			continue
		}
		start := i
		i++
		for i < len(format) && strings.IndexByte("+-# 0123456789.[]*", format[i]) >= 0 {
			switch format[i] {
			case '*':
				next++
			case '[':
				n := 0
				if _, err := fmt.Sscanf(format[i:], "[%d]", &n); err == nil {
					next = n - 1
				}
				for i < len(format) && format[i] != ']' {
					i++
				}
			}
			if i < len(format) {
				i++
			}
		}
		if i >= len(format) {
			out.WriteString(format[start:])
			break
		}
		verb := format[i]
		i++
		switch {
		case verb == '%':
		case (verb == 'T' || verb == 'p') && next >= 0 && next < len(args):
			if text, ok := r.answer(verb, args[next]); ok {
				newArgs[next] = text
				out.WriteString(format[start : i-1])
				out.WriteByte('v')
				changed = true
				next++
				continue
			}
			next++
		default:
			next++
		}
		out.WriteString(format[start:i])
	}
	if !changed {
		return format, args
	}
	return out.String(), newArgs
}

// answer is the argument for %v that prints what %T or %p would.
func (r *Runtime) answer(verb byte, x any) (any, bool) {
	v, t := unbox(x)
	switch {
	case verb == 'T' && x != nil:
		return typeText(r.NameOf(x)), true
	case verb == 'p' && t != nil:
		switch rv := reflect.ValueOf(v); rv.Kind() {
		case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
			if rv.IsNil() {
				return typeText("0x0"), true
			}
			return rv.UnsafePointer(), true
		default:
			return typeText("%!p(" + t.Name + "=" + r.Sprint(x) + ")"), true
		}
	}
	return nil, false
}

// typeText prints as it is.
type typeText string

// nativeName is the name of a run-time type that no cell declared, without traces of the engine.
func nativeName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[Box](), reflect.TypeFor[ErrorBox]():
		return "?"
	}
	name := t.String()
	name = strings.ReplaceAll(name, "fakeos.", "os.")
	return strings.ReplaceAll(name, "fakelog.", "log.")
}
