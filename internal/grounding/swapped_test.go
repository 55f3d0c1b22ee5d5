package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestTheNeighboursValueIsFound: a value of a thing whose name differs from the one that the question names.
func TestTheNeighboursValueIsFound(t *testing.T) {
	const strike = "At Pfister's the journeymen demand 34 crowns a week.\nAt Rossi's they demand 31 crowns and a day off.\n" +
		"No demand was made at Kafka's, where there are no journeymen.\n"
	const pools = "Zwarte Kolk  2011-04-08  geen meting\nGrote Kolk   2012-05-02  6,40 m  helder\n" +
		"Zwarte Kolk  2014-09-19  geen meting\nKleine Kolk  2014-09-20  2,05 m  kroos\n"
	const shaders = "grass.frag ... ok\nrock.frag ... ok\nfailures: 46 of 900\n"
	judge(t, []expect{
		{"What wage do the men at Rossi's demand?", strike, "They demand 31 crowns a week.", grounding.Grounded},
		{"What wage do the men at Rossi's demand?", strike, "They demand 34 crowns a week.", grounding.Not},
		{"Hoe diep is de Zwarte Kolk?", pools, "De Zwarte Kolk is 6,4 meter diep.", grounding.Not},
		{"Hoe diep is de Grote Kolk?", pools, "De Grote Kolk is 6,4 meter diep.", grounding.Grounded},
		{"How many shaders fail?", shaders, "46 shaders fail.", grounding.Grounded},
	})
}
