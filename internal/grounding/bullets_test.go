package grounding_test

import (
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
