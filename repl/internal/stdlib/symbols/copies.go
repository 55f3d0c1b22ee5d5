package symbols

import (
	"reflect"
	"time"
)

// copies contains a session's copies of values that a package's variables refer to. The notebook uses the package
// itself, so a change that a cell makes through such a value must stay in the session. Variables that refer to the
// same value, such as unicode.Letter and unicode.L, also share its copy.
type copies map[any]reflect.Value

// own replaces the variables in a table by copies.
func (c copies) own(table map[string]reflect.Value) map[string]reflect.Value {
	for name, v := range table {
		if v.CanAddr() {
			table[name] = reflect.New(v.Type()).Elem()
			table[name].Set(c.of(v))
		}
	}
	return table
}

// of copies a value and everything that it refers to. It does not copy errors and other values in interfaces, time
// zones and checksum tables, because packages compare these by identity. Cells cannot write to errors, must not
// write to time zones, and only read the tables.
func (c copies) of(v reflect.Value) reflect.Value {
	switch kind := v.Kind(); {
	case (kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map) && v.IsNil():
		return v
	case kind == reflect.Pointer:
		if v.Elem().Kind() != reflect.Struct || v.Type() == reflect.TypeFor[*time.Location]() {
			return v
		}
		known, ok := c[v.Interface()]
		if !ok {
			known = reflect.New(v.Type().Elem())
			c[v.Interface()] = known
			known.Elem().Set(v.Elem())
			c.fields(known.Elem())
		}
		return known
	case kind == reflect.Slice:
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(out, v)
		if elem := v.Type().Elem().Kind(); elem == reflect.Pointer { // elements of other kinds refer to nothing
			for i := range v.Len() {
				out.Index(i).Set(c.of(v.Index(i)))
			}
		}
		return out
	case kind == reflect.Map:
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			out.SetMapIndex(it.Key(), c.of(it.Value()))
		}
		return out
	}
	return v
}

// fields copies what the fields of a copied struct refer to.
func (c copies) fields(s reflect.Value) {
	for i := range s.NumField() {
		if f := s.Field(i); f.CanSet() {
			f.Set(c.of(f))
		}
	}
}
