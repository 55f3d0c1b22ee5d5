package telemetry

import (
	"fmt"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
)

// The types of this file are shared by traces and metrics in OTLP's JSON (opentelemetry-proto 1.7, with its
// mapping: identifiers in hexadecimal, 64-bit integers as strings).

type otlpResource struct {
	Attributes []otlpAttribute `json:"attributes"`
}

type otlpScope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type otlpAttribute struct {
	Key   string    `json:"key"`
	Value otlpValue `json:"value"`
}

// otlpValue has exactly one of its fields.
type otlpValue struct {
	String *string    `json:"stringValue,omitempty"`
	Bool   *bool      `json:"boolValue,omitempty"`
	Int    string     `json:"intValue,omitempty"`
	Double *float64   `json:"doubleValue,omitempty"`
	Array  *otlpArray `json:"arrayValue,omitempty"`
}

type otlpArray struct {
	Values []otlpValue `json:"values"`
}

func resourceOf(r *resource.Resource) otlpResource { return otlpResource{attributesOf(r.Attributes())} }

func scopeOf(s instrumentation.Scope) otlpScope { return otlpScope{s.Name, s.Version} }

func attributesOf(attrs []attribute.KeyValue) []otlpAttribute {
	out := make([]otlpAttribute, len(attrs))
	for i, a := range attrs {
		out[i] = otlpAttribute{string(a.Key), valueOf(a.Value)}
	}
	return out
}

func valueOf(v attribute.Value) otlpValue {
	switch v.Type() {
	case attribute.BOOL:
		b := v.AsBool()
		return otlpValue{Bool: &b}
	case attribute.INT64:
		return otlpValue{Int: strconv.FormatInt(v.AsInt64(), 10)}
	case attribute.FLOAT64:
		f := v.AsFloat64()
		return otlpValue{Double: &f}
	case attribute.STRINGSLICE:
		list := &otlpArray{Values: []otlpValue{}}
		for _, s := range v.AsStringSlice() {
			list.Values = append(list.Values, otlpValue{String: &s})
		}
		return otlpValue{Array: list}
	}
	s := v.AsString()
	if v.Type() != attribute.STRING {
		s = fmt.Sprint(v.AsInterface())
	}
	return otlpValue{String: &s}
}

func nanos(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.UnixNano(), 10)
}
