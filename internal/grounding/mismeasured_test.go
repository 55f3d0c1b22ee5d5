package grounding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestACountGetsNoUnit: what a cell counted of a key is no percentage, amount or time, unless those were counted.
func TestACountGetsNoUnit(t *testing.T) {
	for _, c := range []struct {
		question, output, answer string
		want                     grounding.Verdict
	}{
		{"Which service fails most, and how often?", "cart 154\nmail 87", "cart, 154 times", grounding.Grounded},
		{"Which service fails most, and how often?", "cart 154\nmail 87", "The cart service, 154 errors", grounding.Grounded},
		{"Which service fails most, and how often?", "cart 154\nmail 87", "The shop service, 154 errors", grounding.Partly},
		{"Which service fails most, and how often?", "cart 154\nmail 87", "cart, 154 %", grounding.Partly},
		{"Which service fails most, and how often?", "cart 154\nmail 87", "cart, 154 ms", grounding.Partly},
		{"Which service fails most, and how often?", "cart 154\nmail 87", "cart: $154", grounding.Partly},
		{"Which service fails most, and how often?", "cart 154\nmail 87", "mail 301", grounding.Partly},
		{"How many days had rain?", "rain 12", "It rained on 12 days.", grounding.Grounded},
		{"How many have a fee, and what is the highest?", "12 154", "12 have one; the highest is 154 EUR.", grounding.Grounded},
	} {
		run := shownAnd(c.question, c.output, c.answer)
		run.Turns[0].Cells[0].Code = "for _, l := range lines {\n\tn[l]++\n}\nfmt.Println(n)"
		r := grounding.Trace(run)
		assert.Equal(t, c.want, r.Verdict, "%q: %+v", c.answer, r.Values)
	}
}

// TestAUnitIsThatOfItsOnlySource: what the run was shown first gives the units and the currency of bare numbers, and an
// answer has one mark of decimals.
func TestAUnitIsThatOfItsOnlySource(t *testing.T) {
	const (
		ferry = "crossings.csv. First line:\nvessel;month;cause;times;delay_min\n"
		late  = "Skua;2031-02;FOG;6;548\nSkua;2031-02;ICE;2;96\n"
		choir = "Ledger of the Tarn choir, in Swiss francs."
		robes = "robes, new: 2,310.00\nbus to Brig: 840.50\n"
		pumps = "P1 pumped=1731250 l mean=6.42 l/s\nP2 pumped=612480 l mean=2.31 l/s\n"
		bench = "name        iters    ns/op   B/op\nParse-4      9120   263514   4096\nPrint-4     88310    13022    512\n"
	)
	for _, c := range []struct {
		shown, output, answer string
		want                  grounding.Verdict
	}{
		{ferry, late, "Fog delayed it by 548 minutes, ice by 96.", grounding.Grounded},
		{ferry, late, "Fog delayed it by 9.1 hours.", grounding.Grounded},
		{ferry, late, "Fog delayed it by 548 hours.", grounding.Partly},
		{ferry, late, "Fog occurred 6 times.", grounding.Grounded},
		{choir, robes, "The robes cost CHF 2,310.", grounding.Grounded},
		{choir, robes, "The robes cost 2,310 francs and the bus CHF 840.50.", grounding.Grounded},
		{choir, robes, "The robes cost €2,310.", grounding.Partly},
		{choir, "robes: 2,310.00 (paid in EUR)", "The robes cost €2,310.", grounding.Grounded},
		{"Ledger of the choir.", robes, "The robes cost €2,310.", grounding.Grounded},
		{"", pumps, "P1 pumped 1,731.25 m³, P2 612.48 m³.", grounding.Grounded},
		{"", pumps, "P1 gave 6.42 l/s, P2 pumped 612,480 m³.", grounding.Partly},
		{"", pumps, "P1 gave 6,42 l/s, P2 pumped 612,480 m³.", grounding.Grounded},
		{"", bench, "Parse takes 263.5 µs.", grounding.Grounded},
		{"", bench, "Parse takes 263.5 ms.", grounding.Not},
	} {
		run := shownAnd("What was it?", c.output, c.answer)
		run.Shown = c.shown
		r := grounding.Trace(run)
		assert.Equal(t, c.want, r.Verdict, "%q: %+v", c.answer, r.Values)
	}
}
