package jsondoc

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Refusal explains why a decoder refused a value, in terms of JSON rather than of Go's types.
func Refusal(err error) string {
	other := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &other) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	// The path also names embedded structs, which are not in the document: all JSON names here begin with a small
	// letter.
	path := slices.DeleteFunc(strings.Split(other.Field, "."), func(name string) bool {
		return name == "" || name[0] >= 'A' && name[0] <= 'Z'
	})
	what := "it"
	if len(path) > 0 {
		what = "'" + strings.Join(path, ".") + "'"
	}
	return what + " is " + article(text.Short(other.Value, 64)) + ", not " + words(other.Type)
}

func article(value string) string {
	switch {
	case value == "bool":
		return "true or false"
	case strings.HasPrefix(value, "array"), strings.HasPrefix(value, "object"):
		return "an " + value
	}
	return "a " + value
}

// words names a type for clients.
func words(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.String:
		return "a text"
	case kind == reflect.Float32 || kind == reflect.Float64:
		return "a number"
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return "a whole number"
	case kind == reflect.Slice || kind == reflect.Array:
		return "a list"
	}
	return "an object"
}
