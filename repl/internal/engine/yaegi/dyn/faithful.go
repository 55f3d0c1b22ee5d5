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
		return t.TypeArgs().Len() == 0 && !IsUser(t)
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

// reflectType is the type under which the interpreter keeps values of a type; nil where it is not known.
func (r *Runtime) reflectType(t types.Type) reflect.Type {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if rt := r.compiled(n); rt != nil {
			return rt
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basics[u.Kind()]
	case *types.Pointer:
		if e := r.reflectType(u.Elem()); e != nil {
			return reflect.PointerTo(e)
		}
	case *types.Slice:
		if e := r.reflectType(u.Elem()); e != nil {
			return reflect.SliceOf(e)
		}
	case *types.Array:
		if e := r.reflectType(u.Elem()); e != nil {
			return reflect.ArrayOf(int(u.Len()), e)
		}
	case *types.Chan:
		if e := r.reflectType(u.Elem()); e != nil {
			return reflect.ChanOf(reflect.BothDir, e)
		}
	case *types.Map:
		k, e := r.reflectType(u.Key()), r.reflectType(u.Elem())
		if k != nil && e != nil {
			return reflect.MapOf(k, e)
		}
	case *types.Interface:
		return reflect.TypeFor[any]()
	case *types.Signature:
		in, ok1 := r.reflectTypes(u.Params())
		out, ok2 := r.reflectTypes(u.Results())
		if ok1 && ok2 {
			return reflect.FuncOf(in, out, false)
		}
	case *types.Struct:
		return r.structType(t, u)
	}
	return nil
}

func (r *Runtime) reflectTypes(t *types.Tuple) (list []reflect.Type, ok bool) {
	for v := range t.Variables() {
		rt := r.reflectType(v.Type())
		if rt == nil {
			return nil, false
		}
		list = append(list, rt)
	}
	return list, true
}

// compiled is the run-time type of a named type of the standard library or the host; nil for one of a cell.
func (r *Runtime) compiled(t *types.Named) reflect.Type {
	pkg := t.Obj().Pkg()
	switch {
	case pkg == nil:
		return reflect.TypeFor[error]()
	case IsUser(t) || t.TypeArgs().Len() > 0:
		return nil
	}
	if v, ok := r.symbols(pkg.Path())[t.Obj().Name()]; ok && v.Kind() == reflect.Pointer {
		return v.Type().Elem()
	}
	return r.host(t.Obj().Name())
}

// structType is the type of a struct as lowered code declared it, or as reflect makes it where nothing in it is of a cell.
func (r *Runtime) structType(t types.Type, u *types.Struct) reflect.Type {
	r.mu.RLock()
	id, ok := r.byKey[Key(t)]
	if ok && r.types[id].lowered != nil {
		defer r.mu.RUnlock()
		return r.types[id].lowered
	}
	r.mu.RUnlock()
	if !r.isFaithful(t) {
		return nil
	}
	var fields []reflect.StructField
	for i := range u.NumFields() {
		fields = append(fields, reflect.StructField{Name: u.Field(i).Name(), Type: r.reflectType(u.Field(i).Type()), Tag: reflect.StructTag(u.Tag(i))})
	}
	return reflect.StructOf(fields)
}
