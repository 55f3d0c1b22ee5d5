package typed_test

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/builtins/internal/typed"
)

func decode(reply string, t types.Type, target reflect.Value) error {
	return typed.Decode(reply, t, target, nil)
}

// declarations is the source of a cell's types; below are the same types compiled, which is how an engine passes
// them.
const declarations = `package main

import "time"

type Severity string

const (
	Low  Severity = "low"
	High Severity = "high"
)

type Step int

const (
	Detected Step = iota
	Contained
	Resolved
)

type Contact struct {
	Name  string
	Phone *string
}

type Audit struct {
	By string ` + "`json:\"by\"`" + `
}

type Incident struct {
	Audit
	Title    string            ` + "`json:\"title\" description:\"a short title\"`" + `
	Severity Severity          ` + "`json:\"severity\"`" + `
	Step     Step              ` + "`json:\"step\"`" + `
	Began    time.Time         ` + "`json:\"began\"`" + `
	Took     time.Duration     ` + "`json:\"took\"`" + `
	Services []string          ` + "`json:\"services\"`" + `
	Counts   map[string]uint8  ` + "`json:\"counts\"`" + `
	Owner    *Contact          ` + "`json:\"owner\"`" + `
	Score    float64           ` + "`json:\"score\"`" + `
	Open     bool              ` + "`json:\"open\"`" + `
	Note     string            ` + "`json:\"note,omitempty\"`" + `
	Pair     [2]int            ` + "`json:\"pair\"`" + `
	Extra    any               ` + "`json:\"extra\"`" + `
	Skipped  chan int          ` + "`json:\"-\"`" + `
	hidden   int
}

type Node struct {
	Name     string
	Children []Node
}

type Custom struct{ x int }

func (c *Custom) UnmarshalJSON(b []byte) error { return nil }

var (
	incident  Incident
	incidents []Incident
	node      Node
	contact   Contact
	severity  Severity
	number    int8
	labels    map[Severity]int
	byYear    map[int]string
	anything  any
	custom    Custom
	function  struct{ F func() }
	stringer  struct{ E error }
	empty     struct{ x int }
	bytes     []byte
	nested    struct{ List []struct{ When time.Time; Kind Severity } }
	listed    struct {
		Size  string           ` + "`enum:\"small, large\"`" + `
		Stars []int8           ` + "`enum:\"1,2,3\"`" + `
		Kind  Severity         ` + "`enum:\"high\"`" + `
		Steps map[string]*Step ` + "`enum:\"Detected,Resolved\"`" + `
		Note  *string          ` + "`enum:\"new,old\"`" + `
		Some  uint             ` + "`json:\",omitempty\" enum:\"4\"`" + `
	}
	twice    struct{ X string ` + "`enum:\"a,a\"`" + ` }
	halves   struct{ X float64 ` + "`enum:\"0.5\"`" + ` }
	noNumber struct{ X []int ` + "`enum:\"1,two\"`" + ` }
	negative struct{ X uint8 ` + "`enum:\"-1\"`" + ` }
	unlike   struct{ X *Severity ` + "`enum:\"low,dire\"`" + ` }
	within   struct{ X Node ` + "`enum:\"a\"`" + ` }
)
`

type (
	Severity string
	Step     int
	Contact  struct {
		Name  string
		Phone *string
	}
	Audit struct {
		By string `json:"by"`
	}
	Incident struct {
		Audit
		Title    string           `json:"title"`
		Severity Severity         `json:"severity"`
		Step     Step             `json:"step"`
		Began    time.Time        `json:"began"`
		Took     time.Duration    `json:"took"`
		Services []string         `json:"services"`
		Counts   map[string]uint8 `json:"counts"`
		Owner    *Contact         `json:"owner"`
		Score    float64          `json:"score"`
		Open     bool             `json:"open"`
		Note     string           `json:"note,omitempty"`
		Pair     [2]int           `json:"pair"`
		Extra    any              `json:"extra"`
		Skipped  chan int         `json:"-"`
		hidden   int
	}
	Node struct {
		Name     string
		Children []Node
	}
	record struct {
		Size  string
		Stars []int8
		Kind  Severity
		Steps map[string]*Step
		Note  *string
		Some  uint
	}
)

// checked is declarations after the type check.
var checked = sync.OnceValues(func() (*types.Package, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "cell", declarations, 0)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	return conf.Check("main", fset, []*ast.File{file}, nil)
})

// static returns the type of a variable of declarations.
func static(t *testing.T, name string) types.Type {
	t.Helper()
	pkg, err := checked()
	require.NoError(t, err)
	return pkg.Scope().Lookup(name).Type()
}

const good = `{
	"by": "ops", "title": "Disk full", "severity": "high", "step": "Contained", "began": "2026-03-05T04:05:06Z", "took": "1h30m",
	"services": ["ledger", "gateway"], "counts": {"errors": 200}, "owner": {"Name": "Ada", "Phone": null}, "score": 0.5,
	"open": true, "note": null, "pair": [1, 2], "extra": {"any": [1, "x"]}
}`

func TestDecodeFillsEveryKindOfField(t *testing.T) {
	var got Incident
	require.NoError(t, decode(good, static(t, "incident"), reflect.ValueOf(&got).Elem()))
	require.Equal(t, Incident{
		Audit: Audit{By: "ops"}, Title: "Disk full", Severity: "high", Step: 1,
		Began: time.Date(2026, 3, 5, 4, 5, 6, 0, time.UTC), Took: 90 * time.Minute,
		Services: []string{"ledger", "gateway"}, Counts: map[string]uint8{"errors": 200}, Owner: &Contact{Name: "Ada"},
		Score: 0.5, Open: true, Pair: [2]int{1, 2}, Extra: map[string]any{"any": []any{1.0, "x"}},
	}, got)
	require.Zero(t, got.hidden)
}

func TestDecodeFindsJSONAsModelsWriteIt(t *testing.T) {
	want := Contact{Name: "Ada"}
	typ := static(t, "contact")
	for name, reply := range map[string]string{
		"bare":            `{"Name":"Ada"}`,
		"fenced":          "Here you are:\n```json\n{\"Name\": \"Ada\"}\n```\nAnything else?",
		"fence, no tag":   "```\n{\"Name\": \"Ada\"}\n```",
		"between prose":   `The contact is {"Name": "Ada"}, as far as I see.`,
		"after thinking":  "<think>Is it {Ada}? {\"Name\": \"Eve\"}?</think>{\"Name\": \"Ada\"}",
		"among brackets":  "In the set {x, y} of [a] names it is {\"Name\": \"Ada\"} {as I said}.",
		"a draft first":   "```json\n{\"Name\": }\n```\nNo, rather:\n```json\n{\"Name\": \"Ada\"}\n```",
		"a harmless more": `{"Name":"Ada","Phone":null,"Reason":"it says so"}`,
	} {
		t.Run(name, func(t *testing.T) {
			var got Contact
			require.NoError(t, decode(reply, typ, reflect.ValueOf(&got).Elem()))
			require.Equal(t, want, got)
		})
	}
}

func TestDecodeNamesTheFieldThatDoesNotFit(t *testing.T) {
	typ := static(t, "incident")
	cases := []struct{ name, old, new, want string }{
		{"missing", `"title": "Disk full", `, ``, "field title is missing"},
		{
			"another spelling", `"title"`, `"Title"`,
			`field title is missing (the reply has "Title"; the name must be exact)`,
		},
		{"of an embedded struct", `"by": "ops", `, ``, "field by is missing"},
		{"null", `"Disk full"`, `null`, "field title should be text, and is null"},
		{"not text", `"Disk full"`, `7`, "field title should be text, and is 7"},
		{
			"not of the enumeration", `"severity": "high"`, `"severity": "urgent"`,
			`field severity should be one of "low", "high", and is "urgent"`,
		},
		{
			"not of the named numbers", `"Contained"`, `1`,
			`field step should be one of "Detected", "Contained", "Resolved", and is 1`,
		},
		{"in a list", `"gateway"`, `3`, "field services[1] should be text, and is 3"},
		{"in a map", `200`, `300`, "field counts.errors should be a whole number that fits into uint8, and is 300"},
		{"nested", `"Name": "Ada"`, `"Name": false`, "field owner.Name should be text, and is false"},
		{"not whole", `[1, 2]`, `[1, 2.5]`, "field pair[1] should be a whole number that fits into int, and is 2.5"},
		{"wrong length", `[1, 2]`, `[1]`, "field pair should be a list of exactly 2 values, and is [1]"},
		{
			"no date", `2026-03-05T04:05:06Z`, `last spring`,
			`field began should be a date and time in RFC 3339, such as 2024-05-31T14:00:00Z, and is "last spring"`,
		},
		{"no duration", `1h30m`, `90`, `field took should be a duration such as 1h30m, and is "90"`},
		{"null for a list", `["ledger", "gateway"]`, `null`, "field services should be a list, and is null"},
		{
			"a misspelt optional one", `"note": null`, `"notes": "x"`,
			"field notes is unknown, and note is missing (null says that there is none)",
		},
		{"cut", `"extra": {"any": [1, "x"]}
}`, ``, "the reply is not JSON: it ends in the middle of a value"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, good, c.old)
			got := Incident{Title: "untouched"}
			err := decode(strings.Replace(good, c.old, c.new, 1), typ, reflect.ValueOf(&got).Elem())
			require.EqualError(t, err, c.want)
			require.Equal(t, Incident{Title: "untouched"}, got, "a reply that does not fit changes nothing")
		})
	}
}

func TestDecodeOtherThanObjects(t *testing.T) {
	var n int8
	for _, reply := range []string{"7", `{"value": 7}`, "7.0", "```json\n7\n```"} {
		n = 0
		require.NoError(t, decode(reply, static(t, "number"), reflect.ValueOf(&n).Elem()), reply)
		require.EqualValues(t, 7, n)
	}
	require.EqualError(t, decode("1000", static(t, "number"), reflect.ValueOf(&n).Elem()),
		"the reply should be a whole number that fits into int8, and is 1000")

	var labels map[Severity]int
	require.NoError(t, decode(`{"low": 1}`, static(t, "labels"), reflect.ValueOf(&labels).Elem()))
	require.Equal(t, map[Severity]int{"low": 1}, labels)
	require.ErrorContains(t, decode(`{"lo": 1}`, static(t, "labels"), reflect.ValueOf(&labels).Elem()),
		`one of "low", "high"`)

	var years map[int]string
	require.NoError(t, decode(`{"2024": "a"}`, static(t, "byYear"), reflect.ValueOf(&years).Elem()))
	require.Equal(t, map[int]string{2024: "a"}, years)

	var anything any
	require.NoError(t, decode(`[1, 9007199254740993]`, static(t, "anything"), reflect.ValueOf(&anything).Elem()))
	require.Equal(t, []any{1.0, json.Number("9007199254740993")}, anything)
	require.EqualError(t, decode("  ", static(t, "anything"), reflect.ValueOf(&anything).Elem()),
		"the reply is empty")
}

// listed fits the variable listed of declarations: all its values are among those that the fields' tags list. Each
// text of unlisted has one value that is not.
const listed = `{"Size":"large","Stars":[1,3.0],"Kind":"high","Steps":{"a":"Resolved","b":null},"Note":null,"Some":null}`

var unlisted = []string{
	strings.Replace(listed, `large`, `huge`, 1), strings.Replace(listed, `3.0`, `4`, 1),
	strings.Replace(listed, `high`, `low`, 1),
	strings.Replace(listed, `Resolved`, `Contained`, 1), strings.Replace(listed, `"Note":null`, `"Note":""`, 1),
	strings.Replace(listed, `"Some":null`, `"Some":5`, 1),
	strings.Replace(listed, `"large"`, `7`, 1),
}

func TestTagListsTheValuesOfAField(t *testing.T) {
	var got record
	typ, into, resolved := static(t, "listed"), reflect.ValueOf(&got).Elem(), Step(2)
	require.NoError(t, decode(listed, typ, into))
	require.Equal(t, record{
		Size: "large", Stars: []int8{1, 3}, Kind: "high",
		Steps: map[string]*Step{"a": &resolved, "b": nil},
	}, got)
	for i, want := range []string{
		`field Size should be one of "small", "large", and is "huge"`,
		`field Stars[1] should be one of 1, 2, 3, and is 4`,
		`field Kind should be one of "high", and is "low"`,
		`field Steps.a should be one of "Detected", "Resolved", and is "Contained"`,
		`field Note should be one of "new", "old", and is ""`,
		`field Some should be one of 4, and is 5`,
		`field Size should be one of "small", "large", and is 7`,
	} {
		require.EqualError(t, decode(unlisted[i], typ, into), want)
	}
	require.NoError(t, typed.Unmarshal([]byte(`{"Size":"huge"}`), typ, into), "a Go program's own values are its own")
	require.Equal(t, record{Size: "huge"}, got)
}

func TestRecursiveTypes(t *testing.T) {
	var got Node
	typ := static(t, "node")
	require.NoError(t, decode(
		`{"Name":"a","Children":[{"Name":"b","Children":[]}]}`, typ, reflect.ValueOf(&got).Elem()))
	require.Equal(t, "b", got.Children[0].Name)
	require.EqualError(t, decode(`{"Name":"a","Children":[{"Name":"b"}]}`, typ, reflect.ValueOf(&got).Elem()),
		"field Children[0].Children is missing")
}

func TestSchemaRefusesWhatAReplyCannotFill(t *testing.T) {
	for name, want := range map[string]string{
		"function": "a reply cannot fill field F of type func(): JSON has no such value",
		"stringer": "a reply cannot fill field E of type error: no JSON value says which type an interface with methods holds; use a struct",
		"empty":    "a reply cannot fill a struct{x int}: it has no exported field that a reply could fill",
		"bytes":    "a reply cannot fill a []byte: use string for text",
		"twice":    `a reply cannot fill field X of type string: the tag enum:"a,a" has "a" twice`,
		"halves":   `a reply cannot fill field X of type float64: the tag enum:"…" is for text, whole numbers, and lists and maps of these`,
		"noNumber": `a reply cannot fill field X of type []int: the tag enum:"1,two" has "two", which is no whole number`,
		"negative": `a reply cannot fill field X of type uint8: the tag enum:"…" has -1, which the type cannot hold`,
		"unlike":   `a reply cannot fill field X of type *Severity: the tag enum:"…" has "dire", which is none of the type's constants`,
		"within":   `a reply cannot fill field X of type Node: the tag enum:"…" is for text, whole numbers, and lists and maps of these`,
		"custom":   "a reply cannot fill a Custom: its method UnmarshalJSON would not be called; use a plain type here and convert it afterwards",
	} {
		_, err := typed.SchemaOf(static(t, name))
		require.EqualError(t, err, want, name)
	}
	parameter := types.NewTypeParam(types.NewTypeName(token.NoPos, nil, "T", nil), types.Universe.Lookup("any").Type())
	_, err := typed.SchemaOf(parameter)
	require.EqualError(t, err,
		"a reply cannot fill a T: a type parameter is no type yet; use a variable of a concrete type")
}

// TestSchemaAndDecodeAgree checks with an independent validator that decoding accepts values that fit the schema,
// and that the values it rejects do not fit.
func TestSchemaAndDecodeAgree(t *testing.T) {
	values := map[string][]string{
		"incident": {
			good, strings.Replace(good, `"high"`, `"urgent"`, 1), strings.Replace(good, `[1, 2]`, `[1]`, 1),
			strings.Replace(good, `true`, `"true"`, 1),
			strings.Replace(good, `"Contained"`, `1`, 1), strings.Replace(good, `"title"`, `"titel"`, 1),
			strings.Replace(good, `"note": null`, `"note": "x"`, 1),
			strings.Replace(good, `{"Name": "Ada", "Phone": null}`, `null`, 1),
			strings.Replace(good, `0.5`, `"0.5"`, 1),
		},
		"node": {
			`{"Name":"a","Children":[]}`, `{"Name":"a","Children":[{"Name":1,"Children":[]}]}`,
			`{"Name":"a"}`,
		},
		"severity":  {`{"value":"low"}`, `{"value":"lowest"}`, `{"value":1}`},
		"incidents": {`{"value":[]}`, `{"value":[` + good + `]}`, `{"value":{}}`},
		"nested": {
			`{"List":[{"When":"2026-01-01T00:00:00Z","Kind":"low"}]}`,
			`{"List":[{"When":"2026-01-01T00:00:00Z","Kind":"x"}]}`, `{"List":[{}]}`,
		},
		"labels": {`{"low":1}`, `{"lo":1}`, `{"low":"1"}`},
		"listed": append(slices.Clone(unlisted), listed, strings.Replace(listed, `3.0`, `3`, 1)),
	}
	for name, replies := range values {
		typ := static(t, name)
		schema, err := typed.SchemaOf(typ)
		require.NoError(t, err)
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema.JSON)))
		require.NoError(t, err)
		compiler := jsonschema.NewCompiler()
		require.NoError(t, compiler.AddResource("schema.json", document))
		validator, err := compiler.Compile("schema.json")
		require.NoError(t, err, string(schema.JSON))
		for _, reply := range replies {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(reply))
			require.NoError(t, err)
			target := reflect.New(compiled[name]).Elem()
			require.Equal(t, validator.Validate(value) == nil, decode(reply, typ, target) == nil, "%s: %s\n%s",
				name, reply, schema.JSON)
		}
	}
}

var compiled = map[string]reflect.Type{
	"incident": reflect.TypeFor[Incident](), "node": reflect.TypeFor[Node](), "severity": reflect.TypeFor[Severity](),
	"incidents": reflect.TypeFor[[]Incident](), "labels": reflect.TypeFor[map[Severity]int](),
	"listed": reflect.TypeFor[record](),
	"nested": reflect.TypeFor[struct {
		List []struct {
			When time.Time
			Kind Severity
		}
	}](),
}

func TestSchemaText(t *testing.T) {
	schema, err := typed.SchemaOf(static(t, "contact"))
	require.NoError(t, err)
	require.Equal(t, "Contact", schema.Name)
	require.JSONEq(t, `{"type":"object","properties":{"Name":{"type":"string"},"Phone":{"type":["string","null"]}},"required":["Name","Phone"],"additionalProperties":false}`, string(schema.JSON))
	schema, err = typed.SchemaOf(static(t, "incident"))
	require.NoError(t, err)
	require.Contains(t, string(schema.JSON), `"title":{"type":"string","description":"a short title"}`)
	require.NotContains(t, string(schema.JSON), "Skipped")
	require.NotContains(t, string(schema.JSON), "hidden")
}

func TestEncodeAndUnmarshalAgreeWithEncodingJSON(t *testing.T) {
	phone := "1"
	in := Incident{
		Audit: Audit{"x"}, Title: "t", Severity: "other", Step: 2, Began: time.Unix(0, 0).UTC(), Took: time.Second,
		Services: nil,
		Counts:   map[string]uint8{"a": 1}, Owner: &Contact{"n", &phone}, Extra: []any{1.5, nil, "x"}, hidden: 3,
	}
	typ := static(t, "incident")
	want, err := json.Marshal(in)
	require.NoError(t, err)
	got, err := typed.Encode(reflect.ValueOf(in), typ)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(got))

	var fromThem, fromUs Incident
	require.NoError(t, json.Unmarshal(want, &fromThem))
	require.NoError(t, typed.Unmarshal(want, typ, reflect.ValueOf(&fromUs).Elem()))
	require.Equal(t, fromThem, fromUs)

	var data []byte
	require.NoError(t, typed.Unmarshal([]byte(`"aGk="`), static(t, "bytes"), reflect.ValueOf(&data).Elem()))
	require.Equal(t, "hi", string(data))
}

func TestParse(t *testing.T) {
	for in, want := range map[string]any{
		`{"a": [1, true, null]}`:    map[string]any{"a": []any{1.0, true, nil}},
		"{\"a\": 1}\n{\"a\": 2}\n":  []any{map[string]any{"a": 1.0}, map[string]any{"a": 2.0}},
		"```json\n[1]\n```":         []any{1.0},
		`The list: [1, 2]. Enough.`: []any{1.0, 2.0},
		`12345678901234567890`:      json.Number("12345678901234567890"),
		`1e3`:                       1000.0,
	} {
		got, err := typed.Parse(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got)
	}
	for _, broken := range []string{`{"a": {"b": 1}, oops}`, `The result: {"a": {"b": 1}, "c": `, `[[1, 2], [3`} {
		_, err := typed.Parse(broken)
		require.Error(t, err, "a part of a broken value is not the value: %s", broken)
	}
	_, err := typed.Parse("no JSON here")
	require.ErrorContains(t, err, "not JSON")
}

func FuzzDecode(f *testing.F) {
	f.Add(good)
	f.Add("```\n[")
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "cell", strings.ReplaceAll(declarations, "time.", "my"), 0)
	require.NoError(f, err)
	file.Decls = file.Decls[1:]
	conf := types.Config{Error: func(error) {}}
	pkg, _ := conf.Check("main", fset, []*ast.File{file}, nil)
	typ := pkg.Scope().Lookup("node").Type()
	f.Fuzz(func(t *testing.T, reply string) {
		var got Node
		_ = decode(reply, typ, reflect.ValueOf(&got).Elem())
	})
}
