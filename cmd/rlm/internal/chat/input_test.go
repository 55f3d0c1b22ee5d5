package chat

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseInput(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		kind       inputKind
		want       string
		cells      []string
	}{
		{"nothing", " \n ", inputEmpty, "", nil},
		{"question", "  who is late? ", inputQuestion, "who is late?", nil},
		{"question of two lines", "who\nis late?", inputQuestion, "who\nis late?", nil},
		{"command", "/context add ./logs", inputCommand, "context add ./logs", nil},
		{"a comment is no command", "// is this Go?", inputQuestion, "// is this Go?", nil},
		{"cell", "> x := 1", inputCell, "", []string{"x := 1"}},
		{"cell without a blank", ">x := 1", inputCell, "", []string{"x := 1"}},
		{"cell of quoted lines", "> for i := range 2 {\n>   fmt.Println(i)\n> }", inputCell, "", []string{"for i := range 2 {\n  fmt.Println(i)\n}"}},
		{"cell pasted behind one mark", "> if a > b {\n\tfmt.Println(a)\n}", inputCell, "", []string{"if a > b {\n\tfmt.Println(a)\n}"}},
		{"fenced", "```go\nx := 1\n```", inputCell, "", []string{"x := 1\n"}},
		{"two fences", "```go\nx := 1\n```\n\n```go\ny := 2\n```", inputCell, "", []string{"x := 1\n", "y := 2\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseInput(tt.text)
			require.NoError(t, err)
			require.Equal(t, input{kind: tt.kind, text: tt.want, cells: tt.cells}, got)
		})
	}
}

func TestParseInputRefusesOtherLanguages(t *testing.T) {
	_, err := parseInput("```python\nprint(1)\n```")
	require.ErrorContains(t, err, "not run")
}

func TestComplete(t *testing.T) {
	require.True(t, complete("a question"))
	require.False(t, complete("```go"))
	require.False(t, complete("```go\nx := 1"))
	require.True(t, complete("```go\nx := 1\n```"))
	require.True(t, complete("~~~go\nx := 1\n~~~"))
}
