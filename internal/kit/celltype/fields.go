package celltype

import (
	"go/types"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsonfields"
)

// Field is a field of a struct as encoding/json sees it.
type Field = jsonfields.Field[types.Type]

// Fields lists the fields of a struct as encoding/json sees them, in order.
func Fields(s *types.Struct) []Field {
	return jsonfields.List(types.Type(s), declared, types.Identical)
}

func declared(t types.Type) []jsonfields.RawField[types.Type] {
	s := t.Underlying().(*types.Struct)
	out := make([]jsonfields.RawField[types.Type], s.NumFields())
	for i := range out {
		f := s.Field(i)
		inner := types.Unalias(f.Type())
		if p, ok := inner.(*types.Pointer); ok {
			inner = types.Unalias(p.Elem())
		}
		_, isStruct := inner.Underlying().(*types.Struct)
		basic, isBasic := inner.Underlying().(*types.Basic)
		name, _, _ := strings.Cut(f.Name(), Mark)
		out[i] = jsonfields.RawField[types.Type]{
			Name: name, Tag: reflect.StructTag(s.Tag(i)), Type: f.Type(), Exported: f.Exported(),
			Embedded: f.Embedded(),
			Struct:   inner, IsStruct: isStruct,
			Quotable: isBasic && basic.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0,
		}
	}
	return out
}

// Follow follows a field's path from a struct value; ok is false if an embedded pointer is nil.
func Follow(v reflect.Value, path []int) (field reflect.Value, ok bool) {
	for i, n := range path {
		for i > 0 && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct || n >= v.NumField() {
			return v, false
		}
		v = v.Field(n)
	}
	return v, true
}
