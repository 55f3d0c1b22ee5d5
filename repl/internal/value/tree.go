package value

import (
	"encoding/json"
	"go/types"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
)

// tree converts a value into an answer.Value, from which it is written.
func (r Reader) tree(value any, typ types.Type, nodes int) answer.Value {
	t := copier{in: r, nodes: nodes, path: map[visit]bool{}}
	return t.take(reflect.ValueOf(value), typ, 0)
}

type copier struct {
	in    Reader
	nodes int
	path  map[visit]bool
}

// visit is a reference on the path from the outermost value to the current one.
type visit struct {
	typ reflect.Type
	ptr uintptr
	len int
}

func textValue(s string) answer.Value {
	return answer.Value{Kind: answer.Text, Text: s}
}

// take converts v, whose static type is typ (nil if unknown).
func (t *copier) take(v reflect.Value, typ types.Type, depth int) answer.Value {
	t.nodes--
	if !v.IsValid() {
		return answer.Value{}
	}
	if depth > maxDepth || t.nodes < 0 {
		return textValue("…")
	}
	if described, ok := asType(v); ok {
		return textValue(described.String())
	}
	if out, done := t.boxed(v, typ, depth); done {
		return out
	}
	if t.in.filled && v.Kind() == reflect.Slice && v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8 {
		return answer.Value{Kind: answer.List}
	}
	if t.in.filled && v.Kind() == reflect.Map && v.IsNil() {
		return answer.Value{Kind: answer.Object}
	}
	if !v.CanInterface() || !t.needsTypes(v, typ) && !(t.in.quiet && isContainer(v)) {
		return t.leaf(v, depth)
	}
	if out, ok := t.ownText(v, typ, depth); ok {
		return out
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return t.reference(v, typ, depth)
	case reflect.Struct:
		return t.structure(v, typ, depth)
	case reflect.Array:
		return t.list(v, typ, depth)
	}
	return t.leaf(v, depth)
}

// asType returns v as a reflect.Type if it is a pointer that describes a type, such as those in errors of
// encoding/json. The value that it points to must not be copied, because the runtime identifies a type by its
// address.
func asType(v reflect.Value) (reflect.Type, bool) {
	if v.Kind() != reflect.Pointer || v.IsNil() || !v.CanInterface() {
		return nil, false
	}
	t, ok := v.Interface().(reflect.Type)
	return t, ok
}

// leaf converts a value that reflection knows completely. For a preview, only the beginning of a text or of bytes
// is converted.
func (t *copier) leaf(v reflect.Value, depth int) answer.Value {
	const most = 4 * PreviewBytes
	switch {
	case !t.in.quiet:
	case v.Kind() == reflect.String && v.Len() > most:
		return textValue(v.String()[:most])
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 && v.Len() > most:
		v = v.Slice(0, most)
	}
	if depth > 0 {
		return answer.ElementOf(v)
	}
	return answer.Of(v)
}

// ownText converts a value through its methods: inside other values through MarshalJSON or MarshalText first, as in
// encoding/json, otherwise through Error or String.
func (t *copier) ownText(v reflect.Value, typ types.Type, depth int) (answer.Value, bool) {
	if typ == nil || t.in.Inspector == nil || t.in.quiet || v.Kind() == reflect.Pointer && v.IsNil() {
		return answer.Value{}, false
	}
	if depth > 0 {
		if out, ok := t.ownJSON(v, typ); ok {
			return out, true
		}
	}
	if s, ok := t.in.Inspector.Text(v.Interface(), typ); ok && !(t.in.answers && strings.HasPrefix(s, "%!v(PANIC=")) {
		return textValue(s), true
	}
	return t.ownJSON(v, typ)
}

// ownJSON converts a value through the MarshalJSON or MarshalText of its type or, if the value is addressable, of
// its pointer type.
func (t *copier) ownJSON(v reflect.Value, typ types.Type) (answer.Value, bool) {
	data, ok := t.in.Inspector.JSON(v.Interface(), typ)
	if !ok && v.CanAddr() {
		data, ok = t.in.Inspector.JSON(v.Addr().Interface(), types.NewPointer(typ))
	}
	if !ok {
		return answer.Value{}, false
	}
	return answer.ElementOf(json.RawMessage(data)), true
}

// isContainer reports whether a value can have any number of elements; a preview shows only the first of these.
func isContainer(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Pointer:
		return v.Type().Name() == ""
	}
	return false
}

// needsTypes reports whether a value must be converted along its Go types, because reflection does not know all of
// it.
func (t *copier) needsTypes(v reflect.Value, typ types.Type) bool {
	if typ != nil {
		return declaredInCells(typ)
	}
	if v.Type().Name() != "" {
		return false
	}
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Pointer:
		return holdsInterfaces(v.Type().Elem())
	}
	return false
}

// holdsInterfaces reports whether values of an unnamed type can contain values of cells' types.
func holdsInterfaces(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Pointer:
		return t.Name() == "" && holdsInterfaces(t.Elem())
	}
	return false
}

// boxed converts the value in an interface.
func (t *copier) boxed(v reflect.Value, typ types.Type, depth int) (answer.Value, bool) {
	if inner, innerType, ok := t.in.unbox(v); ok {
		return t.take(inner, innerType, depth), true
	}
	if v.Kind() == reflect.Interface {
		return t.take(v.Elem(), nil, depth), true
	}
	if typ != nil && types.IsInterface(typ) {
		return t.take(v, nil, depth), true
	}
	return answer.Value{}, false
}

// declaredInCells reports whether reflection alone is not enough for values of a type: it mentions types of cells,
// or interfaces that may contain values of such types.
func declaredInCells(t types.Type) bool {
	return mentions(t, map[types.Type]bool{})
}

func mentions(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		return mentions(types.Unalias(t), seen)
	case *types.Named:
		if pkg := t.Obj().Pkg(); pkg != nil && pkg.Path() == "main" {
			return true
		}
		return types.IsInterface(t)
	case *types.Pointer:
		return mentions(t.Elem(), seen)
	case *types.Slice:
		return mentions(t.Elem(), seen)
	case *types.Array:
		return mentions(t.Elem(), seen)
	case *types.Map:
		return mentions(t.Key(), seen) || mentions(t.Elem(), seen)
	case *types.Struct, *types.Interface:
		return true
	}
	return false
}

// reference converts a value that may contain itself.
func (t *copier) reference(v reflect.Value, typ types.Type, depth int) answer.Value {
	if v.IsNil() && (depth > 0 || v.Kind() == reflect.Pointer) {
		return answer.Value{}
	}
	at := visit{typ: v.Type(), ptr: v.Pointer()}
	if v.Kind() == reflect.Slice {
		at.len = v.Len()
	}
	if !v.IsNil() && t.path[at] {
		return textValue("<cycle>")
	}
	t.path[at] = true
	defer delete(t.path, at)
	switch v.Kind() {
	case reflect.Pointer:
		return t.take(v.Elem(), elemOf(typ), depth+1)
	case reflect.Map:
		return t.object(v, typ, depth)
	}
	return t.list(v, typ, depth)
}

// elemOf returns the element type of a pointer, list or map; nil if unknown.
func elemOf(typ types.Type) types.Type {
	if typ == nil {
		return nil
	}
	if e, ok := typ.Underlying().(interface{ Elem() types.Type }); ok {
		return e.Elem()
	}
	return nil
}

func (t *copier) list(v reflect.Value, typ types.Type, depth int) answer.Value {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return t.leaf(v, depth)
	}
	elem := elemOf(typ)
	out := answer.Value{Kind: answer.List}
	for i := range v.Len() {
		if t.nodes <= 0 {
			out.More = v.Len() - i
			break
		}
		out.Items = append(out.Items, t.take(v.Index(i), elem, depth+1))
	}
	return out
}
