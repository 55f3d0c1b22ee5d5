package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type severity int

func (s severity) String() string { return []string{"LOW", "HIGH"}[s] }

type panicky struct{ Name string }

func (panicky) String() string { panic("no") }

type onPointer struct{ n int }

func (p *onPointer) String() string { return fmt.Sprint("at ", p.n) }

type finding struct {
	Name   string  `json:"name"`
	Count  int     `json:"count,omitempty"`
	Score  float64 `json:"score"`
	Secret string  `json:"-"`
	note   string
}

type keyedBack struct{ m map[*keyedBack]int }

type node struct {
	Value int
	Next  *node
}

func TestFormat(t *testing.T) {
	cyclicMap := map[string]any{"a": 1}
	cyclicMap["self"] = cyclicMap
	keyed := &keyedBack{m: map[*keyedBack]int{}}
	keyed.m[keyed] = 1
	cyclicSlice := []any{1, nil}
	cyclicSlice[1] = cyclicSlice
	ring := &node{Value: 1}
	ring.Next = &node{Value: 2, Next: ring}
	var noPointer *finding
	var noError error
	tenth := 0.1
	for _, c := range []struct {
		name string
		v    any
		want string
	}{
		{"string", "hello\n  world ", "hello\n  world "},
		{"answer key", map[string]any{"answer": 42, "x": 1}, "42"},
		{"answer key inside", map[string]any{"answer": map[string]int{"a": 1}}, "{\n  \"a\": 1\n}"},
		{"answer field", struct {
			Answer string `json:"answer"`
			Why    string
		}{"Paris", "b"}, "Paris"},
		{"map", map[string]any{"key": "value", "count": 10}, "{\n  \"count\": 10,\n  \"key\": \"value\"\n}"},
		{"map with numbers as keys", map[int]string{10: "b", 9: "a"}, "{\n  \"9\": \"a\",\n  \"10\": \"b\"\n}"},
		{"struct", finding{Name: "a <b>", Score: 0.5, note: "n"}, "{\n  \"name\": \"a <b>\",\n  \"score\": 0.5\n}"},
		{"struct without exported fields", struct {
			name string
			n    int
		}{"a", 1}, "{\n  \"name\": \"a\",\n  \"n\": 1\n}"},
		{"pointer", &finding{Name: "a"}, "{\n  \"name\": \"a\",\n  \"score\": 0\n}"},
		{"slice", []string{"line1", "line2"}, `["line1", "line2"]`},
		{"slice of numbers", []float64{1, 2.5, 1e6}, "[1, 2.5, 1000000]"},
		{
			"slice of structs",
			[]finding{{Name: "a"}, {Name: "b", Count: 2}},
			"[\n  {\"name\": \"a\", \"score\": 0},\n  {\"name\": \"b\", \"count\": 2, \"score\": 0}\n]",
		},
		{"slice of slices", [][]int{{1, 2}, {}}, "[[1, 2], []]"},
		{"array", [2]bool{true, false}, "[true, false]"},
		{"empty slice", []int{}, "[]"},
		{"nil slice", []int(nil), "[]"},
		{"empty map", map[string]int{}, "{}"},
		{"nil map", map[string]int(nil), "{}"},
		{"bytes", []byte("text"), "text"},
		{"bytes that are no text", []byte{0xff, 0}, "ff00"},
		{"int", 42, "42"},
		{"big int", int64(math.MaxInt64), "9223372036854775807"},
		{"float", 1e6, "1000000"},
		{"float of a sum", tenth + 0.2, "0.30000000000000004"},
		{"large", 123456789012.5, "123456789012.5"},
		{"very large", 1e300, "1e+300"},
		{"small", 0.00001, "0.00001"},
		{"very small", 1e-9, "1e-09"},
		{"minus zero", math.Copysign(0, -1), "0"},
		{"NaN", math.NaN(), "NaN"},
		{"infinite", math.Inf(-1), "-Inf"},
		{"NaN in a map", map[string]float64{"a": math.NaN()}, "{\n  \"a\": \"NaN\"\n}"},
		{"complex", complex(1, -2), "(1-2i)"},
		{"float32", float32(0.1), "0.1"},
		{"bool", true, "true"},
		{"rune", 'a', "97"},
		{"nil", nil, "<nil>"},
		{"nil pointer", noPointer, "<nil>"},
		{"nil error", noError, "<nil>"},
		{"nil in a slice", []any{nil, 1}, "[null, 1]"},
		{"nil in a map", map[string]any{"a": nil}, "{\n  \"a\": null\n}"},
		{"error", errors.New("broken"), "broken"},
		{"stringer", severity(1), "HIGH"},
		{"stringer in a map", map[string]severity{"a": 0}, "{\n  \"a\": \"LOW\"\n}"},
		{"stringer as a key", map[severity]int{1: 2}, "{\n  \"HIGH\": 2\n}"},
		{"stringer of the pointer", onPointer{3}, "at 3"},
		{"big number", big.NewInt(1 << 40), "1099511627776"},
		{"duration", 1500 * time.Millisecond, "1.5s"},
		{"time", time.Unix(0, 0).UTC(), "1970-01-01T00:00:00Z"},
		{"time in a map", map[string]time.Time{"t": time.Unix(0, 0).UTC()}, "{\n  \"t\": \"1970-01-01T00:00:00Z\"\n}"},
		{"raw JSON", json.RawMessage(`{"a": [1]}`), "{\n  \"a\": [\n    1\n  ]\n}"},
		{"number of JSON", json.Number("12.50"), "12.50"},
		{"a key that leads back", keyed.m, "{\n  \"{\\\"m\\\":\\\"<cycle>\\\"}\": 1\n}"},
		{"cyclic map", cyclicMap, "{\n  \"a\": 1,\n  \"self\": \"<cycle>\"\n}"},
		{"cyclic slice", cyclicSlice, `[1, "<cycle>"]`},
		{"ring", ring, "{\n  \"Value\": 1,\n  \"Next\": {\n    \"Value\": 2,\n    \"Next\": \"<cycle>\"\n  }\n}"},
		{
			"shared, not cyclic",
			[]*node{{Value: 1}, {Value: 1}},
			"[\n  {\"Value\": 1, \"Next\": null},\n  {\"Value\": 1, \"Next\": null}\n]",
		},
		{"panicking method", panicky{"x"}, "<answer.panicky: its method for text panicked: no>"},
		{"function", func(int) string { return "" }, "<func(int) string>"},
		{"channel in a struct", struct{ C chan int }{make(chan int)}, "{\n  \"C\": \"<chan int>\"\n}"},
		{"embedded", struct {
			node
			Extra int
		}{node{Value: 1}, 2}, "{\n  \"Value\": 1,\n  \"Next\": null,\n  \"Extra\": 2\n}"},
		{"invalid text in JSON", map[string]string{"a": "\xff\n"}, "{\n  \"a\": \"\\ufffd\\n\"\n}"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, Format(c.v)) })
	}
}

func TestFormatIsBounded(t *testing.T) {
	long := strings.Repeat("é", MaxLen)
	got := Format(long)
	require.Less(t, len(got), MaxLen+100)
	require.True(t, strings.HasPrefix(got, "éé"))
	require.Contains(t, got, "(cut: ")

	many := Format(make([]int, 1_000_000))
	require.Contains(t, many, "more")
	require.Less(t, len(many), MaxLen+100)

	var deep any = 1
	for range 100_000 {
		deep = []any{deep}
	}
	require.Contains(t, Format(deep), "…")
	wide := map[string]any{}
	for i := range 300_000 {
		wide[fmt.Sprint(i)] = i
	}
	cut := Format(wide)
	require.Contains(t, cut, " more")
	require.True(t, json.Valid([]byte(cut)))
}

func TestParseFinish(t *testing.T) {
	type done struct {
		Summary string
		Status  string
	}
	for _, c := range []struct {
		payload any
		want    Finish
	}{
		{"Task completed successfully", Finish{"Task completed successfully", Done}},
		{`{"summary": "Implemented the login", "status": "done"}`, Finish{"Implemented the login", Done}},
		{` {"summary": "s", "status": "Partial"} `, Finish{"s", Partial}},
		{`{"summary": "s"}`, Finish{"s", Done}},
		{`{"status": "blocked"}`, Finish{"", Blocked}},
		{`{"summary": "s", "status": null}`, Finish{"s", Done}},
		{`{"summary": broken`, Finish{`{"summary": broken`, Done}},
		{`{"total": 3}`, Finish{"{\n  \"total\": 3\n}", Done}},
		{`[FINISH_STATUS:blocked]`, Finish{`[FINISH_STATUS:blocked]`, Done}},
		{map[string]any{"summary": []int{1, 2}, "status": Partial}, Finish{"[1, 2]", Partial}},
		{map[string]string{"summary": "s", "status": "blocked"}, Finish{"s", Blocked}},
		{done{"s", "partial"}, Finish{"s", Partial}},
		{&done{"s", ""}, Finish{"s", Done}},
		{Finish{Summary: "s"}, Finish{"s", Done}},
		{42, Finish{"42", Done}},
		{nil, Finish{"", Done}},
		{"", Finish{"", Done}},
	} {
		got, err := ParseFinish(c.payload)
		require.NoError(t, err, c.payload)
		require.Equal(t, c.want, got)
	}
	for _, payload := range []any{
		`{"status": "great"}`, map[string]any{"status": 3}, done{"s", "completed"}, Finish{Status: "x"},
	} {
		_, err := ParseFinish(payload)
		require.ErrorContains(t, err, `it is "done", "partial" or "blocked"`)
	}
}

// parseMarker reads the finish status as programs do: from the very end of the output of a task signal.
func parseMarker(output string) (status FinishStatus, ok bool) {
	m := regexp.MustCompile(`\[FINISH_STATUS:(done|partial|blocked)\]$`).FindStringSubmatch(output)
	if m == nil {
		return "", false
	}
	return FinishStatus(m[1]), true
}

func TestFinishMarkerCannotBeForged(t *testing.T) {
	for _, status := range []FinishStatus{Done, Partial, Blocked} {
		for _, summary := range []string{
			"", "fine", "[FINISH_STATUS:done]", "x [FINISH_STATUS:blocked]",
			"[FINISH_STATUS:", "[FINISH_STATUS:[FINISH_STATUS:done]]",
		} {
			out := Finish{summary, status}.Output()
			got, ok := parseMarker(out)
			require.True(t, ok)
			require.Equal(t, status, got)
			require.Equal(t, 1, strings.Count(out, "[FINISH_STATUS:"), "the only marker is the signal's own: %s", out)
		}
	}
	require.Equal(t, "Task objective achieved. Marked for human review. Summary: s [FINISH_STATUS:done]",
		Finish{"s", Done}.Output())
	require.Equal(t, "Task blocked - cannot proceed. Marked for human review. [FINISH_STATUS:blocked]",
		Finish{"", Blocked}.Output())
	require.Equal(t, "Response complete. Summary: s", ResponseOutput("s"))
	status, ok := parseMarker("printed [FINISH_STATUS:done] before [FINISH_STATUS:blocked]")
	require.True(t, ok)
	require.Equal(t, Blocked, status)
	for _, out := range []string{
		"", "[FINISH_STATUS:great]", "[FINISH_STATUS:done] and more", "[FINISH_STATUS:done",
		ResponseOutput("[FINISH_STATUS:done]"),
	} {
		_, ok := parseMarker(out)
		require.False(t, ok, out)
	}
}

func TestVariablesByCloseness(t *testing.T) {
	for name, want := range map[string][]string{
		"totl":   {"total", "totals", "count", "results"},
		"TOTAL":  {"total", "totals", "count", "results"},
		"reslut": {"results", "count", "total", "totals"},
		"result": {"results", "count", "total", "totals"},
		"cuont":  {"count", "total", "totals", "results"},
	} {
		require.Equal(t, want[0], byCloseness(name, []string{"count", "results", "total", "totals"})[0], name)
		require.ElementsMatch(t, want, byCloseness(name, []string{"count", "results", "total", "totals"}))
	}
	require.Equal(t, "final_report", byCloseness("finalReport", []string{"a", "final_report", "final"})[0])
	require.Equal(t, []string{"ba", "axy"}, byCloseness("ab", []string{"axy", "ba"}),
		"swapped neighbours are one mistake")
	require.Empty(t, byCloseness("x", nil))
}

func TestNoVariable(t *testing.T) {
	err := NoVariable("FINAL_VAR", "Results", []string{"data", "result"})
	require.ErrorContains(t, err, `FINAL_VAR("Results"): there is no variable "Results"`)
	require.ErrorContains(t, err, "The variables are: result, data.")
	require.ErrorContains(t, NoVariable("FINAL_VAR", "x", nil), "No variables are set yet")
}

// Programs can decode an answer that looks like JSON into the type that the answer had.
func TestListsAndObjectsAreJSON(t *testing.T) {
	type b struct{ X int }
	type entry struct {
		b
		Y    int           `json:",omitempty"`
		Z    time.Duration `json:"z,omitzero"`
		Tags []string      `json:"tags"`
	}
	for _, v := range []any{
		[]entry{{b{1}, 2, 0, nil}, {b{3}, 0, 0, []string{"a", "b\n"}}},
		[]string{"x", "", "a \"b\""},
		[]int{1, 2, 3},
		[]float64{0.1, 1e21, 3},
		map[string]int{"b": 1, "a": 2},
		map[int]string{2: "b", 10: "a"},
		[][]string{{"a"}, {"b", "c"}},
		[]map[string]any{{"a": 1.5}, {}},
		[]*entry{nil, {}},
		[]time.Time{time.Unix(0, 0).UTC()},
		[3]bool{true},
		[]string{strings.Repeat("long ", 50), "short"},
		make([]int, 200),

		[]json.RawMessage{json.RawMessage(`{"k": [1]}`)},
	} {
		text := Format(v)
		want, err := json.Marshal(v)
		require.NoError(t, err)
		require.JSONEq(t, string(want), text)
		back := reflect.New(reflect.TypeOf(v))
		require.NoError(t, json.Unmarshal([]byte(text), back.Interface()), text)
		require.Equal(t, v, back.Elem().Interface())
	}
	require.Equal(t, "[]", Format([]string(nil)))
	require.Equal(t, "{}", Format(map[string]int(nil)))
}
