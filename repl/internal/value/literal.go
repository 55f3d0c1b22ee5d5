package value

import (
	"fmt"
	"go/types"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/celltype"
)

// shortestSlice is the length in bytes of the shortest part of the context that is written as a slice of the
// context.
const shortestSlice = 64

// Literal returns Go source of at most room bytes that evaluates to a value equal to v. ok is false for values that
// cannot be written: functions, channels, types of packages with unexported fields, numbers without a literal
// (NaN), values to which two pointers point, and values that are too long. Parts of v that share memory no longer
// share it in the new value.
func (r Reader) Literal(v any, typ types.Type, room int) (source string, ok bool) {
	w := literal{in: r, room: room, seen: map[uintptr]bool{}}
	defer func() {
		if recover() != nil { // a value of the engine that reflection cannot handle
			source, ok = "", false
		}
	}()
	if !w.write(reflect.ValueOf(v), typ, 0) {
		return "", false
	}
	return w.out.String(), true
}

type literal struct {
	in   Reader
	out  strings.Builder
	room int
	seen map[uintptr]bool // addresses that were already written
}

// write writes v, whose static type is t.
func (w *literal) write(v reflect.Value, t types.Type, depth int) bool {
	if depth > maxDepth || w.out.Len() > w.room {
		return false
	}
	if !v.IsValid() {
		return w.text("nil")
	}
	switch under := t.Underlying().(type) {
	case *types.Basic:
		return w.basic(v, under)
	case *types.Interface:
		return w.held(v, depth)
	case *types.Slice:
		if v.Kind() != reflect.Slice || v.IsNil() {
			return v.Kind() == reflect.Slice && w.text("nil")
		}
		return w.list(v, t, under.Elem(), depth)
	case *types.Array:
		return v.Kind() == reflect.Array && w.list(v, t, under.Elem(), depth)
	case *types.Map:
		if v.Kind() != reflect.Map || v.IsNil() {
			return v.Kind() == reflect.Map && w.text("nil")
		}
		return w.entries(v, t, under, depth)
	case *types.Struct:
		return v.Kind() == reflect.Struct && v.NumField() == under.NumFields() && w.fields(v, t, under, depth)
	case *types.Pointer:
		if _, ok := under.Elem().Underlying().(*types.Struct); ok && v.Kind() == reflect.Pointer && !v.IsNil() {
			return w.once(v.Pointer()) && w.text("&") && w.write(v.Elem(), under.Elem(), depth+1)
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Chan:
		return v.IsNil() && w.text("nil")
	}
	return false
}

func (w *literal) text(s string) bool {
	w.out.WriteString(s)
	return w.out.Len() <= w.room
}

// once reports whether this is the first pointer to the address.
func (w *literal) once(to uintptr) bool {
	before := w.seen[to]
	w.seen[to] = true
	return !before
}

func (w *literal) basic(v reflect.Value, t *types.Basic) bool {
	switch {
	case v.Kind() == reflect.String && t.Info()&types.IsString != 0:
		return w.quoted(v.String())
	case v.Kind() == reflect.Bool && t.Info()&types.IsBoolean != 0:
		return w.text(strconv.FormatBool(v.Bool()))
	case t.Kind() == types.Uintptr || t.Info()&types.IsNumeric == 0:
		return false
	case v.CanInt():
		return w.text(strconv.FormatInt(v.Int(), 10))
	case v.CanUint():
		return w.text(strconv.FormatUint(v.Uint(), 10))
	case v.CanFloat():
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 && math.Signbit(f) {
			return false
		}
		return w.text(strconv.FormatFloat(f, 'g', -1, v.Type().Bits()))
	}
	return false
}

// quoted writes a string; a part of the context is written as a slice of it.
func (w *literal) quoted(s string) bool {
	if len(s) >= shortestSlice && w.in.Context != nil {
		if offset, ok := w.in.Context(s); ok {
			return w.text(fmt.Sprintf("context[%d:%d]", offset, offset+len(s)))
		}
	}
	return len(s) <= w.room && w.text(strconv.Quote(s))
}

func (w *literal) list(v reflect.Value, t, elem types.Type, depth int) bool {
	w.text(celltype.TypeName(t) + "{")
	for i := range v.Len() {
		if i > 0 {
			w.text(", ")
		}
		if !w.write(v.Index(i), elem, depth+1) {
			return false
		}
	}
	return w.text("}")
}

func (w *literal) entries(v reflect.Value, t types.Type, m *types.Map, depth int) bool {
	var entries []string
	used := w.out.Len()
	for it := v.MapRange(); it.Next(); {
		entry := literal{in: w.in, room: w.room - used, seen: w.seen}
		if !entry.write(it.Key(), m.Key(), depth+1) || !entry.text(": ") ||
			!entry.write(it.Value(), m.Elem(), depth+1) {
			return false
		}
		entries = append(entries, entry.out.String())
		used += entry.out.Len()
	}
	slices.Sort(entries)
	return w.text(celltype.TypeName(t) + "{" + strings.Join(entries, ", ") + "}")
}

func (w *literal) fields(v reflect.Value, t types.Type, s *types.Struct, depth int) bool {
	_, unnamed := types.Unalias(t).(*types.Struct)
	if !unnamed && v.IsZero() {
		return w.text(celltype.TypeName(t) + "{}")
	}
	w.text(celltype.TypeName(t) + "{")
	for i := range s.NumFields() {
		f := s.Field(i)
		if unnamed && s.Tag(i) != "" || // the type as written has no tags
			f.Name() == "_" || !f.Exported() && !ofCells(f.Pkg()) {
			return false
		}
		if i > 0 {
			w.text(", ")
		}
		w.text(celltype.Display(f.Name()) + ": ")
		if !w.write(v.Field(i), f.Type(), depth+1) {
			return false
		}
	}
	return w.text("}")
}

func ofCells(p *types.Package) bool { return p != nil && (p.Path() == "main" || p.Name() == "main") }

// held writes the value in an interface, if the literal also determines the value's type.
func (w *literal) held(v reflect.Value, depth int) bool {
	inner, t, known := w.in.unbox(v)
	if !known {
		if inner = v; v.Kind() == reflect.Interface {
			inner = v.Elem()
		}
		if !inner.IsValid() {
			return w.text("nil")
		}
		t = plainType(inner.Type())
	}
	if t == nil {
		return false
	}
	if b, ok := types.Unalias(t).(*types.Basic); ok && (b.Kind() == types.String || b.Kind() == types.Bool) {
		return w.write(inner, t, depth+1)
	}
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Array, *types.Struct: // the literal names the value's type
		return !isNil(inner) && w.write(inner, t, depth+1)
	case *types.Basic:
		return w.text(celltype.TypeName(t)+"(") && w.write(inner, t, depth+1) && w.text(")")
	}
	return false
}

func isNil(v reflect.Value) bool {
	return (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.IsNil()
}

// plainType returns a type that needs no declaration: a basic type, or a list or map as encoding/json makes them;
// nil for others.
func plainType(t reflect.Type) types.Type {
	anything := types.Universe.Lookup("any").Type()
	switch {
	case t == reflect.TypeFor[[]any]():
		return types.NewSlice(anything)
	case t == reflect.TypeFor[map[string]any]():
		return types.NewMap(types.Typ[types.String], anything)
	case t.PkgPath() != "" || t.Name() == "":
		return nil
	}
	if obj := types.Universe.Lookup(t.Name()); obj != nil {
		return obj.Type()
	}
	return nil
}
