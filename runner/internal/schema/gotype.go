package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/enumtag"
	"github.com/gorlm/rlm/internal/jsonfields"
)

// Of derives the schema of a Go type of the embedding program, by the rules that llm_query_json has: fields are named by their JSON
// tags, pointers and fields with omitempty may be null or absent, all others are required, there are no others; a tag enum:"a,b,c"
// lists the values of a field. Types that JSON cannot carry are errors that name the field.
func Of(t reflect.Type) (*Schema, error) {
	b := builder{names: map[reflect.Type]string{}, used: map[string]bool{}, root: t}
	root, err := b.literal(t, "")
	if err != nil {
		return nil, err
	}
	if len(b.defs) > 0 {
		root = append(root, member{"$defs", b.defs})
	}
	return Parse(compact(root))
}

type builder struct {
	root  reflect.Type
	names map[reflect.Type]string
	used  map[string]bool
	defs  object
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
)

// of describes a type; path names it in errors. Named structs become definitions, so that the notebook can declare them by name.
func (b *builder) of(t reflect.Type, path string) (object, error) {
	if t.Kind() != reflect.Struct || t.Name() == "" || special(t) != nil {
		return b.literal(t, path)
	}
	if t == b.root {
		return object{{"$ref", "#"}}, nil
	}
	name, ok := b.names[t]
	if !ok {
		name = b.name(t)
		at := len(b.defs)
		b.defs = append(b.defs, member{Name: name})
		def, err := b.literal(t, path)
		if err != nil {
			return nil, err
		}
		b.defs[at].Value = def
	}
	return object{{"$ref", "#/$defs/" + name}}, nil
}

func (b *builder) name(t reflect.Type) string {
	base, _, _ := strings.Cut(t.Name(), "[")
	name := base
	for i := 2; b.used[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	b.names[t], b.used[name] = name, true
	return name
}

// special describes the types that JSON treats in their own way; nil for all others.
func special(t reflect.Type) object {
	switch t {
	case timeType:
		return object{{"type", "string"}, {"format", "date-time"}}
	case durationType:
		return object{{"type", "string"}, {"pattern", duration}, {"description", "a duration such as 1h30m or 250ms"}}
	case reflect.TypeFor[json.Number]():
		return object{{"type", "number"}}
	case reflect.TypeFor[big.Int]():
		return object{{"type", "integer"}}
	case reflect.TypeFor[json.RawMessage]():
		return object{{"description", "any JSON"}}
	}
	switch p := reflect.PointerTo(t); {
	case p.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return object{{"description", "JSON of a " + t.String()}}
	case p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return object{{"type", "string"}, {"description", "a " + t.String()}}
	}
	return nil
}

const duration = `^[+-]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

func (b *builder) literal(t reflect.Type, path string) (object, error) {
	if s := special(t); s != nil {
		return s, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{{"type", "boolean"}}, nil
	case reflect.String:
		return object{{"type", "string"}}, nil
	case reflect.Float32, reflect.Float64:
		return object{{"type", "number"}}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		top := int64(math.MaxInt64) >> (64 - t.Bits())
		return object{{"type", "integer"}, {"minimum", -top - 1}, {"maximum", top}}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{{"type", "integer"}, {"minimum", 0}, {"maximum", uint64(math.MaxUint64) >> (64 - t.Bits())}}, nil
	case reflect.Pointer:
		of, err := b.of(t.Elem(), path)
		return nullable(of), err
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return nil, unsupported(path, t, "use string for text")
		}
		of, err := b.of(t.Elem(), path+"[]")
		return object{{"type", "array"}, {"items", of}}, err
	case reflect.Array:
		of, err := b.of(t.Elem(), path+"[]")
		return object{{"type", "array"}, {"items", of}, {"minItems", t.Len()}, {"maxItems", t.Len()}}, err
	case reflect.Map:
		return b.mapping(t, path)
	case reflect.Struct:
		return b.structure(t, path)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return object{}, nil
		}
		return nil, unsupported(path, t, "no JSON value says which type an interface with methods holds; use a struct")
	}
	return nil, unsupported(path, t, "JSON has no such value")
}

func (b *builder) mapping(t reflect.Type, path string) (object, error) {
	switch kind := t.Key().Kind(); {
	case kind == reflect.String, kind >= reflect.Int && kind <= reflect.Uint64:
	default:
		return nil, unsupported(path, t, "the keys of a JSON object are text; use a map keyed by string")
	}
	of, err := b.of(t.Elem(), path+"{}")
	return object{{"type", "object"}, {"additionalProperties", of}}, err
}

func (b *builder) structure(t reflect.Type, path string) (object, error) {
	props, required := object{}, []any{}
	for _, f := range jsonfields.Of(t) {
		where := join(path, f.Name)
		of, err := b.of(f.Type, where)
		if err != nil {
			return nil, err
		}
		if of, err = enumtag.Restrict(of, f); err != nil {
			return nil, unsupported(where, f.Type, err.Error())
		}
		optional := f.OmitEmpty || f.OmitZero
		switch {
		case f.Quoted:
			of = quoted(f.Type)
		case optional && f.Type.Kind() != reflect.Pointer:
			of = nullable(of)
		}
		if text := about(f.Tag); text != "" {
			of = append(of.Without("description"), member{"description", text})
		}
		props = append(props, member{f.Name, of})
		if !optional {
			required = append(required, f.Name)
		}
	}
	if len(props) == 0 {
		return nil, unsupported(path, t, "it has no exported field that an answer could fill")
	}
	return closedObject(props, required), nil
}

// quoted describes a value that the tag ",string" puts into quotes.
func quoted(t reflect.Type) object {
	pattern := `^".*"$`
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		pattern = "^(true|false)$"
	case kind >= reflect.Int && kind <= reflect.Uint64:
		pattern = "^-?[0-9]+$"
	case kind == reflect.Float32, kind == reflect.Float64:
		pattern = `^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
	}
	return object{{"type", "string"}, {"pattern", pattern}}
}

// about is a field's description for the model, from the tags that are in use for that.
func about(tag reflect.StructTag) string {
	for _, key := range []string{"description", "desc", "doc"} {
		if text := tag.Get(key); text != "" {
			return text
		}
	}
	for part := range strings.SplitSeq(tag.Get("jsonschema"), ",") {
		if text, ok := strings.CutPrefix(part, "description="); ok {
			return text
		}
	}
	return ""
}

func unsupported(path string, t reflect.Type, why string) error {
	if path == "" {
		return fmt.Errorf("an answer cannot be a %s: %s", t, why)
	}
	return fmt.Errorf("an answer cannot have field %s of type %s: %s", path, t, why)
}
