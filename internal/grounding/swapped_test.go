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

// TestARowWithoutAnotherValueBlamesNone: what the answer says of the key's row is told, so a further number is of
// another.
func TestARowWithoutAnotherValueBlamesNone(t *testing.T) {
	const (
		fleet  = "vans=41 trips=9320 idle=0.27\n"
		ports  = "| Ferry | 212 | 240 |\n| Cargo | 88 | 97 |\n| Both | 300 | 337 |\n"
		trucks = "В-811;МАЗ;70315\nВ-812;ЗИЛ;64420\nВ-813;МАЗ;12008\n"
		crimes = "arson  n= 73 cost_eur= 60210444.00 mean_hours=91.0 solved=0.11\n" +
			"fraud  n= 912 cost_eur= 20115733.10 mean_hours=44.5 solved=0.32\n"
		bids = "== bid-voss.txt\nSum: EUR 7,310\nStart: 4 May 2026\n== bid-karg.txt\nSum: EUR 6,905\n" +
			"Start: 11 May 2026\n"
		desk = "commit 7ac01be\nAuthor: Lene Brandt <lb@x.example>\n--\n" +
			"commit 19ddfe2\nAuthor: P. Oyelaran <po@x.example>\n"
		attic = "file no. 1791/4: Chapel at Elm, two drawings, undated\n"
		fruit = "t      2021   2022\npears  14.5   18.2\nplums  31.7   29.4\n"
	)
	judge(t, []expect{
		{"How idle is the fleet?", fleet, "Idle time is 27 %, over trips of 9.32k.", grounding.Grounded},
		{"How did traffic grow?", ports, "Ferry traffic grew from 212 to 240, and freight from 88 to 97.", grounding.Grounded},
		{"How did traffic grow?", ports, "Ferry traffic grew from 212 to 337.", grounding.Partly},
		{"Какой пробег у В-812?", trucks, "Пробег В-812 — 70315 км.", grounding.Not},
		{"Какой пробег у В-812?", trucks, "Пробег В-812 — 64420 км.", grounding.Grounded},
		{
			"What do crimes cost?", crimes, "Fraud is common (912 cases, €20.1M cost), but arson is dear: 73 cases cost " +
				"€60.2M and take a mean of 91 hours.", grounding.Grounded,
		},
		{
			"Compare the bids.", bids, "| Bid | Sum | Start |\n|---|---|---|\n| Voss | €7,310 | 4 May 2026 |\n" +
				"| Karg | €6,905 | 11 May 2026 |", grounding.Grounded,
		},
		{"Who wrote it?", desk, "It came in with commit 7ac01be by Lene Brandt.", grounding.Grounded},
		{"When was the chapel built?", attic, "1791", grounding.Not},
		{"Is it told in the first or in the second person?", "3021 words\n", "second person", grounding.Not},
		{"How many pears and plums in 2021?", fruit, "14.5 t and 31.7 t", grounding.Grounded},
	})
}

// TestTheRowIsThatOfTheQuestion: another row of the same columns has the words that the question asks for.
func TestTheRowIsThatOfTheQuestion(t *testing.T) {
	const (
		rota = "north gate   early   Imre Kardos    7001\nnorth gate   night   Tilde Moser    7002\n" +
			"south gate   early   Jonas Ahlers   7003\nsouth gate   night   Ruta Balode    7004\n"
		keys  = "reader;Monday;Hedda Voss\nreader;Friday;Olaf Prinz\nwriter;Friday;Nele Quast\n"
		night = "Who has the night shift at the north gate?"
		title = "Who is the reader on Friday?"
	)
	judge(t, []expect{
		{night, rota, "Tilde Moser", grounding.Grounded},
		{night, rota, "Tilde Moser has the night shift.", grounding.Grounded},
		{night, rota, "Imre Kardos", grounding.Not},
		{night, rota, "It is Imre Kardos.", grounding.Not},
		{night, rota, "Ruta Balode", grounding.Not},
		{"What is the extension of the early shift at the south gate?", rota, "7003", grounding.Grounded},
		{"What is the extension of the early shift at the south gate?", rota, "7004", grounding.Not},
		{"Who guards the north entrance by night?", rota, "Tilde Moser", grounding.Grounded},
		{title, keys, "Olaf Prinz", grounding.Grounded},
		{title, keys, "Hedda Voss", grounding.Not},
		{title, keys, "Nele Quast", grounding.Not},
		{"Who reads first?", keys, "Hedda Voss", grounding.Grounded},
		{"Who precedes Olaf Prinz as a reader?", keys, "Hedda Voss", grounding.Grounded},
	})
}

// TestAValueAmongThoseOfARow: one of another row between two values of the same row is not of that row.
func TestAValueAmongThoseOfARow(t *testing.T) {
	const (
		fleet = "boat        berth  length  draught  owner\nGannet      A17    11.40   1.95     Ulla Brandes\n" +
			"Petrel      B03    14.25   2.60     Henk Visser\nTern        C22     9.80   1.45     Ulla Brandes\n"
		calls = "C-4410;2033-05-02;Marit Lund;heating fails;2.5\nC-4427;2033-05-04;Arvo Kask;lift stuck;4.0\n" +
			"C-4431;2033-05-03;Marit Lund;door jams;1.5\n"
		boats, tickets = "Describe the boats.", "Who took which call?"
	)
	judge(t, []expect{
		{boats, fleet, "Petrel lies at B03, is 14.25 m long and belongs to Henk Visser.", grounding.Grounded},
		{boats, fleet, "Petrel lies at B03, is 11.4 m long and belongs to Henk Visser.", grounding.Partly},
		{boats, fleet, "Petrel lies at B03, is 2.85 m longer than Gannet with 11.4 m and belongs to Henk Visser.", grounding.Partly},
		{boats, fleet, "Petrel lies at B03 with 14.25 m, unlike Gannet with 11.4 m.", grounding.Grounded},
		{tickets, calls, "- C-4427, Arvo Kask, 4 May 2033: lift stuck", grounding.Grounded},
		{tickets, calls, "- C-4427, Marit Lund, 4 May 2033: lift stuck", grounding.Partly},
		{tickets, calls, "Marit Lund took C-4410 (heating fails) and C-4431 (door jams).", grounding.Grounded},
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

// TestRowsOfRolesRanksAndUnits: a row says who holds an office, which is the highest, and in what unit.
func TestRowsOfRolesRanksAndUnits(t *testing.T) {
	const (
		club  = "Elected for the year:\n  Chair       Mr. P. Oduya\n  Treasurer   Mrs. L. Brandt\n  Coach       Mr. S. Vik"
		wells = "Alder   depth_m=41 n=3\nBirch   depth_m=77 n=3\nCedar   depth_m=63 n=3\nElm     depth_m=12 n=3"
		crops = "Yield 1811 (in sheaves)\nrye          812\nbarley       344\noats       1,209"
		pump  = "pump P4  samples 900\npressure_psi   mean 88.4\npressure_psi   max 141.6\nstarts         12"
		log   = "7be2c10 2025-01-19 Tom Wilk      tests: add positions\n" +
			"c93f5a8 2025-02-06 Ines Roy      movegen: fix the check bug"
		links = "188 [ 61%] Linking libhal.a\n240 [ 70%] Linking librtos.a"
		spoke = "Ada Rey, Alpine Club\nBo Lund, resident\nCy Moe, resident"
		calls = "src/a.c:118: home(x);\nsrc/a.c:121: home(y);\nsrc/b.c:402: home(z);"
	)
	judge(t, []expect{
		{"Who was treasurer?", club, "The treasurer in 1962 was Mrs. L. Brandt.", grounding.Partly},
		{"Who was the coach?", club, "The coach that year was Mr. S. Vik.", grounding.Grounded},
		{"Who was treasurer in 1962?", club, "The treasurer in 1962 was Mrs. L. Brandt.", grounding.Grounded},
		{"Who was treasurer in 1962?", club, "The treasurer in 1962 was Mr. P. Oduya.", grounding.Not},
		{"Which well has the greatest depth?", wells, "Birch", grounding.Grounded},
		{"Which well has the greatest depth?", wells, "Cedar", grounding.Not},
		{"How much was reaped?", crops, "812 sheaves of rye and 1,209 sheaves of oats.", grounding.Grounded},
		{"Which well is the shallowest?", wells, "Elm", grounding.Grounded},
		{"Which well is the second deepest?", wells, "Cedar", grounding.Grounded},
		{"Which well of the eastern field is deepest?", wells, "Cedar", grounding.Grounded},
		{"Which of the oldest wells is it?", "Alder 41 m\nBirch 77 m\nCedar 63 m", "Cedar", grounding.Grounded},
		{"What was it?", "Flour (in stocks)\nrye 812 kg\noats 644 kg", "There were 812 kg of rye.", grounding.Grounded},
		{"What was it?", "Stock (in pounds)\nrye 812\noats 644", "There were 812 pounds of rye.", grounding.Grounded},
		{"What was it?", "image_mb  total 2048", "It is 2 GB.", grounding.Grounded},
		{"How much was reaped?", crops, "They reaped 812 litres.", grounding.Not},
		{"What was the peak pressure of P4?", pump, "P4's pressure peaked at 141.6 psi.", grounding.Grounded},
		{"What was the peak pressure of P4?", pump, "P4's pressure peaked at 141.6 bar.", grounding.Not},
		{"Which commit fixed the check?", log, "It was c93f5a8 by Ines Roy.", grounding.Grounded},
		{"Which commit fixed the check?", log, "It was c93f5a8 by Tom Wilk.", grounding.Partly},
		{"How big is it?", links, "It takes 184 kB.", grounding.Not},
		{"Where is it called?", calls, "There are three calls:\n- src/a.c, lines 118 and 121\n- src/b.c, line 402", grounding.Grounded},
		{"Who spoke?", spoke, "Three spoke: Ada Rey (Alpine Club), and the residents Bo Lund and Cy Moe.", grounding.Grounded},
		{"Which exceeds 90 %?", "L61 Profile-7 97 letter", "L61 (Profile-7, at 97 %).", grounding.Grounded},
	})
}

// TestNothingRestsByAMixture: a number of a title is no count, the example of the question no value, and the words of
// two names no third one.
func TestNothingRestsByAMixture(t *testing.T) {
	const (
		trial  = "trial.txt:77: Exhibit 5 (photograph of the lorry) was shown to the jury.\n"
		lots   = "lot,kg\nL-771,3.1\n"
		theSet = "12: Hauptrollen: Clara Niemann (Luise), Wenzel Aumann (Ferdinand)\n"
		stock  = "lot A 340\nlot B 85\n"
		asked  = "List the two heaviest lots. Answer like this: L-001 (12.5 kg); L-002 (9.0 kg)"
	)
	judge(t, []expect{
		{"How many of the witnesses saw the lorry?", trial, "Five witnesses saw it.", grounding.Not},
		{"Which exhibit shows the lorry?", trial, "Exhibit 5.", grounding.Grounded},
		{"Wer spielte?", theSet, "Clara Aumann als Luise und Wenzel Aumann als Ferdinand", grounding.Partly},
		{"Wer spielte?", theSet, "Clara Niemann als Luise und Wenzel Aumann als Ferdinand", grounding.Grounded},
		{"How do the crates in lot A compare with lot B?", stock, "Lot A holds 340, lot B 85.", grounding.Grounded},
		{"Which depot has the oldest bus?", "Fenwick 1998\n", "Depot Fenwick; it is of 1998.", grounding.Grounded},
		{"What is the hit rate?", "requests=77120 ratio=0.91859\n", "The hit rate is 91.9 %.", grounding.Grounded},
		{asked, lots, "L-001 (12.5 kg); L-002 (9.0 kg)", grounding.Not},
		{asked, lots, "L-771 (3.1 kg)", grounding.Grounded},
	})
}
