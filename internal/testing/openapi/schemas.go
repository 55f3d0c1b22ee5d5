// Package openapi writes OpenAPI 3.1 documents of APIs from the Go types of their routes and the comments in the
// source. Tests use it to keep a server's embedded document up to date.
package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
	"github.com/gorlm/rlm/internal/kit/jsonfields"
)

// Object is an object of a document.
type Object = map[string]any

// Schemas makes JSON Schemas of Go types, in the form in which encoding/json writes them. Named structs become
// components.
type Schemas struct {
	// Components are the schemas of structs, by name.
	Components Object
	// Fixed maps types to schemas that replace the derived ones.
	Fixed map[reflect.Type]any
	// Optional are structs of which a request may omit any field.
	Optional map[reflect.Type]bool
	// Closed means that structs allow no additional fields.
	Closed bool

	// Names maps types to the names of their components; other components are named after their types. A
	// description starts with the given name instead of the type's, unless the given one is just the type's with a
	// prefix.
	Names map[reflect.Type]string

	comments comments
	err      error
}

// NewSchemas returns Schemas without components. root is the folder of the Go module with the commented source;
// module is its path.
func NewSchemas(root, module string) *Schemas {
	return &Schemas{
		Components: Object{}, Optional: map[reflect.Type]bool{}, Names: map[reflect.Type]string{},
		comments: comments{root, module, map[string]map[string]string{}},
		Fixed: map[reflect.Type]any{
			reflect.TypeFor[time.Time](): Object{"type": "string", "format": "date-time"},
			reflect.TypeFor[time.Duration](): Object{
				"type": "integer", "format": "int64", "description": "nanoseconds",
			},
			reflect.TypeFor[json.RawMessage](): Object{},
		},
	}
}

// Err is the first error.
func (s *Schemas) Err() error { return s.err }

func (s *Schemas) fail(err error) {
	if s.err == nil && err != nil {
		s.err = err
	}
}

// Of is the schema of a type, or a reference to it.
func (s *Schemas) Of(t reflect.Type) any {
	if fixed, ok := s.Fixed[t]; ok {
		return fixed
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.Of(t.Elem())
	case reflect.Struct:
		if t.Name() == "" {
			return s.object(t)
		}
		return s.reference(t)
	case reflect.Interface:
		return Object{}
	case reflect.Slice, reflect.Array:
		return Object{"type": "array", "items": s.Of(t.Elem())}
	case reflect.Map:
		return Object{"type": "object", "additionalProperties": s.Of(t.Elem())}
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return Object{"type": "number"}
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return Object{"type": "string"}
	}
	if k := t.Kind(); k >= reflect.Int && k <= reflect.Uint64 {
		return Object{"type": "integer"}
	}
	s.fail(fmt.Errorf("%v has no JSON", t))
	return Object{}
}

// reference refers to a struct's component, and creates that on first use.
func (s *Schemas) reference(t reflect.Type) any {
	name, ok := s.Names[t]
	if !ok {
		name = s.name(t)
		s.Names[t] = name
	}
	if _, made := s.Components[name]; !made {
		s.Components[name] = nil // allows recursive structs
		s.Components[name] = s.object(t)
	}
	return Ref(name)
}

// Ref refers to a component.
func Ref(name string) Object { return Object{"$ref": "#/components/schemas/" + name} }

// name names a type's component: after the type, preceded by the package if another type has the name.
func (s *Schemas) name(t reflect.Type) string {
	name := upper(strings.FieldsFunc(t.Name(), func(r rune) bool { return strings.ContainsRune("[]./", r) })...)
	if _, taken := s.Components[name]; taken {
		return upper(t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:], name)
	}
	return name
}

func upper(words ...string) string {
	var out strings.Builder
	for _, w := range words {
		r := []rune(w)
		r[0] = unicode.ToUpper(r[0])
		out.WriteString(string(r))
	}
	return out.String()
}

// object is the schema of a struct.
func (s *Schemas) object(t reflect.Type) any {
	out := jsondoc.Object{{Name: "type", Value: "object"}}
	text, err := s.comments.of(t)
	s.fail(err)
	if name := s.Names[t]; text != "" && name != "" && !strings.HasSuffix(name, upper(t.Name())) {
		text = name + strings.TrimPrefix(text, t.Name())
	}
	if text != "" {
		out = append(out, jsondoc.Member{Name: "description", Value: text})
	}
	properties, required := jsondoc.Object{}, []string{}
	for _, f := range jsonfields.Of(t) {
		properties = append(properties, jsondoc.Member{Name: f.Name, Value: s.Field(t, f)})
		if !f.OmitEmpty && !f.OmitZero && !s.Optional[t] {
			required = append(required, f.Name)
		}
	}
	out = append(out, jsondoc.Member{Name: "properties", Value: properties})
	if len(required) > 0 {
		out = append(out, jsondoc.Member{Name: "required", Value: required})
	}
	if s.Closed {
		out = append(out, jsondoc.Member{Name: "additionalProperties", Value: false})
	}
	return out
}

// Field is the schema of a struct's field, with its comment.
func (s *Schemas) Field(t reflect.Type, f jsonfields.Field[reflect.Type]) any {
	schema := s.Of(f.Type)
	if f.Type.Kind() == reflect.Pointer && !f.OmitEmpty && !f.OmitZero {
		schema = Object{"anyOf": []any{schema, Object{"type": "null"}}}
	}
	text, err := s.comments.field(t, f.Path)
	s.fail(err)
	plain, ok := schema.(Object)
	if text == "" || !ok {
		return schema
	}
	out := maps.Clone(plain)
	if before, ok := out["description"].(string); ok {
		text += " (" + before + ")"
	}
	out["description"] = text
	return out
}
