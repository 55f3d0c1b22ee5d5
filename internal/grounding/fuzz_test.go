package grounding_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/grounding"
)

// For any text of models, cells and people, a trace ends with a verdict, and its values are texts of the
// answer.
func FuzzTrace(f *testing.F) {
	f.Add("Which service fails most, and how often?", "cart, mail\n", `fmt.Println(n)`, "map[cart:742 mail:845]\n",
		`FINAL("mail 845")`, "mail: 845 (2 %), on 3 May 2024, \"all day\"")
	f.Add("Wie hoch?", "", `x := 1`, "1.284,5 €", `FINAL(x)`,
		`{"sum": 1284.5, "list": ["a", "b"], "ok": true, "none": null}`)
	f.Add("", "", "", "", "", "- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
	f.Add("List all species.", "", "", "", "", "- dunlin: 677\n- gannet: 851\n- linnet: 607\n- nightjar: 942")
	f.Fuzz(func(t *testing.T, question, shown, code, output, last, answer string) {
		r := grounding.Trace(grounding.Run{
			Question: question, Shown: shown, Answer: answer,
			Turns: []grounding.Turn{
				{Number: 1, Cells: []grounding.Cell{{Number: 1, Code: code, Output: output, Value: shown}}},
				{Number: 2, Cells: []grounding.Cell{{Number: 2, Code: last, Output: shown, Failed: len(code)%2 == 0}}},
			},
			Stands: func(line string) bool { return len(line)%2 == 0 },
		})
		require.NotEmpty(t, r.Verdict)
		for _, v := range r.Values {
			require.True(t, utf8.ValidString(v.Value) || !utf8.ValidString(answer), "%q", v.Value)
		}
	})
}
