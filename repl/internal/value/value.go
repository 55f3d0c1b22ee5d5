// Package value reads the values of cells along their Go types, which an engine's run-time values may lack. It
// shows them, writes them as JSON, describes them on one line and hashes them.
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

// Inspector is implemented by an engine whose values do not carry their Go types. Such values are walked along
// their static types; for everything else, the engine is asked.
type Inspector interface {
	// Unbox returns the value in an interface, and its Go type; ok is false if v is an ordinary Go value.
	Unbox(v any) (value any, typ types.Type, ok bool)
	// Text returns the value's own text if its static type t has a method Error or String, even an interpreted one.
	// It never panics: if the method panics, the panic value becomes the text.
	Text(v any, t types.Type) (text string, ok bool)
	// JSON returns the value's own JSON if the methods of t include MarshalJSON or MarshalText. It never panics;
	// ok is false if there is none or the method fails.
	JSON(v any, t types.Type) (data []byte, ok bool)
	// IsZero calls a method IsZero of t or *t; ok is false if there is none. It never panics.
	IsZero(v reflect.Value, t types.Type) (zero, ok bool)
}

// Reader reads values. The zero Reader is for ordinary Go values.
type Reader struct {
	// Inspector is the engine that made the values, or nil.
	Inspector Inspector
	// Context returns the offset of a text that shares the context's memory; it may be nil.
	Context func(s string) (offset int, ok bool)

	quiet   bool // no code of a cell may run: texts come from fields, not from methods
	private bool // include unexported fields
	filled  bool // write nil lists and maps as empty ones
	answers bool // if a value's text method panics, convert its fields instead
}

// unbox returns the value in an interface and its Go type, if the engine knows them better than reflection. Some
// engines know the type of every value; the type of a value that is not in an interface is its static type.
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

// Limits on what is read.
const (
	answerNodes  = 200_000
	shownNodes   = 10_000
	previewNodes = 40
	maxDepth     = 100
	// PreviewBytes bounds a preview.
	PreviewBytes = 80
)

// Answer returns a value as the text of an answer. typ is its static type, nil if unknown.
func (r Reader) Answer(v any, typ types.Type) string {
	if s, ok := v.(string); ok {
		return answer.Format(s)
	}
	r.answers = true
	return r.tree(v, typ, answerNodes).String()
}

// JSON returns a value as JSON on one line. Nil lists and maps are written as empty ones, because a list to which
// nothing was appended is nil. whole is false if parts had to be left out.
func (r Reader) JSON(v any, typ types.Type) (text string, whole bool) {
	r.answers, r.filled = true, true
	tree := r.tree(v, typ, answerNodes)
	return tree.JSON(), parts(tree, 0) < answerNodes*9/10
}

// parts counts the values in a tree. A part of which values were left out counts as the maximum.
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

// Described returns a value on one line in the style of JSON, including unexported fields.
func (r Reader) Described(v any, typ types.Type) string {
	r.private = true
	return r.tree(v, typ, shownNodes).JSON()
}

// Shown returns a value as the author of its cell sees it: a text as it is, everything else in the style of JSON.
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

// lineBytes is the length in bytes of the longest list that is shown on one line.
const lineBytes = 100

// rows formats a long list like JSON, broken into lines between elements.
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
	width := lineBytes // so large that a new line begins before the first element
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

// Preview returns the beginning of a value on one line. It runs no code of a cell, and reads only a bounded part of
// the value.
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

// unread returns the text that stands for values of a type that cannot be read; false for other types.
func unread(t types.Type) (string, bool) {
	switch t.Underlying().(type) {
	case *types.Signature:
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil &&
			named.Obj().Pkg().Path() == "iter" {
			return "(a sequence, not read)", true
		}
		return "(a function)", true
	case *types.Chan:
		return "(a channel)", true
	}
	return "", false
}

// Size describes the size of a value in the unit of its type; empty if the type has none.
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

// exact formats a length in bytes without rounding, so that a cell can compare it with len.
func exact(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return units.Exact(int64(n)) + " bytes"
}
