package jsonfields_test

//lint:file-ignore SA5008 what encoding/json makes of odd tags is what is tested

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/jsonfields"
)

type (
	A      struct{ X, Y int }
	B      struct{ X, Z int }
	C      struct{ A }
	D      struct{ A }
	inner  struct{ X, Q int }
	Num    int
	hidden int
	Tagged struct {
		X int `json:"x"`
	}
	Deep  struct{ C }
	Other struct{ D }
	Loop  struct {
		V int
		*Loop
	}
	Even struct{ N int }
	When struct{ T time.Time }
)

func (e Even) IsZero() bool  { return e.N%2 == 0 }
func (w *When) IsZero() bool { return w.T.Year() == 2000 }

// keys returns a JSON object's keys in order.
func keys(t require.TestingT, data []byte) []string {
	out := []string{}
	dec := json.NewDecoder(bytes.NewReader(data))
	_, err := dec.Token()
	require.NoError(t, err)
	for dec.More() {
		k, err := dec.Token()
		require.NoError(t, err)
		out = append(out, fmt.Sprint(k))
		var skip json.RawMessage
		require.NoError(t, dec.Decode(&skip))
	}
	return out
}

// listed returns the keys of a struct's JSON object, in order, as jsonfields.Of describes them.
func listed(v reflect.Value) []string {
	out := []string{}
	for _, f := range jsonfields.Of(v.Type()) {
		fv, err := v.FieldByIndexErr(f.Path)
		if err != nil || f.OmitEmpty && jsonfields.Empty(fv) || f.OmitZero && jsonfields.Zero(fv) {
			continue
		}
		out = append(out, f.Name)
	}
	return out
}

func agree(t require.TestingT, v any) {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	require.Equal(t, keys(t, data), listed(reflect.ValueOf(v)), "%T: %s", v, data)
}

func TestFieldsAsEncodingJSON(t *testing.T) {
	for _, v := range []any{
		A{},
		C{},
		Deep{},
		Loop{V: 1, Loop: &Loop{}},
		struct {
			A
			B
		}{},
		struct {
			A
			X string
		}{},
		struct {
			*A
			*B
		}{B: &B{}},
		struct {
			C
			D
		}{},
		struct {
			Deep
			Other
		}{},
		struct {
			A `json:"a"`
			B
		}{},
		struct {
			A `json:",omitempty"`
		}{},
		struct {
			Tagged
			B
			Y int `json:"x"`
		}{},
		struct {
			Tagged
			X int
		}{},
		struct {
			inner
			Num
			hidden
		}{hidden: 1},
		struct {
			*inner
			N *Num
		}{inner: &inner{}},
		struct {
			B
			Y int
			Z time.Duration `json:"z,omitzero"`
		}{},
		struct {
			A int `json:"-"`
			B int `json:"-,"`
			C int `json:"bad name\""`
			D int `json:"an-other name,omitempty"`
			E int `json:",omitzero"`
			e int
		}{e: 1},
		struct {
			A Even    `json:",omitzero"`
			B Even    `json:",omitzero"`
			C When    `json:",omitzero"`
			D *Even   `json:",omitzero"`
			E any     `json:",omitzero"`
			F any     `json:",omitempty"`
			G [0]int  `json:",omitempty"`
			H [1]int  `json:",omitempty"`
			I [1]int  `json:",omitzero"`
			J *[]int  `json:",omitempty"`
			K []int   `json:",omitzero"`
			L float64 `json:",omitempty"`
		}{
			B: Even{1}, C: When{time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}, D: &Even{2}, E: 0, F: 0, J: new([]int),
			K: []int{},
		},
	} {
		agree(t, v)
	}
}

// TestGeneratedStructs compares randomly generated structs.
func TestGeneratedStructs(t *testing.T) {
	embeddable := []reflect.Type{
		reflect.TypeFor[A](), reflect.TypeFor[B](), reflect.TypeFor[C](), reflect.TypeFor[D](), reflect.TypeFor[Deep](),
		reflect.TypeFor[Other](),
		reflect.TypeFor[Tagged](), reflect.TypeFor[Num](), reflect.TypeFor[*A](), reflect.TypeFor[*C](),
		reflect.TypeFor[*Other](),
	}
	plain := []reflect.Type{
		reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[*int](), reflect.TypeFor[[]int](),
		reflect.TypeFor[map[string]bool](),
		reflect.TypeFor[A](), reflect.TypeFor[any](), reflect.TypeFor[[2]bool](), reflect.TypeFor[Even](),
		reflect.TypeFor[float64](),
	}
	rapid.Check(t, func(t *rapid.T) {
		var fields []reflect.StructField
		used := map[string]bool{}
		for i := range rapid.IntRange(0, 6).Draw(t, "fields") {
			tag := rapid.SampledFrom(
				[]string{
					"", "", "", `json:"X"`, `json:"x"`, `json:",omitempty"`, `json:"Y,omitzero"`, `json:"-"`,
					`json:"-,"`, `json:"q,string"`, `json:"a b"`, `json:"é"`, `json:"\\"`,
				}).Draw(t, "tag")
			f := reflect.StructField{Tag: reflect.StructTag(tag)}
			if rapid.Bool().Draw(t, "embedded") {
				f.Type, f.Anonymous = rapid.SampledFrom(embeddable).Draw(t, "type"), true
				f.Name = f.Type.Name()
				if f.Type.Kind() == reflect.Pointer {
					f.Name = f.Type.Elem().Name()
				}
			} else {
				f.Type = rapid.SampledFrom(plain).Draw(t, "type")
				f.Name = rapid.SampledFrom([]string{"X", "Y", "Z", "Q", fmt.Sprint("F", i)}).Draw(t, "name")
			}
			if used[f.Name] {
				continue
			}
			used[f.Name] = true
			fields = append(fields, f)
		}
		v := reflect.New(reflect.StructOf(fields)).Elem()
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Pointer && rapid.Bool().Draw(t, "set") {
				f.Set(reflect.New(f.Type().Elem()))
			} else if f.Kind() == reflect.Int && rapid.Bool().Draw(t, "set") {
				f.SetInt(3)
			}
		}
		agree(t, v.Interface())
	})
}
