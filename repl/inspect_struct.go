package repl

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/gorlm/rlm/termination/answer"
)

// maxPreviewKeys bounds the maps whose keys are sorted for a preview.
const maxPreviewKeys = 1000

// object takes a map apart; keys in order.
func (t *taker) object(v reflect.Value, typ types.Type, depth int) answer.Value {
	type entry struct {
		key   string
		value reflect.Value
	}
	var keyType types.Type
	if typ != nil {
		if m, ok := typ.Underlying().(*types.Map); ok {
			keyType = m.Key()
		}
	}
	if t.in.quiet && v.Len() > maxPreviewKeys {
		return answer.Value{Kind: answer.Object, More: v.Len()}
	}
	var entries []entry
	for iter := v.MapRange(); iter.Next(); {
		if len(entries) > t.nodes {
			break
		}
		key := t.take(iter.Key(), keyType, depth+1)
		name := key.Text
		if key.Kind >= answer.List {
			name = key.JSON()
		}
		entries = append(entries, entry{name, iter.Value()})
	}
	kind := v.Type().Key().Kind()
	numeric := kind >= reflect.Int && kind <= reflect.Float64
	slices.SortFunc(entries, func(a, b entry) int {
		if numeric && len(a.key) != len(b.key) && !strings.ContainsAny(a.key+b.key, ".-e") {
			return len(a.key) - len(b.key)
		}
		return strings.Compare(a.key, b.key)
	})
	out := answer.Value{Kind: answer.Object}
	for i, e := range entries {
		if t.nodes <= 0 {
			out.More = v.Len() - i
			return out
		}
		out.Keys = append(out.Keys, e.key)
		out.Items = append(out.Items, t.take(e.value, elemOf(typ), depth+1))
	}
	out.More = v.Len() - len(entries)
	return out
}

// structure takes a struct apart by the names that its static type knows; fields as encoding/json would name them,
// unexported ones too, because what a cell declares is its own.
func (t *taker) structure(v reflect.Value, typ types.Type, depth int) answer.Value {
	if typ == nil {
		return answer.Of(v)
	}
	s, ok := typ.Underlying().(*types.Struct)
	if !ok || s.NumFields() != v.NumField() {
		return answer.Of(v)
	}
	out := answer.Value{Kind: answer.Object}
	for i := range s.NumFields() {
		if s.Field(i).Name() == "_" {
			continue
		}
		name, omit := fieldName(s, i)
		if name == "-" || omit && v.Field(i).IsZero() {
			continue
		}
		out.Keys = append(out.Keys, name)
		out.Items = append(out.Items, t.take(v.Field(i), s.Field(i).Type(), depth+1))
	}
	return out
}

// fieldName is what a field is called in JSON.
func fieldName(s *types.Struct, i int) (name string, omitEmpty bool) {
	name, _, _ = strings.Cut(s.Field(i).Name(), "ʹ")
	tag, ok := reflect.StructTag(s.Tag(i)).Lookup("json")
	if !ok {
		return name, false
	}
	tagged, options, _ := strings.Cut(tag, ",")
	if tagged != "" && !(tagged == "-" && options != "") {
		name = tagged
	}
	return name, slices.Contains(strings.Split(options, ","), "omitempty")
}

// typeName is a type as the one who wrote the cell would write it.
func typeName(t types.Type) string {
	if t == nil {
		return ""
	}
	name := types.TypeString(t, func(p *types.Package) string {
		if p.Path() == "main" || p.Name() == "main" {
			return ""
		}
		return p.Name()
	})
	return display(name)
}

// display drops the marks that the front end puts behind names.
func display(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "ʹ")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		s = strings.TrimLeft(after, "0123456789")
	}
}

// sizeOf is the size of a value in the terms of its type; empty for what has none.
func sizeOf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return bytesSize(v.Len())
	case reflect.Slice, reflect.Map, reflect.Array, reflect.Chan:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return bytesSize(v.Len())
		}
		return fmt.Sprintf("len %d", v.Len())
	}
	return ""
}

func bytesSize(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
