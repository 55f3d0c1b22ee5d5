package repl

import (
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/termination/answer"
)

// inspector looks into values along their static types: an engine's values need not carry names, unexported
// fields and methods of the types that cells declare.
type inspector struct {
	engine engine.Inspector // nil if values are ordinary Go values
	// quiet says that no code of a cell may run: texts come from fields, not from String methods.
	quiet bool
	// context says where in the context a text lies.
	context func(s string) (offset int, ok bool)
}

func asInspector(e engine.Engine) engine.Inspector {
	i, _ := e.(engine.Inspector)
	return i
}

// format renders a value as an answer.
func (in inspector) format(value any, typ types.Type) string {
	if s, ok := value.(string); ok {
		return answer.Format(s)
	}
	return in.tree(value, typ, maxNodes).String()
}

// Bounds of what is looked at.
const (
	maxNodes = 200_000
	maxDepth = 100
)

// tree takes a value apart for writing.
func (in inspector) tree(value any, typ types.Type, nodes int) answer.Value {
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

func text(s string) answer.Value {
	return answer.Value{Kind: answer.Text, Text: s}
}

// take takes v apart, whose static type is t; nil if it is not known.
func (t *taker) take(v reflect.Value, typ types.Type, depth int) answer.Value {
	t.nodes--
	if !v.IsValid() {
		return answer.Value{}
	}
	if depth > maxDepth || t.nodes < 0 {
		return text("…")
	}
	if out, done := t.boxed(v, typ, depth); done {
		return out
	}
	if !v.CanInterface() || !t.needsTypes(v, typ) && !(t.in.quiet && isContainer(v)) {
		return answer.Of(v)
	}
	if typ != nil && t.in.engine != nil && !t.in.quiet {
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
	return answer.Of(v)
}

// isContainer reports whether a value may have any number of elements, of which a preview takes the first only.
func isContainer(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Pointer:
		return v.Type().Name() == ""
	}
	return false
}

// needsTypes reports whether reflection alone would not do for a value.
func (t *taker) needsTypes(v reflect.Value, typ types.Type) bool {
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

// holdsInterfaces reports whether values of an unnamed type may hold values of cells' types.
func holdsInterfaces(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Pointer:
		return t.Name() == "" && holdsInterfaces(t.Elem())
	}
	return false
}

// boxed takes apart what an interface holds.
func (t *taker) boxed(v reflect.Value, typ types.Type, depth int) (answer.Value, bool) {
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
	return answer.Value{}, false
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
func (t *taker) reference(v reflect.Value, typ types.Type, depth int) answer.Value {
	if v.IsNil() && v.Kind() == reflect.Pointer {
		return answer.Value{}
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
		return t.take(v.Elem(), elemOf(typ), depth+1)
	case reflect.Map:
		return t.object(v, typ, depth)
	}
	return t.list(v, typ, depth)
}

// elemOf is the type of what a pointer, list or map holds; nil if it is not known.
func elemOf(typ types.Type) types.Type {
	if typ == nil {
		return nil
	}
	if e, ok := typ.Underlying().(interface{ Elem() types.Type }); ok {
		return e.Elem()
	}
	return nil
}

func (t *taker) list(v reflect.Value, typ types.Type, depth int) answer.Value {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return answer.Of(v)
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
