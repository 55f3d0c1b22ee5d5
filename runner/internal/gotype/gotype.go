// Package gotype describes Go types of the embedding program, for its tools and answers, in terms of the JSON that
// encoding/json makes of them.
package gotype

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/jsonfields"
)

// Form is the JSON form of a type.
type Form int

// The forms.
const (
	Basic    Form = iota // by its kind: a bool, a number or text
	Any                  // any JSON: an empty interface, or a type with JSON methods
	Text                 // text, from the type's text methods
	Moment               // time.Time
	Span                 // time.Duration
	Number               // json.Number
	Whole                // big.Int
	Nullable             // a pointer: Elem, or null
	List                 // a slice or an array of Elem
	Map                  // an object of Elem
	Struct               // an object of Fields
)

// Type is a Go type of the program.
type Type struct {
	reflect.Type
	Form     Form
	Path     string // field where the type was first met
	Declared string // name of the type, if it has one and no JSON form of its own; unique
	Key      *Type  // of a map
	Elem     *Type
	Fields   []Field
}

// Field is a field of a struct; fields of embedded structs are included.
type Field struct {
	jsonfields.Field[reflect.Type]
	Of *Type
}

// Reader describes types that may refer to each other.
type Reader struct {
	Reads bool            // the program decodes values of the types; else it encodes them
	Taken map[string]bool // names that no type may get
	Named []*Type         // types with names, in the order in which they were met
	known map[reflect.Type]*Type
	open  []*Type // named types in progress, since the last struct
}

// Unfit is a type that JSON cannot represent.
type Unfit struct {
	Path string // of the field; empty for the type itself
	Type reflect.Type
	Why  string
}

func (u *Unfit) Error() string {
	if u.Path == "" {
		return fmt.Sprintf("it cannot be a %s: %s", u.Type, u.Why)
	}
	return fmt.Sprintf("it cannot have field %s of type %s: %s", u.Path, u.Type, u.Why)
}

// Read describes a type; path names it in errors, which are of type Unfit.
func (r *Reader) Read(t reflect.Type, path string) (*Type, error) {
	if known, ok := r.known[t]; ok {
		if slices.Contains(r.open, known) {
			return nil, &Unfit{path, t, "it holds itself without a struct between; put it into one"}
		}
		return known, nil
	}
	out := &Type{Type: t, Path: path}
	var err error
	if out.Form, err = r.form(t, path); err != nil {
		return nil, err
	}
	if out.Form == Basic || out.Form >= Nullable {
		r.name(out)
	}
	return out, r.parts(out, path)
}

// name gives a named type an unused name.
func (r *Reader) name(t *Type) {
	if t.Name() == "" || t.PkgPath() == "" {
		return
	}
	if r.known == nil {
		r.known = map[reflect.Type]*Type{}
	}
	if r.Taken == nil {
		r.Taken = map[string]bool{}
	}
	base, _, _ := strings.Cut(t.Name(), "[")
	t.Declared = base
	for i := 2; r.Taken[t.Declared]; i++ {
		t.Declared = base + strconv.Itoa(i)
	}
	r.known[t.Type], r.Taken[t.Declared] = t, true
	r.Named = append(r.Named, t)
}

var known = map[reflect.Type]Form{
	reflect.TypeFor[time.Time](): Moment, reflect.TypeFor[time.Duration](): Span,
	reflect.TypeFor[json.Number](): Number,
	reflect.TypeFor[big.Int]():     Whole, reflect.TypeFor[json.RawMessage](): Any,
}

// form determines the JSON form of a type.
func (r *Reader) form(t reflect.Type, path string) (Form, error) {
	if f, ok := known[t]; ok {
		return f, nil
	}
	if own, ok, err := r.own(t, path); ok || err != nil {
		return own, err
	}
	switch kind := t.Kind(); {
	case kind == reflect.String, kind >= reflect.Bool && kind <= reflect.Float64 && kind != reflect.Uintptr:
		return Basic, nil
	case kind == reflect.Pointer:
		return Nullable, nil
	case kind == reflect.Slice, kind == reflect.Array:
		return List, nil
	case kind == reflect.Map:
		return Map, nil
	case kind == reflect.Struct:
		return Struct, nil
	case kind == reflect.Interface && t.NumMethod() == 0:
		return Any, nil
	case kind == reflect.Interface:
		return 0, &Unfit{path, t, "no JSON value says which type an interface with methods holds; use a struct"}
	}
	return 0, &Unfit{path, t, "JSON has no such value"}
}

// own is the form of a type with methods of encoding or encoding/json. A type that writes a form other than the one
// it reads has the form Any.
func (r *Reader) own(t reflect.Type, path string) (form Form, ok bool, err error) {
	if t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer {
		return 0, false, nil
	}
	written := formOf(t, reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]())
	read := formOf(t, reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]())
	switch {
	case r.Reads && read == 0 && written != 0:
		return 0, false, &Unfit{
			path, t,
			"it writes JSON of its own and cannot read it; give it the method UnmarshalJSON or UnmarshalText",
		}
	case written == 0:
		return read, r.Reads && read != 0, nil
	case read != 0 && read != written:
		return Any, true, nil
	}
	return written, true, nil
}

func formOf(t, asJSON, asText reflect.Type) Form {
	switch p := reflect.PointerTo(t); {
	case p.Implements(asJSON):
		return Any
	case p.Implements(asText):
		return Text
	}
	return 0
}

// parts describes the parts of a type.
func (r *Reader) parts(out *Type, path string) (err error) {
	if out.Declared != "" {
		defer func(n int) { r.open = r.open[:n] }(len(r.open))
		r.open = append(r.open, out)
	}
	switch t := out.Type; out.Form {
	case Nullable:
		out.Elem, err = r.Read(t.Elem(), path)
	case List:
		out.Elem, err = r.Read(t.Elem(), path+"[]")
	case Map:
		if out.Key, err = r.key(t, path); err == nil {
			out.Elem, err = r.Read(t.Elem(), path+"{}")
		}
	case Struct:
		defer func(open []*Type) { r.open = open }(r.open)
		r.open = nil
		for _, f := range jsonfields.Of(t) {
			field := Field{Field: f}
			if field.Of, err = r.Read(f.Type, join(path, f.Name)); err != nil {
				return err
			}
			out.Fields = append(out.Fields, field)
		}
	}
	return err
}

// key describes the keys of a map as in encoding/json: only text methods count, and only if the keys are not
// strings.
func (r *Reader) key(t reflect.Type, path string) (*Type, error) {
	key := &Type{Type: t.Key(), Path: path}
	switch kind := t.Key().Kind(); {
	case kind != reflect.String && t.Key().Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		if r.Reads && !reflect.PointerTo(t.Key()).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			return nil, &Unfit{
				path, t,
				"its keys are written as text and cannot be read; give them the method UnmarshalText",
			}
		}
		key.Form = Text
	case kind == reflect.String, kind >= reflect.Int && kind <= reflect.Uint64:
		if known, ok := r.known[t.Key()]; ok && known.Form == Basic {
			return known, nil
		}
		r.name(key)
	default:
		return nil, &Unfit{path, t, "the keys of a JSON object are text; use a map keyed by string"}
	}
	return key, nil
}

// Size is the length of an array, -1 for all other types.
func (t *Type) Size() int {
	if t.Kind() == reflect.Array {
		return t.Len()
	}
	return -1
}

// Hollow reports whether encoding a value as JSON would lose everything in it although it has fields.
func (t *Type) Hollow() bool {
	for t.Elem != nil {
		t = t.Elem
	}
	return t.Form == Struct && len(t.Fields) == 0 && t.NumField() > 0
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
