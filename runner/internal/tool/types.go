package tool

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// typeNames writes Go types of this program as a notebook can declare them.
type typeNames struct {
	names map[reflect.Type]string
	used  map[string]bool
	decls []string
}

// param is the type of a parameter; the last one of a variadic function is written with dots.
func (n *typeNames) param(t reflect.Type, variadic bool) (string, error) {
	if !variadic {
		return n.source(t)
	}
	s, err := n.source(t.Elem())
	return "..." + s, err
}

// source writes a type. What cannot be JSON, and so cannot cross into the sandbox, is an error.
func (n *typeNames) source(t reflect.Type) (string, error) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return "time.Time", nil
	case reflect.TypeFor[time.Duration]():
		return "time.Duration", nil
	case reflect.TypeFor[json.RawMessage]():
		return "any", nil
	case errorType:
		return "", fmt.Errorf("an error can only be the last result")
	}
	if t.Name() != "" && t.PkgPath() != "" {
		return n.named(t)
	}
	return n.literal(t)
}

// named declares a named type of the program.
func (n *typeNames) named(t reflect.Type) (string, error) {
	if name, ok := n.names[t]; ok {
		return name, nil
	}
	if n.names == nil {
		n.names, n.used = map[reflect.Type]string{}, map[string]bool{}
	}
	base, _, _ := strings.Cut(t.Name(), "[")
	name := base
	for i := 2; n.used[name]; i++ {
		name = fmt.Sprintf("%s%d", base, i)
	}
	n.names[t], n.used[name] = name, true
	at := len(n.decls)
	n.decls = append(n.decls, "")
	source, err := n.literal(t)
	n.decls[at] = "type " + name + " " + source
	return name, err
}

// literal writes the underlying type.
func (n *typeNames) literal(t reflect.Type) (string, error) {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return t.Kind().String(), nil
	case reflect.Pointer:
		return n.prefixed("*", t.Elem())
	case reflect.Slice:
		return n.prefixed("[]", t.Elem())
	case reflect.Array:
		return n.prefixed(fmt.Sprintf("[%d]", t.Len()), t.Elem())
	case reflect.Map:
		key, err := n.source(t.Key())
		if err != nil {
			return "", err
		}
		return n.prefixed("map["+key+"]", t.Elem())
	case reflect.Struct:
		return n.fields(t)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return "any", nil
		}
	}
	return "", fmt.Errorf("a %s cannot be handed to a cell, only what JSON can hold", t)
}

func (n *typeNames) prefixed(prefix string, elem reflect.Type) (string, error) {
	s, err := n.source(elem)
	return prefix + s, err
}

// fields writes a struct with its exported fields.
func (n *typeNames) fields(t reflect.Type) (string, error) {
	var lines []string
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() || f.Tag.Get("json") == "-" {
			continue
		}
		s, err := n.source(f.Type)
		if err != nil {
			return "", fmt.Errorf("field %s: %w", f.Name, err)
		}
		line := f.Name + " " + s
		if f.Anonymous {
			line = s
		}
		if tag := f.Tag.Get("json"); tag != "" {
			line += fmt.Sprintf(" `json:%q`", tag)
		}
		lines = append(lines, line)
	}
	return "struct {\n" + strings.Join(lines, "\n") + "\n}", nil
}

func (n *typeNames) declarations() string { return strings.Join(n.decls, "\n") }
