package jsondoc

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Meant returns a JSON value in the form that a Go type requires, where its meaning is unmistakable: models and
// clients write numbers, lists and objects as texts, a list of one text as that text, and whole numbers with a
// decimal point. The members of an object are converted for the fields of a struct. Everything else stays as it is,
// for the decoder to reject.
func Meant(raw json.RawMessage, t reflect.Type) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return raw
	}
	said := strings.TrimSpace(string(raw))
	var text string
	isText := strings.HasPrefix(said, `"`) && json.Unmarshal(raw, &text) == nil
	if isText {
		said = strings.TrimSpace(text)
	}
	valid := json.Valid([]byte(said))
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		if word := strings.ToLower(said); word == "true" || word == "false" {
			return json.RawMessage(word)
		}
	case valid && isNumber(said) && (kind == reflect.Float32 || kind == reflect.Float64):
		return json.RawMessage(said)
	case valid && isNumber(said) && kind >= reflect.Int && kind <= reflect.Uint64:
		if f, err := strconv.ParseFloat(said, 64); err == nil && strings.ContainsAny(said, ".eE") &&
			f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			said = strconv.FormatInt(int64(f), 10)
		}
		return json.RawMessage(said)
	case kind == reflect.Slice && isText:
		switch {
		case valid && said[0] == '[':
			return json.RawMessage(said)
		case said == "":
			return json.RawMessage("[]")
		case t.Elem().Kind() == reflect.String:
			return slices.Concat(json.RawMessage("["), raw, json.RawMessage("]"))
		}
	case (kind == reflect.Map || kind == reflect.Struct) && valid && said[0] == '{':
		if kind == reflect.Map {
			return json.RawMessage(said)
		}
		return membersMeant(json.RawMessage(said), t)
	}
	return raw
}

func isNumber(text string) bool { return text[0] == '-' || text[0] >= '0' && text[0] <= '9' }

func membersMeant(object json.RawMessage, t reflect.Type) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return object
	}
	changed := false
	for _, field := range reflect.VisibleFields(t) { // includes fields of embedded structs
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if value, ok := members[name]; ok && name != "" {
			members[name] = Meant(value, field.Type)
			changed = changed || string(members[name]) != string(value)
		}
	}
	b, err := json.Marshal(members)
	if err != nil || !changed {
		return object
	}
	return b
}
