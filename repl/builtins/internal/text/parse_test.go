package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/builtins/internal/text"
)

func TestParseCSV(t *testing.T) {
	cases := []struct {
		name, in, separator string
		want                []map[string]string
	}{
		{"commas and quotes", "name,note\nAda,\"a, b\"\nBob,\"two\nlines\"\n", "", []map[string]string{{"name": "Ada", "note": "a, b"}, {"name": "Bob", "note": "two\nlines"}}},
		{"tabs", "a\tb\n1\t2", "", []map[string]string{{"a": "1", "b": "2"}}},
		{"semicolons and a byte order mark", "\ufeffa;b\n1,5;2", "", []map[string]string{{"a": "1,5", "b": "2"}}},
		{"a given separator", "a:b\n1:2", ":", []map[string]string{{"a": "1", "b": "2"}}},
		{"columns of one name", "x, x ,y\n1,2,3", "", []map[string]string{{"x": "1", "x_2": "2", "y": "3"}}},
		{"only a header", "a,b\n", "", nil},
		{"nothing", "", "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := text.ParseCSV(c.in, c.separator)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
	_, err := text.ParseCSV("a,b\n1,2\n\n3\n", "")
	require.EqualError(t, err, "line 4 has 1 fields, and the header has 2 (a, b)")
}

func TestAlign(t *testing.T) {
	require.Equal(t, ""+
		"name   count  note\n"+
		"Ada        3  first line second\n"+
		"Größe   12.5\n"+
		"x         -1",
		text.Align([][]string{{"name", "count", "note"}, {"Ada", "3", "first line\nsecond"}, {"Größe", "12.5", ""}, {"x", "-1"}}))
	require.Empty(t, text.Align(nil))
}
