package grounding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestWhatIsCountedIsWhatIsAskedFor: a number of lines is none of things, a part of a whole is no percentage, a name is
// of one row, and so is the number of a key of several words.
func TestWhatIsCountedIsWhatIsAskedFor(t *testing.T) {
	const (
		council = "How many members of the council voted against the bypass?"
		birds   = "List the ringed birds per site as a table."
		sites   = "map[Foulness:812 Holme Dunes:1943 Portland:667 Spurn:2208]"
		sculls  = "Anneke Visser    7:52.40\nMarit de Boer    7:55.18\nSaar Hoekstra    8:01.77"
	)
	judge(t, []expect{
		{council, "11 lines mention the bypass", "Eleven members voted against it.", grounding.Not},
		{council, "lines: 11", "11 members voted against it.", grounding.Not},
		{council, "11 members: against", "Eleven members voted against it.", grounding.Grounded},
		{"How many orders are there?", "lines: 20318", "There are 20,318 orders.", grounding.Grounded},
		{"Which ward?", "Harbour Ward: undecided 41 of 153", "Harbour Ward, where 41 % are undecided.", grounding.Partly},
		{"Which ward?", "Harbour Ward: undecided 41 of 100", "Harbour Ward, where 41 % are undecided.", grounding.Grounded},
		{"Who won?", sculls, "Anneke de Boer won in 7:52.40.", grounding.Partly},
		{"Who won?", sculls, "Anneke Visser won in 7:52.40.", grounding.Grounded},
		{birds, sites, "| Site | Ringed |\n|---|---|\n| Foulness | 667 |\n| Portland | 812 |", grounding.Partly},
		{birds, sites, "| Site | Ringed |\n|---|---|\n| Foulness | 812 |\n| Holme Dunes | 1943 |", grounding.Grounded},
	})
}

// TestTheAlternativeThatWasSeen: a choice that what was seen does not name is invented where it names another.
func TestTheAlternativeThatWasSeen(t *testing.T) {
	const question, stop = "Was the lift in Tower B stopped by the door or by the brake?", "03:12 Tower B STOP cause=door_sensor"
	judge(t, []expect{
		{question, stop, "By the door.", grounding.Grounded},
		{question, stop, "By the brake.", grounding.Not},
		{question, stop, "It was stopped by the brake.", grounding.Not},
	})
}

// TestMeasuresInOtherWords: prices by weight, halves behind a unit, and directions instead of signs.
func TestMeasuresInOtherWords(t *testing.T) {
	const fish, shift = "orata 14.35 EUR/kg\nspigola 16.90 EUR/kg", "KRV east -14.2 mm north +0.3 mm"
	judge(t, []expect{
		{"Qual era il prezzo?", fish, "L'orata costava 14,35 €/kg, la spigola 16,90 €/kg.", grounding.Grounded},
		{"Qual era il prezzo?", fish, "L'orata costava 14,53 €/kg, la spigola 16,90 €/kg.", grounding.Partly},
		{"¿Cuánto duró el apagón?", "2h30m0s", "Duró dos horas y media.", grounding.Grounded},
		{"¿Cuánto duró el apagón?", "2h30m0s", "Duró tres horas y media.", grounding.Not},
		{"In which direction did it shift?", shift, "It moved 14.2 mm to the west.", grounding.Grounded},
		{"In which direction did it shift?", shift, "It moved 14.2 mm to the east.", grounding.Not},
	})
}

// TestAQuantileIsAShare, though the cell wrote its name into the format.
func TestAQuantileIsAShare(t *testing.T) {
	judgeEach(t, map[string]grounding.Verdict{
		"90 % arrive within 19 minutes.": grounding.Grounded,
		"80 % arrive within 19 minutes.": grounding.Partly,
	}, func(answer string) grounding.Run {
		run := shownAnd("Within how many minutes do they arrive?", "p50=510 s p90=1140 s", answer)
		run.Turns[0].Cells[0].Code = `fmt.Printf("p50=%d s p90=%d s\n", secs[len(secs)/2], secs[len(secs)*9/10])`
		return run
	})
}

// TestAVariableMayBeNamedAsABuiltin: what a sub-call was given of it is text that was read.
func TestAVariableMayBeNamedAsABuiltin(t *testing.T) {
	run := shownAnd("How many kilometres do the routes have?", "total 31.6 km", "31.6 km")
	cell := &run.Turns[0].Cells[0]
	cell.Code = "r := llm_query(\"Total of the routes: \" + cap[4])\nfmt.Println(r)"
	cell.Calls = []grounding.Call{{
		Number: 1, Prompt: "Total of the routes: Chapter V. The ranger walks ...", Reply: "total 31.6 km",
	}}
	r := grounding.Trace(run)
	assert.Equal(t, grounding.Grounded, r.Verdict, "%+v", r.Values)
}
