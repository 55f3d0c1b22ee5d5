// Package jsonfields lists the fields of a struct as encoding/json sees them. The rules are written once for
// reflect and for go/types, because a run-time type may have lost what the source says about a struct.
package jsonfields

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// RawField is a field as declared in its struct; T is a type.
type RawField[T any] struct {
	Name               string
	Tag                reflect.StructTag
	Type               T
	Exported, Embedded bool
	// Struct is the struct of an embedded field: its type, or the target of an unnamed pointer. IsStruct reports
	// whether there is one.
	Struct   T
	IsStruct bool
	// Quotable means that the option string of a tag has an effect: the type, or the target of an unnamed pointer,
	// is a string, a number or a boolean.
	Quotable bool
}

// Field is a field of the JSON object that represents a struct.
type Field[T any] struct {
	// Name is the field's key in JSON.
	Name string
	// Path is the path to the field through embedded structs, like reflect.StructField.Index; there may be nil
	// pointers on it.
	Path []int
	// Type is the field's type as declared.
	Type T
	Tag  reflect.StructTag
	// OmitEmpty, OmitZero and Quoted are the options of the tag.
	OmitEmpty, OmitZero, Quoted bool

	tagged bool
}

// List lists the fields of a struct, in order. declared returns the declared fields of a struct, same compares two
// types.
func List[T any](of T, declared func(T) []RawField[T], same func(a, b T) bool) []Field[T] {
	w := walker[T]{same: same}
	next := []level[T]{{typ: of, times: 1}}
	for len(next) > 0 {
		current := next
		next = nil
		for _, l := range current {
			if w.seen(l.typ) {
				continue
			}
			w.visited = append(w.visited, l.typ)
			for i, d := range declared(l.typ) {
				next = w.field(next, l, i, d)
			}
		}
	}
	return dominant(w.all)
}

// level is an embedded struct that has not been visited yet.
type level[T any] struct {
	typ   T
	path  []int
	times int // how often the type occurs at this depth
}

type walker[T any] struct {
	same    func(a, b T) bool
	visited []T
	all     []Field[T]
}

func (w *walker[T]) seen(t T) bool {
	return slices.ContainsFunc(w.visited, func(v T) bool { return w.same(v, t) })
}

// field adds the i-th field of a struct. If the field is an embedded struct without a JSON name, its type is added
// to the next level instead.
func (w *walker[T]) field(next []level[T], l level[T], i int, d RawField[T]) []level[T] {
	tag := d.Tag.Get("json")
	if tag == "-" || !d.Exported && !(d.Embedded && d.IsStruct) {
		return next
	}
	name, options, _ := strings.Cut(tag, ",")
	if !ValidName(name) {
		name = ""
	}
	path := append(slices.Clone(l.path), i)
	if d.Embedded && d.IsStruct && name == "" {
		for j := range next {
			if w.same(next[j].typ, d.Struct) {
				next[j].times++
				return next
			}
		}
		return append(next, level[T]{typ: d.Struct, path: path, times: 1})
	}
	f := Field[T]{Name: name, Path: path, Type: d.Type, Tag: d.Tag, tagged: name != ""}
	if name == "" {
		f.Name = d.Name
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty":
			f.OmitEmpty = true
		case "omitzero":
			f.OmitZero = true
		case "string":
			f.Quoted = d.Quotable
		}
	}
	w.all = append(w.all, f)
	if l.times > 1 {
		w.all = append(w.all, f) // two of the same name and depth hide each other
	}
	return next
}

// ValidName reports whether encoding/json accepts a name from a tag.
func ValidName(s string) bool {
	for _, c := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return s != ""
}

// dominant drops hidden fields. Of several fields with the same name the least nested one wins or, if there are
// several, the only one of these with a tag; otherwise none does.
func dominant[T any](all []Field[T]) []Field[T] {
	byName := map[string][]Field[T]{}
	for _, f := range all {
		byName[f.Name] = append(byName[f.Name], f)
	}
	var out []Field[T]
	for _, group := range byName {
		slices.SortStableFunc(group, func(a, b Field[T]) int {
			return cmp.Or(cmp.Compare(len(a.Path), len(b.Path)), untagged(a)-untagged(b))
		})
		if len(group) == 1 || len(group[0].Path) != len(group[1].Path) || group[0].tagged != group[1].tagged {
			out = append(out, group[0])
		}
	}
	slices.SortFunc(out, func(a, b Field[T]) int { return slices.Compare(a.Path, b.Path) })
	return out
}

func untagged[T any](f Field[T]) int {
	if f.tagged {
		return 0
	}
	return 1
}

// Empty reports whether the option omitempty leaves a value out.
func Empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return false
	}
	return v.IsZero()
}

// Zero reports whether the option omitzero leaves a value out: by its own method IsZero, or else if it is zero.
func Zero(v reflect.Value) bool {
	type zeroer interface{ IsZero() bool }
	if !v.CanInterface() {
		return v.IsZero()
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return true
		}
		if v.Kind() == reflect.Interface {
			if !v.Type().Implements(reflect.TypeFor[zeroer]()) {
				return false
			}
			if in := v.Elem(); in.Kind() == reflect.Pointer && in.IsNil() {
				return true
			}
		}
	}
	if z, ok := v.Interface().(zeroer); ok {
		return z.IsZero()
	}
	if reflect.PointerTo(v.Type()).Implements(reflect.TypeFor[zeroer]()) {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		return p.Interface().(zeroer).IsZero()
	}
	return v.IsZero()
}
