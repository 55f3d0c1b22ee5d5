package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsonfields"
	"github.com/gorlm/rlm/runner/internal/gotype"
)

// Of derives the schema of a Go type of the embedding program, by the rules of llm_query_json: fields are named by
// their JSON tags; pointers and fields with omitempty may be null or absent, all other fields are required; further
// fields are not allowed; a tag enum:"a,b,c" lists the values of a field. Types that JSON cannot represent are
// errors that name the field.
func Of(t reflect.Type) (*Schema, error) {
	reader := gotype.Reader{Reads: true}
	of, err := reader.Read(t, "")
	if err != nil {
		return nil, inAnswer(err)
	}
	w := writer{root: of, open: map[*gotype.Type]bool{}}
	w.open[of] = true
	root, err := w.literal(of)
	defs := object{}
	for _, named := range reader.Named {
		if named.Form == gotype.Struct && named != of && err == nil {
			var def object
			def, err = w.literal(named)
			defs = append(defs, member{named.Declared, def})
		}
	}
	if err != nil {
		return nil, inAnswer(err)
	}
	if len(defs) > 0 {
		root = append(root, member{"$defs", defs})
	}
	return Parse(compact(root))
}

// writer writes schemas of Go types. Named structs become definitions, so that the notebook can declare them by
// name.
type writer struct {
	root *gotype.Type
	open map[*gotype.Type]bool // types whose schema is being written, to detect recursion
}

func (w writer) of(t *gotype.Type) (object, error) {
	switch {
	case t == w.root && t.Form == gotype.Struct:
		return object{{"$ref", "#"}}, nil
	case t.Declared != "" && t.Form == gotype.Struct:
		return object{{"$ref", "#/$defs/" + t.Declared}}, nil
	case w.open[t]:
		return nil, &gotype.Unfit{
			Path: t.Path, Type: t.Type, Why: "it holds itself without a named struct between; put it into one",
		}
	}
	w.open[t] = true
	defer delete(w.open, t)
	return w.literal(t)
}

const duration = `^[+-]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

func (w writer) literal(t *gotype.Type) (object, error) {
	switch t.Form {
	case gotype.Basic:
		return basic(t), nil
	case gotype.Text:
		return object{{"type", "string"}, {"description", "a " + t.String()}}, nil
	case gotype.Moment:
		return object{{"type", "string"}, {"format", "date-time"}}, nil
	case gotype.Span:
		return object{{"type", "string"}, {"pattern", duration}, {"description", "a duration such as 1h30m or 250ms"}},
			nil
	case gotype.Number:
		return object{{"type", "number"}}, nil
	case gotype.Whole:
		return object{{"type", "integer"}}, nil
	case gotype.Nullable:
		of, err := w.of(t.Elem)
		return nullable(of), err
	case gotype.List:
		if t.Kind() == reflect.Slice && t.Elem.Kind() == reflect.Uint8 && t.Elem.Form == gotype.Basic {
			return nil, &gotype.Unfit{Path: t.Path, Type: t.Type, Why: "use string for text"}
		}
		of, err := w.of(t.Elem)
		list := object{{"type", "array"}, {"items", of}}
		if n := t.Size(); n >= 0 {
			list = append(list, member{"minItems", n}, member{"maxItems", n})
		}
		return list, err
	case gotype.Map:
		of, err := w.of(t.Elem)
		return object{{"type", "object"}, {"additionalProperties", of}}, err
	case gotype.Struct:
		return w.structure(t)
	}
	switch {
	case t.Kind() == reflect.Interface:
		return object{}, nil
	case t.Type == reflect.TypeFor[json.RawMessage]():
		return object{{"description", "any JSON"}}, nil
	}
	return object{{"description", "JSON of a " + t.String()}}, nil
}

// basic describes a bool, a number or text.
func basic(t *gotype.Type) object {
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		return object{{"type", "boolean"}}
	case kind == reflect.String:
		return object{{"type", "string"}}
	case kind == reflect.Float32, kind == reflect.Float64:
		return object{{"type", "number"}}
	case kind <= reflect.Int64:
		top := int64(math.MaxInt64) >> (64 - t.Bits())
		return object{{"type", "integer"}, {"minimum", -top - 1}, {"maximum", top}}
	}
	return object{{"type", "integer"}, {"minimum", 0}, {"maximum", uint64(math.MaxUint64) >> (64 - t.Bits())}}
}

func (w writer) structure(t *gotype.Type) (object, error) {
	props, required := object{}, []any{}
	for _, f := range t.Fields {
		of, err := w.of(f.Of)
		if err != nil {
			return nil, err
		}
		if of, err = jsonfields.Restrict(of, f.Field); err != nil {
			return nil, &gotype.Unfit{Path: join(t.Path, f.Name), Type: f.Type, Why: err.Error()}
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
		return nil, &gotype.Unfit{Path: t.Path, Type: t.Type, Why: "it has no exported field that an answer could fill"}
	}
	return closedObject(props, required), nil
}

// quoted describes a value with the tag ",string", which is quoted in JSON.
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

// about is a field's description for the model, from the usual tags.
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

// inAnswer rewords an error about an unfit type for answers.
func inAnswer(err error) error {
	var unfit *gotype.Unfit
	if errors.As(err, &unfit) {
		return fmt.Errorf("an answer%s", strings.TrimPrefix(unfit.Error(), "it"))
	}
	return err
}
