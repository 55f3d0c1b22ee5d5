package answer

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

const (
	maxNodes = 200_000 // values that are taken apart for one answer
	maxDepth = 100     // levels of nesting
)

// Of takes a Go value apart by reflection. It never panics; what is too deep, too long or contains itself
// is left out and marked. A reflect.Value stands for the value it holds.
func Of(v any) Value {
	rv := reflect.ValueOf(v)
	switch v := v.(type) {
	case Value:
		return v
	case reflect.Value:
		rv = v
	}
	t := taker{nodes: maxNodes, path: map[visit]bool{}}
	return t.take(rv, 0)
}

type taker struct {
	nodes int
	path  map[visit]bool
}

// visit is a reference on the way to the current value.
type visit struct {
	typ reflect.Type
	ptr uintptr
	len int
}

func textf(format string, args ...any) Value {
	return Value{Kind: Text, Text: fmt.Sprintf(format, args...)}
}

func scalar(s string) Value { return Value{Kind: Scalar, Text: s} }

func (t *taker) take(v reflect.Value, depth int) Value {
	t.nodes--
	if !v.IsValid() {
		return Value{}
	}
	if depth > maxDepth || t.nodes < 0 {
		return textf("…")
	}
	if isNil(v) && v.Kind() != reflect.Slice && v.Kind() != reflect.Map {
		return Value{}
	}
	if out, ok := byMethod(v, depth); ok {
		return out
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Slice:
		return t.reference(v, depth)
	case reflect.Struct:
		return t.structure(v, depth)
	case reflect.Array:
		return t.list(v, depth)
	}
	return leafValue(v)
}

// reference takes what may lead back to itself.
func (t *taker) reference(v reflect.Value, depth int) Value {
	if v.Kind() == reflect.Interface {
		return t.take(v.Elem(), depth)
	}
	at := visit{typ: v.Type(), ptr: v.Pointer()}
	if v.Kind() == reflect.Slice {
		at.len = v.Len()
	}
	if t.path[at] && at.ptr != 0 && (v.Kind() != reflect.Slice || at.len > 0) {
		return textf("<cycle>")
	}
	t.path[at] = true
	defer delete(t.path, at)
	switch v.Kind() {
	case reflect.Map:
		return t.mapping(v, depth)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return bytesValue(v)
		}
		return t.list(v, depth)
	}
	return t.take(v.Elem(), depth+1)
}

func (t *taker) list(v reflect.Value, depth int) Value {
	out := Value{Kind: List}
	for i := range v.Len() {
		if t.nodes <= 0 {
			out.More = v.Len() - i
			break
		}
		out.Items = append(out.Items, t.take(v.Index(i), depth+1))
	}
	return out
}

func (t *taker) mapping(v reflect.Value, depth int) Value {
	type entry struct {
		key   string
		order float64
		value reflect.Value
	}
	n := v.Len()
	entries := make([]entry, 0, min(n, maxNodes))
	for it := v.MapRange(); it.Next() && len(entries) < maxNodes; {
		key := t.take(it.Key(), depth+1)
		entries = append(entries, entry{keyText(key), numericOrder(it.Key()), it.Value()})
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		if a.order != b.order {
			return int(math.Copysign(1, a.order-b.order))
		}
		return strings.Compare(a.key, b.key)
	})
	out := Value{Kind: Object, More: n - len(entries)}
	for i, e := range entries {
		if t.nodes <= 0 {
			out.More += len(entries) - i
			break
		}
		out.Keys = append(out.Keys, e.key)
		out.Items = append(out.Items, t.take(e.value, depth+1))
	}
	return out
}

func keyText(v Value) string {
	if v.Kind == Text || v.Kind == Scalar {
		return v.Text
	}
	return v.JSON()
}

// numericOrder sorts numeric keys by value and leaves all others in one place.
func numericOrder(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat() && !math.IsNaN(v.Float()):
		return v.Float()
	}
	return 0
}

// structure takes the exported fields of a struct by the rules of encoding/json; of a struct that has none, all fields,
// so that an answer never comes out as {}.
func (t *taker) structure(v reflect.Value, depth int) Value {
	out := Value{Kind: Object}
	t.fields(v, depth, &out, exportedOnly(v.Type()))
	return out
}

func exportedOnly(typ reflect.Type) bool {
	for i := range typ.NumField() {
		if f := typ.Field(i); f.IsExported() || f.Anonymous {
			return true
		}
	}
	return false
}

func (t *taker) fields(v reflect.Value, depth int, out *Value, exported bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		value := v.Field(i)
		switch {
		case tag == "-" && options == "":
			continue
		case f.Anonymous && tag == "" && depth < maxDepth:
			if inner := embedded(value); inner.IsValid() && !hasMethodText(inner) {
				t.fields(inner, depth+1, out, exported)
				continue
			} else if value.Kind() == reflect.Pointer && value.IsNil() {
				continue
			}
			fallthrough
		default:
			if exported && !f.IsExported() || omitted(value, options) {
				continue
			}
		}
		if tag == "" {
			tag = f.Name
		}
		out.Keys = append(out.Keys, tag)
		out.Items = append(out.Items, t.take(value, depth+1))
	}
}

// embedded is the struct that an embedded field holds, or the zero Value.
func embedded(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		return v
	}
	return reflect.Value{}
}

func hasMethodText(v reflect.Value) bool {
	_, ok := byMethod(v, 1)
	return ok
}

func omitted(v reflect.Value, options string) bool {
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitzero":
			return v.IsZero()
		case "omitempty":
			switch v.Kind() {
			case reflect.Map, reflect.Slice, reflect.String, reflect.Array:
				return v.Len() == 0
			case reflect.Struct:
				return false
			}
			return v.IsZero()
		}
	}
	return false
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

// hasFields reports whether a value is a map or a struct, perhaps behind pointers.
func hasFields(v reflect.Value) bool {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v.Kind() == reflect.Map || v.Kind() == reflect.Struct
}

// fieldsOf are the fields of a map or struct, by name, as values that Format writes.
func fieldsOf(v any) map[string]any {
	value := Of(v)
	out := make(map[string]any, len(value.Keys))
	for i, key := range value.Keys {
		out[key] = value.Items[i]
	}
	return out
}
