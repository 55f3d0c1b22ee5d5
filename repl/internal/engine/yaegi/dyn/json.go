package dyn

import (
	"encoding/json"
	"errors"
	"go/types"
	"reflect"
	"strings"
)

// Values whose types encoding/json sees as they are in Go go straight to it. Types with methods for JSON of their own,
// embedded fields or recursion, which the interpreter's types do not show, are walked along their Go types here.

// JSONMarshal is json.Marshal.
func (r *Runtime) JSONMarshal(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return b, plainJSONError(err)
}

// JSONMarshalIndent is json.MarshalIndent.
func (r *Runtime) JSONMarshalIndent(v any, prefix, indent string) ([]byte, error) {
	b, err := json.MarshalIndent(v, prefix, indent)
	return b, plainJSONError(err)
}

// JSONEncode is Encode of a json.Encoder.
func (r *Runtime) JSONEncode(e *json.Encoder, v any) error { return plainJSONError(e.Encode(v)) }

// plainJSONError takes off what encoding/json adds because the value came in a Box.
func plainJSONError(err error) error {
	var me *json.MarshalerError
	for errors.As(err, &me) && (me.Type == reflect.TypeFor[Box]() || me.Type == reflect.TypeFor[ErrorBox]()) {
		err = me.Err
	}
	return err
}

// MarshalJSON encodes the value inside. Characters special to HTML are left to the encoder that called.
func (b Box) MarshalJSON() ([]byte, error) {
	e := &jsonEncoder{r: b.r}
	if err := e.value(b.T.Go, b.r.canonical(b.T.Go, reflect.ValueOf(b.V)), false, false); err != nil {
		return nil, err
	}
	return e.out.Bytes(), nil
}

// JSONUnmarshal is json.Unmarshal.
func (r *Runtime) JSONUnmarshal(data []byte, v any) error {
	defer r.StoredSomewhere()
	p, t := unbox(v)
	if t == nil {
		return json.Unmarshal(data, p)
	}
	return r.decode(t.Go, p, func(target any) error { return json.Unmarshal(data, target) })
}

// JSONDecode is Decode of a json.Decoder.
func (r *Runtime) JSONDecode(d *json.Decoder, v any) error {
	defer r.StoredSomewhere()
	p, t := unbox(v)
	if t == nil {
		return d.Decode(p)
	}
	return r.decode(t.Go, p, d.Decode)
}

// decode fills what p, a value of type t, points to. read is the way to the JSON.
func (r *Runtime) decode(t types.Type, p any, read func(target any) error) error {
	ptr, ok := t.Underlying().(*types.Pointer)
	target := reflect.ValueOf(p)
	if !ok || target.IsNil() {
		return read(p)
	}
	if r.plainJSON(ptr.Elem(), map[string]bool{}) {
		return r.namedJSONError(read(p), ptr.Elem())
	}
	var raw json.RawMessage
	if err := read(&raw); err != nil {
		return err
	}
	d := &jsonDecoder{r: r}
	if err := d.value(raw, ptr.Elem(), r.canonical(t, target).Elem()); err != nil {
		return err
	}
	return d.saved
}

// jsonMethods are the methods through which a type has a say in its JSON.
var jsonMethods = []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "IsZero"}

// plainJSON reports whether encoding/json sees a type as it is in Go.
func (r *Runtime) plainJSON(t types.Type, above map[string]bool) bool {
	if r.isFaithful(t) {
		return true
	}
	key := Key(t)
	if above[key] {
		return false
	}
	above[key] = true
	defer delete(above, key)
	if n, ok := types.Unalias(t).(*types.Named); ok && IsUser(n) {
		set := types.NewMethodSet(types.NewPointer(n))
		for _, name := range jsonMethods {
			if set.Lookup(n.Obj().Pkg(), name) != nil {
				return false
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsComplex == 0
	case *types.Pointer:
		return r.plainJSON(u.Elem(), above)
	case *types.Slice:
		return r.plainJSON(u.Elem(), above)
	case *types.Array:
		return r.plainJSON(u.Elem(), above)
	case *types.Map:
		return unsupportedJSON(u) == "" && r.plainJSON(u.Key(), above) && r.plainJSON(u.Elem(), above)
	case *types.Interface:
		return u.NumMethods() == 0
	case *types.Struct:
		for i := range u.NumFields() {
			f := u.Field(i)
			if f.Embedded() || f.Exported() && !r.plainJSON(f.Type(), above) {
				return false
			}
		}
		return true
	}
	return false
}

// jsonTypeError is a json.UnmarshalTypeError that names a type of a cell.
type jsonTypeError struct {
	inner *json.UnmarshalTypeError
	name  string
}

func (e *jsonTypeError) Unwrap() error { return e.inner }

func (e *jsonTypeError) Error() string {
	if e.inner.Struct != "" || e.inner.Field != "" {
		return "json: cannot unmarshal " + e.inner.Value + " into Go struct field " + e.inner.Struct + "." + e.inner.Field + " of type " + e.name
	}
	return "json: cannot unmarshal " + e.inner.Value + " into Go value of type " + e.name
}

// namedJSONError gives an error of encoding/json the names that it could not know.
func (r *Runtime) namedJSONError(err error, t types.Type) error {
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) {
		return err
	}
	leaf := t
	if te.Field != "" {
		name := ""
		for _, part := range strings.Split(te.Field, ".") {
			st, named := innermostStruct(leaf)
			if st == nil {
				return err
			}
			name = named
			f, ok := fieldNamed(st, part)
			if !ok {
				return err
			}
			leaf = f.Type
		}
		te.Struct = name
	}
	return r.withTypeName(te, leaf)
}

// withTypeName names the Go type in an error whose Type is the run-time type of leaf or of something inside it.
func (r *Runtime) withTypeName(te *json.UnmarshalTypeError, leaf types.Type) error {
	for cur := leaf; cur != nil; cur = elemOf(cur) {
		rt := r.runtimeType(cur)
		if rt == te.Type || rt == nil && sameKind(cur, te.Type) {
			if name := TypeName(cur); name != te.Type.String() {
				return &jsonTypeError{te, name}
			}
			break
		}
	}
	return te
}

func sameKind(t types.Type, rt reflect.Type) bool {
	_, isStruct := t.Underlying().(*types.Struct)
	return isStruct && rt.Kind() == reflect.Struct
}

func elemOf(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return u.Elem()
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Map:
		return u.Elem()
	}
	return nil
}

// innermostStruct is the struct that a type leads to, and its name.
func innermostStruct(t types.Type) (*types.Struct, string) {
	for t != nil {
		if st, ok := t.Underlying().(*types.Struct); ok {
			name := ""
			if n, ok := types.Unalias(t).(*types.Named); ok {
				name = strings.TrimPrefix(TypeName(n), n.Obj().Pkg().Name()+".")
			}
			return st, name
		}
		t = elemOf(t)
	}
	return nil, ""
}
