package schema_test

//lint:file-ignore SA5008 what encoding/json makes of odd tags is what is tested

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/internal/schema"
)

type (
	color  string
	level  int
	person struct {
		Name string `json:"name"`
		Age  int    `json:"age"`
	}
	node struct {
		Label string `json:"label"`
		Kids  []node `json:"kids"`
	}
	chain struct {
		Value int    `json:"value"`
		Next  *chain `json:"next"`
	}
	base     struct{ ID int }
	embedded struct {
		base
		Name string
	}
	pair[A, B any] struct {
		Left  A `json:"left"`
		Right B `json:"right"`
	}
	celsius float64
	mood    int
	id      [2]byte // like a UUID
	price   struct{ cents int64 }
	listed  []listed
	pointed *pointed
	nested  []struct{ Next nested }
	written int
	flags   struct {
		Big   int64  `json:"big,string"`
		On    bool   `json:"on,string"`
		Plain string `json:"plain"`
	}
)

func (m mood) MarshalText() ([]byte, error) { return []byte([]string{"sad", "glad"}[m]), nil }
func (m *mood) UnmarshalText(text []byte) error {
	if *m = 0; string(text) == "glad" {
		*m = 1
	}
	return nil
}

func (i id) MarshalText() ([]byte, error)     { return hex.AppendEncode(nil, i[:]), nil }
func (i *id) UnmarshalText(text []byte) error { _, err := hex.Decode(i[:], text); return err }

func (p price) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", p.cents/100, p.cents%100), nil
}

func (p *price) UnmarshalJSON(data []byte) error {
	value, err := strconv.ParseFloat(string(data), 64)
	p.cents = int64(math.Round(value * 100))
	return err
}

func (written) MarshalText() ([]byte, error) { return []byte("text"), nil }

// typeCase is a type with JSON that fits it, JSON that does not, and a part of the error message for the latter.
type typeCase struct {
	of          reflect.Type
	good, wrong string
	message     string
}

func of[T any](good, wrong, message string) typeCase {
	return typeCase{reflect.TypeFor[T](), good, wrong, message}
}

const personJSON = `{"name":"Ada","age":36}`

var typeCases = []typeCase{
	of[string](`"x"`, `{"a":1}`, "the answer should be text"),
	of[bool](`true`, `"true"`, "the answer should be true or false"),
	of[int](`-7`, `1.5`, "the answer should be a whole number"),
	of[int8](`127`, `128`, "at most 127"),
	of[int16](`-32768`, `-32769`, "at least -32768"),
	of[int32](`5`, `2147483648`, "at most 2147483647"),
	of[int64](`9223372036854775807`, `9223372036854775808`, "at most 9223372036854775807"),
	of[uint](`0`, `-1`, "at least 0"),
	of[uint8](`255`, `256`, "at most 255"),
	of[uint16](`1`, `70000`, "at most 65535"),
	of[uint32](`1`, `"1"`, "the answer should be a whole number"),
	of[uint64](`18446744073709551615`, `18446744073709551616`, "at most"),
	of[float32](`0.5`, `"0.5"`, "the answer should be a number"),
	of[float64](`2.5e-3`, `null`, "the answer should be a number, and is null"),
	of[color](`"red"`, `[]`, "the answer should be text"),
	of[level](`3`, `"3"`, "the answer should be a whole number"),
	of[celsius](`36.6`, `[]`, "the answer should be a number"),
	of[time.Time](`"2024-05-31T14:00:00Z"`, `"31.5.2024"`, "the answer should be a date and time"),
	of[time.Duration](`"1h30m"`, `"a while"`, "the answer should be text that matches"),
	of[json.Number](`12.50`, `"12.50"`, "the answer should be a number"),
	of[netip.Addr](`"10.0.0.1"`, `[10]`, "the answer should be text"),
	of[*big.Int](`123456789012345678901234567890`, `"1"`, "the answer should be a whole number or null"),
	of[any](`{"a":[1,"x",null]}`, ``, "the answer is empty"),
	of[map[string]any](`{"a":[1]}`, `[1]`, "the answer should be an object"),
	of[[]any](`[1,"a",null]`, `{"a":1}`, "the answer should be a list"),
	of[*string](`null`, `[4]`, "the answer should be text or null"),
	of[*int](`4`, `"4"`, "the answer should be a whole number or null"),
	of[*time.Time](`"2024-05-31T14:00:00Z"`, `true`, "the answer should be text or null"),
	of[[]string](`["a","b"]`, `["a",2]`, "field [1] should be text"),
	of[[]int](`[1,2]`, `[1,"2"]`, "field [1] should be a whole number"),
	of[[]bool](`[]`, `[0]`, "field [0] should be true or false"),
	of[[][]float64](`[[1.5],[]]`, `[[1.5],["x"]]`, "field [1][0] should be a number"),
	of[[3]int](`[1,2,3]`, `[1,2]`, "the answer should be a list of at least 3 values"),
	of[[2][]string](`[["a"],[]]`, `[["a"],[],[]]`, "at most 2 values"),
	of[[]time.Time](`["2024-05-31T14:00:00Z"]`, `["x"]`, "field [0] should be a date and time"),
	of[[]time.Duration](`["1s"]`, `[1]`, "field [0] should be text"),
	of[[]*string](`["a",null]`, `["a",1]`, "field [1] should be text or null"),
	of[map[string]int](`{"a":1}`, `{"a":"1"}`, "field a should be a whole number"),
	of[map[string][]string](`{"a":["x"]}`, `{"a":[1]}`, "field a[0] should be text"),
	of[map[int]string](`{"1":"a"}`, `{"1":2}`, "field 1 should be text"),
	of[map[color]bool](`{"red":true}`, `{"red":"yes"}`, "field red should be true or false"),
	of[map[string]time.Duration](`{"a":"2s"}`, `{"a":"2 s"}`, "field a should be text that matches"),
	of[map[string]person](`{"x":`+personJSON+`}`, `{"x":{"name":"Ada"}}`, "field x.age is missing"),
	of[map[string]map[string]int](`{"a":{"b":1}}`, `{"a":{"b":null}}`, "field a.b should be a whole number"),
	of[person](personJSON, `{"name":"Ada","Age":36}`,
		`field age is missing (the answer has "Age"; the name must be exact)`),
	of[*person](`null`, `{"name":"Ada","age":"36"}`, "field age should be a whole number"),
	of[[]person](`[`+personJSON+`]`, `[{"name":"Ada","age":36,"x":1}]`,
		"field [0].x is not one that the answer has; there are name, age"),
	of[node](`{"label":"a","kids":[{"label":"b","kids":[]}]}`, `{"label":"a","kids":[{"label":"b"}]}`,
		"field kids[0].kids is missing"),
	of[chain](`{"value":1,"next":{"value":2,"next":null}}`, `{"value":1,"next":{"value":"2","next":null}}`,
		"field next.value should be a whole number"),
	of[embedded](`{"ID":1,"Name":"x"}`, `{"Name":"x"}`, "field ID is missing"),
	of[struct {
		person
		Note string `json:"note"`
	}](`{"name":"Ada","age":1,"note":""}`, `{"name":"Ada","age":1}`, "field note is missing"),
	of[pair[int, string]](`{"left":1,"right":"a"}`, `{"left":"a","right":"a"}`, "field left should be a whole number"),
	of[pair[*person, []time.Duration]](
		`{"left":null,"right":["1s"]}`, `{"left":null,"right":null}`, "field right should be a list"),
	of[flags](`{"big":"9007199254740993","on":"true","plain":"x"}`, `{"big":"many","on":"true","plain":"x"}`,
		"field big should be text that matches"),
	of[struct {
		A string `json:"a,omitempty"`
		B *int   `json:"b"`
	}](`{"a":"x","b":null}`, `{"a":"x"}`, "field b is missing"),
	of[struct {
		A []string  `json:"a,omitempty"`
		T time.Time `json:"t,omitzero"`
	}](`{}`, `{"a":[1]}`, "field a[0] should be text"),
	of[struct {
		Kept    int `json:"kept"`
		Skipped int `json:"-"`
		hidden  int
	}](`{"kept":1}`, `{"kept":1,"Skipped":2}`, "field Skipped is not one that the answer has"),
	of[struct {
		Dash string `json:"-,"`
		Odd  int    `json:"odd name/%"`
	}](`{"-":"x","odd name/%":1}`, `{"-":1,"odd name/%":1}`, "field - should be text"),
	of[struct {
		Raw json.RawMessage `json:"raw"`
		Any any             `json:"any"`
	}](`{"raw":{"a":1},"any":2}`, `{"raw":{"a":1}}`, "field any is missing"),
	of[struct {
		Took  time.Duration `json:"took"`
		Parts struct {
			First, Second *time.Duration
		} `json:"parts"`
	}](`{"took":"90s","parts":{"First":"1ms","Second":null}}`, `{"took":"90s","parts":{"First":"soon","Second":null}}`,
		"field parts.First should be text that matches"),
	of[struct {
		People map[string][]*person `json:"people"`
	}](`{"people":{"a":[`+personJSON+`,null]}}`, `{"people":{"a":[{"name":1,"age":2}]}}`,
		"field people.a[0].name should be text"),
	of[struct {
		Mood color `json:"mood" enum:"red,blue"`
	}](`{"mood":"blue"}`, `{"mood":"green"}`, `field mood should be one of "red", "blue", and is "green"`),
	of[struct {
		Levels [2]*level `json:"levels" enum:"1,2"`
	}](`{"levels":[2,null]}`, `{"levels":[2,3]}`, `field levels[1] should be one of 1, 2, and is 3`),
	of[struct {
		From netip.Addr `json:"from" enum:"10.0.0.1,10.0.0.2"`
		Most uint64     `json:"most,omitempty" enum:"18446744073709551615"`
	}](`{"from":"10.0.0.2","most":18446744073709551615}`, `{"from":7,"most":null}`,
		`field from should be one of "10.0.0.1", "10.0.0.2", and is 7`),
	of[map[netip.Addr]string](`{"10.0.0.1":"a"}`, `{"10.0.0.1":2}`, "field 10.0.0.1 should be text"),
	of[mood](`"glad"`, `[1]`, "the answer should be text"),
	of[map[mood][]mood](`{"glad":["sad"]}`, `{"glad":[1]}`, "field glad[0] should be text"),
	of[struct {
		ID    id     `json:"id"`
		Price price  `json:"price"`
		Was   *price `json:"was"`
	}](`{"id":"00ff","price":12.50,"was":null}`, `{"id":7,"price":1,"was":1}`, "field id should be text"),
	of[struct{ 日付 string }](`{}`, ``, ""), // refused: it has no exported field
	of[struct {
		Größe int    `json:"größe"`
		Ort   string `json:"地点"`
	}](`{"größe":1,"地点":"北京"}`, `{"größe":1,"地点":2}`, "field 地点 should be text"),
}

// TestTypesRoundTrip: the schema of each type accepts what encoding/json writes and yields the same value; a wrong
// value is refused with the name of its field; and an independent validator agrees with both.
func TestTypesRoundTrip(t *testing.T) {
	tried := 0
	for _, c := range typeCases {
		if c.message == "" {
			_, err := schema.Of(c.of)
			require.ErrorContains(t, err, "no exported field")
			continue
		}
		tried++
		t.Run(fmt.Sprintf("%d %s", tried, c.of), func(t *testing.T) {
			s, err := schema.Of(c.of)
			require.NoError(t, err)
			fitting, err := s.Fit(c.good)
			require.NoError(t, err)
			require.JSONEq(t, c.good, fitting)

			first, again := reflect.New(c.of).Elem(), reflect.New(c.of).Elem()
			require.NoError(t, schema.Decode(fitting, first))
			if !strings.Contains(s.JSON, "duration") { // encoding/json writes durations as numbers
				written, err := json.Marshal(first.Interface())
				require.NoError(t, err)
				once, err := s.Fit(string(written))
				require.NoError(t, err, "what encoding/json writes fits: %s", written)
				require.NoError(t, schema.Decode(once, again))
				require.Equal(t, first.Interface(), again.Interface())
			}
			_, err = s.Fit(c.wrong)
			require.ErrorContains(t, err, c.message)

			judge := validator(t, s.JSON)
			require.NoError(t, judge(c.good))
			if c.wrong != "" {
				require.Error(t, judge(c.wrong))
			}
			require.Contains(t, s.Declaration(), "type Answer ")
		})
	}
	require.GreaterOrEqual(t, tried, 60)
}

// validator returns an independent validator.
func validator(t *testing.T, text string) func(value string) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("schema.json", document))
	compiled, err := compiler.Compile("schema.json")
	require.NoError(t, err, text)
	return func(value string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
		require.NoError(t, err)
		return compiled.Validate(v)
	}
}

func TestTypesThatNoAnswerHas(t *testing.T) {
	for want, typ := range map[string]reflect.Type{
		"an answer cannot be a func(): JSON has no such value":                                                       reflect.TypeFor[func()](),
		"an answer cannot have field E of type error: no JSON value says which type an interface with methods holds": reflect.TypeFor[struct{ E error }](),
		"an answer cannot have field B of type []uint8: use string for text":                                         reflect.TypeFor[struct{ B []byte }](),
		"an answer cannot have field M[] of type map[schema_test.person]int: the keys of a JSON object are text":     reflect.TypeFor[struct{ M []map[person]int }](),
		"an answer cannot have field [] of type schema_test.listed: it holds itself":                                 reflect.TypeFor[listed](),
		"an answer cannot be a schema_test.pointed: it holds itself":                                                 reflect.TypeFor[pointed](),
		"an answer cannot be a schema_test.nested: it holds itself without a named struct":                           reflect.TypeFor[nested](),
		"an answer cannot have field W of type schema_test.written: it writes JSON of its own and cannot read it":    reflect.TypeFor[struct{ W written }](),
		"an answer cannot have field M of type map[schema_test.written]int: its keys are written as text":            reflect.TypeFor[struct{ M map[written]int }](),
		"an answer cannot have field C.D of type complex128: JSON has no such value":                                 reflect.TypeFor[struct{ C struct{ D complex128 } }](),
	} {
		_, err := schema.Of(typ)
		require.ErrorContains(t, err, want)
	}
}
