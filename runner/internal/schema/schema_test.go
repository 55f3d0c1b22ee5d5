package schema_test

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/runner/internal/schema"
)

// TestShortForm: the short form means the corresponding full schema.
func TestShortForm(t *testing.T) {
	for form, want := range map[string]string{
		"name string, year int, tags []string":  `{"type":"object","properties":{"name":{"type":"string"},"year":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}},"required":["name","year","tags"],"additionalProperties":false}`,
		"a, b float64":                          `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"],"additionalProperties":false}`,
		"[]string":                              `{"type":"array","items":{"type":"string"}}`,
		"n *int":                                `{"type":"object","properties":{"n":{"type":["integer","null"]}},"required":["n"],"additionalProperties":false}`,
		"m map[string][]bool,":                  `{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"array","items":{"type":"boolean"}}}},"required":["m"],"additionalProperties":false}`,
		"type *string, map []int, default bool": `{"type":"object","properties":{"type":{"type":["string","null"]},"map":{"type":"array","items":{"type":"integer"}},"default":{"type":"boolean"}},"required":["type","map","default"],"additionalProperties":false}`,
		"[]struct{range, func string; m map[string]struct{go int}}": `{"type":"array","items":{"type":"object","properties":{"range":{"type":"string"},"func":{"type":"string"},"m":{"type":"object","additionalProperties":{"type":"object","properties":{"go":{"type":"integer"}},"required":["go"],"additionalProperties":false}}},"required":["range","func","m"],"additionalProperties":false}}`,
		"a int `json:\"the a\" description:\"first\"`":              `{"type":"object","properties":{"the a":{"type":"integer","description":"first"}},"required":["the a"],"additionalProperties":false}`,
		"p struct{x int; y, z string}":                              `{"type":"object","properties":{"p":{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"string"},"z":{"type":"string"}},"required":["x","y","z"],"additionalProperties":false}},"required":["p"],"additionalProperties":false}`,
	} {
		s, err := schema.Short(form)
		require.NoError(t, err, form)
		require.Equal(t, want, s.JSON)
	}
	for _, form := range []string{
		"", "name", "name string int", "a int, a int", "f func()", "c chan int", "x Person",
		"map[int]string", "a int; b", "a int `json:\"b,omitempty\"`", "a, b int `json:\"c\"`",
	} {
		_, err := schema.Short(form)
		require.Error(t, err, form)
	}
}

// TestWhatIsNotSupportedIsRefusedWithItsPath: nothing in a schema is ignored silently.
func TestWhatIsNotSupportedIsRefusedWithItsPath(t *testing.T) {
	for text, want := range map[string]string{
		`{"properties":{"a":{"oneOf":[]}}}`:                      "#/properties/a/oneOf: this keyword",
		`{"items":{"uniqueItems":true}}`:                         "#/items/uniqueItems: this keyword",
		`{"anyOf":[{},{"not":{}}]}`:                              "#/anyOf/1/not: this keyword",
		`{"$defs":{"x":{"multipleOf":2}}}`:                       "#/$defs/x/multipleOf: this keyword",
		`{"prefixItems":[{"contains":{}}]}`:                      "#/prefixItems/0/contains: this keyword",
		`{"additionalProperties":{"if":{}}}`:                     "#/additionalProperties/if: this keyword",
		`{"properties":{"a":{"$defs":{}}}}`:                      "#/properties/a/$defs: definitions stand at the root",
		`{"type":"text"}`:                                        "#/type: it should be one of null",
		`{"format":"email"}`:                                     "#/format: the formats that are checked",
		`{"pattern":"(?=x)"}`:                                    "#/pattern: this regular expression cannot be used",
		`{"$ref":"#/$defs/none"}`:                                "#/$ref: there is no #/$defs/none",
		`{"$ref":"https://example.org/x"}`:                       "#/$ref: there is no https://example.org/x",
		`{"$ref":"#"}`:                                           "#: it refers to itself",
		`{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`:       "#/$defs/a: it refers to itself",
		`{"minLength":-1}`:                                       "#/minLength: it should be a whole number",
		`{"minimum":"1"}`:                                        "#/minimum: it should be a number",
		`{"properties":{"a":false}}`:                             "#/properties/a: a schema is an object",
		`{"$schema":"http://json-schema.org/draft-07/schema#"}`:  "#/$schema: only https://json-schema.org/draft/2020-12/schema",
		`{"enum":[]}`:                                            "#/enum: it should be a list",
		`{"type":"object","type":"array"}`:                       `the property "type" is there twice`,
		`{"properties":{"a":` + strings.Repeat(`{"items":`, 600): "it is nested too deeply",
		`{"required":"a"}`:                                       "#/required: it should be a list of names",
	} {
		_, err := schema.Parse(text)
		require.ErrorContains(t, err, want, text)
	}
	_, err := schema.Parse(`{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"T","description":"D","default":1,"examples":[1],"$comment":"c"}`)
	require.NoError(t, err, "what constrains nothing is fine")
}

// TestFit: the answer is found where models put it, is returned in the schema's order, and mismatches are named.
func TestFit(t *testing.T) {
	const form = `{"type":"object","properties":{"b":{"type":"integer"},"a":{"anyOf":[{"type":"object","properties":{"y":{"type":"string"},"x":{"type":"number"}}},{"type":"null"}]}},"required":["b"]}`
	s, err := schema.Parse(form)
	require.NoError(t, err)
	for text, want := range map[string]string{
		`{"z":1,"a":{"x":1.50,"y":"<&>"},"b":2e3}`:        `{"b":2000,"a":{"y":"<&>","x":1.50},"z":1}`,
		"Here:\n```json\n{\"a\":null,\"b\":1}\n```\nDone": `{"b":1,"a":null}`,
		`It is {"b": 7} as I said.`:                       `{"b":7}`,
		`<think>{"b":1}</think>{"b":2}`:                   `{"b":2}`,
	} {
		got, err := s.Fit(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for text, want := range map[string]string{
		"":                           "the answer is empty",
		"Blue.":                      "the answer is not JSON",
		`{"b": 1`:                    "the answer is not JSON: it ends in the middle of a value",
		`{"b":1,"a":{"y":2}}`:        "field a.y should be text, and is 2",
		`{"b":1,"a":[]}`:             "field a should be an object or null, and is []",
		`{"b":1e999999999}`:          "field b should be a whole number, and is 1e999999999",
		`{"b":1,"b":2}`:              "the property \"b\" is there twice",
		`I say {"b":"x"}, of course`: `field b should be a whole number, and is "x"`,
	} {
		_, err := s.Fit(text)
		require.ErrorContains(t, err, want)
	}
	word, err := schema.Parse(`{"type":"string","minLength":3}`)
	require.NoError(t, err)
	for text, want := range map[string]string{
		"Emma": `"Emma"`, `"Emma"`: `"Emma"`, "1815": `"1815"`, "It is {a}.": `"It is {a}."`,
	} {
		got, err := word.Fit(text)
		require.NoError(t, err)
		require.Equal(t, want, got, "text need not stand in quotes")
	}
}

// TestNothingTakesForever: nested alternatives double the work with each level, so the work is bounded.
func TestNothingTakesForever(t *testing.T) {
	s, err := schema.Parse(`{"$ref":"#/$defs/t","$defs":{"t":{"anyOf":[
		{"type":"object","properties":{"l":{"$ref":"#/$defs/t"}},"required":["l"]},
		{"type":"object","properties":{"l":{"$ref":"#/$defs/t"}},"required":["l","m"]}]}}}`)
	require.NoError(t, err)
	_, err = s.Fit(strings.Repeat(`{"m":1,"l":`, 400) + "1" + strings.Repeat("}", 400))
	require.ErrorContains(t, err, "too many parts and alternatives")
}

// TestDeclarationIsGo: the declaration compiles for any schema.
func TestDeclarationIsGo(t *testing.T) {
	for _, text := range []string{
		`{"type":"object","properties":{"v":{"type":"integer","enum":[1e21]},"w":{"type":"integer","minimum":2.5}},"required":["v","w"]}`,
		`{}`, `{"type":"string"}`, `{"type":["string","integer"]}`, `{"enum":["a","b"]}`, `{"const":3}`,
		`{"type":["object","null"],"properties":{"a":{}}}`,
		`{"type":"object","properties":{"type":{"type":"string"},"func":{"type":"integer"},"日":{"type":"number"},"日_":{},"a b":{},"a-b":{},"1":{},"":{}}}`,
		`{"type":"object","properties":{"type":{"type":"string"},"日":{"type":"number"},"日_":{},"a b":{},"a-b":{},"1":{},"-":{}},"required":["-"]}`,
		`{"$ref":"#/$defs/Answer","$defs":{"Answer":{"type":"object","properties":{"next":{"$ref":"#"},"more":{"type":"array","items":{"$ref":"#/$defs/Answer"}}}}}}`,
		`{"type":"array","items":{"$ref":"#/$defs/a b"},"$defs":{"a b":{"type":"array","items":{"$ref":"#/$defs/a b"}}}}`,
		`{"type":"object","properties":{"s":{"type":"string","description":"two\nlines */ // \u0060x\u0060"},"t":{"type":"string","format":"date-time"}},"description":"first\nsecond"}`,
		`{"type":"array","prefixItems":[{"type":"string"},{"type":"string"}],"items":false}`,
		`{"anyOf":[{"type":"null"},{"type":"object","properties":{"a":{"type":"boolean"}}}]}`,
		`{"type":"object","additionalProperties":{"type":["array","null"],"items":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}`,
	} {
		s, err := schema.Parse(text)
		require.NoError(t, err, text)
		requireCompiles(t, s)
	}
}

// standard imports the standard packages from source, each once.
var standard = importer.ForCompiler(token.NewFileSet(), "source", nil)

func requireCompiles(t require.TestingT, s *schema.Schema) {
	source := s.Declaration() + "\n\nvar _ Answer = " + s.Example() + "\n"
	fset := token.NewFileSet()
	head := "package main\n"
	if strings.Contains(source, "time.Time") || strings.Contains(source, "time.Now") {
		head += "import \"time\"\n"
	}
	file, err := parser.ParseFile(fset, "", head+source, 0)
	require.NoError(t, err, source)
	conf := types.Config{Importer: standard}
	pkg, err := conf.Check("main", fset, []*ast.File{file}, nil)
	require.NoError(t, err, source)
	require.NotNil(t, pkg.Scope().Lookup(schema.TypeName))
}

// TestAgreesWithAnotherValidator: this package and another validator agree on random schemas and values.
func TestAgreesWithAnotherValidator(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text, err := json.Marshal(map[string]any{
			"type": "object", "properties": map[string]any{"v": anySchema(rt, 3)}, "required": []string{"v"},
		})
		require.NoError(rt, err)
		value, err := json.Marshal(map[string]any{"v": anyValue(rt, 3)})
		require.NoError(rt, err)
		s, err := schema.Parse(string(text))
		require.NoError(rt, err, string(text))
		got, mine := s.Fit(string(value))
		theirs := validator(t, string(text))(string(value))
		require.Equal(rt, theirs == nil, mine == nil, "%s\n%s\n%v\n%v", text, value, mine, theirs)
		if mine == nil {
			require.JSONEq(rt, string(value), got)
		}
		requireCompiles(rt, s)
	})
}

var names = rapid.SampledFrom([]string{"a", "b", "c d", "名", "type"})

func anySchema(t *rapid.T, depth int) map[string]any {
	kinds := []string{"any", "string", "integer", "number", "boolean", "enum", "const", "many"}
	if depth > 0 {
		kinds = append(kinds, "array", "tuple", "object", "map", "anyOf")
	}
	small := rapid.IntRange(-2, 3)
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "any":
		return map[string]any{}
	case "string":
		return rapid.SampledFrom([]map[string]any{
			{"type": "string"},
			{"type": "string", "minLength": 2},
			{"type": "string", "maxLength": 1},
			{"type": "string", "pattern": "^a"},
			{"type": "string", "format": "date"},
			{"type": "string", "format": "date-time"},
			{"type": []string{"string", "null"}},
		}).Draw(t, "text")
	case "integer", "number":
		return map[string]any{
			"type": kind, "minimum": small.Draw(t, "min"),
			"maximum": rapid.SampledFrom([]any{2, 1.5, 1e3}).Draw(t, "max"),
		}
	case "enum":
		return map[string]any{"enum": []any{anyValue(t, 1), "a", 1}}
	case "const":
		return map[string]any{"const": anyValue(t, 1)}
	case "many":
		return map[string]any{"type": []string{"string", "integer", "array"}}
	case "array":
		return map[string]any{
			"type": "array", "items": anySchema(t, depth-1),
			"minItems": rapid.IntRange(0, 2).Draw(t, "least"), "maxItems": 2,
		}
	case "tuple":
		return map[string]any{
			"prefixItems": []any{anySchema(t, depth-1), anySchema(t, depth-1)},
			"items":       rapid.Bool().Draw(t, "more"),
		}
	case "object":
		name, other := names.Draw(t, "name"), names.Draw(t, "other")
		return map[string]any{
			"type": "object", "properties": map[string]any{name: anySchema(t, depth-1), other: anySchema(t, depth-1)},
			"required": []string{name}, "additionalProperties": rapid.Bool().Draw(t, "open"),
		}
	case "map":
		return map[string]any{"type": "object", "additionalProperties": anySchema(t, depth-1)}
	case "anyOf":
		return map[string]any{"anyOf": []any{anySchema(t, depth-1), anySchema(t, depth-1)}}
	default:
		return map[string]any{"type": kind}
	}
}

func anyValue(t *rapid.T, depth int) any {
	kinds := []string{"null", "bool", "number", "text"}
	if depth > 0 {
		kinds = append(kinds, "list", "object")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "value") {
	case "bool":
		return rapid.Bool().Draw(t, "bool")
	case "number":
		return rapid.SampledFrom([]any{0, 1, -2, 1.0, 1.5, 1e21, 3}).Draw(t, "number")
	case "text":
		return rapid.SampledFrom([]string{
			"", "a", "ab", "ä", "2024-05-31", "2024-02-30", "2024-05-31T14:00:00Z",
			"2024-05-31T14:00:00",
		}).Draw(t, "text")
	case "list":
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return anyValue(t, depth-1) }), 0, 3).Draw(t, "list")
	case "object":
		return rapid.MapOfN(names, rapid.Custom(func(t *rapid.T) any { return anyValue(t, depth-1) }), 0, 3).Draw(
			t, "object")
	}
	return nil
}
