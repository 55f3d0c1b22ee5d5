package grounding_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestASmallNumberIsKnownByTheWordsAroundIt: words without a meaning of their own do not hide the others.
func TestASmallNumberIsKnownByTheWordsAroundIt(t *testing.T) {
	const trial = "A total of 148 participants were screened; 112 were randomised (61 women).\n" +
		"Light was given between 19:00 and 21:00 at 2,500 lux, on six evenings a week.\n" +
		"There was no effect on total sleep time (mean difference 3.1 min, 95 % CI -6.0 to 12.2).\n" +
		"Nine participants withdrew before the second period, seven of them because of roster changes.\n" +
		"Participants were recruited at three hospitals and one steel works.\n" +
		"Two participants were excluded from the analysis of actigraphy (defective devices).\n"
	judge(t, []expect{
		{"Who dropped out?", trial, "Nine withdrew, 7 of them because of changes in the roster.", grounding.Grounded},
		{"Who dropped out?", trial, "Nine withdrew, 8 of them because of changes in the roster.", grounding.Partly},
	})
}

// TestAUnitMayStandOnTheNextLine: prose is wrapped anywhere, and lines may be numbered.
func TestAUnitMayStandOnTheNextLine(t *testing.T) {
	judge(t, []expect{
		{
			"What is the initial term?", "212 11.1 This Agreement starts on 1 July 2023 with a term of thirty-six (36)\n" +
				"213 months. It may not be terminated before.\n", "The initial term is three years.", grounding.Grounded,
		},
		{
			"How large is the site?", "The site by the river, which the council bought, measures in all 12\n" +
				"hectares of meadow.\n", "It measures 120,000 m².", grounding.Grounded,
		},
		{
			"What is the initial term?", "212 11.1 This Agreement starts on 1 July 2023 with a term of thirty-six (36)\n" +
				"213 months. It may not be terminated before.\n", "The initial term is four years.", grounding.Not,
		},
	})
}

// TestNumbersAreReadInWordsOfEachLanguage: digits and words stand for each other, also over a hundred.
func TestNumbersAreReadInWordsOfEachLanguage(t *testing.T) {
	for _, l := range []struct{ question, output, answer, numbers string }{
		{
			"How many votes has the list?", "The list got %s votes in the town.", "The list has %s votes.",
			"35 thirty-five|120 one hundred and twenty|1200 twelve hundred|2500 two thousand five hundred",
		},
		{
			"Wie viele Stimmen hat die Liste?", "Die Liste hat nach der Zählung %s Stimmen.", "Die Liste hat %s Stimmen.",
			"21 einundzwanzig|100 hundert|245 zweihundertfünfundvierzig|1200 zwölfhundert|2500 zweitausendfünfhundert",
		},
		{
			"Combien de voix pour la liste ?", "La liste a obtenu %s voix dans le village.", "La liste a %s voix.",
			"7 sept|21 vingt et un|120 cent vingt|245 deux cent quarante-cinq|1200 mille deux cents|2500 deux mille cinq cents",
		},
		{
			"¿Cuántos votos tiene la lista?", "La lista se quedó con %s votos en el pueblo.", "La lista tiene %s votos.",
			"21 veintiún|31 treinta y un|100 cien|245 doscientos cuarenta y cinco|2500 dos mil quinientos",
		},
		{
			"Quanti voti sono per la lista?", "La lista con il sindaco è stata scelta da %s voti.", "La lista ha %s voti.",
			"21 ventuno|120 centoventi|245 duecentoquarantacinque|1200 milleduecento|2500 duemilacinquecento",
		},
		{
			"Hoeveel stemmen zijn er voor de lijst?", "De lijst kreeg %s stemmen van het dorp.", "De lijst kreeg %s stemmen.",
			"78 achtenzeventig|100 honderd|245 tweehonderdvijfenveertig|2500 tweeduizend vijfhonderd",
		},
		{
			"Сколько голосов у списка и какой он?", "Список получил %s голосов и не был первым.", "Список получил %s голосов.",
			"21 двадцать один|120 сто двадцать|245 двести сорок пять|1200 тысяча двести|2500 две тысячи пятьсот",
		},
		{
			"Quantos votos para a lista?", "A lista foi votada com %s votos na cidade.", "A lista tem %s votos.",
			"35 trinta e cinco|100 cem|245 duzentos e quarenta e cinco|1200 mil e duzentos|2500 dois mil e quinhentos",
		},
	} {
		for pair := range strings.SplitSeq(l.numbers, "|") {
			digits, spelt, _ := strings.Cut(pair, " ")
			in := func(form, n string) string { return strings.Replace(form, "%s", n, 1) }
			expect{l.question, in(l.output, spelt), in(l.answer, digits), grounding.Grounded}.check(t)
			expect{l.question, in(l.output, digits), in(l.answer, spelt), grounding.Grounded}.check(t)
			expect{l.question, in(l.output, spelt), in(l.answer, digits+"9"), grounding.Not}.check(t)
		}
	}
}

// TestAYearNamesAColumn: the head of the answer's own column says which year a number is of.
func TestAYearNamesAColumn(t *testing.T) {
	const years = "Summary (in thousands of euros)\n                2024        2023        2022\n" +
		"Revenue    1,318,407   1,402,951   1,377,220\nNet debt     287,570     241,106     198,430\n"
	const question = "What was revenue in 2024, and the year before?"
	judge(t, []expect{
		{
			question, years, "| | 2024 | 2023 |\n|---|---|---|\n| Revenue | €1,318.4m | €1,403.0m |\n" +
				"| Net debt | €287.6m | €241.1m |", grounding.Grounded,
		},
		{
			question, years, "| | 2024 | 2023 |\n|---|---|---|\n| Revenue | €1,403.0m | €1,318.4m |\n" +
				"| Net debt | €287.6m | €198.4m |", grounding.Partly,
		},
		{question, years, "Revenue was €1.32 billion, after €1,403.0 million.", grounding.Grounded},
		{
			"What were the costs in 2024?", years + "Costs       -601,377    -590,002    -571,100\n",
			"Costs were €601.4m.", grounding.Grounded,
		},
		{question, years, "- Net debt: €287.6 million (2023: €241.1 million)", grounding.Grounded},
	})
}

// TestAVersionMayBeGluedToAName: files and packages carry their version behind a hyphen.
func TestAVersionMayBeGluedToAName(t *testing.T) {
	const files = "classpath.txt: lib/log4j-core-2.14.1.jar\nclasspath.txt: lib/junit-4.13.jar\n" +
		"classpath.txt: lib/spring-web-5.3.20.jar\npackages.txt: curl_8.5.0-2ubuntu10_amd64.deb\n"
	judge(t, []expect{
		{
			"Which libraries are used?", files,
			"log4j-core 2.14.1, JUnit 4.13, spring-web 5.3.20 and curl 8.5.0 are used.", grounding.Grounded,
		},
		{"Which version of log4j?", files, "Log4j 2.14.1", grounding.Grounded},
		{"Which version of log4j?", files, "Log4j 2.17.1", grounding.Not},
		{"Which version of JUnit?", files, "JUnit 4.12", grounding.Not},
		{"Where do the metrics stand?", "ports: 8080\nlog: metrics and more of it\n", "At /metrics.", grounding.Not},
		{"Where do the metrics stand?", "ports: 8080\npath: /metrics\n", "At /metrics.", grounding.Grounded},
		{"Where?", "curl -f http://localhost:8080/healthz\nsrc: lib/status\n", "At /healthz.", grounding.Grounded},
		{"Where?", "curl -f http://localhost:8080/healthz\nsrc: lib/status\n", "At /status.", grounding.Not},
		{"Which version of Grafana?", "rolled out grafana_10.4.1_amd64.deb by tom\n", "Grafana 10.4.1", grounding.Grounded},
	})
}

// TestANameKeepsItsSmallWords: a place or a person with words in lower case is one value.
func TestANameKeepsItsSmallWords(t *testing.T) {
	const answer = "It was founded in Stoke-on-Trent by Jan van der Meer and Maria dos Santos, and moved to " +
		"Rio de Janeiro, Newcastle upon Tyne, Boulogne-sur-Mer and Frankfurt am Main."
	names := []string{
		"Stoke-on-Trent", "Jan van der Meer", "Maria dos Santos", "Rio de Janeiro", "Newcastle upon Tyne",
		"Boulogne-sur-Mer", "Frankfurt am Main",
	}
	for _, output := range []string{"The first line tells nothing.", answer} {
		var found []string
		for _, v := range grounding.Trace(shownAnd("Who founded it, and where?", output, answer)).Values {
			assert.Equal(t, output == answer, v.Grounded, v.Value)
			found = append(found, v.Value)
		}
		assert.Equal(t, names, found)
	}
}

// TestADayIsReadInItsForms: a day with a slash or as an ordinal, and an hour; a number behind a month may be a count.
func TestADayIsReadInItsForms(t *testing.T) {
	const march = "2024-03-12 10:00 restart\n2024-03-13 ok\n"
	judge(t, []expect{
		{
			"Quand ferme le musée ?", "Fermeture annuelle à partir du 23 décembre", "Il ferme à partir du 23/12.",
			grounding.Grounded,
		},
		{
			"Quand ferme le musée ?", "Fermeture annuelle à partir du 23 décembre", "Il ferme à partir du 24/12.",
			grounding.Not,
		},
		{
			"How many jobs failed in May, and when was the longest?", "failed in all 29\nlongest 414 2024-05-19 02:00",
			"In May 29 jobs failed. The longest was on May 19.", grounding.Grounded,
		},
		{"What happened on 12 March?", march, "There was a restart at 10; on the 13th all was well.", grounding.Grounded},
		{"What happened on 12 March?", march, "There was a restart at 11; on the 14th all was well.", grounding.Not},
	})
	asked := shownAnd("When is the meeting of 3 June?", "Meeting in room 5", "The meeting of 03/06 is in room 5.")
	r := grounding.Trace(asked)
	assert.True(t, r.Values[0].Neutral, "%+v", r.Values)
}

// TestAJapaneseNameIsBare: an honorific, a topic and the end of a sentence are no part of a name; a particle and a verb
// are no value.
func TestAJapaneseNameIsBare(t *testing.T) {
	const question, shown = "会議の開始時刻と司会者は？", "日付 2025年4月18日 14:30開会\n司会 森田綾子\n書記 佐藤健\n任期 三十六か月\n"
	judge(t, []expect{
		{question, shown, "会議は午後2時30分に始まり、司会は森田綾子さん、書記は佐藤健氏です。", grounding.Grounded},
		{question, shown, "司会は中村次郎さん、書記は山本様です。", grounding.Not},
		{question, shown, "任期は3年、司会は森田先生です。", grounding.Grounded},
	})
	for _, v := range grounding.Trace(shownAnd(question, "議題", "会議は午後2時30分に始まり、司会は森田綾子さんです。")).Values {
		assert.Contains(t, []string{"午後2時30分", "森田綾子"}, v.Value)
	}
}

// TestALengthOfTimeIsReadInWords: halves, quarters, fortnights and decades are lengths of time like others.
func TestALengthOfTimeIsReadInWords(t *testing.T) {
	const en, de = "How long does it last?", "Wie lange dauert die Frist und wer ist das?"
	const fr, es = "Quelle est la durée du contrat et de la pause ?", "¿Cuánto dura el contrato y la pausa?"
	const it = "Quanto dura il contratto e la pausa?"
	for _, c := range [][3]string{
		{en, "it lasts 36 months", "It lasts three years."},
		{en, "it lasts 6 months", "It lasts half a year."},
		{en, "it lasts 14 days", "It lasts a fortnight."},
		{en, "it lasts ten years", "It lasts a decade."},
		{en, "it lasts 45 minutes", "It lasts three quarters of an hour."},
		{en, "it lasts 250 ms", "It lasts a quarter of a second."},
		{en, "it lasts 90 seconds", "It lasts a minute and a half."},
		{de, "Die Frist ist 6 Monate.", "Sie dauert ein halbes Jahr."},
		{de, "Die Frist ist 18 Monate.", "Sie dauert anderthalb Jahre."},
		{de, "Die Frist ist 3 Monate.", "Sie dauert ein Vierteljahr."},
		{fr, "La pause est de 30 minutes.", "Elle dure une demi-heure."},
		{es, "El contrato es de 6 meses.", "Dura medio año."},
		{it, "La pausa è di 30 minuti.", "Dura mezz'ora."},
	} {
		expect{c[0], c[1], c[2], grounding.Grounded}.check(t)
		expect{c[0], c[2], c[1], grounding.Grounded}.check(t)
	}
	for _, answer := range []string{"It lasts half a year.", "It lasts a fortnight.", "It lasts a decade."} {
		expect{en, "it lasts 9 months, the break 9 days, all of it 9 years", answer, grounding.Not}.check(t)
	}
}

// TestARoundFigureIsOfOneNumber: "about" rounds a number to one of its own digits, and a rounded mean of several rows
// is none of them.
func TestARoundFigureIsOfOneNumber(t *testing.T) {
	const (
		lire = "TRUFFLE SALES\n\n10 November   31 lots, average 412 lire\n" +
			"              best lot 900, to Sig. Battaglin\n17 November   28 lots, average 455 lire\n" +
			"              best lot 880, to the Hotel Regina\n24 November   19 lots, average 530 lire\n" +
			"              best lot 1,240, to Sig. Battaglin\n1 December    12 lots, average 603 lire\n" +
			"              best lot 1,100, to the Prefect\n"
		reqs = "day  requests  p95 ms\nMon  18234  412\nTue  19877  655\nWed  21003  388\nThu  17540  731\n"
		well = "Well A-1: depth 84 m, yield 3.1 l/s\nWell A-2: depth 132 m, yield 2.2 l/s\n" +
			"Well A-3: depth 97 m, yield 4.0 l/s\n"
		one    = "The reservoir held 18,234 cubic metres in May. The dam is 62 m high. Repairs cost 930,500 euros."
		guests = "The hall seats 640 people. The fire officer allows 580. On the night 611 came."
		lab    = "sample  lead mg/kg\nS1  31\nS2  47\nS3  22\nS4  68\n"
		sal    = "Engineer: salary 71,200\nAnalyst: salary 58,400\nClerk: salary 39,900\n"
		dur    = "run 1: 41 s\nrun 2: 39 s\nrun 3: 43 s\n"
	)
	judge(t, []expect{
		{
			"What was the average price of a truffle lot at the four sales?", lire,
			"About 500 lire per lot on average over all the sales.", grounding.Not,
		},
		{"What was the average price on 24 November?", lire, "About 500 lire on 24 November.", grounding.Grounded},
		{"How many requests came a day on average?", reqs, "About 20,000 requests a day on average.", grounding.Not},
		{"What is the mean p95?", reqs, "The mean p95 is about 500 ms.", grounding.Not},
		{"How high was the p95 on Tuesday?", reqs, "About 650 ms on Tue.", grounding.Grounded},
		{"How deep are the wells on average?", well, "They are about 100 m deep on average.", grounding.Not},
		{"How deep is well A-3?", well, "Well A-3 is about 100 m deep.", grounding.Grounded},
		{"How much water did the reservoir hold?", one, "About 18,000 cubic metres.", grounding.Grounded},
		{"How high is the dam?", one, "About 100 m.", grounding.Not},
		{"How much did the repairs cost?", one, "Nearly 1 million euros.", grounding.Grounded},
		{"How much did the repairs cost?", one, "About 930,000 euros.", grounding.Grounded},
		{"How many people came?", guests, "About 1,000 people came.", grounding.Not},
		{"What is the mean lead content?", lab, "The mean is about 40 mg/kg.", grounding.Not},
		{"What is the lead content of S2?", lab, "S2 has about 50 mg/kg.", grounding.Grounded},
		{"What is the average salary?", sal, "The average salary is roughly 60,000.", grounding.Not},
		{"How long does a run take?", dur, "Each run takes about 40 s.", grounding.Grounded},
		{
			"How much did everything cost in total?", "Paint: 120 EUR\nTimber: 880 EUR\nNails: 35 EUR\n",
			"About 1,000 EUR in total.", grounding.Not,
		},
		{
			"How much did everything cost in total?", "Paint: 120 EUR\nTimber: 880 EUR\nNails: 35 EUR\nTotal: 1,035 EUR\n",
			"About 1,000 EUR in total.", grounding.Grounded,
		},
	})
}
