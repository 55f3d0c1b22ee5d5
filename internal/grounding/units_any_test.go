package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestUnitsHaveAnyPrefixAndName: a prefix multiplies any unit, whose name has the endings of any language.
func TestUnitsHaveAnyPrefixAndName(t *testing.T) {
	judge(t, []expect{
		{"Which slack?", "Slack (VIOLATED) : -0.412ns", "The slack is -412 ps.", grounding.Grounded},
		{"Which slack?", "Slack (VIOLATED) : -0.412ns", "The slack is -412 ms.", grounding.Not},
		{"Which capacitor?", "C14  electrolytic  4700 nF", "C14 has 4.7 µF.", grounding.Grounded},
		{"Ile waży dzwon?", "1897: dzwon waży 412 kg, odlany w Kałuszu.", "Dzwon waży 412 kilogramów.", grounding.Grounded},
		{"Ile waży dzwon?", "1897: dzwon waży 412 kg, odlany w Kałuszu.", "Dzwon waży 412 gramów.", grounding.Not},
		{"Hur lång är den?", "Leden är 21,3 km lång.", "Leden är 21 300 meter lång.", grounding.Grounded},
		{"How long are they?", "Rana temporaria  0.54  adult\nBufo bufo  0.31  adult", "The Bufo bufo is 31 cm long.", grounding.Grounded},
		{"How long are they?", "Rana temporaria  0.54  adult\nBufo bufo  0.31  adult", "The Bufo bufo is 54 cm long.", grounding.Not},
		{"How strong?", "Alpblick   rssi=-97.3 snr=6.2\nMoosrain   rssi=-107.5 snr=2.6", "Alpblick: RSSI -97.3 dBm", grounding.Grounded},
		{
			"What share is right?", "ALMA n=412 ok_share=0.9176 rms=0.141s\nBRUX n=388 ok_share=0.8428 rms=0.207s",
			"- ALMA 91.8 %\n- BRUX 84.3 %", grounding.Grounded,
		},
	})
}

// TestDatesInAnyForm: months in Roman numerals, hours in words, and a year that stands elsewhere in the line.
func TestDatesInAnyForm(t *testing.T) {
	judge(t, []expect{
		{"When?", "KETTLE BECK, loc. 14, 22.vi.1958, fair", "On 22 June 1958.", grounding.Grounded},
		{"When?", "KETTLE BECK, loc. 14, 22.vi.1958, fair", "On 22 July 1958.", grounding.Not},
		{"When?", "Herbar Nr. 12, leg. 3. IX. 1911", "On 3 September 1911.", grounding.Grounded},
		{"When?", "Heater, 2 x 1500 W, bought 1990", "On 2 October 1500.", grounding.Not},
		{"When does it begin?", "We sing in the minster at five in the afternoon.", "At 5 pm.", grounding.Grounded},
		{"When does it begin?", "We sing in the minster at five in the afternoon.", "At 6 pm.", grounding.Not},
		{
			"Wann war die Schur?", "Schur 2024 (14. und 15. Mai, Scherer: Urs Camenisch)",
			"Die Schur war Mitte Mai 2024.", grounding.Grounded,
		},
		{
			"Wann war die Schur?", "Schur 2024 (14. und 15. Mai, Scherer: Urs Camenisch)",
			"Die Schur war Mitte Juni 2024.", grounding.Not,
		},
	})
}

// TestNamesInAnyForm: in another case, with a first name written out, or with its words apart in a phrase.
func TestNamesInAnyForm(t *testing.T) {
	const bell = "1897: dzwon ufundowała Helena Wierzbicka, odlany u Braci Felczyńskich."
	const wine = "2019 Riesling dry  92 points, slate\n2020 Riesling feinherb  89 points"
	judge(t, []expect{
		{"Kto ufundował dzwon?", bell, "Dzwon został ufundowany przez Helenę Wierzbicką.", grounding.Grounded},
		{"Kto ufundował dzwon?", bell, "Dzwon został ufundowany przez Helenę Wierzbowską.", grounding.Not},
		{"Kto go odlał?", bell, "Dzwon odlali Bracia Felczyńscy w roku 1897.", grounding.Grounded},
		{"Who found it?", "Found by Saml. Whittock, ploughman.", "It was Samuel Whittock.", grounding.Grounded},
		{"Who found it?", "Found by Saml. Whittock, ploughman.", "It was Simon Whittock.", grounding.Not},
		{"What of the 2019 Riesling from Steinhang?", wine, "The Steinhang Riesling got 92 points.", grounding.Grounded},
		{"Who is it?", "{First:Ines Last:Holm Desk:4}", "It is Ines Holm.", grounding.Grounded},
		{"Who is it?", "surname,given name,desk\nHolm,Ines,4", "It is Ines Holm.", grounding.Grounded},
		{"Who is it?", "{Owner:Ines Deputy:Holm}", "It is Ines Holm.", grounding.Not},
		{"Kim imzaladı?", "imza: Selim Kaya, Ankara", "Selim Kaya'nın imzası Ankara'da Selim Kaya.", grounding.Grounded},
		{"Qui suit ?", "1;ROUX Lise\n2;PETIT Marc", "En tête : Lise Roux. Suit Marc Petit.", grounding.Grounded},
		{"Who met?", "Anna Berg met Tom Keller.", "Anna Keller was there.", grounding.Not},
		{"Who came?", "Guests: Anna, Keller, Tom.", "Anna Keller came.", grounding.Not},
	})
}
