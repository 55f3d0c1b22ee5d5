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
