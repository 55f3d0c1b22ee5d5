package repl

import (
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/front"
	"github.com/gorlm/rlm/termination"
)

// inspector looks into values along their static types: an engine's values need not carry names, unexported
// fields and methods of the types that cells declare.
type inspector struct {
	engine front.Inspector // nil if values are ordinary Go values
	// context says where in the context a text lies.
	context func(s string) (offset int, ok bool)
}

func asInspector(e front.Engine) front.Inspector {
	i, _ := e.(front.Inspector)
	return i
}

// format renders a value as an answer.
func (in inspector) format(value any, typ types.Type) string {
	if s, ok := value.(string); ok {
		return termination.FormatAnswer(s)
	}
	return in.tree(value, typ, maxNodes).String()
}

// Bounds of what is looked at.
const (
	maxNodes = 200_000
	maxDepth = 100
)

// tree takes a value apart for writing.
func (in inspector) tree(value any, typ types.Type, nodes int) termination.Value {
	t := taker{in: in, nodes: nodes, path: map[visit]bool{}}
	return t.take(reflect.ValueOf(value), typ, 0)
}

type taker struct {
	in    inspector
	nodes int
	path  map[visit]bool
}

// visit is a reference on the way to the current value.
type visit struct {
	typ reflect.Type
	ptr uintptr
	len int
}

func text(s string) termination.Value {
	return termination.Value{Kind: termination.TextValue, Text: s}
}

// take takes v apart, whose static type is t; nil if it is not known.
func (t *taker) take(v reflect.Value, typ types.Type, depth int) termination.Value {
	t.nodes--
	if !v.IsValid() {
		return termination.Value{}
	}
	if depth > maxDepth || t.nodes < 0 {
		return text("…")
	}
	if out, done := t.boxed(v, typ, depth); done {
		return out
	}
	if typ == nil || !declaredInCells(typ) || !v.CanInterface() {
		return termination.ValueOf(v)
	}
	if t.in.engine != nil {
		if s, ok := t.in.engine.Text(v.Interface(), typ); ok {
			return text(s)
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return t.reference(v, typ, depth)
	case reflect.Struct:
		return t.structure(v, typ, depth)
	case reflect.Array:
		return t.list(v, typ, depth)
	}
	return termination.ValueOf(v)
}

// boxed takes apart what an interface holds.
func (t *taker) boxed(v reflect.Value, typ types.Type, depth int) (termination.Value, bool) {
	if t.in.engine != nil && v.CanInterface() {
		if inner, innerType, ok := t.in.engine.Unbox(v.Interface()); ok {
			return t.take(reflect.ValueOf(inner), innerType, depth+1), true
		}
	}
	if v.Kind() == reflect.Interface {
		return t.take(v.Elem(), nil, depth+1), true
	}
	if typ != nil && types.IsInterface(typ) && reflectKnows(v) {
		return t.take(v, nil, depth+1), true
	}
	return termination.Value{}, false
}

// reflectKnows reports whether a value that stood in an interface has a Go type of its own.
func reflectKnows(v reflect.Value) bool { return v.Kind() != reflect.Interface }

// declaredInCells reports whether reflection alone would not do: the type mentions types of cells, or interfaces
// whose values may be of such types.
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

// reference takes what may lead back to itself.
func (t *taker) reference(v reflect.Value, typ types.Type, depth int) termination.Value {
	if v.IsNil() && v.Kind() == reflect.Pointer {
		return termination.Value{}
	}
	at := visit{typ: v.Type(), ptr: v.Pointer()}
	if v.Kind() == reflect.Slice {
		at.len = v.Len()
	}
	if !v.IsNil() && t.path[at] {
		return text("<cycle>")
	}
	t.path[at] = true
	defer delete(t.path, at)
	switch v.Kind() {
	case reflect.Pointer:
		if p, ok := typ.Underlying().(*types.Pointer); ok {
			return t.take(v.Elem(), p.Elem(), depth+1)
		}
	case reflect.Map:
		if m, ok := typ.Underlying().(*types.Map); ok {
			return t.object(v, m, depth)
		}
	case reflect.Slice:
		return t.list(v, typ, depth)
	}
	return termination.ValueOf(v)
}

func (t *taker) list(v reflect.Value, typ types.Type, depth int) termination.Value {
	var elem types.Type
	switch u := typ.Underlying().(type) {
	case *types.Slice:
		elem = u.Elem()
	case *types.Array:
		elem = u.Elem()
	default:
		return termination.ValueOf(v)
	}
	if b, ok := elem.Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
		return termination.ValueOf(v)
	}
	out := termination.Value{Kind: termination.ListValue}
	for i := range v.Len() {
		if t.nodes <= 0 {
			out.More = v.Len() - i
			break
		}
		out.Items = append(out.Items, t.take(v.Index(i), elem, depth+1))
	}
	return out
}
