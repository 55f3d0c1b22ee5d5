package symbols

import (
	"reflect"
	"time"
)

// copies makes variables of a session's own out of those of a package, whose tables the notebook itself
// uses: what a cell changes through a value that it took from one stays its own. What is one in the
// package is one in the copies, as unicode.Letter and unicode.L are.
type copies map[any]reflect.Value

// own replaces the variables in a table.
func (c copies) own(table map[string]reflect.Value) map[string]reflect.Value {
	for name, v := range table {
		if v.CanAddr() {
			table[name] = reflect.New(v.Type()).Elem()
			table[name].Set(c.of(v))
		}
	}
	return table
}

// of is a copy of a value and of what it leads to. Errors and other values in interfaces, time zones and
// tables for checksums stay the ones that packages compare them with: cells have no way to write to errors,
// are refused to write to time zones, and are alone in reading the tables.
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
		if elem := v.Type().Elem().Kind(); elem == reflect.Pointer { // the others lead nowhere
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

// fields copies what the fields of a copied struct lead to.
func (c copies) fields(s reflect.Value) {
	for i := range s.NumField() {
		if f := s.Field(i); f.CanSet() {
			f.Set(c.of(f))
		}
	}
}
