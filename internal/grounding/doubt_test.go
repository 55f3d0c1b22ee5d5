package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestAValueInTheRowOfItsClaimRests: its form may be one that nobody thought of, if nothing known speaks against it.
func TestAValueInTheRowOfItsClaimRests(t *testing.T) {
	const (
		ferry = "Ferry Osterholm: daily 8–19 in summer, Sundays 9–12.\nCars wait up to 25 minutes.\n"
		zone  = "shop 600 IN A 192.0.2.7\nblog 7200 IN A 192.0.2.8\nmail 300 IN A 192.0.2.9\n"
		final = "The final between Ilka Sand and Rufus Oduya was drawn out over\nsix games. Sand took the match 4-2 after\n" +
			"a rook ending that lasted until midnight.\nShe is 17.\n"
		count = "bicycle   122  20.0%\ntram      301  49.3%\nfoot       57   9.3%\n"
		space = "The mission ran from 1988 to 1993 and cost 61 million pounds.\n"
		seams = "Repairs: the gutter over the north porch was soldered; the bell\nrope renewed in hemp.\nCost 412.80.\n"
		pumps = "model       price   scop   noise_dB   rating\nAlva 6      4200    4.1    47         good\n" +
			"Bergvik 8   5150    4.6    44         very good\nCorda 7     4890    4.4    51         very good\n"
		cakes = "SHORTBREAD\n  250 g butter\n  375 g flour\n\nGINGERBREAD\n  180 g butter\n  500 g flour\n"
	)
	for _, c := range []retold{
		{"When does the ferry run?", ferry, "In summer it runs from 8 am to 7 pm.", grounding.Grounded},
		{"When does the ferry run?", ferry, "In summer it runs from 8 am to 9 pm.", grounding.Partly},
		{"What are the cache times?", zone, "shop (192.0.2.7) is kept for 10 minutes.", grounding.Grounded},
		{"What are the cache times?", zone, "shop (192.0.2.7) is kept for 5 minutes.", grounding.Partly},
		{"How did the final go?", final, "Ilka Sand, who is 17, beat Rufus Oduya 4–2.", grounding.Grounded},
		{"How did the final go?", final, "Ilka Sand, who is 19, beat Rufus Oduya 4–2.", grounding.Partly},
		{"How do they travel?", count, "301 take the tram. One in five goes by bicycle.", grounding.Grounded},
		{"How do they travel?", count, "301 take the tram. One in three goes by bicycle.", grounding.Partly},
		{"How long did it last?", space, "The mission of 1988–93 cost £61m.", grounding.Grounded},
		{"How long did it last?", space, "The mission of 1988–95 cost £61m.", grounding.Partly},
		{"What was repaired?", seams, "- soldering of the porch gutter\n\nIt cost 412.80.", grounding.Grounded},
		{"How loud are they?", pumps, "The Bergvik 8 costs 5150. It makes 44 dB.", grounding.Grounded},
		{"How loud are they?", pumps, "The Bergvik 8 costs 5150. It makes 51 dB.", grounding.Partly},
		{"How much butter does the shortbread need?", cakes, "It needs 250 g of butter.", grounding.Grounded},
		{"How much butter does the shortbread need?", cakes, "It needs 180 g of butter.", grounding.Not},
		{
			"What does the survey say of sheds?", "never use it   148  35.9%\nyearly   139  33.7%\n",
			"About 34 % use the shed yearly, while 148 never use it.", grounding.Grounded,
		},
	} {
		c.check(t)
	}
}

// TestOnlyTheClauseOfANegationIsAnAbsence: the rest of its sentence stands where it stands.
func TestOnlyTheClauseOfANegationIsAnAbsence(t *testing.T) {
	const log = "The file has 1,204 lines.\n"
	for _, c := range []retold{
		{"What about the parrot?", log, "The file has 1,204 lines and does not mention a parrot.", grounding.Partly},
		{"What about the parrot?", log, "None of the 1,204 lines mentions a parrot.", grounding.Not},
	} {
		c.check(t)
	}
}
