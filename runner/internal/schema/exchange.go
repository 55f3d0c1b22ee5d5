package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Result reads a value that another program returned and whose schema is s. The error reports a violation: a
// required field that is missing or null, or a value of another type. An optional field that is null counts as
// missing, and fields that are not in the schema are allowed: see [Result.Beside].
func (s *Schema) Result(raw []byte) (Result, error) {
	v, err := decode(string(raw))
	if err != nil {
		return Result{}, err
	}
	err = (&checker{left: mostSteps, foreign: true}).value(s.root, v, "")
	var wrong *mismatchError
	var absent *absence
	switch {
	case errors.Is(err, errTooMuch): // a value that cannot be checked is accepted
		err = nil
	case errors.As(err, &wrong) && wrong.path == "":
		err = fmt.Errorf("it should be %s, and is %s", wrong.want, shown(wrong.got))
	case errors.As(err, &absent) && absent.similar != "":
		err = fmt.Errorf("field %s is missing (there is %q)", absent.path, absent.similar)
	}
	return Result{schema: s, value: v}, err
}

// Result is a value from another program.
type Result struct {
	schema *Schema
	value  any
}

// Bounds of the list of fields that are not in a schema: entries, and bytes of each.
const (
	mostBeside  = 20
	mostOfField = 300
)

// Beside lists the fields that the declared type does not have, each with its values on one line, "total: 5230". A
// field of list elements is listed once, "items[].url".
func (r Result) Beside() []string {
	var found fields
	found.walk(r.schema.root, r.value, "")
	var lines []string
	for i, path := range found.paths {
		if i == mostBeside {
			return append(lines, fmt.Sprintf("and %d more", len(found.paths)-i))
		}
		var all any = found.values[path]
		if len(found.values[path]) == 1 {
			all = found.values[path][0]
		}
		lines = append(lines, path+": "+text.Line(compact(all), mostOfField))
	}
	return lines
}

// fields are the fields that a type does not have, by path.
type fields struct {
	paths  []string
	values map[string][]any
}

// walk follows a value along its declared type.
func (f *fields) walk(n *node, v any, path string) {
	if n.to != nil {
		f.walk(n.to, v, path)
		return
	}
	if inner, ok := n.orNull(); ok {
		n = inner
		if n.to != nil {
			f.walk(n.to, v, path)
			return
		}
	}
	switch v := v.(type) {
	case []any:
		if n.items != nil && len(n.prefix) == 0 {
			for _, item := range v {
				f.walk(n.items, item, path+"[]")
			}
		}
	case object:
		for _, m := range v {
			if part, ok := n.fieldOf(m.Name); ok {
				f.walk(part, m.Value, join(path, m.Name))
			} else if n.isStruct() {
				f.add(join(path, m.Name), m.Value)
			}
		}
	}
}

// fieldOf is the schema of an object's member, if the declared type has it.
func (n *node) fieldOf(name string) (*node, bool) {
	if !n.isStruct() {
		return n.extra, n.extra != nil && len(n.properties) == 0
	}
	i := slices.IndexFunc(n.properties, func(p property) bool { return p.name == name })
	if i < 0 {
		return nil, false
	}
	return n.properties[i].node, true
}

func (f *fields) add(path string, v any) {
	if f.values == nil {
		f.values = map[string][]any{}
	}
	if _, known := f.values[path]; !known {
		f.paths = append(f.paths, path)
	}
	f.values[path] = append(f.values[path], v)
}

// Arguments checks the types of a call's arguments against a foreign schema and returns the arguments in the form
// to send: a nil list of a cell becomes an empty one. Other violations are left to the program to report.
func (s *Schema) Arguments(raw json.RawMessage) (json.RawMessage, error) {
	v, err := decode(string(raw))
	if err != nil {
		return nil, err
	}
	v = filled(s.root, v)
	err = (&checker{left: mostSteps, foreign: true, types: true}).value(s.root, v, "")
	if err != nil && !errors.Is(err, errTooMuch) {
		return nil, err
	}
	return json.RawMessage(compact(v)), nil
}

// filled replaces null by an empty list where n requires a list.
func filled(n *node, v any) any {
	n = n.target()
	if inner, ok := n.orNull(); ok && v != nil {
		n = inner.target()
	}
	switch v := v.(type) {
	case nil:
		if !n.nullable && slices.Equal(n.types, []string{"array"}) {
			return []any{}
		}
	case []any:
		for i := range v {
			if n.items != nil && len(n.prefix) == 0 {
				v[i] = filled(n.items, v[i])
			}
		}
	case object:
		for i := range v {
			if p := slices.IndexFunc(n.properties, func(p property) bool { return p.name == v[i].Name }); p >= 0 {
				v[i].Value = filled(n.properties[p].node, v[i].Value)
			} else if n.extra != nil {
				v[i].Value = filled(n.extra, v[i].Value)
			}
		}
	}
	return v
}
