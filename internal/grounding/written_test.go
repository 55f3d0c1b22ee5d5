package grounding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestCodeComputesWithFiguresInOtherForms: a cell that computes with figures that were shown writes them as Go does.
func TestCodeComputesWithFiguresInOtherForms(t *testing.T) {
	for _, c := range []struct {
		shown, code, output, answer string
		want                        grounding.Verdict
	}{
		{"p95 212ms; before: p95 540ms", "fmt.Println(540-212)", "328", "By 328 ms", grounding.Grounded},
		{"p99 1.4s; before: p99 3.9s", `fmt.Printf("%.1f\n", 3.9-1.4)`, "2.5", "By 2.5 s", grounding.Grounded},
		{"p99 1.4s; before: p99 3.9s", `fmt.Printf("%.1f\n", 4.7-1.4)`, "3.3", "By 3.3 s", grounding.Not},
		{"the budget goes up to 1.35M", "fmt.Println(1350000*2)", "2700000", "2.7 million", grounding.Grounded},
		{"the budget goes up to 1.35M", "fmt.Println(1450000*2)", "2900000", "2.9 million", grounding.Not},
		{"une pénalité de 1,5 % par mois", "fmt.Println(1.5*8)", "12", "12", grounding.Grounded},
		{"the motion fell, 9 to 13", `fmt.Printf("%.0f%%\n", 9.0/(9+13)*100)`, "41%", "41%", grounding.Grounded},
		{"latencies of 48211 and 15033", "fmt.Println((48211+15033)/2.0)", "31622", "31622", grounding.Grounded},
		{
			"Asistieron veintidós socios; el quórum es de quince.", `fmt.Printf("%.0f%%\n", 22.0/15*100)`, "147%", "147 %",
			grounding.Grounded,
		},
		{
			"Le bail prend effet le 1er septembre 2025.",
			"d := time.Date(2025, time.September, 1, 0, 0, 0, 0, time.UTC).AddDate(9, 0, -1)\nfmt.Println(d.Format(\"2006-01-02\"))",
			"2034-08-31", "31 August 2034", grounding.Grounded,
		},
		{
			"Le bail prend effet le 1er septembre 2025.",
			"d := time.Date(2027, time.September, 1, 0, 0, 0, 0, time.UTC).AddDate(9, 0, -1)\nfmt.Println(d.Format(\"2006-01-02\"))",
			"2036-08-31", "31 August 2036", grounding.Not,
		},
	} {
		run := shownAnd("What is it?", c.shown, c.answer)
		run.Turns = append(run.Turns[:1], grounding.Turn{
			Number: 2, Cells: []grounding.Cell{{Number: 1, Code: c.code, Output: c.output}},
		}, grounding.Turn{Number: 3, Cells: run.Turns[1].Cells})
		assert.Equal(t, c.want, grounding.Trace(run).Verdict, "%s over %s", c.code, c.shown)
	}
}
