package dyn

import (
	"go/types"
	"reflect"
)

var basics = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](),
	types.Int16: reflect.TypeFor[int16](), types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
	types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](),
	types.Uintptr: reflect.TypeFor[uintptr](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.String: reflect.TypeFor[string](),
}

// Compiled returns the compiled type that corresponds to t, as which the interpreter stores values of t. It is nil
// if there is none, because a part of the type is declared in a cell, has unexported or embedded fields, or has no
// equivalent in the interpreter.
func (r *Runtime) Compiled(t types.Type) reflect.Type {
	key := Key(t)
	if rt, ok := r.compiled[key]; ok {
		return rt
	}
	rt := r.compile(t)
	r.compiled[key] = rt
	return rt
}

func (r *Runtime) compile(t types.Type) reflect.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return basics[t.Kind()]
	case *types.Named:
		return r.named(t)
	case *types.Pointer:
		return r.composed(func(e []reflect.Type) reflect.Type { return reflect.PointerTo(e[0]) }, t.Elem())
	case *types.Slice:
		return r.composed(func(e []reflect.Type) reflect.Type { return reflect.SliceOf(e[0]) }, t.Elem())
	case *types.Array:
		return r.composed(func(e []reflect.Type) reflect.Type { return reflect.ArrayOf(int(t.Len()), e[0]) }, t.Elem())
	case *types.Map:
		return r.composed(func(e []reflect.Type) reflect.Type { return reflect.MapOf(e[0], e[1]) }, t.Key(), t.Elem())
	case *types.Interface:
		if t.NumMethods() == 0 {
			return reflect.TypeFor[any]()
		}
	case *types.Signature:
		if t.Variadic() {
			return nil
		}
		var parts []types.Type
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				parts = append(parts, v.Type())
			}
		}
		n := t.Params().Len()
		return r.composed(func(e []reflect.Type) reflect.Type { return reflect.FuncOf(e[:n], e[n:], false) }, parts...)
	case *types.Struct:
		var parts []types.Type
		fields := make([]reflect.StructField, t.NumFields())
		for i := range t.NumFields() {
			f := t.Field(i)
			if !f.Exported() || f.Embedded() {
				return nil
			}
			parts = append(parts, f.Type())
			fields[i] = reflect.StructField{Name: f.Name(), Tag: reflect.StructTag(t.Tag(i))}
		}
		return r.composed(func(e []reflect.Type) reflect.Type {
			for i := range fields {
				fields[i].Type = e[i]
			}
			return reflect.StructOf(fields)
		}, parts...)
	}
	return nil
}

// composed returns a type that is composed of other types; nil if one of them has no compiled type.
func (r *Runtime) composed(of func([]reflect.Type) reflect.Type, parts ...types.Type) reflect.Type {
	var list []reflect.Type
	for _, p := range parts {
		rt := r.Compiled(p)
		if rt == nil {
			return nil
		}
		list = append(list, rt)
	}
	return of(list)
}

// named returns the compiled type of a named type of the standard library or the host.
func (r *Runtime) named(t *types.Named) reflect.Type {
	pkg := t.Obj().Pkg()
	switch {
	case pkg == nil && t.Obj().Name() == "error":
		return reflect.TypeFor[error]()
	case pkg == nil, IsUser(t), t.TypeArgs().Len() > 0:
		return nil
	}
	if v, ok := r.symbols(pkg.Path())[t.Obj().Name()]; ok && v.Kind() == reflect.Pointer {
		return v.Type().Elem()
	}
	return r.host(t.Obj().Name())
}
