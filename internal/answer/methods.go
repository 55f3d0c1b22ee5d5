package answer

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// byMethod converts a value that has a method for its text: inside another value by MarshalJSON and MarshalText, as
// encoding/json does, and everywhere by Error and String. A time has the form of encoding/json everywhere.
func byMethod(v reflect.Value, depth int) (out Value, ok bool) {
	if !v.CanInterface() || v.Kind() == reflect.Interface {
		return Value{}, false
	}
	target := v.Interface()
	written := true // whether encoding/json would call its methods
	if v.Kind() != reflect.Pointer && v.Type().Name() != "" && !hasText(target) {
		p := reflect.New(v.Type()) // a pointer also has the methods with pointer receivers
		p.Elem().Set(v)
		target, written = p.Interface(), v.CanAddr()
	}
	if !hasText(target) {
		return Value{}, false
	}
	defer func() {
		if r := recover(); r != nil {
			out, ok = panicked(target, r), true
		}
	}()
	switch m := target.(type) {
	case *time.Time: // RFC 3339 everywhere
		if data, err := m.MarshalText(); err == nil {
			return Value{Kind: Text, Text: string(data)}, true
		}
	case time.Time:
		if data, err := m.MarshalText(); err == nil {
			return Value{Kind: Text, Text: string(data)}, true
		}
	case json.Number:
		return scalar(m.String()), true
	case *json.Number:
		return scalar(m.String()), true
	}
	if m, is := target.(json.Marshaler); is && written && depth > 0 {
		if data, err := m.MarshalJSON(); err == nil {
			return jsonValue(data), true
		}
	}
	if m, is := target.(encoding.TextMarshaler); is && written && depth > 0 {
		if data, err := m.MarshalText(); err == nil {
			return Value{Kind: Text, Text: string(data)}, true
		}
	}
	switch m := target.(type) {
	case error:
		return Value{Kind: Text, Text: m.Error()}, true
	case fmt.Stringer:
		return Value{Kind: Text, Text: m.String()}, true
	case json.Marshaler:
		if !written {
			break
		}
		if data, err := m.MarshalJSON(); err == nil {
			return jsonValue(data), true
		}
	case encoding.TextMarshaler:
		if !written {
			break
		}
		if data, err := m.MarshalText(); err == nil {
			return Value{Kind: Text, Text: string(data)}, true
		}
	}
	return Value{}, false
}

func hasText(v any) bool {
	switch v.(type) {
	case error, fmt.Stringer, json.Marshaler, encoding.TextMarshaler:
		return true
	}
	return false
}

// panicked describes a method that panicked; describing may itself panic.
func panicked(v, r any) (out Value) {
	defer func() {
		if recover() != nil {
			out = textf("<%T: its method for text panicked>", v)
		}
	}()
	return textf("<%T: its method for text panicked: %.200s>", v, fmt.Sprint(r))
}

// jsonValue parses JSON into a Value; anything else stays text.
func jsonValue(data []byte) Value {
	var v any
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return Value{Kind: Text, Text: string(data)}
	}
	return Of(v)
}
