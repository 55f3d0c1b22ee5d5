package grounding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestWhatIsCountedIsWhatIsAskedFor: a number of lines is none of things, a part of a whole is no percentage, a name is
// of one row, and so is the number of a key of several words.
func TestWhatIsCountedIsWhatIsAskedFor(t *testing.T) {
	const (
		council = "How many members of the council voted against the bypass?"
		birds   = "List the ringed birds per site as a table."
		sites   = "map[Foulness:812 Holme Dunes:1943 Portland:667 Spurn:2208]"
		sculls  = "Anneke Visser    7:52.40\nMarit de Boer    7:55.18\nSaar Hoekstra    8:01.77"
	)
	judge(t, []expect{
		{council, "11 lines mention the bypass", "Eleven members voted against it.", grounding.Not},
		{council, "lines: 11", "11 members voted against it.", grounding.Not},
		{council, "11 members: against", "Eleven members voted against it.", grounding.Grounded},
		{"How many orders are there?", "lines: 20318", "There are 20,318 orders.", grounding.Grounded},
		{"Which ward?", "Harbour Ward: undecided 41 of 153", "Harbour Ward, where 41 % are undecided.", grounding.Partly},
		{"Which ward?", "Harbour Ward: undecided 41 of 100", "Harbour Ward, where 41 % are undecided.", grounding.Grounded},
		{"Who won?", sculls, "Anneke de Boer won in 7:52.40.", grounding.Partly},
		{"Who won?", sculls, "Anneke Visser won in 7:52.40.", grounding.Grounded},
		{birds, sites, "| Site | Ringed |\n|---|---|\n| Foulness | 667 |\n| Portland | 812 |", grounding.Partly},
		{birds, sites, "| Site | Ringed |\n|---|---|\n| Foulness | 812 |\n| Holme Dunes | 1943 |", grounding.Grounded},
	})
}

// TestEachNumberIsOfItsOwnKey: keys of two letters, seasons and names that come again are keys like others.
func TestEachNumberIsOfItsOwnKey(t *testing.T) {
	const (
		zone, records = "How many MX records does the zone have?", "map[A:412 CNAME:97 MX:6 TXT:58]"
		lift, rides   = "Quanti passaggi in ciascuna stagione?", "map[2021/22:184302 2022/23:201557]"
		shift, rates  = "Is the second or the third shift slower?", "shift 1: 41.2 /min\nshift 2: 38.9 /min\nshift 3: 35.4 /min"
		vote          = "Who won in precincts 12, 13 and 14, and with how many votes?"
		votes         = "12 map[Lindqvist:640 Okafor:811]\n13 map[Lindqvist:955 Okafor:702]\n14 map[Lindqvist:498 Okafor:530]"
		won           = "Precinct 12: Okafor (811 votes). Precinct 13: Lindqvist (955 votes). Precinct 14: Okafor "
		calls, late   = "How many calls took longer than fifteen minutes?", "median 534 s, longer than 900 s: 73"
	)
	judge(t, []expect{
		{zone, records, "The zone has 58 MX records.", grounding.Not},
		{zone, records, "The zone has 6 MX records.", grounding.Grounded},
		{lift, rides, "Nel 2021/22 184.302, nel 2022/23 201.557.", grounding.Grounded},
		{lift, rides, "Nel 2021/22 201.557, nel 2022/23 184.302.", grounding.Partly},
		{shift, rates, "The third shift: 35.4 against 38.9.", grounding.Grounded},
		{vote, votes, won + "(530 votes).", grounding.Grounded},
		{vote, votes, won + "(498 votes).", grounding.Partly},
		{calls, late, "73 calls took longer than fifteen minutes.", grounding.Grounded},
		{"Quale bagno ha più scarti?", "map[C-41/2:3 ECN-2/1:9]", "È l'ECN-2/1, con nove.", grounding.Grounded},
	})
}

// TestTheAlternativeThatWasSeen: a choice that what was seen does not name is invented where it names another.
func TestTheAlternativeThatWasSeen(t *testing.T) {
	const question, stop = "Was the lift in Tower B stopped by the door or by the brake?", "03:12 Tower B STOP cause=door_sensor"
	judge(t, []expect{
		{question, stop, "By the door.", grounding.Grounded},
		{question, stop, "By the brake.", grounding.Not},
		{question, stop, "It was stopped by the brake.", grounding.Not},
	})
}

// TestMeasuresInOtherWords: prices by weight, halves behind a unit, and directions instead of signs.
func TestMeasuresInOtherWords(t *testing.T) {
	const fish, shift = "orata 14.35 EUR/kg\nspigola 16.90 EUR/kg", "KRV east -14.2 mm north +0.3 mm"
	judge(t, []expect{
		{"Qual era il prezzo?", fish, "L'orata costava 14,35 €/kg, la spigola 16,90 €/kg.", grounding.Grounded},
		{"Qual era il prezzo?", fish, "L'orata costava 14,53 €/kg, la spigola 16,90 €/kg.", grounding.Partly},
		{"¿Cuánto duró el apagón?", "2h30m0s", "Duró dos horas y media.", grounding.Grounded},
		{"¿Cuánto duró el apagón?", "2h30m0s", "Duró tres horas y media.", grounding.Not},
		{"In which direction did it shift?", shift, "It moved 14.2 mm to the west.", grounding.Grounded},
		{"In which direction did it shift?", shift, "It moved 14.2 mm to the east.", grounding.Not},
	})
}

// TestAQuantileIsAShare, though the cell wrote its name into the format.
func TestAQuantileIsAShare(t *testing.T) {
	judgeEach(t, map[string]grounding.Verdict{
		"90 % arrive within 19 minutes.": grounding.Grounded,
		"80 % arrive within 19 minutes.": grounding.Partly,
	}, func(answer string) grounding.Run {
		run := shownAnd("Within how many minutes do they arrive?", "p50=510 s p90=1140 s", answer)
		run.Turns[0].Cells[0].Code = `fmt.Printf("p50=%d s p90=%d s\n", secs[len(secs)/2], secs[len(secs)*9/10])`
		return run
	})
}

// TestAVariableMayBeNamedAsABuiltin: what a sub-call was given of it is text that was read.
func TestAVariableMayBeNamedAsABuiltin(t *testing.T) {
	run := shownAnd("How many kilometres do the routes have?", "total 31.6 km", "31.6 km")
	cell := &run.Turns[0].Cells[0]
	cell.Code = "r := llm_query(\"Total of the routes: \" + cap[4])\nfmt.Println(r)"
	cell.Calls = []grounding.Call{{
		Number: 1, Prompt: "Total of the routes: Chapter V. The ranger walks ...", Reply: "total 31.6 km",
	}}
	r := grounding.Trace(run)
	assert.Equal(t, grounding.Grounded, r.Verdict, "%+v", r.Values)
}

// TestEachOfSeveralNumbersThatAreSearched: a number of a list for each of which a cell searches is found where the
// search counts some, and is the model's own where it counts none or something else.
func TestEachOfSeveralNumbersThatAreSearched(t *testing.T) {
	const (
		each  = "for _, y := range []int{2019, 2020, 2021} {\n\tfmt.Println(y, strings.Count(context, fmt.Sprintf(\"in %d\", y)))\n}"
		other = "for _, y := range []int{2019, 2020, 2021} {\n\tfmt.Println(y, strings.Count(context, \"in May\"))\n}"
	)
	for _, c := range []struct {
		cell, output string
		want         grounding.Verdict
	}{
		{each, "2019 14\n2020 17\n2021 0", grounding.Grounded},
		{each, "2019 14\n2020 0\n2021 0", grounding.Not},
		{other, "2019 14\n2020 17\n2021 0", grounding.Not},
	} {
		r := grounding.Trace(grounding.Run{
			Question: "In which year were most incidents?", Answer: "In 2020.",
			Turns: []grounding.Turn{
				{Number: 1, Cells: []grounding.Cell{{Number: 1, Code: c.cell, Output: c.output}}},
				{Number: 2, Cells: []grounding.Cell{{Number: 2, Code: `FINAL("In 2020.")`}}},
			},
		})
		assert.Equal(t, c.want, r.Verdict, "%s\n%s", c.cell, c.output)
	}
}

// TestNumbersOfSomethingElse: of pages, of lines in words before a colon, of kilograms, and counts without a percent.
func TestNumbersOfSomethingElse(t *testing.T) {
	const (
		pages  = "Wie viele Mitglieder hat der Verein?"
		scraps = "Combien de colis ont été refusés en mai ?"
		scale  = "What did the heaviest lorry carry?"
		seeds  = "How many seeds of rye are there, and how many germinated?"
	)
	judge(t, []expect{
		{pages, "Mitgliederliste\nSeite 1 von 61\nAdler, Jana", "Er hat 61 Mitglieder.", grounding.Not},
		{"Wie viele Seiten hat sie?", "Mitgliederliste\nSeite 1 von 61", "Sie hat 61 Seiten.", grounding.Grounded},
		{scraps, "lignes du registre en mai: 64", "64 colis ont été refusés.", grounding.Not},
		{scraps, "colis refusés en mai: 64", "64 colis ont été refusés.", grounding.Grounded},
		{scale, "ticket 90417 net 23460 kg gravel", "Ticket 90417 is of 23,460 t of gravel.", grounding.Partly},
		{scale, "ticket 90417 net 23460 kg gravel", "Ticket 90417 is of 23.46 t of gravel.", grounding.Grounded},
		{"Was wog er?", "Schein 90417 netto 23460 kg Kies", "Schein 90417: 23,460 t Kies.", grounding.Grounded},
		{seeds, "rye seeds=73 tested=42", "There are 73 seeds of rye; 42 % germinated.", grounding.Partly},
		{"How humid was it?", "2020-02-11 temp=7.3 humidity=42", "It had 42 % of humidity.", grounding.Grounded},
	})
}

// TestWaysToWriteWhatStandsThere: numbers before dates, in names of files and behind "No", days of German lists, and
// lengths of time in words.
func TestWaysToWriteWhatStandsThere(t *testing.T) {
	const (
		lift = "parte 0764 2018-11-06 portal 6: engrasado cable, operario M. Lage\n" +
			"parte 0881 2021-04-19 portal 6: sustituido cable, operario L. Quiroga"
		pawn = "No 3312 silver cigarette case, redeemed 1931-07-29 by Mrs Aldous"
		lots = "26.12. Gratbahn 6120\n27.12. Gratbahn 6884"
	)
	judge(t, []expect{
		{"¿Quién cambió el cable?", lift, "L. Quiroga, según el parte 0881 (operario: L. Quiroga).", grounding.Grounded},
		{"Where is it?", "form-2207.txt\nItem: cello case", "It is in form 2207.", grounding.Grounded},
		{"Where is it?", "form-2207.txt\nItem: cello case", "It is in form 2270.", grounding.Not},
		{"Was the cigarette case redeemed?", pawn, "Yes, on 29 July 1931.", grounding.Grounded},
		{"How many rides were there?", lots, "26 December: 6,120; 27 December: 6,884.", grounding.Grounded},
		{"How many rides were there?", lots, "26 December: 6,884; 27 December: 6,120.", grounding.Partly},
		{"Quanto dura?", "dom | Porto Calmo | 95 min", "Dura un'ora e 35 minuti.", grounding.Grounded},
		{"Quanto dura?", "dom | Porto Calmo | 95 min", "Dura un'ora e 25 minuti.", grounding.Not},
		{"Hur länge plogade de?", "02:10-05:40 Kyrkbacken, 3.5 h", "Tre och en halv timme.", grounding.Grounded},
		{"Hur länge plogade de?", "02:10-05:40 Kyrkbacken, 3.5 h", "Två och en halv timme.", grounding.Not},
	})
}

// TestACountOfAnotherLabel: what a line near the number labels as the answer does is another number.
func TestACountOfAnotherLabel(t *testing.T) {
	const question, out = "How many passes were there, and how many were imaged?", "passes 148\nabove 30 degrees 59\nimaged 42"
	judge(t, []expect{
		{question, out, "There were 148 passes, of which 59 were imaged.", grounding.Partly},
		{question, out, "There were 148 passes, of which 42 were imaged.", grounding.Grounded},
		{question, out, "There were 148 passes, 59 of them above 30 degrees.", grounding.Grounded},
	})
	run := shownAnd(question, out, "There were 148 passes, of which 59 were imaged.")
	run.Turns[0].Cells[0].Variables = []grounding.Variable{{Name: "high", Value: "59"}}
	assert.Equal(t, grounding.Partly, grounding.Trace(run).Verdict)
}

// TestWordsOfOtherLanguagesAroundNumbers: months in other cases, about, currencies, and names of files between kana.
func TestWordsOfOtherLanguagesAroundNumbers(t *testing.T) {
	const (
		stork   = "7KH41 odczyt 11.02.2021 Tamale; odl. 5327 km"
		minibar = "Suite 12: 86.40 EUR\nHab. 305: 71.15 EUR"
		causes  = "map[mechanical:11 none given:3 weather:26]"
	)
	judge(t, []expect{
		{"Kiedy i jak daleko?", stork, "W lutym 2021 r., około 5300 km dalej.", grounding.Grounded},
		{"Kiedy i jak daleko?", stork, "W lipcu 2021 r., około 5300 km dalej.", grounding.Partly},
		{"¿Cuánto gastaron?", minibar, "La suite gastó 86,40 € y la habitación 305 gastó 71,15 euros.", grounding.Grounded},
		{"¿Cuánto gastaron?", minibar, "La suite gastó 86,40 € y la habitación 305 gastó 71,15 dólares.", grounding.Partly},
		{"最も長いファイルは何ですか。", "job_0417.srt 5538s\njob_0122.srt 5190s", "最も長いのはjob_0417.srtです。", grounding.Grounded},
		{"最も長いファイルは何ですか。", "job_0417.srt 5538s\njob_0122.srt 5190s", "最も長いのはjob_0471.srtです。", grounding.Not},
		{"What was cancelled why?", causes, "Weather 26, mechanical 11, and for 3 no cause is given.", grounding.Grounded},
		{"What was cancelled why?", causes, "Weather 26, mechanical 11, and for 4 no cause is given.", grounding.Partly},
	})
}

// TestTheFirstLinesAreNoLook, however they are cut.
func TestTheFirstLinesAreNoLook(t *testing.T) {
	for _, cell := range []string{
		`fmt.Println(strings.Join(strings.Split(context, "\n")[:2], "\n"))`, `fmt.Println(strings.Split(context, "\n")[:2])`,
		`fmt.Println(context[:90])`,
	} {
		run := shownAnd("Did the chairlift pass its inspection?", "LOG, season 2014/15\n2014-10-02 drag lift: grease", "Yes.")
		run.Turns[0].Cells[0].Code = cell
		assert.Equal(t, grounding.Not, grounding.Trace(run).Verdict, cell)
	}
}

// TestOneNameBeforeTheVerbOfTheQuestion is a name, though it begins the sentence.
func TestOneNameBeforeTheVerbOfTheQuestion(t *testing.T) {
	const question = "Who set the most puzzles?"
	judge(t, []expect{
		{question, "Quillon: 2140, Oread: 312", "Quillon set the most, 2,140.", grounding.Grounded},
		{question, "Quillon: 2140, Oread: 312", "Talbot set the most, 2,140.", grounding.Partly},
	})
}

// TestALiteralBesideAComputedValue: what a cell prints from a literal is the model's own, whatever is beside it.
func TestALiteralBesideAComputedValue(t *testing.T) {
	run := shownAnd("¿Qué explotación recibió más?", "El Olivar | 318400 EUR", "El Olivar, con 318.400 euros, tiene 1.250 hectáreas.")
	run.Turns[0].Cells[0].Code = `fmt.Println(f[1], "|", f[3], "EUR")`
	other := grounding.Cell{Number: 3, Code: "ha := \"1250 ha\"\nfmt.Println(f[1], ha)", Output: "El Olivar 1250 ha"}
	run.Turns[0].Cells = append(run.Turns[0].Cells, other)
	r := grounding.Trace(run)
	assert.Equal(t, grounding.Partly, r.Verdict, "%+v", r.Values)
}

// TestAnotherUnitOfTheSameNumber is not made right by a variable that has the number alone.
func TestAnotherUnitOfTheSameNumber(t *testing.T) {
	judgeEach(t, map[string]grounding.Verdict{
		"The most was 187.5 cm.":  grounding.Not,
		"The most was 18.75 cm.":  grounding.Grounded,
		"The most was 187.5 mm.":  grounding.Grounded,
		"The most was 0.1875 m.":  grounding.Grounded,
		"It was 187.5 inches.":    grounding.Not,
		"The most was 1,875 cm.":  grounding.Not,
		"The most was 187.50 mm.": grounding.Grounded,
	}, func(answer string) grounding.Run {
		run := shownAnd("How much rain fell on the wettest day?", "max 187.5 mm", answer)
		run.Turns[0].Cells[0].Variables = []grounding.Variable{{Name: "best", Value: "187.5"}}
		return run
	})
}
