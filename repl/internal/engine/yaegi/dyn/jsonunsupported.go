package dyn

import (
	"encoding/json"
	"go/types"
	"reflect"
)

// unsupportedJSON is the name of a type that encoding/json does not write; empty if it does.
func unsupportedJSON(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Signature, *types.Chan:
		return TypeName(t)
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 {
			return TypeName(t)
		}
	case *types.Map:
		if b, ok := u.Key().Underlying().(*types.Basic); ok && b.Info()&(types.IsString|types.IsInteger) != 0 {
			return ""
		}
		if m, _, _ := types.LookupFieldOrMethod(u.Key(), false, nil, "MarshalText"); m == nil {
			return TypeName(t)
		}
	}
	return ""
}

// unsupportedError is a json.UnsupportedTypeError that names a type of a cell.
type unsupportedError struct {
	inner *json.UnsupportedTypeError
	name  string
}

func unsupported(v reflect.Value, name string) error {
	e := &json.UnsupportedTypeError{Type: v.Type()}
	if e.Type.String() == name {
		return e
	}
	return &unsupportedError{e, name}
}

func (e *unsupportedError) Error() string { return "json: unsupported type: " + e.name }
func (e *unsupportedError) Unwrap() error { return e.inner }
