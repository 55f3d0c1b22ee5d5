package grounding_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestBulletedItemsInLowerCase: items of several words are found word for word, also behind a label, and one that
// nothing shown is like is not, where most others are.
func TestBulletedItemsInLowerCase(t *testing.T) {
	const (
		reasons = "p. 31 : motif 1 – accès insuffisant pour les pompiers\np. 31 : motif 2 – hauteur supérieure au plan local\n" +
			"p. 32 : motif 3 – absence d'étude hydraulique"
		bridge = "memoria.txt:61: Material de las vigas: acero corten\nmemoria.txt:64: Material del tablero: madera de alerce"
		both   = "- accès insuffisant pour les pompiers\n- hauteur supérieure au plan local\n"
		parts  = "- vigas: acero corten\n- tablero: madera de alerce"
	)
	judge(t, []expect{
		{"Pour quels motifs ?", reasons, both + "- absence d'étude hydraulique", grounding.Grounded},
		{"Pour quels motifs ?", reasons, both + "- bruit nocturne", grounding.Partly},
		{"¿De qué está hecho el puente?", bridge, parts, grounding.Grounded},
		{"¿De qué está hecho el puente?", bridge, parts + "\n- barandillas: vidrio laminado", grounding.Partly},
	})
}

// TestNamesWithTheirNumbersInAList: strings of JSON with a name and a number are two values.
func TestNamesWithTheirNumbersInAList(t *testing.T) {
	judgeOf(t, "Which models have which scores?", []found{
		{scores, `["Sparse-L (79.6)", "Sparse-M (77.1)"]`, grounding.Grounded},
		{scores, `["Sparse-L: 79.6", "Sparse-M: 77.1"]`, grounding.Grounded},
		{scores, `["Sparse-L: 79.6", "Sparse-M: 74.9"]`, grounding.Partly},
	})
}

const scores = "Sparse-L | 79.6\nSparse-M | 77.1\nDense-B | 74.9"

// TestADigitInANameMakesNoList: a row with a name such as Apache-2.0 and a number is one row.
func TestADigitInANameMakesNoList(t *testing.T) {
	judgeOf(t, "Which licences and Go versions?", []found{
		{
			"hopline: BSD-3-Clause, go 1.21\ntavernmux: Apache-2.0, go 1.18",
			"| module | licence | Go |\n|---|---|---|\n| hopline | BSD-3-Clause | 1.21 |\n| tavernmux | Apache-2.0 | 1.18 |",
			grounding.Grounded,
		},
		{
			"hopline: BSD-3-Clause, go 1.21\ntavernmux: Apache-2.0, go 1.18",
			"| module | licence | Go |\n|---|---|---|\n| hopline | BSD-3-Clause | 1.18 |\n| tavernmux | Apache-2.0 | 1.21 |",
			grounding.Partly,
		},
	})
}

// TestALineDoesNotHeadItself: a small number in prose behind an empty line is of what stands beside it.
func TestALineDoesNotHeadItself(t *testing.T) {
	judgeOf(t, "How many sisters has the narrator?", []found{
		{
			"PART TWO\n\nThe train left from the second platform at nine, and I had two suitcases and no hat.",
			"The narrator has two sisters.", grounding.Not,
		},
		{"PART TWO\n\nI had two sisters, and no hat.", "The narrator has two sisters.", grounding.Grounded},
	})
}

// TestAlternativesMayShareAWord: each of "common time, triple time or compound time" needs a look at what was asked.
func TestAlternativesMayShareAWord(t *testing.T) {
	for code, want := range map[string]grounding.Verdict{
		`fmt.Println(context[:30])`:              grounding.Not,
		`fmt.Println(grep(context, "movement"))`: grounding.Grounded,
	} {
		run := shownAnd("Is the movement in common time, triple time or compound time?", "**kern\t**kern", "It is in triple time.")
		run.Turns[0].Cells[0].Code = code
		r := grounding.Trace(run)
		assert.Equal(t, want, r.Verdict, "%s: %+v", code, r.Values)
	}
}

// TestALabelMayNameADocument: of those that the first message lists.
func TestALabelMayNameADocument(t *testing.T) {
	for answer, want := range map[string]grounding.Verdict{
		"Flat 2: a new boiler; flat 5: a rent cut of 15 %":                      grounding.Grounded,
		"Flat 2: a new boiler; flat 7: a rent cut of 15 %":                      grounding.Partly,
		"Lot C: a new boiler":                                                   grounding.Grounded,
		"Flat 2: a new boiler; flat 5: a rent cut of 15 %; lot C: fresh towels": grounding.Partly,
	} {
		run := shownAnd("What do the tenants ask for?", "please install a new boiler\na rent cut of 15 %", answer)
		run.Shown = "3 documents: flat-2.txt, flat-5.txt, lot-c.txt"
		r := grounding.Trace(run)
		assert.Equal(t, want, r.Verdict, "%q: %+v", answer, r.Values)
	}
}

// TestLettersThatName: gates, classes and the like with a letter are names.
func TestLettersThatName(t *testing.T) {
	judgeOf(t, "What does the audit say about the building?", []found{
		{"INTERNAL AUDIT, strictly confidential", "The doors at gate B were blocked.", grounding.Not},
		{"INTERNAL AUDIT: door at gate B blocked", "The doors at gate B were blocked.", grounding.Grounded},
		{"building,class\nhall,C\n", "The hall has energy class C.", grounding.Grounded},
	})
}

// TestLengthsOfTimeWithCommas are one value.
func TestLengthsOfTimeWithCommas(t *testing.T) {
	judgeOf(t, "How long was the outage?", []found{
		{"1h47m12s", "1 hour, 47 minutes and 12 seconds", grounding.Grounded},
		{"1h47m12s", "1 hour, 48 minutes and 12 seconds", grounding.Not},
	})
}

// TestAHeadingCountsNothing: neither the number of a thing nor that of an item of a list.
func TestAHeadingCountsNothing(t *testing.T) {
	judge(t, []expect{
		{"How many divers were late?", "Dive 5, sheet 1\nTank 5: 200 bar", "Five divers were late.", grounding.Not},
		{"How many divers were late?", "Divers late: 5\nTank 3: 200 bar", "Five divers were late.", grounding.Grounded},
		{"¿Cuántas jornadas dura?", "PLAN\n1 Objeto\n2 Destinatarios\n3 Calendario", "Dura tres jornadas.", grounding.Not},
		{"¿Cuántas jornadas dura?", "PLAN\nJornadas: 3", "Dura tres jornadas.", grounding.Grounded},
		{
			"When do works begin?", "Session of 9 March 2021: Ms Garnier presents the hall to 17 members (1.85 million).",
			"Garnier presented the hall (1.85 million) to 17 members; works begin in September 2021.", grounding.Partly,
		},
	})
}

// TestALineOfAFewWordsDecidesNothing: a line that a search found must have enough to choose by.
func TestALineOfAFewWordsDecidesNothing(t *testing.T) {
	judgeOf(t, "Is the chapel built of flint, slate or tuff?", []found{
		{"b-201.txt:2: Chapel of St Odo. See plate 9.", "slate", grounding.Not},
		{"b-201.txt:2: Chapel of St Odo, roof and walls of slate.", "slate", grounding.Grounded},
	})
	const review = "r.txt:1: Review: great food and friendly people, we will come again."
	judgeOf(t, "Is the review positive or negative?", []found{{review, "positive", grounding.Grounded}})
}

// TestASearchedNameMayHaveDigits: the 2.0 of Apache-2.0 is not the 2 that its search counted.
func TestASearchedNameMayHaveDigits(t *testing.T) {
	judgeEach(t, map[string]grounding.Verdict{
		"MIT License 0\nApache-2.0 2\n": grounding.Grounded,
		"MIT License 2\nApache-2.0 0\n": grounding.Not,
	}, func(output string) grounding.Run {
		run := shownAnd("Under which licence is the code?", output, "Apache-2.0, in 2 places")
		run.Turns[0].Cells[0].Code = `for _, l := range []string{"MIT License", "Apache-2.0"} { fmt.Println(l, strings.Count(context, l)) }`
		return run
	})
}

// TestValuesOfRowsInOtherForms: units of density, a sign in words, the numbers of another word or of another row.
func TestValuesOfRowsInOtherForms(t *testing.T) {
	const (
		cash  = "Q3 | inflow 96,150 | outflow 414,550 | net (318,400)"
		rye   = "Kolari       rye   12 oats  104\nInari        rye   19 oats   88\nKittilä      rye   66 oats  301"
		melts = "name  melt C  tensile MPa\nPLA   175     60\nPETG  230     51\nABS   -       42\nPC    250     66"
		vote  = "[9. Any other business: the motion was put to the vote in room 9. Next meeting: 9 June.]"
	)
	judge(t, []expect{
		{"How dense is oak?", "oak 710 kg/m3", "oak: 0.71 g/cm³", grounding.Grounded},
		{"How dense is oak?", "oak 710 kg/m3", "oak: 7.1 g/cm³", grounding.Not},
		{"How did the cash flow turn out?", cash, "There was a net outflow of 318,400.", grounding.Grounded},
		{"How much rye had Kolari and Inari?", rye, "- Kolari: 12\n- Inari: 19", grounding.Grounded},
		{"Which parishes had the least rye, and how much?", rye, "- Kolari: 12\n- Inari: 88", grounding.Partly},
		{"Compare PLA and PETG.", melts, "- PLA: melts at 175 °C\n- PETG: melts at 230 °C", grounding.Grounded},
		{"Compare PLA and PETG.", melts, "- PLA: melts at 175 °C\n- PETG: melts at 250 °C", grounding.Partly},
		{"How many members voted against it?", vote, "Nine members voted against it.", grounding.Not},
	})
}

// TestAListOfHitsBeforeAFailure: passages that stand in the text count, though the list has brackets or numbers them.
func TestAListOfHitsBeforeAFailure(t *testing.T) {
	const line = "2021-06-11 factor K = 0.9973"
	judgeEach(t, map[string]grounding.Verdict{
		"[cal.txt:8: " + line + "]\n":         grounding.Grounded,
		"4406 " + line + "\n":                 grounding.Grounded,
		"4406 2021-06-11 factor K = 0.9971\n": grounding.Not,
	}, func(output string) grounding.Run {
		run := shownAnd("What is the factor?", output, "K = 0.9973, from 11 June 2021")
		run.Turns[0].Cells[0].Failed = true
		run.Stands = func(s string) bool { return strings.Contains("# calibration\n"+line+"\n", s) }
		return run
	})
}
