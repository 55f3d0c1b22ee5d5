package grounding_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestAnswersToWhatIsAsked: words in lower case that answer "which", shares in words, names behind what they name.
func TestAnswersToWhatIsAsked(t *testing.T) {
	const (
		trades = "Aas Ole,31,smith,Bergen\nBerg Anna,19,maid,Bergen"
		stoves = "leak 34 of 136"
		box    = "left behind: MSKU 614882-7 (quay C4)"
	)
	judgeOf(t, "What is the median age, and which trade was the commonest?", []found{
		{trades, "Farmhand was the commonest trade.", grounding.Not},
		{trades, "The commonest trade is smith.", grounding.Grounded},
	})
	judge(t, []expect{
		{"How many leak, and which share is it?", stoves, "34 of 136 leak, exactly a quarter.", grounding.Partly},
		{
			"How many leak, and which share is it?", stoves + ", 25.0 %", "34 of 136 leak, exactly a quarter.",
			grounding.Grounded,
		},
		{
			"How many leak, and which share is it?", stoves + ", 48.1 %", "34 of 136 leak, almost half.",
			grounding.Grounded,
		},
		{"Which container was left, on which quay?", box, "Container MSKU 614882-7, on quay C4", grounding.Grounded},
		{"Which flight was late?", "late: BA 117", "Flight BA 117", grounding.Grounded},
		{"Which flight was late?", "late: BA 117", "Flight LH 117", grounding.Partly},
		{"How is it listed?", "Listed grade II*, ref. 1 204 331.", "The listing is no. 1204331.", grounding.Grounded},
		{"List the UN numbers on board.", "UN1203 ×14\nUN3480 ×22", "UN 3480, UN 1203", grounding.Grounded},
		{"List the UN numbers on board.", "UN1203 ×14\nUN3480 ×22", "UN 3480, UN 1202", grounding.Partly},
		{"Who is cited most, and how often, like: Smith J (57)?", "6120 articles", "Smith J (57)", grounding.Not},
	})
}

// TestNoneIsNought: a 0 beside a word of the answer supports an absence.
func TestNoneIsNought(t *testing.T) {
	judgeOf(t, "How many of the bars failed?", []found{
		{"elongation 0.2275; failures 0", "None of the bars failed.", grounding.Grounded},
		{"failed 0", "No bar failed.", grounding.Grounded},
		{"failures 2", "None of the bars failed.", grounding.Not},
		{"cracks 0; failures 3", "No bar failed.", grounding.Not},
		{"failures 0.3", "No bar failed.", grounding.Not},
	})
}

// TestRowsAreToldByTwoNames: the melting point of another sample is wrong although the answer has the sample's name.
func TestRowsAreToldByTwoNames(t *testing.T) {
	const rows = "S1: vanillin, mp 81.2 °C\nS2: salicylic acid, mp 158.6 °C\n" +
		"S3: cinnamic acid, mp 133.0 °C\nS4: urea, mp 132.7 °C"
	judgeOf(t, "What are the melting points of samples S2 and S3?", []found{
		{rows, "S2 (salicylic acid): 158.6 °C\nS3 (cinnamic acid): 132.7 °C", grounding.Partly},
		{rows, "S2 (salicylic acid): 158.6 °C\nS3 (cinnamic acid): 133.0 °C", grounding.Grounded},
	})
}

// TestDatesAndVersionsThatLookAlike: 7.4.12-rc3 is no day in April, and 12FEB24 is one in February.
func TestDatesAndVersionsThatLookAlike(t *testing.T) {
	const gateway = "inventory.yaml:1180: gateway-eu: {model: RX20, firmware: 7.4.12-rc3}"
	judge(t, []expect{
		{"Which firmware runs on the gateway?", gateway, "Firmware 7.4.12-rc3", grounding.Grounded},
		{"Which firmware runs on the gateway?", gateway, "Firmware 7.4.12-rc2", grounding.Not},
		{"When did it take off?", "AIRBORNE 0540Z 12FEB24", "On 12 February 2024 at 05:40 UTC.", grounding.Grounded},
		{"When did it take off?", "AIRBORNE 0540Z 12FEB24", "On 13 February 2024 at 05:40 UTC.", grounding.Partly},
		{"How many appeals were allowed?", "May\nof three judges", "Three appeals were allowed.", grounding.Not},
		{"How many appeals were allowed?", "three appeals allowed", "Three appeals were allowed.", grounding.Grounded},
		{"Did he plead guilty, not guilty or no contest?", "STATE v. ORMEROD", "no contest", grounding.Not},
	})
}

// TestCodesOfDigits: a combination is one value, and it is exact.
func TestCodesOfDigits(t *testing.T) {
	judgeOf(t, "What is the code of the safe?", []found{
		{"the safe: 7-19-33", "The code is 7-19-33.", grounding.Grounded},
		{"the safe: 7-19-33", "The code is 7-19-34.", grounding.Not},
		{"20417\nFor my grandchildren", "The code is 7-19-33.", grounding.Not},
	})
}

// TestWhatBelongsToAValue: its row is named by the clause before, its unit by a key, its title is no part of it.
func TestWhatBelongsToAValue(t *testing.T) {
	const (
		towns  = "59 Gilley 9585 41.2%\n60 Gilmere 8867 15.2%\n61 Gilton 6545 23.0%"
		fields = "plot t/ha\nBrook 7.31\nChapel 5.04"
		flags  = "org/yamlish v0.7.2\norg/httpx v1.11.0"
	)
	judgeOf(t, "How many voters has Gilmere, and what was the turnout there?", []found{
		{towns, "Gilmere has 8867 voters; turnout was 15.2 percent.", grounding.Grounded},
		{towns, "Gilmere has 8867 voters; turnout was 23.0 percent.", grounding.Partly},
	})
	judge(t, []expect{
		{"What was the result?", "net_result_keur (412)", "A loss of 412 thousand euros", grounding.Grounded},
		{"What was the result?", "net_result_keur (412)", "A loss of 412 euros", grounding.Not},
		{"Who married them?", "Married by: Rev. Anselm Kogler", "Reverend Kogler married them.", grounding.Grounded},
		{"Who married them?", "Married by: Rev. Anselm Kogler", "Reverend Kessler married them.", grounding.Not},
		{"How was the harvest?", fields, "Chapel brought a fifth less than last year.", grounding.Partly},
	})
	r := grounding.Trace(shownAnd("What is flagged?", flags, "Two: yamlish v0.7.2 (fixed in v0.7.3) and httpx v1.11.0"))
	assert.True(t, r.Values[0].Grounded, "what was made up about an item is none: %+v", r.Values)
}

// TestScoresArePairs: a number of one score is none of another.
func TestScoresArePairs(t *testing.T) {
	const cup = "Rangers - Celtic 2:1\nHearts - Hibs 3:0"
	judgeOf(t, "How did the matches end?", []found{
		{cup, "Rangers won 2-1, Hearts won 3-0.", grounding.Grounded},
		{cup, "Celtic lost 1–2.", grounding.Grounded},
		{cup, "Rangers won 3-1.", grounding.Partly},
		{cup, "3-1", grounding.Not},
	})
}

// TestNumbersOfThingsAndStatistics: a number of things has no unit of its own, and a deviation is no month.
func TestNumbersOfThingsAndStatistics(t *testing.T) {
	const mean = "mean shift 7.4861 h (sd 1.2093), n=1966"
	judge(t, []expect{
		{"How much iron has a tablet, in mg?", "pack of 60 tablets, batch 14 C", "60 mg", grounding.Not},
		{"How much iron has a tablet, in mg?", "iron 60, per tablet", "60 mg", grounding.Grounded},
		{"How long is a shift?", mean, "About 7.5 hours, with a standard deviation of 1.21.", grounding.Grounded},
		{"When is it due?", "due 1.2093", "In January 2093.", grounding.Grounded},
		{"Welches Los gewinnt? Antworte wie: 4711 (Frau Holle)", "1001;Timm;0", "4711 (Frau Holle)", grounding.Not},
	})
}

// TestNamesAreJoinedByTheirKey: who leads another branch does not lead the one that is asked for.
func TestNamesAreJoinedByTheirKey(t *testing.T) {
	const leads = "notes.txt:31: branch Hanau, lead: Jutta Kern\nnotes.txt:58: branch Fulda, lead: Emre Aydin\n"
	for more, want := range map[string]grounding.Verdict{
		"": grounding.Partly, "notes.txt:60: branch Essen, lead: Jutta Kern\n": grounding.Grounded,
	} {
		run := shownAnd("Which branch loses most, and who leads it?", "Essen 18420\nHanau 9311\nFulda 4075\n",
			"Essen, led by Jutta Kern.")
		look := grounding.Cell{Number: 1, Code: "fmt.Println(grep(`lead`))", Output: leads + more}
		run.Turns = slices.Insert(run.Turns, 1, grounding.Turn{Number: 2, Cells: []grounding.Cell{look}})
		run.Turns[2].Number = 3
		r := grounding.Trace(run)
		assert.Equal(t, want, r.Verdict, "%+v", r.Values)
	}
}

// TestWhatHandsItselfIn: a list that Go printed is no placeholder, and a count of noughts finds nothing.
func TestWhatHandsItselfIn(t *testing.T) {
	run := shownAnd("Rank the species.", "plot,species\n1,larch", "[beech larch oak]")
	last := &run.Turns[len(run.Turns)-1].Cells[0]
	last.Code, last.Variables = `FINAL_VAR("r")`, []grounding.Variable{{Name: "r", Value: "[beech larch oak]"}}
	r := grounding.Trace(run)
	assert.Equal(t, grounding.Grounded, r.Verdict, "%+v", r.Values)
	last.Code = `r := "[beech larch oak]"; FINAL_VAR("r")`
	assert.Equal(t, grounding.Not, grounding.Trace(run).Verdict)

	for _, c := range []struct {
		hand, answer string
		want         grounding.Verdict
	}{
		{"FINAL(fmt.Sprint(xs[:3]))", "[beech larch oak]", grounding.Grounded},
		{"FINAL(fmt.Sprint(xs[:3]))", "[73 72 73]", grounding.Grounded},
		{`FINAL("[73 72 73]")`, "[73 72 73]", grounding.Not},
		{`FINAL("[birch larch oak]")`, "[birch larch oak]", grounding.Grounded},
		{`FINAL("[your answer]")`, "[your answer]", grounding.Not},
	} {
		run := shownAnd("Which come first?", "[birch larch oak]", c.answer)
		run.Turns[1].Cells[0].Code = c.hand
		r := grounding.Trace(run)
		assert.Equal(t, c.want, r.Verdict, "%s: %+v", c.hand, r.Values)
	}

	judgeEach(t, map[string]grounding.Verdict{
		"matches: 0 in 212 records": grounding.Grounded, "matches: 3 in 212 records": grounding.Not,
	}, func(output string) grounding.Run {
		run := shownAnd("Which dentist was it?", output, "The records do not name a dentist.")
		run.Turns[0].Cells[0].Code = "hits := grep(`(?i)dentist|dental`)\n" +
			`fmt.Println("matches:", len(hits), "in", len(docs), "records")`
		return run
	})
}

// TestNumbersOfRowsAsGoPrintsThem: structs, maps with keys of several words, fields that the answer names otherwise.
func TestNumbersOfRowsAsGoPrintsThem(t *testing.T) {
	const (
		pipes    = "{S-0412 5 17.3}\n{S-0466 4 31.85}"
		launches = "map[G-DELF K21:198 G-KITE TMG:214 G-WREN DG5:121]"
		segments = "map[capex:12.9 m EUR ebit:-3.2 m EUR revenue:88.1 m EUR]"
		lot      = "{ID:L-3309 Est:250 Hammer:1150 Factor:4.6}"
		berth    = "2021-09-24 18:35 aankomst MS Waddenster, ligplaats Parkkade 3"
		station  = "最低気温 -11.3℃ (2014-02-08 06:10)"
		lines    = "map[ラインA:112 ラインB:87 ラインC:296]"
		worst    = "不良が最も多いラインと主な原因は何ですか。"
	)
	judge(t, []expect{
		{"Which sections have defects?", pipes, "S-0412, grade 5, at 17.3 m; S-0466, grade 4, at 31.85 m", grounding.Grounded},
		{"Which sections have defects?", pipes, "S-0412, grade 5, at 31.85 m", grounding.Partly},
		{"Which glider flew most?", launches, "G-KITE, with 214 launches", grounding.Grounded},
		{"Which glider flew most?", launches, "G-KITE, with 198 launches", grounding.Partly},
		{"What was the result?", segments, "A loss of 3.2 million on revenue of 88.1 million.", grounding.Grounded},
		{"Which lot went highest?", lot, "L-3309, estimated at £250, went for 4.6 times the estimate.", grounding.Grounded},
		{"Which lot went highest?", lot, "L-3309, estimated at £4.6", grounding.Partly},
		{"Wanneer legde de MS Waddenster aan?", berth, "Op 24 september 2021 om 18.35 uur", grounding.Grounded},
		{"Wanneer legde de MS Waddenster aan?", berth, "Op 24 september 2021 om 18.53 uur", grounding.Partly},
		{"最も低い気温は何度ですか。", station, "最低気温は氷点下11.3度でした。", grounding.Grounded},
		{"最も低い気温は何度ですか。", station, "最低気温は11.3度でした。", grounding.Not},
		{worst, lines, "ラインCで296件です。主な原因は金型の摩耗です。", grounding.Partly},
		{worst, lines + "\n金型の交換が遅れた", "ラインCで296件です。主な原因は金型の摩耗です。", grounding.Grounded},
	})
}
