package grounding_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// shownAnd returns a run in which a cell printed a text before the answer was submitted.
func shownAnd(question, output, answer string) grounding.Run {
	look := grounding.Cell{Number: 1, Code: `fmt.Println(grep("x"))`, Output: output}
	hand := grounding.Cell{Number: 2, Code: fmt.Sprintf("FINAL(%q)", answer)}
	return grounding.Run{Question: question, Answer: answer, Turns: []grounding.Turn{
		{Number: 1, Cells: []grounding.Cell{look}}, {Number: 2, Cells: []grounding.Cell{hand}},
	}}
}

// TestAValueRestsOnOtherWritings: a text supports a value even if it spells it differently.
func TestAValueRestsOnOtherWritings(t *testing.T) {
	for _, c := range [][2]string{
		{"left port 2019-03-04 under pilot", "4 March 2019"},
		{"signed on March 4, 2019 in Oslo", "2019-03-04"},
		{"Signed: 04/03/2019 (Oslo)", "4 March 2019"},
		{"Unterschrieben am 04.03.2019", "March 4, 2019"},
		{"am 4. März 2019 in Köln", "2019-03-04"},
		{"le 14 juillet 1998, à Lyon", "July 14, 1998"},
		{"opened 2021-11-30", "November 2021"},
		{"Hearing: Tue 12 May 2020, 10:00", "Tuesday, 12 May 2020"},
		{"backup-20230917.tar", "17 September 2023"},
		{"rec'd 03-Apr-97", "3 April 1997"},
		{"on the 3rd of April, 1997", "1997-04-03"},
		{"Exhibition 12-19 June 2017", "from 12 to 19 June 2017"},
		{"2024-05-06T07:08:09Z ERROR disk", "at 07:08 on 6 May 2024"},
		{"doors open 7:30 pm", "19:30"},
		{"departs 15:05 from gate 4", "3:05 p.m."},
		{"meeting at 12:00 in room 5", "noon"},
		{"Beginn: 18 Uhr 45", "18:45"},
		{"départ 9h15", "9:15"},
		{"closes at 00:00", "midnight"},
		{"stopped 23:59:12", "23:59"},
		{"elapsed: 150 min", "2.5 hours"},
		{"elapsed 2h30m", "150 minutes"},
		{"total time 01:30:00", "90 minutes"},
		{"p99=1250ms", "1.25 seconds"},
		{"a term of thirty-six months", "3 years"},
		{"notice: 14 days", "two weeks"},
		{"distance 5200 m", "5.2 km"},
		{"height 1.82 m", "182 cm"},
		{"gross 12,500 kg", "12.5 tonnes"},
		{"net 0.75 kg", "750 g"},
		{"size: 1536 MB", "1.5 GB"},
		{"wrote 2,000,000 bytes", "2 MB"},
		{"volume 250 ml", "0.25 litres"},
		{"area: 2 km²", "200 hectares"},
		{"rated at 3500 W", "3.5 kW"},
		{"12 km upstream", "12 kilometres"},
		{"at 21 °C", "21 degrees Celsius"},
		{"ratio 0.375", "37.5 %"},
		{"turnout: 61 per cent", "61%"},
		{"sixty percent of members", "60 %"},
		{"budget USD 1,250,000", "$1.25 million"},
		{"fee: 300 EUR", "€300"},
		{"CHF 4'500.-", "4,500 Swiss francs"},
		{"revenue 3.2bn GBP", "£3.2 billion"},
		{"1.284,50 €", "EUR 1,284.50"},
		{"Net result (4,310)", "a loss of 4,310"},
		{"change: -12.5%", "it fell by 12.5 %"},
		{"crew: 17", "seventeen"},
		{"twenty-three passengers", "23"},
		{"two hundred and five entries", "205"},
		{"three dozen eggs", "36 eggs"},
		{"0.5 of all", "half"},
		{"on the 3rd floor", "the third floor"},
		{"King Henry VIII", "Henry the Eighth"},
		{"Chapter XIV", "chapter 14"},
		{"population 48,731", "about 49,000"},
		{"mean 3.14159", "3.14"},
		{"6.02e5 cells", "602,000"},
		{"Signed: KELLER, Maria", "Maria Keller"},
		{"Dr. Maria Keller signed", "Maria Keller"},
		{"M. Keller signed", "Keller"},
		{"José Núñez", "Jose Nunez"},
		{"Bürgermeister Müller", "Mueller"},
		{"the car of Anna Holt", "Anna Holt's"},
		{"retry_count = 4", "retry count: 4"},
		{"| 7 | Ana Ruiz | Porto |", "Ana Ruiz, Porto"},
		{"7;Ruiz;Ana;Porto", "Ana Ruiz from Porto"},
		{"{\"host\":\"db1\",\"port\":5432}", "db1 listens on 5432"},
		{"host=db1 port=5432", "port 5432 on db1"},
		{"item: lantern x 4", "4 lanterns"},
		{"co-operation treaty of 1951", "cooperation treaty of 1951"},
		{"paid 20 pounds sterling", "£20"},
		{"¥12,000", "12,000 yen"},
		{"in Q3 2024", "the third quarter of 2024"},
		{"built in 1843", "1843"},
		{"2024-05-06 14:00 UTC", "14:00 UTC on 6 May"},
		{"47.3769 N, 8.5417 E", "47.38° N, 8.54° E"},
		{"release v2.14.3 (LTS)", "version 2.14.3"},
		{"srv/main.go:212: bad", "srv/main.go, line 212"},
		{"Tel. +41 44 123 45 67", "+41441234567"},
		{"IBAN CH93 0076 2011 6238 5295 7", "CH9300762011623852957"},
		{"opens 05:45-13:45", "at a quarter to six"},
		{"taken 15/03/22 08:30", "15 March 2022 at half past eight"},
		{"an interest of four and a half per cent", "4.5 %"},
		{"elapsed=5400s", "an hour and a half"},
		{"raised half a million francs", "500,000 francs"},
		{"a dozen crates", "12 crates"},
		{"½ litre left", "half a litre"},
		{"4¾ % due", "4.75 %"},
		{"3/4 of the field", "three quarters"},
		{"two thousand five hundred pilgrims", "2,500 pilgrims"},
		{"Combien ? dix-huit candidats", "18 candidats"},
		{"built 1963", "in the 1960s"},
		{"dated MDCCLXXIV", "1774"},
		{"raised in the XVIIth century", "in the 17th century"},
		{"bâti au XVIIe siècle", "au 17e siècle"},
		{"rec'd 2.IX.1907", "2 September 1907"},
		{"2024年5月2日に提出", "2 May 2024"},
		{"filed 6/3/24 by mail", "3 June 2024"},
		{"bezahlt am 3.6. per Post", "3 June"},
		{"open from 3 to 5 June 2017", "3 June 2017"},
		{"on the third day of March 2027", "3 March 2027"},
		{"start=20240617T1032Z", "17 June 2024"},
		{"seen 05/2023", "May 2023"},
		{"paid EUR29 in cash", "€29"},
		{"took 0h42m10s", "42 minutes and 10 seconds"},
		{"KL1234 dep 0655 gate C14", "06:55"},
		{"free: 3, 10 and 17 June", "3, 10 and 17 June"},
		{"took 94m", "94 minutes"},
		{"2021 revenue 12.4 bn, 2022 revenue 13.1 bn", "from 12.4 to 13.1 billion"},
		{"EBIT (4.1) m", "minus 4.1 million"},
		{"display 1170x2532", "1170 x 2532"},
		{"Chair: Dr. Ingrid M. Sørensen", "Ingrid Sørensen"},
		{"[4 5 22]", "4, 5 and 22"},
		{"jan 61\nmar 72\napr 90", "April, 90"},
		{"Linie   Tsd.\n1       4.120\n5       9.870", "Linie 5: 9,87 Millionen"},
		{"Parts: pump (B. Lind, 2012), seal", "pump and seal"},
		{"بلغ عدد الزوار ٢٬٤١٨ زائرًا", "2,418 visitors"},
		{"कुल ३,४५६ गाँव", "3,456 villages"},
		{"合計 １２,３４５ 件", "12,345 cases"},
		{"visitors: 2418", "２４１８"},
		{"عدد الزوار: ٢٤١٨", "كان عدد الزوار ٢٤١٨ زائرا"},
		{"Tel. +44 20 7946 0018", "020 7946 0018"},
		{"Tel. 020 7946 0018", "+44 20 7946 0018"},
		{`{"heapMB": 790, "waitMs": 35}`, "790 MB and 35 ms"},
		{"共有四十二间客房。", "42 rooms"},
		{"合同期限为十二个月。", "12 months"},
		{"共三千二百零五人", "3,205 people"},
		{"-- Found PCRE2: v10.42", "PCRE2 10.42"},
		{"memory: 512 MiB", "536.9 MB"},
		{"name bytes\nimage 5242880", "the image has 5 MiB"},
		{"took 100 minutes", "1.67 hours"},
		{"line rate 940 Mbit/s", "940 Mbps"},
		{"cut by 25 basis points", "0.25 percentage points"},
		{"Net result   (4,310)", "a net loss of 4,310"},
		{"Net result   (4,310)", "a net result of -4,310"},
		{"Cost of sales   (8,431)", "cost of sales 8,431"},
		{"Net income of the year (2021)   730", "2021"},
		{"net profit 1,204", "the result fell to 1,204"},
	} {
		r := grounding.Trace(shownAnd("What does the text say?", c[0], c[1]))
		assert.Equal(t, grounding.Grounded, r.Verdict, "%q from %q: %+v", c[1], c[0], r.Values)
	}
}

// TestAValueDoesNotRestOnWhatIsAlike: a text with another unit, number, name or row does not support a value.
func TestAValueDoesNotRestOnWhatIsAlike(t *testing.T) {
	for _, c := range [][3]string{
		{"How much?", "fee: 300 EUR", "$300"},
		{"How much?", "fee: 300 euros", "300 dollars"},
		{"How much?", "total 4,200 USD", "CHF 4,200"},
		{"How much?", "£75 fine", "75 euros"},
		{"How heavy?", "net 750 g", "750 kg"},
		{"How far?", "12 km", "12 miles"},
		{"How long?", "took 45 seconds", "45 minutes"},
		{"How warm?", "21 °C", "21 °F"},
		{"What share?", "61 votes", "61 %"},
		{"How long?", "retention: 30 days", "30 months"},
		{"How large?", "size 512 MB", "512 GB"},
		{"How large?", "size 512 MiB", "512 MB"},
		{"How large?", "size 500 GB", "500 GiB"},
		{"How fast?", "rate: 940 Mbit/s", "940 MB/s"},
		{"By how much?", "rose by 3.2 percentage points", "3.2%"},
		{"By how much?", "rose by 3.2 per cent", "It fell by 3.2 %."},
		{"What is the result?", "Net result   (1,204)", "The net result was 1,204."},
		{"What is the result?", "Net result   318", "net result (318)"},
		{"What is the result?", "net profit 1,204", "a loss of 1,204"},
		{"Which version?", "pcre2 v10.42", "10.43"},
		{"How many rooms?", "共有四十二间客房。", "43 rooms"},
		{"How many visitors?", "بلغ عدد الزوار ٢٬٤١٨ زائرًا", "2,481 visitors"},
		{"How many visitors?", "visitors: 2418", "٢٤٨١"},
		{"Which number?", "Tel. +44 20 7946 0018", "020 7946 0081"},
		{"Which number?", "Tel. 44 20 7946 0018", "020 7946 0018"},
		{"How long?", `{"heapMB": 790, "waitMs": 35}`, "35 s"},
		{"How many people?", "page 9 of 30", "30 people"},
		{"How many complaints?", "Report of 2019-06-01\nseen 2019-07-02", "2019 complaints"},
		{"How many?", "© 2021 Example Ltd. founded 5 May 2021", "2021"},
		{"How many?", "order INV-20417 shipped", "417"},
		{"How many?", "commit 4fe81c0aa shipped", "81"},
		{"How many?", "call 555-0142 now", "142"},
		{"How many?", "value 3.75", "75"},
		{"Which port?", "host 10.0.8.21 up", "21"},
		{"What is the total?", "0xc000123456", "824634920022"},
		{"What is it?", "&{0xc0000a4000}", "0xc0000a4000"},
		{"How many?", "alpha… (4812 bytes left out) …omega", "4812"},
		{"How many apples?", "1. pear\n2. plum\n3. apple", "3"},
		{"What is the name?", "name: \nage:", "N/A"},
		{"Who signed?", "signature missing", "[NAME]"},
		{"Who signed?", "signature missing", "John Doe"},
		{"What is the sum?", "a 12\nb 30", "42"},
		{"How much more?", "a 12\nb 30", "18 more"},
		{"What is the mean?", "10\n20\n60", "30"},
		{"How many days?", "from 2020-01-01 to 2020-01-31", "30 days"},
		{"What share?", "25 of 200 failed", "12.5 %"},
		{"How many?", "1,284,503", "1,248,503"},
		{"What?", "mean 3.14159", "3.15"},
		{"Who?", "Maria Keller and Jonas Frei met", "Maria Frei"},
		{"Who?", "Maria Keller", "Maria Kellar"},
		{"What does it say?", "He said that the gate was closed at nine.", "\"the gate was open at nine\""},
		{
			"What does it say?", "The gate was old. It had rained. Nobody came at noon.",
			"\"The gate was old. Nobody came at noon.\"",
		},
		{"When?", "signed 2019-03-04, filed 2019-05-06", "4 May 2019"},
		{"When?", "signed 2019-03-04", "5 March 2019"},
		{"When?", "opens 9:15, closes 17:30", "9:30"},
		{"When?", "opens 7:30 pm", "7:30 am"},
		{"What?", "balance 310", "-310"},
		{"How much?", "$3.2 million", "$3.2 billion"},
		{"How much?", "3,200", "3.2 million"},
		{"How many?", "crew: 17", "eighteen"},
		{"Which version?", "v2.14.3", "2.14.4"},
		{"Which invoice?", "INV-2041 paid", "INV-2014"},
		{"Who wrote it?", "chapter one begins", "Herman Melville"},
		{"What is the capital?", "the text is about rivers", "Canberra"},
		{"How tall is it?", "Elm: height 40 m\nAsh: height 55 m", "Elm has a height of 55 m"},
		{"Which port has db2?", "db1: port 5432\ndb2: port 5433", "db2 has port 5432"},
		{"What is the mean mark?", "map[I:8.2 II:7.9 III:9.1]", "The mean is 7.9."},
		{"How many are there?", "reports 1998-2016", "2016 beetles"},
		{"What is the total?", "Input Energy Staff", "<computed total> EUR"},
		{"What is the temperature?", "sensor 23 ok", "23 °C"},
		{"How many teams?", "matchday 14", "14 teams"},
		{"How many dogs?", "Page 4\n§ 4 Dogs\nDogs must be led.", "4 dogs"},
		{"How much does the drill cost?", "No. 5570 drill .... £79.50\nNo. 5571 saw .... £64.00", "£64.00"},
		{"How much has C?", "A=12 B=31 C=8", "31"},
		{"What does a cook earn?", `{"cook": 2400, "waiter": 2150, "porter": 1980}`, "2150"},
		{"How much of it?", "1,200 of 4,800", "a quarter of it"},
		{"What is the correlation?", "r = -0.3177", "0.32"},
		{"What is the IBAN?", "IBAN AT61 1904 3002 3457 3201", "AT61 1904 3002 3475 3201"},
		{"Which pair?", "Judges: Edda Falk, Ivo Renz", "Ivo Falk"},
		{
			"Return sku and stock as JSON.", "AX-100 14\nBK-220 33\nCM-310 57",
			`[{"sku":"AX-100","stock":57},{"sku":"BK-220","stock":33},{"sku":"CM-310","stock":14}]`,
		},
		{"Which edition is it?", "Second edition, revised, Leiden 1887", "It is the third edition, printed in Leiden."},
		{"How many parts?", "part CM-310 is in stock", "900 parts"},
		{"Which is it?", "records %!d(func(string) int=0x6b1f20)", "0x6b1f20"},
	} {
		r := grounding.Trace(shownAnd(c[0], c[1], c[2]))
		assert.NotEqual(t, grounding.Grounded, r.Verdict, "%q from %q: %+v", c[2], c[1], r.Values)
	}
}

// TestATextOfTheModelsOwnIsNoPlace: a text that the model wrote into a cell is not evidence.
func TestATextOfTheModelsOwnIsNoPlace(t *testing.T) {
	own := "text := `Q: Where were you? A: I don't remember.\nQ: When? A: I don't remember.`\nfmt.Println(strings.Count(text, \"remember\"))"
	run := shownAnd("How often does the witness say that?", "2", "two times")
	run.Turns[0].Cells[0].Code = own
	assert.Equal(t, grounding.Not, grounding.Trace(run).Verdict)
	run.Shown = "Q: Where were you? A: I don't remember." // now the model has seen the text
	assert.Equal(t, grounding.Grounded, grounding.Trace(run).Verdict)
}

// TestTheModelsOwnNumbersStayItsOwn: results that code computes from the model's own numbers are not grounded,
// unless a cell reads something else.
func TestTheModelsOwnNumbersStayItsOwn(t *testing.T) {
	run := shownAnd("How many comets are there?", "2.5", "2.5")
	cell := &run.Turns[0].Cells[0]
	cell.Code = "a, b := 1180.0, 472.0\nratio := a / b\nfmt.Println(ratio)"
	assert.Equal(t, grounding.Not, grounding.Trace(run).Verdict)
	run.Shown = "north 1180, south 472" // code may have computed the ratio of these numbers
	assert.Equal(t, grounding.Grounded, grounding.Trace(run).Verdict)
	run.Shown = ""
	cell.Code, cell.Output = "guess := 11\nfmt.Println(guess)", "11"
	run.Answer = "11"
	run.Turns[1] = grounding.Turn{
		Number: 2, Cells: []grounding.Cell{{Number: 2, Code: "fmt.Println(\"comets:\", guess)", Output: "comets: 11"}},
	}
	assert.Equal(t, grounding.Not, grounding.Trace(run).Verdict, "in another cell")
	run.Turns[1].Cells[0].Code = "k := strings.Count(context, \"comet\")\nfmt.Println(\"comets:\", k)"
	assert.Equal(t, grounding.Grounded, grounding.Trace(run).Verdict, "the guess does not matter")
}

// TestAReplyFromMemoryIsNoPlaceWhereItIsPrinted: a printed reply supports no value if its call got nothing of the
// text.
func TestAReplyFromMemoryIsNoPlaceWhereItIsPrinted(t *testing.T) {
	run := shownAnd("Who is the shipper?", "0\nThe shipper is Pacific Timber", "Pacific Timber")
	run.Turns[0].Cells[0].Calls = []grounding.Call{
		{Number: 1, Prompt: "Who is the shipper?\n\n", Reply: "The shipper is Pacific Timber"},
	}
	assert.Equal(t, grounding.Not, grounding.Trace(run).Verdict)
}

// TestARowCarriesItsNumbers: a row that has a name or other values of the sentence has its numbers in any writing.
func TestARowCarriesItsNumbers(t *testing.T) {
	const (
		fields = "&{Ref:TK-31 Lead:Oda Brandvik Due:2025-02-11 Paid:0.4}\n&{Ref:TK-38 Lead:Ivo Castan Due:2025-05-02 Paid:1}\n"
		crops  = "plot,area_ha,grain_t_ha\nNorth,1240,6.38\nSouth,985,5.91\n"
		cost   = "team      plan_kEUR  spent_kEUR\nRoads           820       794.6\nSchools        3140      3305.0\n"
		temps  = "day   min   max\nMon  -4.2  11.6\nTue   3.8  14.9\n"
		hits   = "[p. 12] Drain the tank every winter.\n[p. 19] Filter: 40 microns\n[p. 33] Alarm A4 means low flow\n"
		bids   = "map[Hollmann Bau:2.0465e+06 Teich:1.984e+06]"
		open   = "za 10:00-16:30\nzo 11:00-15:00\nma gesloten\n"
		conf   = "{Retries:4 First:150ms Last:12s Codes:[408 429] Spread:0.2}\n"
	)
	judge(t, []expect{
		{
			"Who leads which task?", fields, "- TK-31: Oda Brandvik, due 11 Feb 2025, 40% paid\n" +
				"- TK-38: Ivo Castan, due 2 May 2025, 100% paid", grounding.Grounded,
		},
		{"Who leads which task?", fields, "- TK-31: Oda Brandvik, due 11 Feb 2025, 60% paid", grounding.Partly},
		{
			"What did the plots yield?", crops, "| Plot | Area (ha) | Grain (t/ha) |\n|---|---|---|\n" +
				"| North | 1,240 | 6.4 |\n| South | 985 | 5.9 |", grounding.Grounded,
		},
		{"What was spent?", cost, "Roads spent €794,600 of €820,000.", grounding.Grounded},
		{"What was spent?", cost, "Schools spent €3.31 million of €3.14 million.", grounding.Grounded},
		{"How cold was it on Tuesday?", temps, "On Tuesday it was 3.8 °C at night and 14.9 °C by day.", grounding.Grounded},
		{"On which pages are drain, filter and alarm?", hits, `{"pages": [12, 19, 33]}`, grounding.Grounded},
		{"On which pages are drain, filter and alarm?", hits, `{"pages": [12, 19, 35]}`, grounding.Partly},
		{"Wer bietet was?", bids, "Hollmann Bau bietet 2.046.500 €, Teich 1,984 Mio. €.", grounding.Grounded},
		{"Wanneer is de winkel open?", open, "- Zaterdag: 10.00 tot 16.30 uur\n- Zondag: 11.00 tot 15.00 uur", grounding.Grounded},
		{
			"How does the client retry?", conf, "It tries four times, first after 0.15 s, at last after 12 s, " +
				"with codes 408 and 429.", grounding.Grounded,
		},
		{"How long did it take?", "took 84 minutes in all\n", "It took 84 minutes, or 1.4 hours.", grounding.Grounded},
		{"How long did it take?", "took 84 minutes in all\n", "It took 84 minutes, or 1.6 hours.", grounding.Partly},
		{"How big was the lead?", "2. ORTEGA Luis +1'37\"\n", "Luis Ortega was 97 seconds behind.", grounding.Grounded},
		{"When did it stop?", "stopped 2024-03-08 16:25\n", "It stopped at 4:25 in the afternoon.", grounding.Grounded},
		{"¿Qué plazo hay para la queja?", "La queja se presenta en el plazo de un mes.\n", "En 1 mes.", grounding.Grounded},
		{"How common is it?", "may affect up to 1 in 100 people\n", "Up to 1 % of people have it.", grounding.Grounded},
		{"How common is it?", "may affect up to 1 in 100 people\n", "Up to 3 % of people have it.", grounding.Not},
		{
			"Quelles sont les pénalités ?", "Intérêt : 0,5 % par mois de retard\n",
			"L'intérêt est d'un demi pour cent par mois.", grounding.Grounded,
		},
	})
}
