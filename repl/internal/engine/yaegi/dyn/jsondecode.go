package dyn

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// jsonDecoder fills values along their Go types. As in encoding/json, a value of the wrong type does not stop it; the
// first such error is saved.
type jsonDecoder struct {
	r      *Runtime
	saved  error
	path   []string
	within string // name of the innermost struct
}

func (d *jsonDecoder) save(err error) {
	if d.saved == nil {
		d.saved = err
	}
}

// mismatch saves the error for a JSON value that does not fit type t.
func (d *jsonDecoder) mismatch(what string, t types.Type, v reflect.Value) {
	te := &json.UnmarshalTypeError{Value: what, Type: v.Type(), Struct: d.within, Field: strings.Join(d.path, ".")}
	d.save(&jsonTypeError{te, TypeName(t)})
}

// inContext adds the place to an error of something inside.
func (d *jsonDecoder) inContext(err error) error {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) && len(d.path) > 0 {
		inner := te.Field
		te.Field = strings.Join(d.path, ".")
		if inner != "" {
			te.Field += "." + inner
		}
		if te.Struct == "" {
			te.Struct = d.within
		}
	}
	return err
}

func kindOfJSON(raw []byte) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	}
	return "number"
}

// value decodes raw, which is valid JSON, into v.
func (d *jsonDecoder) value(raw []byte, t types.Type, v reflect.Value) error {
	raw = bytes.TrimSpace(raw)
	null := string(raw) == "null"
	if p, ok := t.Underlying().(*types.Pointer); ok {
		if null {
			v.SetZero()
			return nil
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.value(raw, p.Elem(), d.r.canonical(t, v).Elem())
	}
	if done, err := d.method(raw, t, v); done {
		return err
	}
	if d.r.plainJSON(t, map[string]bool{}) {
		err := d.r.namedJSONError(json.Unmarshal(raw, v.Addr().Interface()), t)
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) {
			d.save(d.inContext(err))
			return nil
		}
		return err
	}
	if null {
		switch v.Kind() {
		case reflect.Map, reflect.Slice, reflect.Interface:
			v.SetZero()
		}
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return d.object(raw, t, u, v)
	case *types.Slice:
		return d.list(raw, t, u, v)
	case *types.Array:
		return d.array(raw, t, u, v)
	case *types.Map:
		return d.mapValue(raw, t, u, v)
	case *types.Basic:
		if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
			d.mismatch(kindOfJSON(raw), t, v)
		}
		return nil
	}
	d.mismatch(kindOfJSON(raw), t, v)
	return nil
}

// method decodes through UnmarshalJSON, or UnmarshalText for a string.
func (d *jsonDecoder) method(raw []byte, t types.Type, v reflect.Value) (done bool, err error) {
	if d.r.isFaithful(t) || types.IsInterface(t) {
		return false, nil
	}
	if self, m, ok := d.r.receiver(t, v, true, "UnmarshalJSON", "func([]uint8) error"); ok {
		err, _ := m.Call([]reflect.Value{anyValue(self), reflect.ValueOf(bytes.Clone(raw))})[0].Interface().(error)
		return true, d.inContext(err)
	}
	self, m, ok := d.r.receiver(t, v, true, "UnmarshalText", "func([]uint8) error")
	if !ok || string(raw) == "null" {
		return false, nil
	}
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		d.mismatch(kindOfJSON(raw), t, v)
		return true, nil
	}
	err, _ = m.Call([]reflect.Value{anyValue(self), reflect.ValueOf([]byte(s))})[0].Interface().(error)
	return true, err
}

func (d *jsonDecoder) object(raw []byte, t types.Type, st *types.Struct, v reflect.Value) error {
	if raw[0] != '{' {
		d.mismatch(kindOfJSON(raw), t, v)
		return nil
	}
	outer := d.within
	_, d.within = innermostStruct(t)
	defer func() { d.within = outer }()
	return members(raw, func(key string, value []byte) error {
		f, ok := fieldNamed(st, key)
		if !ok {
			return nil
		}
		target, ft := d.r.reach(st, v, f.Path)
		if f.Quoted && value[0] == '"' {
			var inner string
			if json.Unmarshal(value, &inner) == nil {
				value = []byte(inner)
			}
		}
		d.path = append(d.path, f.Name)
		defer func() { d.path = d.path[:len(d.path)-1] }()
		return d.value(value, ft, target)
	})
}

// reach is follow that makes what embedded nil pointers should point to.
func (r *Runtime) reach(t *types.Struct, v reflect.Value, path []int) (reflect.Value, types.Type) {
	var ft types.Type = t
	for _, i := range path {
		if _, ok := ft.Underlying().(*types.Pointer); ok {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v, ft = r.canonical(ft, v).Elem(), elemOf(ft)
		}
		st := ft.Underlying().(*types.Struct)
		v, ft = v.Field(i), st.Field(i).Type()
	}
	return v, ft
}

// members calls visit for each member of an object, in order.
func members(raw []byte, visit func(key string, value []byte) error) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := visit(key.(string), value); err != nil {
			return err
		}
	}
	return nil
}

func elements(raw []byte) ([]json.RawMessage, bool) {
	var out []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &out) != nil {
		return nil, false
	}
	return out, true
}

func (d *jsonDecoder) list(raw []byte, t types.Type, u *types.Slice, v reflect.Value) error {
	list, ok := elements(raw)
	if !ok {
		d.mismatch(kindOfJSON(raw), t, v)
		return nil
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, e := range list {
		if err := d.value(e, u.Elem(), d.r.canonical(t, v).Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *jsonDecoder) array(raw []byte, t types.Type, u *types.Array, v reflect.Value) error {
	list, ok := elements(raw)
	if !ok {
		d.mismatch(kindOfJSON(raw), t, v)
		return nil
	}
	for i := range v.Len() {
		if i >= len(list) {
			v.Index(i).SetZero()
			continue
		}
		if err := d.value(list[i], u.Elem(), v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *jsonDecoder) mapValue(raw []byte, t types.Type, u *types.Map, v reflect.Value) error {
	if raw[0] != '{' {
		d.mismatch(kindOfJSON(raw), t, v)
		return nil
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	m := d.r.canonical(t, v)
	return members(raw, func(key string, value []byte) error {
		elem := reflect.New(m.Type().Elem()).Elem()
		if err := d.value(value, u.Elem(), elem); err != nil {
			return err
		}
		k := reflect.New(m.Type().Key()).Elem()
		if !d.key(key, u.Key(), k) {
			return nil
		}
		m.SetMapIndex(k, elem)
		return nil
	})
}

// key turns a member's name into a map key.
func (d *jsonDecoder) key(name string, t types.Type, k reflect.Value) bool {
	if self, m, ok := d.r.receiver(t, k, true, "UnmarshalText", "func([]uint8) error"); ok {
		if err, _ := m.Call([]reflect.Value{anyValue(self), reflect.ValueOf([]byte(name))})[0].Interface().(error); err != nil {
			d.save(err)
			return false
		}
		return true
	}
	switch {
	case k.Kind() == reflect.String:
		k.SetString(name)
		return true
	case k.CanInt():
		if n, err := strconv.ParseInt(name, 10, 64); err == nil && !k.OverflowInt(n) {
			k.SetInt(n)
			return true
		}
	case k.CanUint():
		if n, err := strconv.ParseUint(name, 10, 64); err == nil && !k.OverflowUint(n) {
			k.SetUint(n)
			return true
		}
	}
	d.mismatch("number "+name, t, k)
	return false
}
