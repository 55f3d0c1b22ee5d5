package value_test

//lint:file-ignore SA5008 what encoding/json makes of odd tags is what is tested

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/repl/internal/value"
)

type (
	base  struct{ X, Y int }
	Other struct{ X, Z string }
	Outer struct {
		*base
		Other
		Own []byte `json:"-"`
	}
	Texter struct{ s string }
	OnPtr  struct{ N int }
)

func (t Texter) MarshalText() ([]byte, error) { return []byte("text of " + t.s), nil }
func (p *OnPtr) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `{"n":[%d]}`, p.N), nil }

// sameJSON checks that a list with this value is described as encoding/json writes it, without HTML escapes.
func sameJSON(t require.TestingT, v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode([]any{v}))
	require.Equal(t, strings.TrimSpace(b.String()), value.Reader{}.Described([]any{v}, nil), "%#v", v)
}

func TestValuesAsEncodingJSON(t *testing.T) {
	seven := 7
	for _, v := range []any{
		nil, true, "a <b> & \"c\"\n\u2028", 1.5, 1e21, 1e-7, 1e20, -0.25, []int(nil),
		[]int{},
		map[string]int(nil),
		[2]bool{true},
		map[string]any{"b": nil, "a": []any{1, "x"}},
		base{1, 2},
		Outer{},
		Outer{base: &base{1, 2}},
		&Outer{Other: Other{Z: "z"}},
		struct {
			B base
			base
			Y int
		}{Y: 3},
		struct {
			N *int   `json:",string"`
			M int    `json:"m,string"`
			S string `json:"s,string"`
			B bool   `json:",string"`
			L []int  `json:",string"`
		}{N: &seven, S: `quoted "text"`},
		struct {
			T time.Time `json:"t,omitzero"`
			U time.Time
			D []string
			M map[int]bool `json:",omitempty"`
		}{U: time.Date(2024, 2, 29, 1, 2, 3, 4, time.UTC)},
		Texter{"x"},
		[]Texter{{"y"}},
		map[string]Texter{"k": {"z"}},
		OnPtr{1},
		&OnPtr{2},
		[]OnPtr{{3}},
		struct{ P, Q *OnPtr }{P: &OnPtr{4}},
		json.Number("1e5"), json.RawMessage(`{"b":[1,{"a":null}]}`),
	} {
		sameJSON(t, v)
	}
}

// TestGeneratedValues compares values of random struct types.
func TestGeneratedValues(t *testing.T) {
	types := []reflect.Type{
		reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[*string](), reflect.TypeFor[[]float64](),
		reflect.TypeFor[map[string]int](),
		reflect.TypeFor[Other](), reflect.TypeFor[*Other](), reflect.TypeFor[any](), reflect.TypeFor[[]Other](),
		reflect.TypeFor[bool](), reflect.TypeFor[Texter](),
	}
	tags := []string{
		"", "", `json:"x"`, `json:",omitempty"`, `json:"y,omitzero"`, `json:"-"`, `json:"q,string"`,
		`json:"Other"`,
	}
	rapid.Check(t, func(t *rapid.T) {
		var fields []reflect.StructField
		for i := range rapid.IntRange(0, 5).Draw(t, "fields") {
			f := reflect.StructField{
				Name: fmt.Sprint("F", i), Type: rapid.SampledFrom(types).Draw(t, "type"),
				Tag: reflect.StructTag(rapid.SampledFrom(tags).Draw(t, "tag")),
			}
			if f.Type == reflect.TypeFor[Other]() && i == 0 {
				f.Name, f.Anonymous = "Other", true
			}
			fields = append(fields, f)
		}
		v := reflect.New(reflect.StructOf(fields)).Elem()
		for i := range v.NumField() {
			if rapid.Bool().Draw(t, "set") {
				fill(t, v.Field(i))
			}
		}
		sameJSON(t, v.Interface())
		sameJSON(t, v.Addr().Interface())
	})
}

// fill sets a value to random contents.
func fill(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Int:
		v.SetInt(int64(rapid.Int().Draw(t, "int")))
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "string"))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
	case reflect.Map:
		v.Set(reflect.ValueOf(rapid.MapOf(rapid.String(), rapid.Int()).Draw(t, "map")))
	case reflect.Interface:
		v.Set(reflect.ValueOf(rapid.Float64Range(-1e22, 1e22).Draw(t, "float")))
	case reflect.Struct:
		if v.NumField() > 0 && v.Field(0).CanSet() {
			fill(t, v.Field(0))
		}
	}
}
