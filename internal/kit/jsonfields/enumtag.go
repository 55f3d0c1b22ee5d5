package jsonfields

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
)

// EnumValues returns the values that the struct tag enum:"a,b,c" lists, trimmed: text, or whole numbers as
// json.Number. Reflection does not see the constants of a type, so the tag repeats them. Without the tag there are
// none. The error explains what is wrong with the list.
func EnumValues(tag reflect.StructTag, whole bool) ([]any, error) {
	list, ok := tag.Lookup("enum")
	if !ok {
		return nil, nil
	}
	var values []any
	for text := range strings.SplitSeq(list, ",") {
		var value any = strings.TrimSpace(text)
		switch {
		case value == "":
			return nil, fmt.Errorf("the tag enum:%q has an empty value", list)
		case whole:
			n, err := number(strings.TrimSpace(text))
			if err != nil {
				return nil, fmt.Errorf("the tag enum:%q has %q, which is no whole number", list, value)
			}
			value = n
		}
		if slices.Contains(values, value) {
			return nil, fmt.Errorf("the tag enum:%q has %q twice", list, value)
		}
		values = append(values, value)
	}
	return values, nil
}

// number reads a whole number and writes it as JSON does.
func number(text string) (json.Number, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return json.Number(strconv.FormatInt(n, 10)), nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return json.Number(strconv.FormatUint(n, 10)), err
}

// Restrict puts the values of a field's tag into the field's JSON schema. In a list or a map they restrict each
// element. The error explains why the tag is not allowed there.
func Restrict[T any](schema jsondoc.Object, f Field[T]) (jsondoc.Object, error) {
	if _, ok := f.Tag.Lookup("enum"); !ok {
		return schema, nil
	}
	if f.Quoted {
		return nil, errors.New(`the tag enum:"…" does not go with the option string of the tag json`)
	}
	return restrict(schema, f.Tag)
}

func restrict(schema jsondoc.Object, tag reflect.StructTag) (jsondoc.Object, error) {
	for _, part := range []string{"items", "additionalProperties"} {
		if of, ok := schema.Get(part); ok {
			if inner, ok := of.(jsondoc.Object); ok {
				inner, err := restrict(inner, tag)
				return with(schema, part, inner), err
			}
		}
	}
	if of, ok := schema.Get("anyOf"); ok { // a value or null
		if all, ok := of.([]any); ok && len(all) == 2 {
			inner, err := restrict(all[0].(jsondoc.Object), tag)
			return with(schema, "anyOf", []any{inner, all[1]}), err
		}
	}
	return scalar(schema, tag)
}

// scalar restricts the schema of text or a whole number.
func scalar(schema jsondoc.Object, tag reflect.StructTag) (jsondoc.Object, error) {
	types := typesOf(schema)
	whole := slices.Contains(types, "integer")
	if !whole && !slices.Contains(types, "string") {
		return nil, errors.New(`the tag enum:"…" is for text, whole numbers, and lists and maps of these`)
	}
	values, err := EnumValues(tag, whole)
	if err != nil {
		return nil, err
	}
	if err := possible(schema, values); err != nil {
		return nil, err
	}
	if slices.Contains(types, "null") {
		values = append(values, nil)
	}
	return with(schema.Without("minimum").Without("maximum"), "enum", values), nil
}

// with returns a copy of a schema with a new value of a member, which is appended if it is new.
func with(schema jsondoc.Object, name string, value any) jsondoc.Object {
	out := slices.Clone(schema)
	for i := range out {
		if out[i].Name == name {
			out[i].Value = value
			return out
		}
	}
	return append(out, jsondoc.Member{Name: name, Value: value})
}

// typesOf returns the types that a schema names.
func typesOf(schema jsondoc.Object) []string {
	var out []string
	switch of, _ := schema.Get("type"); of := of.(type) {
	case string:
		out = append(out, of)
	case []string:
		out = of
	case []any:
		for _, t := range of {
			out = append(out, fmt.Sprint(t))
		}
	}
	return out
}

// possible rejects values that the type of the field cannot have: not among its constants, or too small or large
// for it.
func possible(schema jsondoc.Object, values []any) error {
	var constants []any
	switch of, _ := schema.Get("enum"); of := of.(type) {
	case []any:
		constants = of
	case []string:
		for _, text := range of {
			constants = append(constants, text)
		}
	}
	for _, v := range values {
		if constants != nil && !slices.Contains(constants, v) {
			return fmt.Errorf(`the tag enum:"…" has %q, which is none of the type's constants`, v)
		}
		if n, ok := v.(json.Number); ok && !within(schema, n) {
			return fmt.Errorf(`the tag enum:"…" has %s, which the type cannot hold`, n)
		}
	}
	return nil
}

// within reports whether a whole number is within the bounds of a schema.
func within(schema jsondoc.Object, n json.Number) bool {
	compare := func(name string) int {
		bound, ok := schema.Get(name)
		if !ok {
			return 0
		}
		value, _ := new(big.Int).SetString(string(n), 10)
		limit, _ := new(big.Int).SetString(fmt.Sprint(bound), 10)
		return value.Cmp(limit)
	}
	return compare("minimum") >= 0 && compare("maximum") <= 0
}
