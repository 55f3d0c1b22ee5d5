package dyn

import (
	"go/types"
	"reflect"
)

// Faithful reports whether the interpreter keeps a type as it is: nothing in it was declared in a cell and it has
// no fields that are not exported or embedded.
func (r *Runtime) Faithful(t types.Type) bool {
	key := Key(t)
	if v, ok := r.faithful[key]; ok {
		return v
	}
	v := r.isFaithful(t)
	r.faithful[key] = v
	return v
}

func (r *Runtime) isFaithful(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Named:
		if t.Obj().Pkg() == nil {
			return t.Obj().Name() == "error"
		}
		// An interface of the standard library may hold an adapter around a value of a cell.
		return t.TypeArgs().Len() == 0 && !IsUser(t) && !types.IsInterface(t)
	case *types.Pointer:
		return r.isFaithful(t.Elem())
	case *types.Slice:
		return r.isFaithful(t.Elem())
	case *types.Array:
		return r.isFaithful(t.Elem())
	case *types.Map:
		return r.isFaithful(t.Key()) && r.isFaithful(t.Elem())
	case *types.Chan:
		return t.Dir() == types.SendRecv && r.isFaithful(t.Elem())
	case *types.Interface:
		return t.NumMethods() == 0
	case *types.Signature:
		return r.faithfulSignature(t)
	case *types.Struct:
		for i := range t.NumFields() {
			f := t.Field(i)
			if !f.Exported() || f.Embedded() || !r.isFaithful(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

func (r *Runtime) faithfulSignature(t *types.Signature) bool {
	if t.Variadic() {
		return false
	}
	for i := range t.Params().Len() {
		if !r.isFaithful(t.Params().At(i).Type()) {
			return false
		}
	}
	for i := range t.Results().Len() {
		if !r.isFaithful(t.Results().At(i).Type()) {
			return false
		}
	}
	return true
}

var basics = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](),
	types.Int16: reflect.TypeFor[int16](), types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
	types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](), types.Uintptr: reflect.TypeFor[uintptr](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](), types.String: reflect.TypeFor[string](),
}

// reflectType is the run-time type of a faithful type; nil where it cannot be had.
func (r *Runtime) reflectType(t types.Type) reflect.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return basics[t.Kind()]
	case *types.Named:
		return r.namedType(t)
	case *types.Pointer:
		if e := r.reflectType(t.Elem()); e != nil {
			return reflect.PointerTo(e)
		}
	case *types.Slice:
		if e := r.reflectType(t.Elem()); e != nil {
			return reflect.SliceOf(e)
		}
	case *types.Array:
		if e := r.reflectType(t.Elem()); e != nil {
			return reflect.ArrayOf(int(t.Len()), e)
		}
	case *types.Chan:
		if e := r.reflectType(t.Elem()); e != nil {
			return reflect.ChanOf(reflect.BothDir, e)
		}
	case *types.Map:
		k, e := r.reflectType(t.Key()), r.reflectType(t.Elem())
		if k != nil && e != nil {
			return reflect.MapOf(k, e)
		}
	case *types.Interface:
		if t.NumMethods() == 0 {
			return reflect.TypeFor[any]()
		}
	case *types.Signature:
		return r.funcType(t)
	case *types.Struct:
		return r.structType(t)
	}
	return nil
}

func (r *Runtime) namedType(t *types.Named) reflect.Type {
	pkg := t.Obj().Pkg()
	if pkg == nil {
		return reflect.TypeFor[error]()
	}
	if v, ok := r.symbols(pkg.Path())[t.Obj().Name()]; ok && v.Kind() == reflect.Pointer {
		return v.Type().Elem()
	}
	return r.host(t.Obj().Name())
}

func (r *Runtime) funcType(t *types.Signature) reflect.Type {
	var in, out []reflect.Type
	for i := range t.Params().Len() {
		p := r.reflectType(t.Params().At(i).Type())
		if p == nil {
			return nil
		}
		in = append(in, p)
	}
	for i := range t.Results().Len() {
		p := r.reflectType(t.Results().At(i).Type())
		if p == nil {
			return nil
		}
		out = append(out, p)
	}
	return reflect.FuncOf(in, out, false)
}

func (r *Runtime) structType(t *types.Struct) reflect.Type {
	var fields []reflect.StructField
	for i := range t.NumFields() {
		ft := r.reflectType(t.Field(i).Type())
		if ft == nil {
			return nil
		}
		fields = append(fields, reflect.StructField{Name: t.Field(i).Name(), Type: ft, Tag: reflect.StructTag(t.Tag(i))})
	}
	return reflect.StructOf(fields)
}
