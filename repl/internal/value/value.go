// Package value looks into the values of cells along their Go types, which an engine's run-time types need not carry: it
// shows them, writes them as JSON, describes them in a line and hashes them.
package value

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
)

// Inspector is what an engine offers if its values do not carry their Go types: values are walked along their static
// types, and where those end the engine is asked.
type Inspector interface {
	// Unbox returns what a value of an interface type holds, and its Go type; ok is false if v is an ordinary Go value.
	Unbox(v any) (value any, typ types.Type, ok bool)
	// Text is the value's own text where static type t has a method Error or String (interpreted ones too). It never
	// panics: what such a method panics with becomes the text.
	Text(v any, t types.Type) (text string, ok bool)
	// JSON is the value's own JSON where the methods of t include MarshalJSON or MarshalText. It never panics; what cannot
	// be had is not ok.
	JSON(v any, t types.Type) (data []byte, ok bool)
	// IsZero asks a method IsZero of t or *t; ok is false if there is none. It never panics.
	IsZero(v reflect.Value, t types.Type) (zero, ok bool)
}

// Reader looks into values. The zero Reader is for ordinary Go values.
type Reader struct {
	// Inspector is the engine that the values are from, or nil.
	Inspector Inspector
	// Context says where in the context a text lies that shares its memory; it may be nil.
	Context func(s string) (offset int, ok bool)

	quiet   bool // no code of a cell may run: texts come from fields, not from methods
	private bool // fields that are not exported are described as well
	filled  bool // nil lists and maps are empty ones
	answers bool // a value whose method for its text panics is taken by its fields
}

// unbox splits what an interface holds into the value and its Go type, where the engine knows better than reflection. An
// engine may know the type of every value; outside of interfaces that is the static type.
func (r Reader) unbox(v reflect.Value) (reflect.Value, types.Type, bool) {
	if r.Inspector == nil || !v.CanInterface() {
		return reflect.Value{}, nil, false
	}
	inner, t, ok := r.Inspector.Unbox(v.Interface())
	if !ok || v.Kind() != reflect.Interface && reflect.TypeOf(inner) == v.Type() {
		return reflect.Value{}, nil, false
	}
	return reflect.ValueOf(inner), t, true
}

// Bounds of what is looked at.
const (
	answerNodes  = 200_000
	shownNodes   = 10_000
	previewNodes = 40
	maxDepth     = 100
	// PreviewBytes bounds a preview.
	PreviewBytes = 80
)

// Answer is a value as the text of an answer. typ is its static type, nil if that is not known.
func (r Reader) Answer(v any, typ types.Type) string {
	if s, ok := v.(string); ok {
		return answer.Format(s)
	}
	r.answers = true
	return r.tree(v, typ, answerNodes).String()
}

// JSON is a value as JSON on one line. Lists and maps that are nil are written as empty ones: a list that nothing was added to is
// one. whole is false if parts of it had to be left out.
func (r Reader) JSON(v any, typ types.Type) (text string, whole bool) {
	r.answers, r.filled = true, true
	tree := r.tree(v, typ, answerNodes)
	return tree.JSON(), parts(tree, 0) < answerNodes*9/10
}

// parts counts the values in a tree; what was cut counts as all there can be.
func parts(v answer.Value, depth int) int {
	if v.More > 0 || depth >= maxDepth {
		return answerNodes
	}
	n := 1
	for _, item := range v.Items {
		n += parts(item, depth+1)
	}
	return n
}

// Described is a value on one line like JSON, with the fields that are not exported.
func (r Reader) Described(v any, typ types.Type) string {
	r.private = true
	return r.tree(v, typ, shownNodes).JSON()
}

// Shown is a value for the one who wrote the cell: text as it is, everything else like JSON.
func (r Reader) Shown(v any, typ types.Type) string {
	if s, ok := v.(string); ok {
		return s
	}
	if v == nil {
		return "<nil>"
	}
	if typ != nil {
		if s, ok := unread(typ); ok {
			return s
		}
	}
	tree := r.tree(v, typ, shownNodes)
	if tree.Kind != answer.List {
		return tree.String()
	}
	if line := tree.JSON(); len(line) <= lineBytes {
		return line
	}
	return rows(tree)
}

// lineBytes is the longest list that is shown on one line.
const lineBytes = 100

// rows writes a long list like JSON, in lines of whole elements.
func rows(list answer.Value) string {
	elements := make([]string, len(list.Items), len(list.Items)+1)
	for i, item := range list.Items {
		elements[i] = item.JSON()
	}
	if list.More > 0 {
		rest := answer.Value{Kind: answer.List, More: list.More}.JSON()
		elements = append(elements, rest[1:len(rest)-1])
	}
	var b strings.Builder
	b.WriteString("[")
	width := lineBytes // the first element begins a line
	for i, e := range elements {
		if width += len(e) + 1; width > lineBytes {
			b.WriteString("\n  ")
			width = len(e)
		}
		b.WriteString(e)
		if i < len(elements)-1 {
			b.WriteString(",")
		}
	}
	b.WriteString("\n]")
	return b.String()
}

// Preview is the beginning of a value on one line. It runs no code of a cell and looks at a bounded part of the value.
func (r Reader) Preview(v any, typ types.Type) string {
	if s, ok := v.(string); ok {
		return `"` + text.Line(s, PreviewBytes) + `"`
	}
	if s, ok := unread(typ); ok {
		return s
	}
	r.quiet, r.private = true, true
	return text.Line(r.tree(v, typ, previewNodes).JSON(), PreviewBytes)
}

// unread answers for what has no value to look at.
func unread(t types.Type) (string, bool) {
	switch t.Underlying().(type) {
	case *types.Signature:
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "iter" {
			return "(a sequence, not read)", true
		}
		return "(a function)", true
	case *types.Chan:
		return "(a channel)", true
	}
	return "", false
}

// Size is the size of a value in the terms of its type; empty for what has none.
func (r Reader) Size(v any) string {
	if r.Inspector != nil {
		if inner, _, ok := r.Inspector.Unbox(v); ok {
			v = inner
		}
	}
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.String:
		return exact(rv.Len())
	case reflect.Slice, reflect.Map, reflect.Array, reflect.Chan:
		if rv.Kind() == reflect.Slice && rv.Type().Elem().Kind() == reflect.Uint8 {
			return exact(rv.Len())
		}
		return fmt.Sprintf("len %d", rv.Len())
	}
	return ""
}

// exact is a size that a cell can compare with len.
func exact(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return units.Exact(int64(n)) + " bytes"
}
