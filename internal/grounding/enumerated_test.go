package grounding_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestAnItemAmongOthersIsFoundOut: a word in a list, of which most is printed, is a claim as the others are.
func TestAnItemAmongOthersIsFoundOut(t *testing.T) {
	judge(t, []expect{
		{"Which instruments play?", "[bassoon horn violin]", "They are violin, viola, bassoon and horn.", grounding.Partly},
		{"Which instruments play?", "[bassoon horn viola violin]", "They are violin, viola, bassoon and horn.", grounding.Grounded},
		{"Que instrumentos tocam?", "[fagote trompa violino]", "Tocam violino, fagote e trompa.", grounding.Grounded},
		{"Que instrumentos tocam?", "[fagote trompa violino]", "Tocam violino, fagote, harpa e trompa.", grounding.Partly},
		// What the run showed in another form is no stranger.
		{"What is left to do?", "[signing testing verifying]", "There remain testing, signing and verification.", grounding.Grounded},
		{"How is it?", "[bassoon horn violin]", "It is short, clear and honest.", grounding.Untraced},
	})
}

// TestWritingsOfOtherPrograms: a moment in logs, an elided article, endings of cases, stopwatches and library records.
func TestWritingsOfOtherPrograms(t *testing.T) {
	const book = "=100  1\\$aDelacroix-Ames, Theodora,$d1961-\n=260  \\\\$aEdinburgh :$bCanongrove Press,$c2013.\n"
	judge(t, []expect{
		{"When did it start?", "2024-11-03T04:17:52.803Z", "first seen: 2024-11-03 04:17:52 UTC", grounding.Grounded},
		{"When did it start?", "2024-11-03T04:17:52.803Z", "It started on 2024-11-03 05:17:52 UTC.", grounding.Not},
		{"Quando?", "inizio 11/09/2022 fine 08/03/2023", "Dall'11 settembre 2022 all'8 marzo 2023.", grounding.Grounded},
		{"Quando?", "inizio 11/09/2022 fine 08/03/2023", "È cominciata l'12 settembre 2022.", grounding.Not},
		{"Vapur kaçta?", "Kalkış: 07:50 09:20 19:30", "İlk vapur 07:50'de, son vapur 19:30'da.", grounding.Grounded},
		{"Vapur kaçta?", "Kalkış: 07.50 19.30", "İlk vapur 07:40'ta.", grounding.Not},
		{"Que tempo?", "1:59.84 2:00.37", "Foram 1min59s84 e 2:00,37.", grounding.Grounded},
		{"Que tempo?", "1:59.84 2:00.37", "Foram 1min59s48.", grounding.Not},
		{"哪个城市?", "青岛 2975 8.02\n沈阳 8331 7.65", "青岛(8.02分,近3000份)", grounding.Grounded},
		{"Who wrote it?", book, "Theodora Delacroix-Ames, at Canongrove Press in Edinburgh, 2013.", grounding.Grounded},
		{"Who wrote it?", book, "Theodora Delacroix-Ames, at Canongrove Press in Aberdeen, 2013.", grounding.Partly},
		{
			"How fast is it?", "/pay p50=318ms p95=1240ms p99=2875ms\n/ok p50=55ms p95=203ms p99=530ms",
			"`/ok` took 55 ms at the median and 203 ms at p95.", grounding.Grounded,
		},
		{
			"How fast is it?", "/pay p50=318ms p95=1240ms p99=2875ms\n/ok p50=55ms p95=203ms p99=530ms",
			"`/ok` took 55 ms at the median and 530 ms at p95.", grounding.Partly,
		},
		{
			"Which birds declined between 2005 and 2023?", "snipe 1204 391 -67.5%",
			"The snipe fell by 67.5%, from 1,204 in 2005 to 391 in 2023.", grounding.Grounded,
		},
		{
			"Which compound was found, and what is its limit?", "rep-07: trichloroethylene above background",
			"Trichloroethylene; the limit for it is 10 µg/l.", grounding.Partly,
		},
		{"Who won, and when?", "results 1:12:44.8 x\n1:13:09.3 y", "In 1 h 12 min 44.8 s.", grounding.Grounded},
		{"Who won, and when?", "results 1:12:44.8 x\n1:13:09.3 y", "In 1 h 12 min 48.4 s.", grounding.Not},
		{"When is it open?", "Tue-Sun 9.30am-5pm, Sat & Sun 10am-3pm", "From 9:30 to 17:00.", grounding.Grounded},
		{"When is it open?", "Tue-Sun 9.30am-5pm, Sat & Sun 10am-3pm", "From 9:30 to 18:00.", grounding.Partly},
		{"When do buses go?", "Aberlour St     0512 0542 0607 0627", "At 5:12, 5:42 and 6:07.", grounding.Grounded},
		{"When do buses go?", "Aberlour St     0512 0542 0607 0627", "At 5:12, 5:52 and 6:07.", grounding.Partly},
		{"How likely is it?", "P=0.418273 d  FAP=3.2e-41", "The probability is 3.2 × 10⁻⁴¹.", grounding.Grounded},
		{"How likely is it?", "P=0.418273 d  FAP=3.2e-41", "The probability is 3.2 × 10⁻¹⁴.", grounding.Not},
		{"湖在哪里？", "白石湖（海拔4 217米）取样136份", "白石湖在海拔4217米。", grounding.Grounded},
		{
			"Was wurde beschlossen?", "4: Anwesend: 11 Mitglieder (Vorsitz: Dr. Annegret Holtkamp)\n38: Abstimmung: 8 ja",
			"Die elf Mitglieder unter Vorsitz von Frau Holtkamp stimmten mit acht Stimmen zu.", grounding.Grounded,
		},
		{"Hur länge?", "max: 600s", "Högst 10 minuter.", grounding.Grounded},
		{"Hur länge?", "max: 600s", "Högst 15 minuter.", grounding.Not},
		{
			"Compare the crossings of lines 1 and 3.", "line\tfare\tminutes\n1\t4.20\t35\n2\t6.80\t50\n3\t5.10\t85",
			"| line | crossing |\n|---|---|\n| 1 | 35 min |\n| 3 | 1 h 25 min |", grounding.Grounded,
		},
		{
			"Compare the crossings of lines 1 and 3.", "line\tfare\tminutes\n1\t4.20\t35\n2\t6.80\t50\n3\t5.10\t85",
			"| line | crossing |\n|---|---|\n| 1 | 35 min |\n| 3 | 50 min |", grounding.Partly,
		},
	})
}

// TestWritingsOfOffices: account and registry numbers, doses, points of rates, ratios, spans of hours in words, titles
// in the middle of names, months and numbers of more languages.
func TestWritingsOfOffices(t *testing.T) {
	const iban, ward = "80: IBAN IT60 X054 2811 1010 0000 0123 456, name", "p. 13: serious events: verum 2, placebo 5"
	judge(t, []expect{
		{"How to pay?", iban, "To IT60 X054 2811 1010 0000 0123 456, name.", grounding.Grounded},
		{"How to pay?", iban, "To IT60 X054 2811 1010 0000 0132 456, name.", grounding.Partly},
		{"What is it?", "w7: bisphenol A 0.84 mg/l", "Bisphenol A, 0.84 mg/l (CAS 80-05-7).", grounding.Partly},
		{"What is it?", "bisphenol A, CAS 80-05-7, 0.84 g", "Bisphenol A, 0.84 g (CAS 80-05-7).", grounding.Grounded},
		{"Which dose?", "thyroxine 75 mcg 1-0-0", "75 µg.", grounding.Grounded},
		{"Which dose?", "thyroxine 75 mcg 1-0-0", "75 mg.", grounding.Not},
		{"Which margin?", "Margin means 2.35 per cent. per annum", "235 basis points.", grounding.Grounded},
		{"Which margin?", "Margin means 2.35 per cent. per annum", "253 basis points.", grounding.Not},
		{"Which leverage?", "shall not exceed 3.75:1", "At most 3.75x.", grounding.Grounded},
		{"Which leverage?", "shall not exceed 3.75:1", "At most 3.57x.", grounding.Not},
		{"How long is it?", "recorded 2h 40m", "Two hours and forty minutes.", grounding.Grounded},
		{"How long is it?", "recorded 2h 40m", "Two hours and fifty minutes.", grounding.Not},
		{"Who is the creditor?", "mortgagee: ČERNÝ, Dr. Jiří\nowner: HRUŠKA, Pavel", "Jiri Cerny", grounding.Grounded},
		{"Who is the creditor?", "mortgagee: ČERNÝ, Dr. Jiří\nowner: HRUŠKA, Pavel", "Pavel Cerny", grounding.Not},
		{"With whom?", "negotiated with Ambassador Raúl Quispe", "After negotiating with Quispe.", grounding.Grounded},
		{"How many events?", ward, "Under verum there were 2 serious events.", grounding.Grounded},
		{"How many events?", ward, "Under verum there were 5 serious events.", grounding.Not},
		{"What share is that?", "0.012859263257320199", "1.29 %", grounding.Grounded},
		{"What share is that?", "0.012859263257320199", "1.92 %", grounding.Not},
		{"Hvornår?", "Aalborg d. 12te Marts 1907.", "Den 12. marts 1907.", grounding.Grounded},
		{"Hvornår?", "Aalborg d. 12te Marts 1907.", "Den 12. maj 1907.", grounding.Not},
		{"Na ile lat?", "wybrano na 5 lat", "Zarząd został wybrany na pięć lat oraz dla wszystkich.", grounding.Grounded},
		{
			"Which editions?", "Corran Press 1994 412 p. 0-7043-2981-5\nMoorhen Books 2011 438 p. 0-7043-2990-4",
			"There are two editions:\n* 1994, Corran Press, ISBN 0704329815\n* 2011, Moorhen Books, ISBN 0704329904",
			grounding.Grounded,
		},
		{"Who worked it?", "worked by Wm. Trevanion", "It was worked by William Trevanion.", grounding.Grounded},
		{"Who worked it?", "worked by Wm. Trevanion", "It was worked by Walter Trevanion.", grounding.Not},
		{
			"Describe it.", "[schedule]\nfull = \"Sun 01:30\"\n[target]\nurl = \"s3://kestrel-bk/prod\"\nrate = 400",
			"- Full: Sundays at 1:30 am\n- Target: s3://kestrel-bk/prod, at most 400", grounding.Grounded,
		},
		{
			"Show all branches.", "branch\tOslo\tRiga\nsales\t48210\t36975\nmanager\tLindqvist\tOzols",
			"| branch | sales | manager |\n|---|---|---|\n| Riga | 36,975 | Ozols |\n| Oslo | 48,210 | Lindqvist |",
			grounding.Grounded,
		},
		{"När går bussen?", "12 bussar", "Det är tolv bussar och inte fler.", grounding.Grounded},
		{"När går bussen?", "12 bussar", "Det är elva bussar och inte fler.", grounding.Not},
		{"Kaç yıl?", "üç yıl için", "Kurul 3 yıl için seçildi ve bu kadar.", grounding.Grounded},
		{"When does it go?", "Velden 07:18\nArnsee 08:05", "- departs Velden 7:18 am\n- arrives 8:05 am", grounding.Grounded},
	})
}

// TestASideIsChosen: a word such as after answers a question that offers it, and rests on a look.
func TestASideIsChosen(t *testing.T) {
	for _, c := range [][2]string{
		{"Did they leave before the fire, or after it?", "After it."},
		{"Was the letter sent before or after the merger?", "It was sent before the merger."},
		{"Is it more or less than last year?", "Less."},
	} {
		run := shownAnd(c[0], "1904112 30021\n", c[1])
		run.Turns[0].Cells[0].Code = "fmt.Println(len(context), len(lines(context)))"
		assert.Equal(t, grounding.Not, grounding.Trace(run).Verdict, c[0])
		run = shownAnd(c[0], "12: the fire came first, the letter and the merger later\n", c[1])
		run.Turns[0].Cells[0].Code = "fmt.Println(grep(`fire|letter|year`))"
		assert.Equal(t, grounding.Grounded, grounding.Trace(run).Verdict, c[0])
	}
}

// TestSortingOnesOwnWordsProvesNothing: a callback of a standard function gets nothing but what the others give it.
func TestSortingOnesOwnWordsProvesNothing(t *testing.T) {
	for rows, want := range map[string]grounding.Verdict{
		`[]climber{{"Pemba Lhazom", "06:50"}, {"Marco Tesio", "07:25"}}`: grounding.Not,
		`parse(context)`: grounding.Grounded,
	} {
		run := shownAnd("Which climber was first?", "first: Pemba Lhazom at 06:50\n", "Pemba Lhazom, at 6:50")
		run.Turns[0].Cells[0].Code = "rows := " + rows + `
sort.Slice(rows, func(i, j int) bool { return rows[i].At < rows[j].At })
fmt.Printf("first: %s at %s\n", rows[0].Who, rows[0].At)`
		r := grounding.Trace(run)
		assert.Equal(t, want, r.Verdict, "%s: %+v", rows, r.Values)
	}
}

// TestAFormatIsNoAnswer: a test of how the text begins, or for a mark of its format, looks for nothing that was asked.
func TestAFormatIsNoAnswer(t *testing.T) {
	for _, c := range [][3]string{
		{"Did the surveyor find damp? Answer yes or no.", `fmt.Println(strings.HasPrefix(context, "SURVEY"))`, "Yes"},
		{"Which is shorter, the northern or the southern route?", `fmt.Println(strings.Contains(context, "<gpx"))`, "The southern route."},
	} {
		run := shownAnd(c[0], "true\n", c[2])
		run.Turns[0].Cells[0].Code = c[1]
		assert.Equal(t, grounding.Not, grounding.Trace(run).Verdict, c[0])
	}
	run := shownAnd("Did the surveyor find damp? Answer yes or no.", "true\n", "Yes")
	run.Turns[0].Cells[0].Code = `fmt.Println(strings.Contains(context, "damp"))`
	assert.Equal(t, grounding.Grounded, grounding.Trace(run).Verdict)
}

// TestAMildReadingKnowsCodesCentsAndShares: of an answer of which most has a place.
func TestAMildReadingKnowsCodesCentsAndShares(t *testing.T) {
	const race = "1,W,Chepkurui Faith,KEN,1996,2:24:51,1450\nVAT 20 %"
	judge(t, []expect{
		{"Who won?", race, "Faith Chepkurui (Kenya), born 1996, in 2:24:51.", grounding.Grounded},
		{"Who won?", race, "Faith Chepkurui (Uganda), born 1996, in 2:24:51.", grounding.Partly},
		{"Who won?", "THE RACE\n" + race, "Faith Chepkurui, born 1996, in 2:24:51, before Theodora.", grounding.Partly},
		{"Who won?", race, "Faith Chepkurui, born 1996, in 2:24:51, for 14.50.", grounding.Grounded},
		{"Who won?", race, "Faith Chepkurui, born 1996, in 2:24:51, for 15.40.", grounding.Partly},
		{"Who won?", race, "Faith Chepkurui, born 1996, in 2:24:51, at a rate of 0.2.", grounding.Grounded},
		{"Who won?", race, "Faith Chepkurui, born 1996, in 2:24:51, at a rate of 0.3.", grounding.Partly},
	})
}

// TestAnIndexOfMinusOneFindsNothing: the name beside it is the model's own.
func TestAnIndexOfMinusOneFindsNothing(t *testing.T) {
	run := func(index int) grounding.Run {
		r := shownAnd("Which sponsor is named?", fmt.Sprintf("Nordbank: index %d\n", index), "Nordbank")
		r.Turns[0].Cells[0].Code = `who := "Nordbank"` + "\n" + `fmt.Printf("%s: index %d\n", who, strings.Index(context, who))`
		return r
	}
	assert.Equal(t, grounding.Not, grounding.Trace(run(-1)).Verdict)
	assert.Equal(t, grounding.Grounded, grounding.Trace(run(5120)).Verdict)
	cold := shownAnd("Which city is coldest?", "Oslo -1\nRome 12\n", "Oslo")
	cold.Turns[0].Cells[0].Code = `for _, c := range []string{"Oslo", "Rome"} { fmt.Println(c, celsius[c]) }`
	assert.Equal(t, grounding.Grounded, grounding.Trace(cold).Verdict)
}
