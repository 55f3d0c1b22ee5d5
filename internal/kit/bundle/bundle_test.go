package bundle_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/bundle"
)

func item(t testing.TB, text, media string, form any) bundle.Item {
	t.Helper()
	i, err := bundle.New(text, media, form)
	require.NoError(t, err)
	return i
}

func TestTableKeepsNumbersAndTexts(t *testing.T) {
	table, _, ok := bundle.NewTable([][]string{{"id", "n", "note"}, {"007", "1.5", ""}, {"12", "", "x<y"}}, true)
	require.True(t, ok)
	raw, err := json.Marshal(table)
	require.NoError(t, err)
	require.JSONEq(t, `{"columns":[{"name":"id","type":"string"},{"name":"n","type":"number"},{"name":"note","type":"string"}],
		"rows":[["007",1.5,""],["12",null,"x<y"]]}`, string(raw))

	var many [][]string
	for i := range 50_000 {
		many = append(many, []string{fmt.Sprint(i), "x"})
	}
	table, _, ok = bundle.NewTable(many, false)
	require.True(t, ok)
	require.Equal(t, 50_000, len(table.Rows)+table.More, "what is left out is counted")
	require.Greater(t, len(table.Rows), 1000)
	require.Len(t, bundle.Trim([]bundle.Item{item(t, "t", bundle.TableType, table)}), 1,
		"a table that was cut is within bounds")

	_, _, ok = bundle.NewTable(nil, false)
	require.False(t, ok)
	_, _, ok = bundle.NewTable([][]string{make([]string, 1000)}, false)
	require.False(t, ok)
}

// TestTrimTakesNothingOnTrust checks that data from a worker is dropped unless it matches its media type.
func TestTrimTakesNothingOnTrust(t *testing.T) {
	raw := func(media, form string) bundle.Item {
		return bundle.Item{Data: map[string]json.RawMessage{
			bundle.TextType: json.RawMessage(`"t"`), media: json.RawMessage(form),
		}}
	}
	for name, i := range map[string]bundle.Item{
		"another media type":   raw("text/html", `"<script>"`),
		"a script":             raw("application/javascript", `"x"`),
		"no table":             raw(bundle.TableType, `[]`),
		"rows of other widths": raw(bundle.TableType, `{"columns":[{"name":"a"}],"rows":[[1,2]]}`),
		"nested values":        raw(bundle.TableType, `{"columns":[{"name":"a"}],"rows":[[{"x":1}]]}`),
		"unknown fields":       raw(bundle.TableType, `{"columns":[{"name":"a"}],"rows":[[1]],"html":"x"}`),
		"too many columns": raw(
			bundle.TableType, `{"columns":[`+strings.Repeat(`{"name":"a"},`, 300)+`{"name":"a"}],"rows":[]}`),
		"no chart":              raw(bundle.ChartType, `{"kind":"pie"}`),
		"bars without labels":   raw(bundle.ChartType, `{"kind":"bars","values":[1,2]}`),
		"a line of other sizes": raw(bundle.ChartType, `{"kind":"line","series":[{"x":[1],"y":[1,2]}]}`),
		"broken JSON":           raw(bundle.JSONType, `{"a":`),
		"Markdown that is none": raw(bundle.MarkdownType, `{}`),
		"text that is none": {Data: map[string]json.RawMessage{
			bundle.TextType: json.RawMessage(`7`), bundle.JSONType: json.RawMessage(`1`),
		}},
		"no text":   {Data: map[string]json.RawMessage{bundle.JSONType: json.RawMessage(`1`)}},
		"nothing":   {},
		"too large": raw(bundle.JSONType, `"`+strings.Repeat("x", 1<<20)+`"`),
	} {
		require.Empty(t, bundle.Trim([]bundle.Item{i}), name)
	}
	good := raw(bundle.JSONType, `{ "a": 1 }`)
	require.Equal(t, `{"a":1}`, string(bundle.Trim([]bundle.Item{good})[0].Data[bundle.JSONType]))

	var many []bundle.Item
	for range 1000 {
		many = append(many, raw(bundle.JSONType, `"`+strings.Repeat("x", 60_000)+`"`))
	}
	require.Less(t, len(bundle.Trim(many)), 10, "all together are bounded")
	packed := bundle.Pack(many)
	require.LessOrEqual(t, len(packed), 1<<20)
	require.Equal(t, bundle.Trim(many), bundle.Unpack(packed))
	require.Nil(t, bundle.Unpack([]byte("nonsense")))
	require.Nil(t, bundle.Unpack(make([]byte, 8<<20)))
	require.Nil(t, bundle.Pack(nil))
}

func TestItemsStandWhereTheirTextWasPrinted(t *testing.T) {
	a, b, gone := item(t, "A A", bundle.JSONType, 1), item(t, "B", bundle.JSONType, 2),
		item(t, "never", bundle.JSONType, 3)
	value := item(t, "V", bundle.JSONType, 4)
	output := "before\nB\nbetween\nA A\nafter\n"
	shown := bundle.Shown([]bundle.Item{a, gone, b, a, value}, output, "V", false)
	var texts []string
	for _, i := range shown {
		texts = append(texts, i.Text())
	}
	require.Equal(t, []string{"B", "A A", "V"}, texts, "in order, as often as they were printed")
	require.True(t, shown[2].Value)
	require.Nil(t, bundle.Shown([]bundle.Item{gone}, output, "", false))
	require.Len(t, bundle.Shown([]bundle.Item{gone}, output, "", true), 1, "it may have stood in what was cut out")

	var pieces []string
	for _, p := range bundle.Pieces(output, "V", shown) {
		pieces = append(pieces, fmt.Sprintf("%s|%v|%v", p.Text, p.Item != nil, p.Value))
	}
	require.Equal(t, []string{
		"before\n|false|false", "B|true|false", "between\n|false|false", "A A|true|false",
		"after\n|false|false", "V|true|true",
	}, pieces)
	require.Equal(t, []bundle.Piece{{Text: "out\n"}, {Text: "7", Value: true}}, bundle.Pieces("out\n", "7", nil))
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte(`[{"data":{"text/plain":"t","application/vnd.rlm.table+json":{"columns":[{"name":"a","type":"number"}],"rows":[[1]]}}}]`))
	f.Add([]byte(`[{"data":{"text/plain":"t","application/vnd.rlm.chart+json":{"kind":"line","series":[{"x":[1,null],"y":[2,3]}]}}}]`))
	f.Fuzz(func(t *testing.T, packed []byte) {
		once := bundle.Unpack(packed)
		require.Equal(t, once, bundle.Trim(once), "what is in bounds stays as it is")
	})
}
