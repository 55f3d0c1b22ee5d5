package dyn

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strconv"

	"github.com/gorlm/rlm/internal/jsonfields"
	"github.com/gorlm/rlm/repl/internal/value"
)

// jsonEncoder writes values along their Go types.
type jsonEncoder struct {
	r     *Runtime
	out   bytes.Buffer
	depth int
}

// value writes one value; addressable tells whether methods with pointer receivers count.
func (e *jsonEncoder) value(t types.Type, v reflect.Value, addressable, quoted bool) error {
	if e.depth++; e.depth > 1000 {
		return &json.UnsupportedValueError{Value: v, Str: "encountered a cycle via " + TypeName(t)}
	}
	defer func() { e.depth-- }()
	if !v.IsValid() {
		e.out.WriteString("null")
		return nil
	}
	if _, ok := t.Underlying().(*types.Pointer); ok && v.IsNil() {
		e.out.WriteString("null")
		return nil
	}
	if done, err := e.method(t, v, addressable); done {
		return err
	}
	if name := unsupportedJSON(t); name != "" {
		return unsupported(v, name)
	}
	if !quoted && e.r.plainJSON(t, map[string]bool{}) && v.CanInterface() {
		return e.plain(v.Interface())
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return e.object(u, v, addressable)
	case *types.Map:
		return e.mapValue(u, v)
	case *types.Slice:
		if v.IsNil() {
			e.out.WriteString("null")
			return nil
		}
		return e.list(u.Elem(), v, true)
	case *types.Array:
		return e.list(u.Elem(), v, addressable)
	case *types.Pointer:
		return e.value(u.Elem(), e.r.canonical(t, v).Elem(), true, quoted)
	case *types.Interface:
		if v.IsNil() {
			e.out.WriteString("null")
			return nil
		}
		return e.plain(e.r.Any(v.Interface()))
	case *types.Basic:
		return e.basic(v, quoted)
	}
	return unsupported(v, TypeName(t))
}

// plain lets encoding/json write a value.
func (e *jsonEncoder) plain(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return plainJSONError(err)
	}
	e.out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return nil
}

func (e *jsonEncoder) basic(v reflect.Value, quoted bool) error {
	if !quoted {
		return e.plain(v.Interface())
	}
	inner := &jsonEncoder{r: e.r}
	if err := inner.plain(v.Interface()); err != nil {
		return err
	}
	if v.Kind() == reflect.String {
		return e.plain(inner.out.String())
	}
	fmt.Fprintf(&e.out, "%q", inner.out.String())
	return nil
}

// method writes a value through MarshalJSON or MarshalText, if it has them.
func (e *jsonEncoder) method(t types.Type, v reflect.Value, addressable bool) (done bool, err error) {
	if e.r.isFaithful(t) || types.IsInterface(t) {
		return false, nil
	}
	for _, name := range []string{"MarshalJSON", "MarshalText"} {
		self, m, ok := e.r.receiver(t, v, addressable, name, "func() ([]uint8, error)")
		if !ok {
			continue
		}
		out := m.Call([]reflect.Value{anyValue(self)})
		if err, _ := out[1].Interface().(error); err != nil {
			return true, fmt.Errorf("json: error calling %s for type %s: %w", name, TypeName(t), err)
		}
		if name == "MarshalText" {
			return true, e.plain(string(out[0].Bytes()))
		}
		var b bytes.Buffer
		if err := json.Compact(&b, out[0].Bytes()); err != nil {
			return true, fmt.Errorf("json: error calling MarshalJSON for type %s: %w", TypeName(t), err)
		}
		e.out.Write(b.Bytes())
		return true, nil
	}
	return false, nil
}

// receiver finds a method of a value or, if that can be addressed, of its address, and the receiver to call it on.
func (r *Runtime) receiver(t types.Type, v reflect.Value, addressable bool, name, signature string) (any, reflect.Value, bool) {
	if !v.CanInterface() {
		return nil, reflect.Value{}, false
	}
	typ := r.typ(r.TypeID(t))
	if m, ok := r.hasMethod(typ, name, signature); ok {
		return r.Box(typ.ID, v.Interface()), m, true
	}
	if addressable && v.CanAddr() {
		ptr := r.typ(r.TypeID(types.NewPointer(t)))
		if m, ok := r.hasMethod(ptr, name, signature); ok {
			return r.Box(ptr.ID, r.canonical(ptr.Go, v.Addr()).Interface()), m, true
		}
	}
	return nil, reflect.Value{}, false
}

func (e *jsonEncoder) object(t *types.Struct, v reflect.Value, addressable bool) error {
	e.out.WriteByte('{')
	first := true
	for _, f := range value.Fields(t) {
		fv, ft, ok := e.r.follow(t, v, f.Path)
		if !ok || f.OmitEmpty && jsonfields.Empty(fv) || f.OmitZero && e.isZero(ft, fv) {
			continue
		}
		if !first {
			e.out.WriteByte(',')
		}
		first = false
		if err := e.plain(f.Name); err != nil {
			return err
		}
		e.out.WriteByte(':')
		if err := e.value(ft, fv, addressable || len(f.Path) > 1, f.Quoted); err != nil {
			return err
		}
	}
	e.out.WriteByte('}')
	return nil
}

// follow walks to a field through embedded structs; ok is false at a nil pointer.
func (r *Runtime) follow(t *types.Struct, v reflect.Value, path []int) (reflect.Value, types.Type, bool) {
	var ft types.Type = t
	for _, i := range path {
		if _, ok := ft.Underlying().(*types.Pointer); ok {
			if v.IsNil() {
				return v, ft, false
			}
			v, ft = r.canonical(ft, v).Elem(), elemOf(ft)
		}
		st := ft.Underlying().(*types.Struct)
		v, ft = v.Field(i), st.Field(i).Type()
	}
	return v, ft, true
}

func (e *jsonEncoder) isZero(t types.Type, v reflect.Value) bool {
	if zero, ok := e.r.IsZero(t, v); ok {
		return zero
	}
	return jsonfields.Zero(v)
}

// IsZero asks a method IsZero that a cell gave a type or its pointer; ok is false if there is none.
func (r *Runtime) IsZero(t types.Type, v reflect.Value) (zero, ok bool) {
	if !v.CanAddr() && v.CanInterface() {
		p := reflect.New(v.Type()).Elem()
		p.Set(v)
		v = p
	}
	self, m, ok := r.receiver(t, v, true, "IsZero", "func() bool")
	if !ok {
		return false, false
	}
	if _, pointer := t.Underlying().(*types.Pointer); pointer && v.IsNil() {
		return true, true
	}
	return m.Call([]reflect.Value{anyValue(self)})[0].Bool(), true
}

func (e *jsonEncoder) list(elem types.Type, v reflect.Value, addressable bool) error {
	e.out.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			e.out.WriteByte(',')
		}
		if err := e.value(elem, v.Index(i), addressable, false); err != nil {
			return err
		}
	}
	e.out.WriteByte(']')
	return nil
}

func (e *jsonEncoder) mapValue(t *types.Map, v reflect.Value) error {
	if v.IsNil() {
		e.out.WriteString("null")
		return nil
	}
	type entry struct {
		key   string
		value reflect.Value
	}
	var entries []entry
	for it := v.MapRange(); it.Next(); {
		key, err := e.mapKey(t.Key(), it.Key())
		if err != nil {
			return err
		}
		entries = append(entries, entry{key, it.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	e.out.WriteByte('{')
	for i, en := range entries {
		if i > 0 {
			e.out.WriteByte(',')
		}
		if err := e.plain(en.key); err != nil {
			return err
		}
		e.out.WriteByte(':')
		if err := e.value(t.Elem(), en.value, false, false); err != nil {
			return err
		}
	}
	e.out.WriteByte('}')
	return nil
}

func (e *jsonEncoder) mapKey(t types.Type, v reflect.Value) (string, error) {
	if v.Kind() == reflect.String { // before any method
		return v.String(), nil
	}
	if s, err, ok := e.keyText(t, v); ok {
		return s, err
	}
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), nil
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10), nil
	}
	return "", unsupported(v, TypeName(t))
}

// keyText is a key through MarshalText.
func (e *jsonEncoder) keyText(t types.Type, v reflect.Value) (text string, err error, ok bool) {
	if self, m, has := e.r.receiver(t, v, false, "MarshalText", "func() ([]uint8, error)"); has {
		out := m.Call([]reflect.Value{anyValue(self)})
		err, _ = out[1].Interface().(error)
		return string(out[0].Bytes()), err, true
	}
	if tm, is := v.Interface().(interface{ MarshalText() ([]byte, error) }); is {
		b, err := tm.MarshalText()
		return string(b), err, true
	}
	return "", nil, false
}
