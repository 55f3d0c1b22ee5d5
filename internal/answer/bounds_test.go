package answer

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// both has a text for people and another one for JSON.
type both struct{ broken bool }

func (both) String() string { return "for people" }

func (b both) MarshalJSON() ([]byte, error) {
	if b.broken {
		return nil, errors.New("broken")
	}
	return []byte(`{"for": "programs"}`), nil
}

// named has text for people and text for JSON keys and values.
type named struct{ broken bool }

func (named) String() string { return "for people" }

func (n named) MarshalText() ([]byte, error) {
	if n.broken {
		return nil, errors.New("broken")
	}
	return []byte("for programs"), nil
}

// coded has only a text form.
type coded struct{ broken bool }

func (c coded) MarshalText() ([]byte, error) {
	if c.broken {
		return nil, errors.New("broken")
	}
	return []byte("code"), nil
}

// object has only a JSON form.
type object struct{ broken bool }

func (o object) MarshalJSON() ([]byte, error) {
	if o.broken {
		return nil, errors.New("broken")
	}
	return []byte(`[1,2]`), nil
}

func TestMethodsForText(t *testing.T) {
	day := time.Unix(0, 0).UTC()
	number, text := 7, "seven"
	for name, c := range map[string]struct {
		v    any
		want string
	}{
		"an answer is for people":       {both{}, "for people"},
		"what it holds is for programs": {[]any{both{}}, "[\n  {\"for\": \"programs\"}\n]"},
		"JSON that fails":               {[]any{both{broken: true}}, `["for people"]`},
		"a text is for people":          {named{}, "for people"},
		"a text inside is for programs": {[]any{named{}}, `["for programs"]`},
		"a text that fails":             {[]any{named{broken: true}}, `["for people"]`},
		"a key is for programs":         {map[named]int{{}: 1}, "{\n  \"for programs\": 1\n}"},
		"a text of its own":             {coded{}, "code"},
		"a text of its own that fails":  {coded{broken: true}, "{\n  \"broken\": true\n}"},
		"JSON of its own":               {object{}, "[1, 2]"},
		"JSON of its own that fails":    {object{broken: true}, "{\n  \"broken\": true\n}"},
		"a time":                        {day, "1970-01-01T00:00:00Z"},
		"a pointer to a time":           {&day, "1970-01-01T00:00:00Z"},
		"a time that no text can hold": {
			time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC), "10000-01-01 00:00:00 +0000 UTC",
		},
		"a pointer to such a time": {
			new(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)), "10000-01-01 00:00:00 +0000 UTC",
		},
		"a number in quotes": {struct {
			N int `json:",string"`
		}{7}, "{\n  \"N\": \"7\"\n}"},
		"a text in quotes": {struct {
			S string `json:",string"`
		}{"a"}, "{\n  \"S\": \"\\\"a\\\"\"\n}"},
		"a pointer to a number in quotes": {struct {
			N *int `json:",string"`
		}{&number}, "{\n  \"N\": \"7\"\n}"},
		"a pointer to a text in quotes": {struct {
			S *string `json:",string"`
		}{&text}, "{\n  \"S\": \"\\\"seven\\\"\"\n}"},
		"no number in quotes": {struct {
			N *int `json:",string"`
		}{}, "{\n  \"N\": null\n}"},
		"a complex number":                   {complex(1.5, -2.25), "(1.5-2.25i)"},
		"1e21 and what is below it":          {[]float64{1e21, 9e20, -1e21}, "[1e+21, 900000000000000000000, -1e+21]"},
		"a millionth and what is below it":   {[]float64{1e-6, 9e-7, 0, -9e-7}, "[0.000001, 9e-7, 0, -9e-7]"},
		"a list of lists that hold objects":  {[][]map[string]int{{{"a": 1}}}, "[\n  [{\"a\": 1}]\n]"},
		"lists of lists":                     {[][]int{{1}, {2, 3}}, "[[1], [2, 3]]"},
		"an empty list behind its first one": {[]any{[]int{}, []int{}}, "[[], []]"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Format(c.v)) })
	}
}

func TestJSONText(t *testing.T) {
	for text, want := range map[string]string{
		`[1,2]`:        "[1, 2]",
		`{"answer":5}`: "5",
		`{"a":5}`:      "{\n  \"a\": 5\n}",
		`[1,2] and`:    `[1,2] and`,
		`[1] [2]`:      `[1] [2]`,
		`42`:           "42",
		` [1,2]`:       ` [1,2]`,
		"":             "",
	} {
		require.Equal(t, want, JSONText(text))
	}
}

// A list is written on one line if that line has at most a hundred bytes.
func TestAListOnOneLine(t *testing.T) {
	fits := []string{strings.Repeat("a", 96)}
	require.Equal(t, `["`+fits[0]+`"]`, Format(fits))
	fits[0] += "a"
	require.Equal(t, "[\n  \""+fits[0]+"\"\n]", Format(fits))
	require.Equal(t, 1+60, strings.Count(Format(make([]int, 60)), "\n"), "sixty numbers take a line each")
}

func TestAnswersAreCutBetweenCharacters(t *testing.T) {
	const note = "\n… (cut: the answer is longer than 16 MiB)"
	whole := strings.Repeat("a", MaxLen)
	for name, c := range map[string]struct {
		v    any
		want string
	}{
		"a text that fits":       {whole, whole},
		"one that does not":      {whole + "b", whole + note},
		"bytes that fit":         {[]byte(whole)[:MaxLen:MaxLen], whole},
		"bytes that do not":      {[]byte(whole + "bcd"), whole + note},
		"an error that fits":     {errors.New(whole), whole},
		"in the middle of a é":   {whole[1:] + "éé", whole[1:] + note},
		"no character begins":    {strings.Repeat("\x80", MaxLen+1), note},
		"an error that does not": {errors.New(whole + "é"), whole + note},
	} {
		got := Format(c.v)
		require.Len(t, got, len(c.want), name)
		require.True(t, got == c.want, name)
	}
}

// A chain of links or beads is as deep as it is long. The field of link is exported, that of bead is not.
type (
	link struct{ Next *link }
	bead struct{ next *bead }
)

// Values are expanded to a depth of a hundred levels. Pointers, elements, map values and fields are a level each.
func TestDepthIsBounded(t *testing.T) {
	var list, mapping, pointers any = 1, 1, 1
	var links *link
	var beads *bead
	for range 300 {
		list, mapping = []any{list}, map[string]any{"k": mapping}
		pointers = new(pointers)
		links, beads = &link{links}, &bead{beads}
	}
	for name, c := range map[string]struct {
		v      any
		level  string
		levels int
	}{
		"lists":             {list, "[", 101},
		"maps":              {mapping, `"k"`, 101},
		"fields":            {links, `"Next"`, 50},
		"unexported fields": {beads, `"next"`, 50},
	} {
		text := Of(c.v).JSON()
		require.Equal(t, c.levels, strings.Count(text, c.level), name)
		require.Contains(t, text, "…", name)
	}
	require.Equal(t, "…", Format(pointers))

	deepest := any(1)
	for range 100 {
		deepest = []any{deepest}
	}
	require.NotContains(t, Format(deepest), "…")
	require.Contains(t, Format([]any{deepest}), "…")
}

// An answer with more values than the limit reports how many it omits.
func TestValuesAreBounded(t *testing.T) {
	whole := Of(make([]int, maxNodes-1))
	require.Zero(t, whole.More)
	require.Equal(t, Value{Kind: Scalar, Text: "0"}, whole.Items[maxNodes-2])
	require.Equal(t, 4, Of(make([]int, maxNodes+3)).More)

	wide := map[int]int{}
	for i := range maxNodes - 1 {
		wide[i] = i
	}
	require.Zero(t, Of(wide).More)
	require.Equal(t, Value{Kind: Scalar, Text: fmt.Sprint(maxNodes - 2)}, Of(wide).Items[maxNodes-2])
	for i := range 4 {
		wide[-1-i] = i
	}
	require.Equal(t, 4, Of(wide).More)
}

func TestMarks(t *testing.T) {
	require.Equal(t, "bbb", Letters(0))
	require.Equal(t, "cbb", Letters(1))
	require.Equal(t, "bcb", Letters(19))
	require.Equal(t, "cdf", Letters(1+19*2+19*19*3))
	require.Equal(t, "kvw", Series("kvw", ""))
	require.Equal(t, "kvw-1.2.1", Series("kvw", "1/2/1"))
	require.Equal(t, "[^3kvw]", Mark("kvw", 3))
	for text, is := range map[string]bool{
		"[^0kvw]": true, "[^9azA]": true, "[^9Zzz]": true, "[^1]": true, "[^123456789kvw]": true, "[^1kvw-0.9]": true,
		"[^1234567890kvw]": true, "[^3k]": true, "[^3kvwx]": true, "[^a91c]": true,
		"[^kvw]": true, "[^a91-2]": true, "[^12a4-2]": true, "[^0-9]": false, "[^a-z0-9]": false, "[^-3]": false,
		"[^]": false, "[^3kvw": false, "[^3kv{]": false, "[^3kv`]": false, "[^3kv@]": false, "[^3kv[]": false,
		"[^:kvw]": false, "[^/kvw]": false,
	} {
		n := 0
		for at, mark := range Marks("x " + text) {
			require.Equal(t, 2, at)
			require.Equal(t, text, mark)
			n++
		}
		require.Equal(t, is, n == 1, text)
	}
	for _, mark := range Marks("[^1kvw] [^2kvw]") {
		require.Equal(t, "[^1kvw]", mark)
		break // tests that a loop can stop early
	}
}

func TestManyVariables(t *testing.T) {
	var have []string
	for i := range 30 {
		have = append(have, fmt.Sprintf("v%02d", i))
	}
	require.True(t, strings.HasSuffix(NoVariable("FINAL_VAR", "x", have).Error(), "v28, v29."))
	require.True(t, strings.HasSuffix(NoVariable("FINAL_VAR", "x", append(have, "v30")).Error(), "v29 and 1 more."))
	require.Equal(t, "weekly_summary", byCloseness("summary", []string{"suabcde", "weekly_summary"})[0],
		"it contains the name")
	require.Equal(t, "sum", byCloseness("sum_of_all", []string{"sumxyz", "sum"})[0], "the name contains it")
}
