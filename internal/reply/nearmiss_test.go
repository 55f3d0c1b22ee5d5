package reply

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// If text was meant to run but is not a cell, the report says what it is.
func TestNearMissesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		`fmt.Println(strings.Count(context, "ERROR"))`:                                         "Go without a fence",
		"Let me count them.\n\nn := strings.Count(context, \"ERROR\")\nfmt.Println(n)":         "Go without a fence",
		"`fmt.Println(len(context))`":                                                          "Go without a fence",
		"Run this: `fmt.Println(len(context))`":                                                "Go without a fence",
		"'''go\nfmt.Println(len(context))\n'''":                                                "Go without a fence",
		"I call the tool.\n{\"action\": \"run\", \"action_input\": \"fmt.Println(1)\"}":        "as JSON does nothing",
		"It prints with `fmt.Println(x)`.":                                                     "",
		`{"tool":"go","code":"fmt.Println(1)"}`:                                                "as JSON does nothing",
		`{"name": "run", "arguments": {"code": "fmt.Println(1)"}}`:                             "as JSON does nothing",
		"```json\n{\"name\": \"search\", \"arguments\": {\"q\": \"x\"}}\n```":                  "as JSON does nothing",
		`[{"name": "run", "parameters": {}}]`:                                                  "as JSON does nothing",
		"lines = context.split(\"\\n\")\nprint(len(lines))":                                    "Python without a fence",
		"```python\nprint(1)\n```":                                                             "write it again in Go",
		"Let me run it.\n\n{\"name\": \"run\", \"arguments\": {\"code\": \"fmt.Println(1)\"}}": "as JSON does nothing",
		"Thought: I count.\nAction: run_cell\nAction Input: fmt.Println(1)":                    "in this form does nothing",
		"```bash\ngrep -c ERROR app.log\n```":                                                  "write it again in Go",
		"```js\nconsole.log(context.length)\n```":                                              "write it again in Go",
		"Action: restart the cart. It helped.":                                                 "",
		"I will count the errors (all of them) first.":                                         "",
		"The answer is 42.":                                                                    "",
		`{"total": 42, "name": "cart"}`:                                                        "",
		"- fmt.Println prints\n- strings.Count(a, b) counts":                                   "",
		"```jsonc\n{\"tool\": \"search\"}\n```":                                                "as JSON does nothing",
		"```json5\n{\"tool\": \"search\"}\n```":                                                "as JSON does nothing",
		`{"code": "fmt.Println(1)", "lang": "go", "id": 1}`:                                    "as JSON does nothing",
		`{"code": "E42", "lang": "en", "id": 1, "text": "not found"}`:                          "",
		"FINAL(42)":                        "",
		"Call fmt.Println(x) to see more.": "",
	} {
		r := Parse(text, DefaultNames(), false)
		if want == "" {
			require.Empty(t, r.Skipped, text)
			continue
		}
		require.Len(t, r.Skipped, 1, text)
		require.Contains(t, r.Skipped[0].Reason, want, text)
		require.True(t, r.Skipped[0].Code, text)
	}
}

// Only a text block that is not too long is read as code, wherever it stands.
func TestANearMissIsFoundAnywhere(t *testing.T) {
	code := func(n int) string { return `fmt.Println("` + strings.Repeat("x", n-len(`fmt.Println("")`)) + `")` }
	call := func(n int) string { return `{"code":"` + strings.Repeat("x", n-len(`{"code":""}`)) + `"}` }
	for text, found := range map[string]bool{
		repeat("word ", 2*maxUnfenced) + "\n\nfmt.Println(len(context))": true,
		code(maxUnfenced): true, code(maxUnfenced + 1): false,
		call(maxUnfenced): true, call(maxUnfenced + 1): false,
	} {
		require.Equal(t, found, len(Parse(text, DefaultNames(), false).Skipped) == 1, "%d bytes", len(text))
	}
}
