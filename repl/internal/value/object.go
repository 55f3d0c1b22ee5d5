package value

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/kit/celltype"
	"github.com/gorlm/rlm/internal/kit/jsonfields"
	"github.com/gorlm/rlm/repl/internal/cell"
)

// maxPreviewKeys is the length up to which the keys of a map are sorted for a preview.
const maxPreviewKeys = 1000

// entry is a key of a map as text, and its value. Keys of different types may have the same text.
type entry struct {
	key     string
	order   float64
	keyType string
	value   reflect.Value
}

// object converts a map. It sorts the keys, so that an unchanged map always prints the same.
func (t *copier) object(v reflect.Value, typ types.Type, depth int) answer.Value {
	if t.in.quiet && v.Len() > maxPreviewKeys {
		return answer.Value{Kind: answer.Object, More: v.Len()}
	}
	out := answer.Value{Kind: answer.Object}
	entries := t.entries(v, typ, depth)
	for i, e := range entries {
		if t.nodes <= 0 {
			out.More = len(entries) - i
			break
		}
		out.Keys = append(out.Keys, e.key)
		out.Items = append(out.Items, t.take(e.value, elemOf(typ), depth+1))
	}
	return out
}

// entries returns the entries of a map, sorted by key.
func (t *copier) entries(v reflect.Value, typ types.Type, depth int) []entry {
	var keyType types.Type
	if typ != nil {
		if m, ok := typ.Underlying().(*types.Map); ok {
			keyType = m.Key()
		}
	}
	out := make([]entry, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		e := entry{key: t.key(iter.Key(), keyType, depth), order: jsonfields.KeyOrder(iter.Key()), value: iter.Value()}
		if k := iter.Key(); k.Kind() == reflect.Interface && !k.IsNil() {
			e.keyType = t.in.dynamicType(k)
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.order, b.order), strings.Compare(a.key, b.key),
			strings.Compare(a.keyType, b.keyType))
	})
	return out
}

// dynamicType names the type of the value in an interface.
func (r Reader) dynamicType(v reflect.Value) string {
	if _, t, ok := r.unbox(v); ok {
		return celltype.TypeName(t)
	}
	return v.Elem().Type().String()
}

// key returns the text of a key. A key of a string type is its own text, as in encoding/json.
func (t *copier) key(v reflect.Value, typ types.Type, depth int) string {
	if v.Kind() == reflect.String {
		return v.String()
	}
	inner := copier{in: t.in, nodes: previewNodes, path: t.path}
	out := inner.take(v, typ, depth+1)
	if out.Kind >= answer.List || out.Kind == answer.Null {
		return out.JSON()
	}
	return out.Text
}

// structure converts the fields of a struct that encoding/json would write, using the names in the static type. If
// a struct has only unexported fields, it converts all of these, so that no struct becomes {}.
func (t *copier) structure(v reflect.Value, typ types.Type, depth int) answer.Value {
	if typ == nil {
		return t.leaf(v, depth)
	}
	s, ok := typ.Underlying().(*types.Struct)
	if !ok || s.NumFields() != v.NumField() {
		return t.leaf(v, depth)
	}
	out := answer.Value{Kind: answer.Object}
	add := func(name string, item answer.Value) {
		out.Keys, out.Items = append(out.Keys, name), append(out.Items, item)
	}
	if onlyUnexported(s) {
		for i := range s.NumFields() {
			if name := s.Field(i).Name(); name != "_" {
				add(cell.Display(name), t.take(v.Field(i), s.Field(i).Type(), depth+1))
			}
		}
		return out
	}
	fields := celltype.Fields(s)
	if t.in.private {
		fields = withUnexported(fields, s)
	}
	for _, f := range fields {
		field, ok := celltype.Follow(v, f.Path)
		if !ok || f.OmitEmpty && jsonfields.Empty(field) || f.OmitZero && t.isZero(field, f.Type) {
			continue
		}
		item := t.take(field, f.Type, depth+1)
		if f.Quoted {
			item = quoted(item, field)
		}
		add(f.Name, item)
	}
	return out
}

// withUnexported adds the fields that JSON leaves out because they are unexported.
func withUnexported(fields []celltype.Field, s *types.Struct) []celltype.Field {
	for i := range s.NumFields() {
		if f := s.Field(i); !f.Exported() && !f.Embedded() && f.Name() != "_" {
			fields = append(fields, celltype.Field{Name: cell.Display(f.Name()), Path: []int{i}, Type: f.Type()})
		}
	}
	slices.SortFunc(fields, func(a, b celltype.Field) int { return slices.Compare(a.Path, b.Path) })
	return fields
}

func onlyUnexported(s *types.Struct) bool {
	for f := range s.Fields() {
		if f.Exported() || f.Embedded() {
			return false
		}
	}
	return true
}

// isZero reports whether a field with the option omitzero would be omitted.
func (t *copier) isZero(v reflect.Value, typ types.Type) (zero bool) {
	if t.in.quiet {
		return v.IsZero()
	}
	if t.in.Inspector != nil {
		if zero, ok := t.in.Inspector.IsZero(v, typ); ok {
			return zero
		}
	}
	defer func() { _ = recover() }() // a compiled method IsZero may panic; then the value counts as not zero
	return jsonfields.Zero(v)
}

// quoted converts a value whose field tag has the option string to its JSON in a JSON string. Text from the value's
// own methods stays as it is.
func quoted(item answer.Value, v reflect.Value) answer.Value {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch {
	case item.Kind == answer.Scalar:
		return textValue(item.Text)
	case item.Kind == answer.Text && v.Kind() == reflect.String && item.Text == v.String():
		return textValue(item.JSON())
	}
	return item
}
