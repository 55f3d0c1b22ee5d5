package grounding_test

import (
	"fmt"
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

func TestZZ(t *testing.T) {
	show := func(q, out, ans string) {
		run := grounding.Run{Question: q, Answer: ans}
		run.Turns = append(run.Turns, grounding.Turn{Number: 1, Cells: []grounding.Cell{{Number: 1, Code: "m := counts(context)\nfmt.Println(m)", Output: out}}})
		run.Turns = append(run.Turns, grounding.Turn{Number: 2, Cells: []grounding.Cell{{Number: 2, Code: fmt.Sprintf("FINAL(%q)", ans)}}})
		r := grounding.Trace(run)
		fmt.Printf("%s: %s <- %q\n", r.Verdict, ans, out)
		for _, v := range r.Values {
			fmt.Printf("    %v %q %s\n", v.Grounded, v.Value, v.Why)
		}
	}
	q := "How many errors are there by name?"
	years := "2021: 7977\n2023: 6510\n2022: 4041\n2020: 3315\n2019: 810"
	show(q, years, "There are 3315 errors for 2021.")
	show(q, years, "In 2021 there were 3315 errors.")
	show(q, years, "2021: 3315")
	items := "Item 3: 8499\nItem 1: 8013\nItem 2: 6943\nItem 4: 5908\nItem 5: 5813"
	show(q, items, "Item 3 has 5908 errors.")
	codes := "DE: 7885\nIT: 7753\nFR: 4431\nSE: 4285\nNL: 3940\nPL: 3807"
	show(q, codes, "There are 4285 errors for DE.")
	show(q, codes, "DE has 4285 errors.")
	show(q, codes, "DE: 4285")
}
