package dyn

import (
	"encoding/json"
	"errors"
	"go/types"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/repl/internal/value"
)

// encoding/json works on the interpreter's values where it sees of their types what it would see in Go (PlainJSON). Package
// lower refuses cells that would hand it others.

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
	if !b.r.PlainJSON(b.T.Go) {
		panic(b.r.fault("the JSON of a value of type " + b.T.Name + " cannot be had"))
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(b.V)
	return []byte(out.String()), plainJSONError(err)
}

// OwnJSON is what a cell's MarshalJSON or MarshalText makes of a value.
func (r *Runtime) OwnJSON(t types.Type, v any) ([]byte, error) {
	typ := r.lookup(t)
	for _, name := range []string{"MarshalJSON", "MarshalText"} {
		m, ok := r.hasMethod(typ, name, "func() ([]uint8, error)")
		if !ok {
			continue
		}
		out := m.Call([]reflect.Value{anyValue(r.Box(typ.ID, v))})
		if err, _ := out[1].Interface().(error); err != nil || name == "MarshalJSON" {
			return out[0].Bytes(), err
		}
		return json.Marshal(string(out[0].Bytes()))
	}
	return nil, errors.New("it has no JSON of its own")
}

// IsZero asks a method IsZero that a cell gave a type or its pointer; ok is false if there is none.
func (r *Runtime) IsZero(t types.Type, v reflect.Value) (zero, ok bool) {
	if !v.CanInterface() {
		return false, false
	}
	if _, pointer := t.Underlying().(*types.Pointer); !pointer {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		t, v = types.NewPointer(t), p
	}
	typ := r.lookup(t)
	m, ok := r.hasMethod(typ, "IsZero", "func() bool")
	if !ok {
		return false, false
	}
	return v.IsNil() || m.Call([]reflect.Value{anyValue(r.Box(typ.ID, v.Interface()))})[0].Bool(), true
}

// JSONUnmarshal is json.Unmarshal.
func (r *Runtime) JSONUnmarshal(data []byte, v any) error {
	return r.decode(v, func(target any) error { return json.Unmarshal(data, target) })
}

// JSONDecode is Decode of a json.Decoder.
func (r *Runtime) JSONDecode(d *json.Decoder, v any) error { return r.decode(v, d.Decode) }

// decode fills what v points to. read is the way to the JSON.
func (r *Runtime) decode(v any, read func(target any) error) error {
	defer r.StoredSomewhere()
	p, t := unbox(v)
	if t == nil {
		return read(p)
	}
	ptr, ok := t.Go.Underlying().(*types.Pointer)
	switch {
	case !ok:
		return errors.New("json: Unmarshal(non-pointer " + t.Name + ")")
	case reflect.ValueOf(p).IsNil():
		return errors.New("json: Unmarshal(nil " + t.Name + ")")
	case !r.PlainJSON(ptr.Elem()):
		panic(r.fault("JSON cannot be read into a value of type " + t.Name))
	}
	return r.namedJSONError(read(p), ptr.Elem())
}

// PlainJSON reports whether encoding/json sees a type as it is in Go. Methods for JSON, embedded fields and types that contain
// themselves are what the interpreter's types do not show.
func (r *Runtime) PlainJSON(t types.Type) bool { return r.plainJSON(t, map[string]bool{}) }

// jsonMethods are the methods through which a type has a say in its JSON.
var jsonMethods = []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "IsZero"}

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
	n, named := types.Unalias(t).(*types.Named)
	if named && IsUser(n) {
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
		k, ok := u.Key().Underlying().(*types.Basic)
		return ok && k.Info()&(types.IsString|types.IsInteger) != 0 && r.plainJSON(u.Key(), above) && r.plainJSON(u.Elem(), above)
	case *types.Interface:
		return u.NumMethods() == 0
	case *types.Struct:
		for f := range u.Fields() {
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

// fieldNamed finds the field for a key: by its exact name, else without regard to case.
func fieldNamed(t *types.Struct, key string) (value.Field, bool) {
	fields := value.Fields(t)
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, f := range fields {
			if same(f.Name, key) {
				return f, true
			}
		}
	}
	return value.Field{}, false
}

// withTypeName names the Go type in an error whose Type is the run-time type of leaf or of something inside it.
func (r *Runtime) withTypeName(te *json.UnmarshalTypeError, leaf types.Type) error {
	for cur := leaf; cur != nil; cur = elemOf(cur) {
		rt := r.runtimeType(cur)
		if rt == te.Type || rt == nil && isStruct(cur) && te.Type.Kind() == reflect.Struct {
			if name := TypeName(cur); name != te.Type.String() {
				return &jsonTypeError{te, name}
			}
			break
		}
	}
	return te
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
