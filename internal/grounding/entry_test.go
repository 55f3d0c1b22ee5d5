package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestTheEntryOfAnotherKeyIsFound: a number of a printed list that belongs to another key than the answer, or the
// question that it answers with just a number, names.
func TestTheEntryOfAnotherKeyIsFound(t *testing.T) {
	const (
		ibex    = "How many stalled tickets does ibex have?"
		most    = "Which team has the most stalled tickets, and how many?"
		all     = "Give the tickets of each team."
		groups  = "map[heron:{556 126840} ibex:{534 127500} lynx:{516 123000}]\n"
		preview = `{"heron":{"n":556,"sum":126840},"ibex":{"n":534,"sum":127500},"lynx":{"n":516,"s…` + "\n"
		means   = "heron n=510 mean=241.62\nibex n=370 mean=239.00\nlynx n=511 mean=244.10\notter n=560 mean=238.20\n"
		shifted = "| Team | Tickets |\n|---|---:|\n| heron | 534 |\n| ibex | 516 |\n| lynx | 556 |\n"
		right   = "| Team | Tickets |\n|---|---:|\n| heron | 556 |\n| ibex | 534 |\n| lynx | 516 |\n"
	)
	for _, out := range []string{
		"heron 51\nibex 37\nlynx 52\notter 56\nstoat 48\n", "map[heron:51 ibex:37 lynx:52 otter:56 stoat:48]\n",
		"heron   |   51\nibex    |   37\nlynx    |   52\notter   |   56\nstoat   |   48\n",
		`{"heron":51,"ibex":37,"lynx":52,"otter":56,"stoat":48}` + "\n",
	} {
		judge(t, []expect{
			{ibex, out, "56", grounding.Not},
			{ibex, out, "37", grounding.Grounded},
			{ibex, out, `{"team":"ibex","count":56}`, grounding.Not},
			{ibex, out, `{"team":"ibex","count":37}`, grounding.Grounded},
			{most, out, "With 56 stalled tickets, otter has the most, before lynx with 52.", grounding.Grounded},
			{most, out, "With 56 stalled tickets, stoat has the most, before lynx with 52.", grounding.Partly},
			{most, out, "heron 51, ibex 48, lynx 52, otter 56, stoat 37", grounding.Partly},
			{most, out, "heron 51, ibex 37, lynx 52, otter 56, stoat 48", grounding.Grounded},
		})
	}
	judge(t, []expect{
		{all, groups, shifted, grounding.Partly},
		{all, groups, right, grounding.Grounded},
		{all, preview, shifted, grounding.Partly},
		{all, preview, right, grounding.Grounded},
		{"How many tickets does heron have?", groups, "534", grounding.Not},
		{"How many tickets does heron have?", groups, "556", grounding.Grounded},
		{all, means, `[{"team":"heron","tickets":370},{"team":"ibex","tickets":511}]`, grounding.Partly},
		{all, means, `[{"team":"heron","tickets":510},{"team":"ibex","tickets":370}]`, grounding.Grounded},
	})
}

// TestSignsAroundValuesAreNoPartOfThem: hyphens of other code points, and the commands of TeX.
func TestSignsAroundValuesAreNoPartOfThem(t *testing.T) {
	const claim = "claim NM-77120 over $18,640 was declined after 41 days, 12% of all\n"
	judge(t, []expect{
		{"Which claim?", claim, "NM‑77120, after a 41‑day delay", grounding.Grounded},
		{"Which claim?", claim, "NM‑77121", grounding.Not},
		{"Over how much?", claim, `\boxed{18640}`, grounding.Grounded},
		{"Over how much?", claim, `$\boxed{\$18,640}$`, grounding.Grounded},
		{"Over how much?", claim, `\boxed{18460}`, grounding.Not},
		{"Over how much, and what share?", claim, `\$18,640, which is 12\%`, grounding.Grounded},
	})
}
