package rtype

import "reflect"

// TypeVersions maps versions of types to the latest ones.
type TypeVersions struct {
	known map[reflect.Type]reflect.Type
}

// Newest returns the latest versions of all types made so far.
func (b *Builder) Newest() *TypeVersions {
	n := &TypeVersions{map[reflect.Type]reflect.Type{}}
	for _, m := range b.byKey {
		for _, old := range m.old {
			n.known[old.Reflect()] = m.typ.Reflect()
		}
	}
	return n
}

// Any reports whether some type has more than one version.
func (n *TypeVersions) Any() bool { return len(n.known) > 0 }

// Of returns the latest version of a type. If no part of the type has another version, that is the type itself.
func (n *TypeVersions) Of(t reflect.Type) reflect.Type {
	if last, ok := n.known[t]; ok {
		return last
	}
	if t.Name() != "" {
		return t
	}
	n.known[t] = t // breaks a cycle; types in one have their own descriptors, with versions
	last := n.made(t)
	n.known[t] = last
	return last
}

// made returns an unnamed type composed of the latest versions of its parts.
func (n *TypeVersions) made(t reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Pointer:
		if e := n.Of(t.Elem()); e != t.Elem() {
			return reflect.PointerTo(e)
		}
	case reflect.Slice:
		if e := n.Of(t.Elem()); e != t.Elem() {
			return reflect.SliceOf(e)
		}
	case reflect.Array:
		if e := n.Of(t.Elem()); e != t.Elem() {
			return reflect.ArrayOf(t.Len(), e)
		}
	case reflect.Map:
		if k, e := n.Of(t.Key()), n.Of(t.Elem()); k != t.Key() || e != t.Elem() {
			return reflect.MapOf(k, e)
		}
	case reflect.Chan:
		if e := n.Of(t.Elem()); e != t.Elem() {
			return reflect.ChanOf(t.ChanDir(), e)
		}
	case reflect.Func:
		return n.function(t)
	case reflect.Struct:
		return n.structure(t)
	}
	return t
}

func (n *TypeVersions) function(t reflect.Type) reflect.Type {
	in, out, changed := make([]reflect.Type, t.NumIn()), make([]reflect.Type, t.NumOut()), false
	for i := range in {
		in[i] = n.Of(t.In(i))
		changed = changed || in[i] != t.In(i)
	}
	for i := range out {
		out[i] = n.Of(t.Out(i))
		changed = changed || out[i] != t.Out(i)
	}
	if !changed {
		return t
	}
	return reflect.FuncOf(in, out, t.IsVariadic())
}

// structure returns the latest version of a struct type that reflect made; all other struct types of a session are
// in known.
func (n *TypeVersions) structure(t reflect.Type) reflect.Type {
	fields, changed := make([]reflect.StructField, t.NumField()), false
	for i := range fields {
		f := t.Field(i)
		if !f.IsExported() || f.Anonymous {
			return t
		}
		fields[i] = reflect.StructField{Name: f.Name, Type: n.Of(f.Type), Tag: f.Tag}
		changed = changed || fields[i].Type != f.Type
	}
	if !changed {
		return t
	}
	return reflect.StructOf(fields)
}

// AtomicElem returns the element type of an atomic.Pointer; nil for other types.
func AtomicElem(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Struct || t.NumField() == 0 || t.Field(t.NumField()-1).Type.Kind() != reflect.UnsafePointer {
		return nil
	}
	if says := t.Field(0).Type; says.Kind() == reflect.Array && says.Len() == 0 &&
		says.Elem().Kind() == reflect.Pointer {
		return says.Elem().Elem()
	}
	return nil
}
