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

// TestPartsAndPartiesAreNotExchanged: two numbers of two passages, and a name that has another part.
func TestPartsAndPartiesAreNotExchanged(t *testing.T) {
	const (
		lease = "8.1 The landlord may end the lease by notice of 18 months.\n8.2 The tenant may end it by notice of 12 months.\n"
		hall  = "Solar roof: not proceeded with. Moved Cllr Penholt, seconded\nCllr Rudge, carried 6-2."
		film  = "Directed by Mara Ilic, written by Tom Hale. Music by Oda Fenn."
	)
	judge(t, []expect{
		{"What notice must each give?", lease, "The tenant must give 12 months and the landlord 18 months.", grounding.Grounded},
		{"What notice must each give?", lease, "The tenant must give 18 months and the landlord 12 months.", grounding.Not},
		{"Who moved it?", hall, "It was moved by Cllr Penholt and seconded by Cllr Rudge.", grounding.Grounded},
		{"Who moved it?", hall, "It was moved by Cllr Rudge.", grounding.Not},
		{"Who made the film?", film, "It was directed by Mara Ilic and written by Tom Hale.", grounding.Grounded},
		{"Who wrote the film?", film, "The film was written by Oda Fenn.", grounding.Not},
	})
}

// TestKeysOfOneLetterAndNeighbouringSentences: a full stop parts two sentences, and a letter two keys.
func TestKeysOfOneLetterAndNeighbouringSentences(t *testing.T) {
	const shafts = "Shaft North reaches 412 m. Shaft South reaches 388 m."
	const roof = "Oprava střechy: 48 500 Kč, firma Novotný a synové, předal Jiří Dvořák"
	judge(t, []expect{
		{"How deep are they?", shafts, "The north shaft is 412 m deep, the south shaft 388 m.", grounding.Grounded},
		{"How deep are they?", shafts, "The north shaft is 388 m deep, the south shaft 412 m.", grounding.Not},
		{"Kolik stojí oprava a kdo ji převzal?", roof, "Převzali ji od pana Jiřího Dvořáka za 48 500 Kč.", grounding.Grounded},
		{"Kolik stojí oprava a kdo ji převzal?", roof, "Převzali ji od pana Petra Dvořáka za 48 500 Kč.", grounding.Partly},
	})
}
