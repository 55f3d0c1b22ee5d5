package builtins_test

import (
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/repl"
)

func TestTextToolsWorkOnContextOrAnyText(t *testing.T) {
	made := standard(t, answer.Response, says(""))
	vars := map[string]any{"context": "alpha\nbeta\ngamma\n"}
	first := func(name string, args ...any) any {
		t.Helper()
		results, err := newCell(vars).run(t, made, name, nil, args...)
		require.NoError(t, err)
		return results[0]
	}
	require.Equal(t, []search.Hit{{Offset: 6, Line: 2, Text: "beta", Match: "beta", Around: "beta"}},
		first("grep", "^b.*"))
	require.Equal(t, "alpha\nbeta\ngamma", first("grep", "beta", 1).([]search.Hit)[0].Around)
	require.Equal(t, 1, first("grep", "z", "xyz").([]search.Hit)[0].Line)
	require.Equal(t, 1, first("grep", "z", 2, repl.Doc{Name: "d", Text: "xyz"}).([]search.Hit)[0].Line)
	require.Len(t, first("search", "gamma"), 1)
	require.Len(t, first("search", "gamma", 3, "no such word"), 0)
	require.Equal(t, "gamma", first("similar", "gamna", 1).([]search.Match)[0].Text)
	require.Equal(t, []string{"alpha\n", "beta\n", "gamma\n"}, first("chunks", vars["context"], 8))
	require.Equal(t, "beta\ngamma", first("lines", vars["context"], 2, 9))
	require.Equal(t, "alpha", first("head", vars["context"], 1))
	require.Equal(t, "gamma", first("tail", vars["context"], 1))
	require.Equal(t, 6, first("count_tokens", vars["context"]))
	require.Equal(t, []any{1.0}, first("parse_json", "[1]"))
	require.Equal(t, []map[string]string{{"a": "1"}}, first("parse_csv", "a\n1"))
}

func TestTextToolsNoticeSwappedArguments(t *testing.T) {
	made := standard(t, answer.Response, says(""))
	context := "a short text"
	for name, what := range map[string]string{"grep": "pattern", "search": "query", "similar": "text to find"} {
		_, err := newCell(map[string]any{"context": context}).run(t, made, name, nil, context, "short")
		require.EqualError(t, err, name+": the "+what+" has 12 bytes; it comes first, and the text to look in after it")
	}
}

func TestTextToolsSayWhatIsWrong(t *testing.T) {
	made := standard(t, answer.Response, says(""))
	for _, c := range []struct {
		name string
		args []any
		want string
	}{
		{"grep", []any{"a("}, "grep: error parsing regexp: missing closing ): `a(`"},
		{"grep", []any{"a", 1.5}, "grep: the options are a number and a text to look in, not a value of type float64"},
		{"search", []any{"a"}, "search: the variable context is no text here; give the text to look in as an option"},
		{
			"grep",
			[]any{strings.Repeat("x", 10_001), "x"},
			"grep: the pattern has 10001 bytes; it comes first, and the text to look in after it",
		},
		{
			"search",
			[]any{strings.Repeat("x", 10_001), "x"},
			"search: the query has 10001 bytes; it comes first, and the text to look in after it",
		},
		{"similar", []any{"", "x"}, "similar: the pattern is empty"},
		{"chunks", []any{"abc", 0}, "chunks: a size of 0 bytes is too small for a chunk"},
		{
			"parse_json",
			[]any{"nope"},
			"parse_json: the text is not JSON: invalid character 'o' in literal null (expecting 'u')",
		},
		{"parse_csv", []any{"a,b\n1"}, "parse_csv: line 2 has 1 field, and the header has 2 (a, b)"},
		{"table", []any{7}, "table: rows have to be a slice or a map, not a value of type int"},
	} {
		args := c.args
		if c.name == "grep" && len(args) == 1 {
			args = append(args, "text")
		}
		_, err := newCell(map[string]any{"context": 7}).run(t, made, c.name, nil, args...)
		require.EqualError(t, err, c.want)
	}
}

func TestTableAndShow(t *testing.T) {
	made := standard(t, answer.Response, says(""))
	str, integer, anyType := types.Typ[types.String], types.Typ[types.Int], types.Universe.Lookup("any").Type()
	table := func(static types.Type, rows any, header ...any) string {
		t.Helper()
		results, err := newCell(nil).run(t, made, "table", []types.Type{static}, append([]any{rows}, header...)...)
		require.NoError(t, err)
		return results[0].(string)
	}
	require.Equal(t, "Label  Score\na          1\nbb        20",
		table(types.NewSlice(verdictType()), []verdict{{"a", 1}, {"bb", 20}}))
	require.Equal(t, "Label  Score\na          1",
		table(types.NewSlice(types.NewPointer(verdictType())), []*verdict{{"a", 1}}))
	require.Equal(t, "a  1\nb  2", table(types.NewMap(str, integer), map[string]int{"b": 2, "a": 1}))
	require.Equal(t, " 9  x\n10  y", table(types.NewMap(integer, str), map[int]string{10: "y", 9: "x"}))
	require.Equal(t, "k  v\na  1", table(types.NewMap(str, integer), map[string]int{"a": 1}, "k", "v"))
	require.Equal(t, "a  b\n1  2\n3",
		table(types.NewSlice(types.NewSlice(str)), [][]string{{"a", "b"}, {"1", "2"}, {"3", ""}}))
	require.Equal(t, "x  y\n1\n   2",
		table(types.NewSlice(types.NewMap(str, integer)), []map[string]int{{"x": 1}, {"y": 2}}))
	require.Equal(t, "x\n1\n2", table(anyType, []any{map[string]any{"x": 1.0}, map[string]any{"x": 2.0}}))

	cell := newCell(nil)
	cell.site.Alone = true
	_, err := cell.run(t, made, "show", []types.Type{str, types.NewSlice(verdictType())}, "text", []verdict{{"a", 1}})
	require.NoError(t, err)
	require.Equal(t, "text\nLabel  Score\na          1\n", cell.printed)
}

func TestWhereLeavesOutTheFolderOfAllDocuments(t *testing.T) {
	const in = "alpha one\nalpha two\n"
	marks := builtins.NewMarks()
	marks.SetContext(1, in, []repl.Doc{
		{Name: "/data/mails/2025/one.txt", Text: in[:10]},
		{
			Name: "/data/mails/2025/two/b.txt", Text: in[10:],
			Parts: []repl.Part{{Kind: "page", Number: 3, Text: in[10:]}},
		},
	})
	made, err := builtins.Make(builtins.Standard(answer.Response), says(""), marks)
	require.NoError(t, err)
	found, err := newCell(map[string]any{"context": in}).run(t, made, "grep", nil, "alpha")
	require.NoError(t, err)
	hits := found[0].([]search.Hit)
	require.Equal(t, []string{"one.txt", "two/b.txt, page 3"}, []string{hits[0].Where, hits[1].Where})
	found, err = newCell(map[string]any{"context": in}).run(t, made, "search", nil, "two")
	require.NoError(t, err)
	require.Equal(t, "one.txt", found[0].([]search.Passage)[0].Where)
}
