package check

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// hostTypes converts the reflect types of the host's functions to go/types, so that cells can be checked against
// them. Types of the host's own packages become visible under their plain names.
type hostTypes struct {
	imp   types.Importer
	pkg   *types.Package
	named map[reflect.Type]*types.Named
	// Declared maps the names of the host's named types to the types.
	Declared map[string]reflect.Type
}

func newHostTypes(imp types.Importer, pkg *types.Package) *hostTypes {
	return &hostTypes{imp: imp, pkg: pkg, named: map[reflect.Type]*types.Named{}, Declared: map[string]reflect.Type{}}
}

// signature returns the type of a function as cells see it, without its first skip parameters.
func (n *hostTypes) signature(t reflect.Type, skip int) (*types.Signature, error) {
	var in, out []*types.Var
	for i := skip; i < t.NumIn(); i++ {
		typ, err := n.Of(t.In(i))
		if err != nil {
			return nil, err
		}
		in = append(in, types.NewParam(token.NoPos, n.pkg, "", typ))
	}
	for i := range t.NumOut() {
		typ, err := n.Of(t.Out(i))
		if err != nil {
			return nil, err
		}
		out = append(out, types.NewParam(token.NoPos, n.pkg, "", typ))
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(in...), types.NewTuple(out...), t.IsVariadic()), nil
}

var basics = map[reflect.Kind]types.BasicKind{
	reflect.Bool: types.Bool, reflect.Int: types.Int, reflect.Int8: types.Int8, reflect.Int16: types.Int16,
	reflect.Int32: types.Int32, reflect.Int64: types.Int64, reflect.Uint: types.Uint, reflect.Uint8: types.Uint8,
	reflect.Uint16: types.Uint16, reflect.Uint32: types.Uint32, reflect.Uint64: types.Uint64,
	reflect.Uintptr: types.Uintptr,
	reflect.Float32: types.Float32, reflect.Float64: types.Float64, reflect.Complex64: types.Complex64,
	reflect.Complex128: types.Complex128, reflect.String: types.String,
}

// Of returns t as cells see it.
func (n *hostTypes) Of(t reflect.Type) (types.Type, error) {
	if t.Name() != "" && t.PkgPath() != "" {
		return n.namedType(t)
	}
	if kind, ok := basics[t.Kind()]; ok {
		return types.Typ[kind], nil
	}
	switch t.Kind() {
	case reflect.Func:
		return n.signature(t, 0)
	case reflect.Struct:
		return n.structType(t)
	case reflect.Interface:
		return n.interfaceType(t)
	case reflect.Map:
		key, err := n.Of(t.Key())
		if err != nil {
			return nil, err
		}
		elem, err := n.Of(t.Elem())
		return types.NewMap(key, elem), err
	}
	if t.Kind() == reflect.UnsafePointer {
		return nil, fmt.Errorf("type %s cannot be given to cells", t)
	}
	elem, err := n.Of(t.Elem())
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case reflect.Pointer:
		return types.NewPointer(elem), nil
	case reflect.Slice:
		return types.NewSlice(elem), nil
	case reflect.Array:
		return types.NewArray(elem, int64(t.Len())), nil
	}
	dirs := map[reflect.ChanDir]types.ChanDir{
		reflect.BothDir: types.SendRecv, reflect.RecvDir: types.RecvOnly, reflect.SendDir: types.SendOnly,
	}
	return types.NewChan(dirs[t.ChanDir()], elem), nil
}

func (n *hostTypes) structType(t reflect.Type) (types.Type, error) {
	var fields []*types.Var
	var tags []string
	for i := range t.NumField() {
		f := t.Field(i)
		typ, err := n.fieldType(f)
		if err != nil {
			return nil, err
		}
		fields = append(fields, types.NewField(token.NoPos, n.pkg, f.Name, typ, f.Anonymous))
		tags = append(tags, string(f.Tag))
	}
	return types.NewStruct(fields, tags), nil
}

// fieldType returns the type of a field. If cells cannot see the field, it only matters that it exists, and whether
// it can be compared; so a type that cannot be converted is not an error then.
func (n *hostTypes) fieldType(f reflect.StructField) (types.Type, error) {
	switch {
	case f.IsExported():
		return n.Of(f.Type)
	case f.Type.Kind() == reflect.Func:
		return types.NewSignatureType(nil, nil, nil, nil, nil, false), nil
	}
	if typ, err := n.Of(f.Type); err == nil {
		return typ, nil
	}
	return types.NewStruct(nil, nil), nil
}

func (n *hostTypes) interfaceType(t reflect.Type) (types.Type, error) {
	if t.NumMethod() == 0 {
		return types.Universe.Lookup("any").Type(), nil
	}
	if t == reflect.TypeFor[error]() {
		return types.Universe.Lookup("error").Type(), nil
	}
	var methods []*types.Func
	for i := range t.NumMethod() {
		sig, err := n.signature(t.Method(i).Type, 0)
		if err != nil {
			return nil, err
		}
		methods = append(methods, types.NewFunc(token.NoPos, n.pkg, t.Method(i).Name, sig))
	}
	return types.NewInterfaceType(methods, nil).Complete(), nil
}

// namedType returns a type of the standard library with its original identity, or a type of the host.
func (n *hostTypes) namedType(t reflect.Type) (types.Type, error) {
	if named, ok := n.named[t]; ok {
		return named, nil
	}
	name, args, generic := strings.Cut(t.Name(), "[")
	if pkg, err := n.imp.Import(t.PkgPath()); err == nil {
		obj := pkg.Scope().Lookup(name)
		if obj == nil || generic {
			return nil, fmt.Errorf("type %s cannot be given to cells", t)
		}
		return obj.Type(), nil
	}
	if generic {
		return nil, fmt.Errorf("type %s[%s cannot be given to cells: it is generic", name, args)
	}
	if other, ok := n.Declared[name]; ok {
		return nil, fmt.Errorf("two types are called %s: %s and %s", name, other, t)
	}
	named := types.NewNamed(types.NewTypeName(token.NoPos, n.pkg, name, nil), nil, nil)
	n.named[t], n.Declared[name] = named, t
	underlying, err := n.underlying(t)
	if err != nil {
		return nil, err
	}
	named.SetUnderlying(underlying)
	return named, n.addMethods(named, t)
}

func (n *hostTypes) underlying(t reflect.Type) (types.Type, error) {
	if kind, ok := basics[t.Kind()]; ok {
		return types.Typ[kind], nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return n.structType(t)
	case reflect.Interface:
		return n.interfaceType(t)
	case reflect.Func:
		return n.signature(t, 0)
	case reflect.Slice:
		elem, err := n.Of(t.Elem())
		return types.NewSlice(elem), err
	case reflect.Map:
		typ, err := n.Of(reflect.MapOf(t.Key(), t.Elem()))
		return typ, err
	}
	return nil, fmt.Errorf("type %s cannot be given to cells", t)
}

// addMethods adds the exported methods whose types consist only of types that cells can know.
func (n *hostTypes) addMethods(named *types.Named, t reflect.Type) error {
	if t.Kind() == reflect.Interface {
		return nil
	}
	pointer := reflect.PointerTo(t)
	for i := range pointer.NumMethod() {
		m := pointer.Method(i)
		var recv types.Type = types.NewPointer(named)
		if _, byValue := t.MethodByName(m.Name); byValue {
			recv = named
		}
		plain, err := n.signature(m.Type, 1)
		if err != nil {
			continue
		}
		sig := types.NewSignatureType(
			types.NewParam(token.NoPos, n.pkg, "", recv), nil, nil, plain.Params(), plain.Results(), plain.Variadic())
		named.AddMethod(types.NewFunc(token.NoPos, n.pkg, m.Name, sig))
	}
	return nil
}
