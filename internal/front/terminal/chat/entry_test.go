package chat

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseEntry(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		kind       entryKind
		want       string
		cells      []string
	}{
		{"nothing", " \n ", entryEmpty, "", nil},
		{"question", "  who is late? ", entryQuestion, "who is late?", nil},
		{"question of two lines", "who\nis late?", entryQuestion, "who\nis late?", nil},
		{"command", "/context add ./logs", entryCommand, "context add ./logs", nil},
		{"a path is no command", "/api/users returns 500, why?", entryQuestion, "/api/users returns 500, why?", nil},
		{"a comment is no command", "// is this Go?", entryQuestion, "// is this Go?", nil},
		{"cell", "> x := 1", entryCell, "", []string{"x := 1"}},
		{"cell without a blank", ">x := 1", entryCell, "", []string{"x := 1"}},
		{
			"cell of quoted lines", "> for i := range 2 {\n>   fmt.Println(i)\n> }", entryCell, "",
			[]string{"for i := range 2 {\n  fmt.Println(i)\n}"},
		},
		{
			"cell pasted behind one mark", "> if a > b {\n\tfmt.Println(a)\n}", entryCell, "",
			[]string{"if a > b {\n\tfmt.Println(a)\n}"},
		},
		{"fenced", "```go\nx := 1\n```", entryCell, "", []string{"x := 1\n"}},
		{"two fences", "```go\nx := 1\n```\n\n```go\ny := 2\n```", entryCell, "", []string{"x := 1\n", "y := 2\n"}},
		{"the mark alone", " > ", entryToggle, "", nil},
		{"help", "grep?", entryHelp, "grep", nil},
		{"help of a member", "strings.Cut?", entryHelp, "strings.Cut", nil},
		{"help with two marks", "grep??", entryHelp, "grep", nil},
		{"help with the mark before", "?grep", entryHelp, "grep", nil},
		{"two words are a question", "is grep?", entryQuestion, "is grep?", nil},
		{"exclamations are a question", "!!!", entryQuestion, "!!!", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseEntry(tt.text, false)
			require.NoError(t, err)
			require.Equal(t, entry{kind: tt.kind, text: tt.want, cells: tt.cells}, got)
		})
	}
}

func TestParseEntryWhereCellsAreTyped(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       entry
	}{
		{"a cell", " x := 1 ", entry{kind: entryCell, cells: []string{"x := 1"}}},
		{"with the mark all the same", "> x", entry{kind: entryCell, cells: []string{"x"}}},
		{"a negation", "!ok", entry{kind: entryCell, cells: []string{"!ok"}}},
		{"a comment", "// note\nx", entry{kind: entryCell, cells: []string{"// note\nx"}}},
		{"another comment", "/* note */ x", entry{kind: entryCell, cells: []string{"/* note */ x"}}},
		{"a command", "/vars", entry{kind: entryCommand, text: "vars"}},
		{"help", "x?", entry{kind: entryHelp, text: "x"}},
		{"back", ">", entry{kind: entryToggle}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseEntry(tt.text, true)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestParseEntryRefuses(t *testing.T) {
	for text, why := range map[string]string{
		"```python\nprint(1)\n```": "not run",
		"```go\n```":               "not run",
		"!ls":                      "no shell",
		"! ls -la":                 "no shell",
		"!./run.sh":                "no shell",
	} {
		_, err := parseEntry(text, false)
		require.ErrorContains(t, err, why, text)
	}
}

func TestComplete(t *testing.T) {
	for text, want := range map[string]bool{
		"a question":                     true,
		"a question with ( open":         true,
		"/context add (":                 true,
		"```go":                          false,
		"```go\nx := 1":                  false,
		"```go\nx := 1\n```":             true,
		"~~~go\nx := 1\n~~~":             true,
		"~~~go\nx := 1\n```":             false,
		"> x := 1":                       true,
		"> if true {":                    false,
		"> if true {\n\tx()":             false,
		"> if true {\n\tx()\n}":          true,
		"> if true {\n":                  true, // a blank line ends it: running it reports the error
		"> if true {\n> ":                true,
		">":                              true,
		"> fmt.Println(":                 false,
		"> x := []int{1,":                false,
		"> total := a +":                 false,
		"> s := `raw":                    false,
		"> s := `raw\ntext`":             true,
		"> s := \"{\"":                   true,
		"> // {":                         true,
		"> /* {":                         false,
		"> }":                            true, // invalid, but complete
		"> func f() int {\n\treturn 1\n": true,
		"> x++":                          true,
		"> for":                          false,
		"> return":                       true,
		"> strings.":                     false,
		"> '{'":                          true,
		"> x := \"never ended":           true,
	} {
		require.Equal(t, want, complete(text, false), "%q", text)
	}
	require.False(t, complete("if true {", true))
	require.True(t, complete("if true {", false), "a question")
	require.True(t, complete("/vars", true))
	require.True(t, complete("grep?", true))
}
