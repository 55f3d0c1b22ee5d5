package jsonfields

import (
	"math"
	"reflect"
)

// Of lists the fields of a struct type, in order.
func Of(t reflect.Type) []Field[reflect.Type] {
	return List(t, declared, func(a, b reflect.Type) bool { return a == b })
}

func declared(t reflect.Type) []RawField[reflect.Type] {
	out := make([]RawField[reflect.Type], t.NumField())
	for i := range out {
		f := t.Field(i)
		inner := f.Type
		if inner.Kind() == reflect.Pointer && inner.Name() == "" {
			inner = inner.Elem()
		}
		out[i] = RawField[reflect.Type]{
			Name: f.Name, Tag: f.Tag, Type: f.Type, Exported: f.IsExported(), Embedded: f.Anonymous,
			Struct: inner, IsStruct: inner.Kind() == reflect.Struct, Quotable: quotable(inner.Kind()),
		}
	}
	return out
}

func quotable(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
}

// KeyOrder returns the rank of a map's key when entries are shown: numbers by value, all other keys equal, so that
// their texts decide.
func KeyOrder(key reflect.Value) float64 {
	switch {
	case key.CanInt():
		return float64(key.Int())
	case key.CanUint():
		return float64(key.Uint())
	case key.CanFloat() && !math.IsNaN(key.Float()):
		return key.Float()
	}
	return 0
}
