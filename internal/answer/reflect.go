package answer

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsonfields"
	"github.com/gorlm/rlm/internal/kit/text"
)

const (
	maxNodes = 200_000 // values visited for one answer
	maxDepth = 100     // levels of nesting
)

// Of converts a Go value by reflection. It never panics; parts that are too deep, too long or cyclic are left out
// and marked. A reflect.Value stands for the value it holds.
func Of(v any) Value { return valueAt(v, 0) }

// ElementOf is Of for a value inside a list or an object, where a value that marshals itself is written by its
// method.
func ElementOf(v any) Value { return valueAt(v, 1) }

func valueAt(v any, depth int) Value {
	rv := reflect.ValueOf(v)
	switch v := v.(type) {
	case Value:
		return v
	case reflect.Value:
		rv = v
	}
	t := copier{nodes: maxNodes, path: map[visit]bool{}}
	return t.take(rv, depth)
}

type copier struct {
	nodes int
	path  map[visit]bool
}

// visit is a reference on the path to the current value.
type visit struct {
	typ reflect.Type
	ptr uintptr
	len int
}

func textf(format string, args ...any) Value {
	return Value{Kind: Text, Text: fmt.Sprintf(format, args...)}
}

func scalar(s string) Value { return Value{Kind: Scalar, Text: s} }

func (t *copier) take(v reflect.Value, depth int) Value {
	t.nodes--
	if !v.IsValid() {
		return Value{}
	}
	if depth > maxDepth || t.nodes < 0 {
		return textf("…")
	}
	if isNil(v) && (depth > 0 || v.Kind() != reflect.Slice && v.Kind() != reflect.Map) {
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

// reference converts a value that may contain itself.
func (t *copier) reference(v reflect.Value, depth int) Value {
	if v.Kind() == reflect.Interface {
		return t.take(v.Elem(), depth)
	}
	at := visit{typ: v.Type(), ptr: v.Pointer()}
	if v.Kind() == reflect.Slice {
		at.len = v.Len()
	}
	if t.path[at] {
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

func (t *copier) list(v reflect.Value, depth int) Value {
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

func (t *copier) mapping(v reflect.Value, depth int) Value {
	type entry struct {
		key   string
		order float64
		value reflect.Value
	}
	entries := make([]entry, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		entries = append(entries, entry{t.key(it.Key(), depth), jsonfields.KeyOrder(it.Key()), it.Value()})
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		if a.order != b.order {
			return int(math.Copysign(1, a.order-b.order))
		}
		return strings.Compare(a.key, b.key)
	})
	out := Value{Kind: Object}
	for i, e := range entries {
		if t.nodes <= 0 {
			out.More = len(entries) - i
			break
		}
		out.Keys = append(out.Keys, e.key)
		out.Items = append(out.Items, t.take(e.value, depth+1))
	}
	return out
}

// keyNodes bounds the values visited for one key.
const keyNodes = 100

// key returns the text of a key. As in encoding/json, keys of a string type are used unchanged.
func (t *copier) key(key reflect.Value, depth int) string {
	if key.Kind() == reflect.String {
		return key.String()
	}
	inner := copier{nodes: keyNodes, path: t.path}
	out := inner.take(key, depth+1)
	if out.Kind == Text || out.Kind == Scalar {
		return out.Text
	}
	return out.JSON()
}

// structure converts the fields of a struct that encoding/json would write. If all fields are unexported it
// converts them all, so that an answer is never {}.
func (t *copier) structure(v reflect.Value, depth int) Value {
	out := Value{Kind: Object}
	if onlyUnexported(v.Type()) {
		for i := range v.NumField() {
			out.Keys = append(out.Keys, v.Type().Field(i).Name)
			out.Items = append(out.Items, t.take(v.Field(i), depth+1))
		}
		return out
	}
	for _, f := range jsonfields.Of(v.Type()) {
		field, err := v.FieldByIndexErr(f.Path)
		if err != nil || f.OmitEmpty && jsonfields.Empty(field) || f.OmitZero && isZero(field) {
			continue
		}
		item := t.take(field, depth+1)
		if f.Quoted {
			item = item.quoted(field)
		}
		out.Keys = append(out.Keys, f.Name)
		out.Items = append(out.Items, item)
	}
	return out
}

// isZero calls a value's method IsZero; if the method panics, it returns false.
func isZero(v reflect.Value) (zero bool) {
	defer func() { _ = recover() }()
	return jsonfields.Zero(v)
}

func onlyUnexported(typ reflect.Type) bool {
	for i := range typ.NumField() {
		if f := typ.Field(i); f.IsExported() || f.Anonymous {
			return false
		}
	}
	return true
}

// quoted returns a value whose field tag has the option string: its JSON inside a JSON string. A value with a text
// from a method is unchanged.
func (v Value) quoted(of reflect.Value) Value {
	for of.Kind() == reflect.Pointer && !of.IsNil() {
		of = of.Elem()
	}
	if v.Kind == Scalar {
		return Value{Kind: Text, Text: v.Text}
	}
	if v.Kind == Text && of.Kind() == reflect.String && v.Text == of.String() {
		return Value{Kind: Text, Text: text.Quoted(v.Text)}
	}
	return v
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice,
		reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}
