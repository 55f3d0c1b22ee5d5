package jsondoc_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
)

func TestMeant(t *testing.T) {
	t.Parallel()
	type inner struct {
		N *int `json:"n"`
	}
	type Embedded struct {
		Lines []string `json:"lines"`
	}
	type outer struct {
		Embedded
		Turns int             `json:"turns,omitempty"`
		Cost  float64         `json:"cost"`
		Yes   bool            `json:"yes"`
		Paths []string        `json:"paths"`
		Inner inner           `json:"inner"`
		Map   map[string]any  `json:"map"`
		Raw   json.RawMessage `json:"raw"`
		Text  string          `json:"text"`
	}
	for in, want := range map[string]string{
		`{"turns":"3"}`:                   `{"turns":3}`,
		`{"turns":" 3 "}`:                 `{"turns":3}`,
		`{"turns":3.0}`:                   `{"turns":3}`,
		`{"turns":"1e2"}`:                 `{"turns":100}`,
		`{"turns":9007199254740993}`:      `{"turns":9007199254740993}`,
		`{"turns":3.5}`:                   `{"turns":3.5}`,
		`{"turns":"three"}`:               `{"turns":"three"}`,
		`{"turns":""}`:                    `{"turns":""}`,
		`{"turns":"05"}`:                  `{"turns":"05"}`,
		`{"turns":null}`:                  `{"turns":null}`,
		`{"cost":"0.5"}`:                  `{"cost":0.5}`,
		`{"cost":"NaN"}`:                  `{"cost":"NaN"}`,
		`{"yes":"True"}`:                  `{"yes":true}`,
		`{"yes":"yes"}`:                   `{"yes":"yes"}`,
		`{"yes":1}`:                       `{"yes":1}`,
		`{"paths":"a b"}`:                 `{"paths":["a b"]}`,
		`{"paths":"[\"a\",\"b\"]"}`:       `{"paths":["a","b"]}`,
		`{"paths":"[draft].txt"}`:         `{"paths":["[draft].txt"]}`,
		`{"paths":""}`:                    `{"paths":[]}`,
		`{"lines":"a"}`:                   `{"lines":["a"]}`,
		`{"inner":"{\"n\":\"4\"}"}`:       `{"inner":{"n":4}}`,
		`{"inner":{"n":"4"}}`:             `{"inner":{"n":4}}`,
		`{"map":"{\"type\":\"object\"}"}`: `{"map":{"type":"object"}}`,
		`{"map":"x"}`:                     `{"map":"x"}`,
		`{"raw":"3","text":"3"}`:          `{"raw":"3","text":"3"}`,
		`{"other":"3"}`:                   `{"other":"3"}`,
		`[1]`:                             `[1]`,
	} {
		require.JSONEq(t, want, string(jsondoc.Meant(json.RawMessage(in), reflect.TypeFor[outer]())), in)
	}
}
