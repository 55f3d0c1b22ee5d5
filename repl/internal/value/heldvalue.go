package value

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
)

// Held wraps v so that fmt prints the targets of pointers in v instead of addresses.
func Held(v any) any { return heldValue{reflect.ValueOf(v)} }

type heldValue struct{ v reflect.Value }

// Format implements fmt.Formatter.
func (h heldValue) Format(s fmt.State, verb rune) {
	w := &heldWriter{Writer: s, directive: fmt.FormatString(s, verb), named: s.Flag('+') || s.Flag('#')}
	w.value(h.v)
}

// mostHeld bounds how many pointers are followed one after the other: tools do not return cyclic values, but a cell
// may make one.
const mostHeld = 10

type heldWriter struct {
	io.Writer
	directive string
	named     bool // write fields with their names
	pointers  int
}

func (w *heldWriter) value(v reflect.Value) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case !v.IsValid(), v.Kind() == reflect.Pointer && v.IsNil():
		_, _ = io.WriteString(w, "<nil>")
	case writesItself(v):
		fmt.Fprintf(w, w.directive, v)
	case v.Kind() == reflect.Pointer && w.pointers < mostHeld:
		w.pointer(v.Elem())
	case v.Kind() == reflect.Struct:
		w.list("{", "}", v.NumField(), func(i int) {
			if w.named {
				_, _ = io.WriteString(w, v.Type().Field(i).Name+":")
			}
			w.value(v.Field(i))
		})
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		w.list("[", "]", v.Len(), func(i int) { w.value(v.Index(i)) })
	case v.Kind() == reflect.Map:
		keys := v.MapKeys() // tools' values come from JSON, so keys are strings or integers
		slices.SortFunc(keys, func(a, b reflect.Value) int {
			if a.CanInt() {
				return cmp.Compare(a.Int(), b.Int())
			}
			return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
		})
		w.list("map[", "]", len(keys), func(i int) {
			fmt.Fprintf(w, "%v:", keys[i])
			w.value(v.MapIndex(keys[i]))
		})
	default:
		fmt.Fprintf(w, w.directive, v)
	}
}

// writesItself reports whether fmt would call a method of a value.
func writesItself(v reflect.Value) bool {
	if !v.CanInterface() {
		return false
	}
	switch v.Interface().(type) {
	case fmt.Formatter, fmt.Stringer, error:
		return true
	}
	return false
}

func (w *heldWriter) pointer(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
		_, _ = io.WriteString(w, "&")
	}
	w.pointers++
	w.value(v)
	w.pointers--
}

func (w *heldWriter) list(begin, end string, n int, item func(i int)) {
	_, _ = io.WriteString(w, begin)
	for i := range n {
		if i > 0 {
			_, _ = io.WriteString(w, " ")
		}
		item(i)
	}
	_, _ = io.WriteString(w, end)
}
