package typed

import (
	"encoding/json"
	"fmt"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
	"github.com/gorlm/rlm/internal/kit/jsonfields"
)

// member and object form a JSON object whose members keep their order.
type (
	member = jsondoc.Member
	object = jsondoc.Object
)

// Schema describes a type to a model.
type Schema struct {
	// Name identifies the schema for the endpoint: letters, digits, _ and -, at most 64.
	Name string
	// JSON is the schema. Its root is always an object, because endpoints require that.
	JSON json.RawMessage
	// Wrapped means that the value is the property "value" of the root, because its type is not an object.
	Wrapped bool
}

// wrapper is the property that holds a value that is not a JSON object.
const wrapper = "value"

// SchemaOf derives the schema of t. Types that JSON cannot represent (functions, channels, interfaces with
// methods, maps keyed by structs) are errors that name the field.
func SchemaOf(t types.Type) (Schema, error) {
	b := &builder{defs: map[string]object{}, recursive: recursive(t)}
	root, err := b.plain(t, "") // never a reference: endpoints require an object
	if err != nil {
		return Schema{}, err
	}
	s := Schema{Name: schemaName(t)}
	if !isObject(t) {
		s.Wrapped = true
		root = object{
			{"type", "object"},
			{"properties", object{{wrapper, root}}},
			{"required", []string{wrapper}},
			{"additionalProperties", false},
		}
	}
	if len(b.defs) > 0 {
		defs := object{}
		for _, name := range b.order {
			defs = append(defs, member{name, b.defs[name]})
		}
		root = append(root, member{"$defs", defs})
	}
	s.JSON, err = json.Marshal(root)
	return s, err
}

// isObject reports whether a value of t is a JSON object.
func isObject(t types.Type) bool {
	if special(t) != "" || decodesItself(t) {
		return false
	}
	switch types.Unalias(t).Underlying().(type) {
	case *types.Struct, *types.Map:
		return true
	}
	return false
}

// schemaName returns the type's name in characters that endpoints allow.
func schemaName(t types.Type) string {
	name := types.TypeString(t, func(*types.Package) string { return "" })
	name = strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, name)
	if name == "" || strings.HasPrefix(name, "struct") || len(name) > 64 {
		return "reply"
	}
	return name
}

type builder struct {
	defs      map[string]object
	order     []string
	recursive map[*types.Named]bool
}

// schema describes t; path names it in errors.
func (b *builder) schema(t types.Type, path string) (object, error) {
	if named, ok := types.Unalias(t).(*types.Named); ok && b.recursive[named] {
		return b.ref(named, path)
	}
	return b.plain(t, path)
}

func (b *builder) ref(named *types.Named, path string) (object, error) {
	name := schemaName(named)
	if _, ok := b.defs[name]; !ok {
		b.defs[name] = nil
		b.order = append(b.order, name)
		def, err := b.plain(named, path)
		if err != nil {
			return nil, err
		}
		b.defs[name] = def
	}
	return object{{"$ref", "#/$defs/" + name}}, nil
}

func (b *builder) plain(t types.Type, path string) (object, error) {
	switch special(t) {
	case "time.Time":
		return object{
			{"type", "string"},
			{"format", "date-time"},
			{"description", "RFC 3339, such as 2024-05-31T14:00:00Z"},
		}, nil
	case "time.Duration":
		return object{{"type", "string"}, {"description", "a duration such as 1h30m or 250ms"}}, nil
	case "encoding/json.Number":
		return object{{"type", "number"}}, nil
	case "encoding/json.RawMessage":
		return object{}, nil
	case "math/big.Int":
		return object{{"type", "integer"}}, nil
	case "math/big.Float", "net/url.URL", "net/netip.Addr":
		return object{{"type", "string"}}, nil
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return nil, unsupported(path, t, "a type parameter is no type yet; use a variable of a concrete type")
	}
	if err := checkMethods(t, path); err != nil {
		return nil, err
	}
	if decodesItself(t) {
		return object{}, nil
	}
	if cs := choices(t); cs != nil {
		return object{{"type", "string"}, {"enum", texts(cs)}}, nil
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Basic:
		return basicSchema(u, path)
	case *types.Pointer:
		s, err := b.schema(u.Elem(), path)
		return nullable(s), err
	case *types.Slice:
		if isByte(u.Elem()) {
			return nil, unsupported(path, t, "use string for text")
		}
		s, err := b.schema(u.Elem(), path+"[]")
		return object{{"type", "array"}, {"items", s}}, err
	case *types.Array:
		s, err := b.schema(u.Elem(), path+"[]")
		return object{{"type", "array"}, {"items", s}, {"minItems", u.Len()}, {"maxItems", u.Len()}}, err
	case *types.Map:
		return b.mapSchema(u, path)
	case *types.Struct:
		return b.structSchema(u, path)
	case *types.Interface:
		if u.NumMethods() == 0 {
			return object{}, nil
		}
		return nil, unsupported(path, t, "no JSON value says which type an interface with methods holds; use a struct")
	}
	return nil, unsupported(path, t, "JSON has no such value")
}

func basicSchema(u *types.Basic, path string) (object, error) {
	switch info := u.Info(); {
	case info&types.IsBoolean != 0:
		return object{{"type", "boolean"}}, nil
	case info&types.IsUnsigned != 0:
		return object{{"type", "integer"}, {"minimum", 0}}, nil
	case info&types.IsInteger != 0:
		return object{{"type", "integer"}}, nil
	case info&types.IsFloat != 0:
		return object{{"type", "number"}}, nil
	case info&types.IsString != 0:
		return object{{"type", "string"}}, nil
	}
	return nil, unsupported(path, u, "JSON has no such value")
}

func (b *builder) mapSchema(u *types.Map, path string) (object, error) {
	key, ok := u.Key().Underlying().(*types.Basic)
	if !ok || key.Info()&(types.IsString|types.IsInteger) == 0 {
		return nil, unsupported(path, u, "the keys of a JSON object are text; use a map keyed by string")
	}
	s, err := b.schema(u.Elem(), path+"{}")
	out := object{{"type", "object"}, {"additionalProperties", s}}
	if cs := choices(u.Key()); cs != nil {
		out = append(out, member{"propertyNames", object{{"enum", texts(cs)}}})
	}
	return out, err
}

func (b *builder) structSchema(u *types.Struct, path string) (object, error) {
	fs := fields(u)
	if len(fs) == 0 {
		return nil, unsupported(path, u, "it has no exported field that a reply could fill")
	}
	props, required := object{}, []string{}
	for _, f := range fs {
		s, err := b.schema(f.Type, join(path, f.Name))
		if err != nil {
			return nil, err
		}
		if f.Quoted {
			s = object{{"type", "string"}}
		}
		if f.optional && !isPointer(f.Type) {
			s = nullable(s)
		}
		if s, err = jsonfields.Restrict(s, f.Field); err != nil {
			return nil, unsupported(join(path, f.Name), f.Type, err.Error())
		}
		if f.quote {
			if !holdsText(f.Type) {
				return nil, unsupported(join(path, f.Name), f.Type, `the tag cite:"true" is for text`)
			}
			f.about = withQuoteAdvice(f.about)
		}
		if f.about != "" {
			s = append(s.Without("description"), member{"description", f.about})
		}
		props = append(props, member{f.Name, s})
		required = append(required, f.Name)
	}
	return object{{"type", "object"}, {"properties", props}, {"required", required}, {"additionalProperties", false}},
		nil
}

// nullable allows null for "none": endpoints that enforce schemas require every property, so an optional one must
// be nullable.
func nullable(s object) object {
	if len(s) == 0 {
		return s
	}
	out := append(object{}, s...)
	for i, m := range out {
		switch {
		case m.Name == "type":
			if one, ok := m.Value.(string); ok {
				out[i].Value = []string{one, "null"}
			}
		case m.Name == "enum":
			if all, ok := m.Value.([]string); ok {
				values := make([]any, 0, len(all)+1)
				for _, v := range all {
					values = append(values, v)
				}
				out[i].Value = append(values, nil)
			}
		case m.Name == "$ref":
			return object{{"anyOf", []object{s, {{"type", "null"}}}}}
		}
	}
	return out
}

func texts(cs []choice) []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.text
	}
	return out
}

func unsupported(path string, t types.Type, why string) error {
	shown := types.TypeString(t, func(p *types.Package) string {
		if p.Name() == "main" {
			return ""
		}
		return p.Name()
	})
	if path == "" {
		return fmt.Errorf("a reply cannot fill a %s: %s", shown, why)
	}
	return fmt.Errorf("a reply cannot fill field %s of type %s: %s", path, shown, why)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
