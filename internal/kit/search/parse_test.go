package search_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/search"
)

func TestParseCSV(t *testing.T) {
	cases := []struct {
		name, in, separator string
		want                []map[string]string
	}{
		{
			"commas and quotes", "name,note\nAda,\"a, b\"\nBob,\"two\nlines\"\n", "",
			[]map[string]string{{"name": "Ada", "note": "a, b"}, {"name": "Bob", "note": "two\nlines"}},
		},
		{"tabs", "a\tb\n1\t2", "", []map[string]string{{"a": "1", "b": "2"}}},
		{"semicolons and a byte order mark", "\ufeffa;b\n1,5;2", "", []map[string]string{{"a": "1,5", "b": "2"}}},
		{"a given separator", "a:b\n1:2", ":", []map[string]string{{"a": "1", "b": "2"}}},
		{"columns of one name", "x, x ,y\n1,2,3", "", []map[string]string{{"x": "1", "x_2": "2", "y": "3"}}},
		{
			"comments and a byte order mark",
			"\ufeff# exported by x, on Monday\r\n#\r\n\r\n\ufeffa,b\r\n1,2\r\n# the end\r\n", "",
			[]map[string]string{{"a": "1", "b": "2"}},
		},
		{"comments before another separator", "# a, b, c, d\nx;y\n1;2", "", []map[string]string{{"x": "1", "y": "2"}}},
		{"a header with a number sign", "#id,name\n1,Ada", "", []map[string]string{{"#id": "1", "name": "Ada"}}},
		{"a row with a number sign", "tag,n\n#go,1\n", "", []map[string]string{{"tag": "#go", "n": "1"}}},
		{"quotes after a byte order mark", "\ufeff\"a b\",\"c\"\n1,2", "", []map[string]string{{"a b": "1", "c": "2"}}},
		{
			"a separator that is said", "sep=;\nName;Sum\n\"Miller; J.\";1,50", "",
			[]map[string]string{{"Name": "Miller; J.", "Sum": "1,50"}},
		},
		{"a separator that is said, and another", "sep=;\na,b\n1,2", ",", []map[string]string{{"a": "1", "b": "2"}}},
		{
			"the range of a sheet", "B3:C5 (C in $)\nitem,price\npear,1.50\n", "",
			[]map[string]string{{"item": "pear", "price": "1.50"}},
		},
		{"only a header", "a,b\n", "", nil},
		{"nothing", "", "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, bad, err := search.ParseCSV(c.in, c.separator)
			require.NoError(t, err)
			require.Empty(t, bad)
			require.Equal(t, c.want, got)
		})
	}
}

// TestParseCSVKeepsWhatFits reads tables with malformed lines.
func TestParseCSVKeepsWhatFits(t *testing.T) {
	for _, c := range []struct {
		name, in string
		rows     int
		bad      []string
	}{
		{"too few", "a,b\n1,2\n\n3\n4,5\n", 2, []string{"line 4 has 1 field, and the header has 2 (a, b)"}},
		{"too many", "a,b\n1,2,3\n4,5\n", 1, []string{"line 2 has 3 fields, and the header has 2 (a, b)"}},
		{
			"a quote in a field", "a,b\n1,x \"y\" z\n4,5\n", 1,
			[]string{`line 2 cannot be read: bare " in non-quoted-field`},
		},
		{
			"a quote that never ends", "a,b\n1,\"x\n4,5\n6,7\n", 2,
			[]string{`line 2 cannot be read: extraneous or missing " in quoted-field`},
		},
		{
			"after a field of two lines", "a,b\n1,\"x\ny\"\n4\n6,7\n", 2,
			[]string{"line 4 has 1 field, and the header has 2 (a, b)"},
		},
		{"below comments", "# x\n\na,b\n1\n6,7\n", 1, []string{"line 4 has 1 field, and the header has 2 (a, b)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, bad, err := search.ParseCSV(c.in, "")
			require.NoError(t, err)
			require.Len(t, rows, c.rows)
			var lines []string
			for _, b := range bad {
				lines = append(lines, b.String())
			}
			require.Equal(t, c.bad, lines)
		})
	}
	_, _, err := search.ParseCSV("a,b\n1\n2\n", "")
	require.EqualError(t, err, "line 2 has 1 field, and the header has 2 (a, b)", "no line fits")
}

func TestAlign(t *testing.T) {
	require.Equal(t, ""+
		"name   count  note\n"+
		"Ada        3  first line second\n"+
		"Größe   12.5\n"+
		"x         -1",
		search.Align([][]string{
			{"name", "count", "note"},
			{"Ada", "3", "first line\nsecond"},
			{"Größe", "12.5", ""},
			{"x", "-1"},
		}))
	require.Empty(t, search.Align(nil))
}
