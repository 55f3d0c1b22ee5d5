package typed

import (
	"encoding/json"
	"errors"
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/internal/kit/celltype"
	"github.com/gorlm/rlm/internal/kit/jsonfields"
)

// Encode renders a value of static type t as JSON, as encoding/json would if it knew the type as the cell declares
// it.
func Encode(v reflect.Value, t types.Type) ([]byte, error) {
	tree, err := tree(v, t, 0)
	if err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// deepest bounds how far Encode follows pointers, so that a cyclic value is an error.
const deepest = 200

var errTooDeep = errors.New("the value is nested too deeply or contains itself")

// tree returns a value that json.Marshal renders correctly.
func tree(v reflect.Value, t types.Type, depth int) (any, error) {
	if depth > deepest {
		return nil, errTooDeep
	}
	if !v.IsValid() {
		return nil, nil
	}
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, nil
		}
		return v.Elem().Interface(), nil
	}
	if special(t) != "" || decodesItself(t) {
		return v.Interface(), nil
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return tree(v.Elem(), u.Elem(), depth+1)
	case *types.Slice, *types.Array:
		return listTree(v, u.(interface{ Elem() types.Type }).Elem(), depth)
	case *types.Map:
		return mapTree(v, u, depth)
	case *types.Struct:
		return structTree(v, u, depth)
	case *types.Signature, *types.Chan:
		return nil, unsupported("", t, "JSON has no such value")
	}
	return v.Interface(), nil
}

func listTree(v reflect.Value, elem types.Type, depth int) (any, error) {
	if v.Kind() == reflect.Slice && v.IsNil() || isByte(elem) {
		return v.Interface(), nil
	}
	out := make([]any, v.Len())
	for i := range out {
		item, err := tree(v.Index(i), elem, depth+1)
		if err != nil {
			return nil, err
		}
		out[i] = item
	}
	return out, nil
}

func mapTree(v reflect.Value, u *types.Map, depth int) (any, error) {
	if v.IsNil() {
		return nil, nil
	}
	out := reflect.MakeMap(reflect.MapOf(v.Type().Key(), reflect.TypeFor[any]()))
	for _, key := range v.MapKeys() {
		item, err := tree(v.MapIndex(key), u.Elem(), depth+1)
		if err != nil {
			return nil, err
		}
		value := reflect.New(reflect.TypeFor[any]()).Elem()
		if item != nil {
			value.Set(reflect.ValueOf(item))
		}
		out.SetMapIndex(key, value)
	}
	return out.Interface(), nil
}

func structTree(v reflect.Value, u *types.Struct, depth int) (any, error) {
	out := object{}
	for _, f := range celltype.Fields(u) {
		field, ok := celltype.Follow(v, f.Path)
		if !ok || f.OmitEmpty && jsonfields.Empty(field) || f.OmitZero && jsonfields.Zero(field) {
			continue
		}
		item, err := tree(field, f.Type, depth+1)
		if err != nil {
			return nil, err
		}
		if f.Quoted {
			if item, err = quotedJSON(item); err != nil {
				return nil, err
			}
		}
		out = append(out, member{f.Name, item})
	}
	return out, nil
}

// quotedJSON encodes a value whose field tag has the option string: its JSON inside a JSON string.
func quotedJSON(item any) (any, error) {
	if item == nil {
		return nil, nil
	}
	raw, err := json.Marshal(item)
	return string(raw), err
}
