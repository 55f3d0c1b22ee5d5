package grounding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestAnAmountMayHaveItsScaleInAHeading: a table says once what all its amounts are in.
func TestAnAmountMayHaveItsScaleInAHeading(t *testing.T) {
	judgeOf(t, "What are the figures?", []found{
		{
			"KEY FIGURES\nUS$ million   2023   2022\nRevenue   4,812.6   4,527.3\nCosts   3,510.7   3,238.9",
			"Revenue was $4.8 billion.", grounding.Grounded,
		},
		{
			"KEY FIGURES\nUS$ million   2023   2022\nRevenue   4,812.6   4,527.3\nCosts   3,510.7   3,238.9",
			"Revenue was $4.8 million.", grounding.Partly,
		},
		{
			"Zahlen\nin Mio. €   2023   2022\nUmsatz   1.204,5   1.150,2\nErgebnis   88,1   79,4",
			"Der Umsatz lag bei 1,2 Milliarden Euro.", grounding.Grounded,
		},
		{
			"Konzern\nAngaben in TEUR\nUmsatz   1.204.500\nErgebnis   88.120",
			"Das Ergebnis lag bei 88,1 Mio. Euro.", grounding.Grounded,
		},
		{
			"Compte de résultat\n(en milliers d'euros)\nProduits   12 480\nCharges   11 910",
			"Les produits atteignent 12,48 millions d'euros.", grounding.Grounded,
		},
		{
			"Comptes\nen M€\nVentes   684,3\nDette   1 018,0",
			"La dette est de 1,02 milliard d'euros.", grounding.Grounded,
		},
		{
			"Cuenta\n(miles de euros)\nIngresos   45.310\nGastos   40.120",
			"Los ingresos fueron de 45,3 millones de euros.", grounding.Grounded,
		},
		{"業績\n（単位：百万円）\n売上高   123,450\n営業利益   9,712", "売上高は1,234億5,000万円です。", grounding.Grounded},
		{"業績\n売上高   123,450\n営業利益   9,712\n（単位：百万円）", "営業利益は約97億円です。", grounding.Grounded},
		{"業績\n（単位：千円）\n売上高   123,450\n営業利益   9,712", "売上高は1億2,345万円です。", grounding.Grounded},
		{"業績\n（単位：千円）\n売上高   123,450\n営業利益   9,712", "売上高は1,234億5,000万円です。", grounding.Not},
		{"利润表\n单位：万元\n收入   38,600\n成本   30,100", "收入为3.86亿元。", grounding.Grounded},
		{
			"Group\n£m   2023   2022\nSales   1,930   1,870\nProfit   210   198",
			"Sales reached £1.93 billion.", grounding.Grounded,
		},
		{"Group\n£'000\nSales   1,930\nProfit   210", "Sales reached £1.93 million.", grounding.Grounded},
		{
			"A note: 3 million people live there.\nSales   1,930\nProfit   210",
			"Sales reached £1.93 billion.", grounding.Grounded, // no heading gives another scale
		},
		{
			"US$ million   2023   2022\nNet income (loss)   (37.2)   112.4\nNet debt   902.7   871.5",
			"A net loss of $37 million followed a profit of $112 million.", grounding.Grounded,
		},
		{"684,3 M€ de ventes", "684 millions d'euros", grounding.Grounded},
		{"offre de 1 250 000 € HT", "1,25 million d’euros", grounding.Grounded},
		{"ingresos: 12.480.000 €", "12,5 millones de euros", grounding.Grounded},
	})
}

// TestADateMayHaveItsYearElsewhere: the year of a day may stand in a heading, and its weekday must agree.
func TestADateMayHaveItsYearElsewhere(t *testing.T) {
	judgeOf(t, "When?", []found{
		{
			"Review of 11 June 2024\n| Priya | quote | Fri 14 June |\n| Tom | rig | Tue 18 June |",
			"2024-06-14", grounding.Grounded,
		},
		{
			"Review of 11 June 2024\n| Priya | quote | 14 June |\n| Tom | rig | 18 June |",
			"2024-06-14", grounding.Grounded,
		},
		{"Review\n| Priya | quote | Fri 14 June |\n| Tom | rig | Tue 18 June |", "2023-06-14", grounding.Not},
		{"Review of 11 June 2024\n| Priya | quote | 14 June |\n| Tom | rig | 18 June |", "2021-06-14", grounding.Not},
		{"Review of 11 June 2024\n| Priya | quote | 14 June |\n| Tom | rig | 18 June |", "2024-06-15", grounding.Not},
		{"次回 8/20（火）15:00 第２会議室", "次回は8月20日です。", grounding.Grounded},
		{"次回 8/20（火）15:00 第２会議室", "次回は2024年8月20日です。", grounding.Grounded},
		{"開始 15:00、終了 16:30", "15時から", grounding.Grounded},
		{"開始 15:00、終了 16:30", "16時半まで", grounding.Grounded},
		{"開始 15:00、終了 16:30", "午後3時から", grounding.Grounded},
		{"開始 15:00、終了 16:30", "17時から", grounding.Not},
		{"poblacion_2022;poblacion_2023\n673010;682513", "2023", grounding.Grounded},
	})
}

// TestANumberOfAnotherTermIsReported: the number stands in the text, but for something else than the answer says.
func TestANumberOfAnotherTermIsReported(t *testing.T) {
	const terms = "12.1 The Term renews automatically for successive periods, unless either party\n" +
		"gives written notice of non-renewal at least ninety (90) days before the end of the current term.\n" +
		"13.4 Customer may export Customer Data for sixty (60) days after termination.\n"
	const years = "Key figures        2023     2022\nRevenue        4,812.6  4,527.3\nDebt             902.7    871.5\n"
	const decisions = "DECISION 1 (valves). The valves will be bought from Brandt.\nEffective 20 January 2025. Owner: Mehmet Aksoy.\n\n" +
		"DECISION 2 (shift). The shift is suspended.\nEffective 3 February 2025. Owner: Carla Fonseca.\n"
	judgeOf(t, "What does it say?", []found{
		{
			terms,
			"The term renews automatically unless one side gives notice 60 days before the term ends.", grounding.Not,
		},
		{
			terms,
			"The term renews automatically unless one side gives notice 90 days before the term ends.", grounding.Grounded,
		},
		{terms, "Data can be taken out for 60 days.", grounding.Grounded},
		{years, "Revenue in 2023 was 4,527.3.", grounding.Partly},
		{years, "Revenue in 2023 was 4,812.6.", grounding.Grounded},
		{years, "Revenue rose to 4,812.6 in 2023, from 4,527.3 before.", grounding.Grounded},
		{years, "Debt was 902.7, after 871.5 in 2022.", grounding.Grounded},
		{
			decisions,
			`[{"owner": "Mehmet Aksoy", "effective": "2025-02-03"}, {"owner": "Carla Fonseca", "effective": "2025-01-20"}]`, grounding.Partly,
		},
		{
			decisions,
			`[{"owner": "Mehmet Aksoy", "effective": "2025-01-20"}, {"owner": "Carla Fonseca", "effective": "2025-02-03"}]`, grounding.Grounded,
		},
		{"Chiffre d'affaires : 684,3 M€ (+2,1 %)", "Le chiffre d'affaires recule de 2,1 %.", grounding.Not},
		{"Chiffre d'affaires : 684,3 M€ (+2,1 %)", "Le chiffre d'affaires progresse de 2,1 %.", grounding.Grounded},
		{"Umsatz 684,3 Mio. € (+2,1 %)", "Der Umsatz sank um 2,1 %.", grounding.Not},
		{"売上高 123,450 +8.2%", "売上高は8.2%減でした。", grounding.Not},
		{"売上高 123,450 +8.2%", "売上高は8.2%増でした。", grounding.Grounded},
	})
}

// TestAnAnswerMayTellATaskInItsOwnGrammar: notes leave out articles, an answer has them.
func TestAnAnswerMayTellATaskInItsOwnGrammar(t *testing.T) {
	judgeOf(t, "What is it?", []found{
		{
			"| Priya | send revised quote to Oakline |",
			`{"owner": "Priya", "task": "send the revised quote to Oakline"}`, grounding.Grounded,
		},
		{
			"| Priya | send revised quote to Oakline |",
			`{"owner": "Priya", "task": "send the final quote to Oakline"}`, grounding.Partly,
		},
		{
			"| Lene | draft the recall letter |",
			`{"owner": "Lene", "task": "draft a recall letter"}`, grounding.Grounded,
		},
		{
			"Vantro S2 | 1.05 GB/s | ★ 4.3 (377) | ratings out of 5",
			`{"name": "Vantro S2", "read_mb_s": 1050, "rating": "4.3 out of 5"}`, grounding.Grounded,
		},
		{
			"Vantro S2 | 1.05 GB/s | ★ 4.3 (377) | ratings out of 5",
			`{"name": "Vantro S2", "read_mb_s": 1150, "rating": "4.3 out of 5"}`, grounding.Partly,
		},
		{
			"Tents 14 287.3571428571429 41207.5\nPacks 21 138.04761904761905 52860.75",
			"Tents 14, 287.36; Packs 21, 138.05", grounding.Grounded,
		},
		{"not above 40 deg C", "40 °C", grounding.Grounded},
		{"directora médica, Irene Olmedo Pascual", "Dra. Irene Olmedo", grounding.Grounded},
		{
			"Hausverwaltung Petersen GmbH, Ansprechpartner: Keller, Maria",
			"Petersens Ansprechpartnerin für die Wohnung ist die Maria Keller.", grounding.Grounded,
		},
	})
}

// TestAnAbsenceNeedsTheWholeText: what the beginning does not say, the rest may.
func TestAnAbsenceNeedsTheWholeText(t *testing.T) {
	run := shownAnd("Who audits the subsidiary in Vietnam?", "vietnam 0\nhanoi 0\nAuditor of the group: Lindqvist",
		"The report does not say who audits the subsidiary in Vietnam.")
	run.Turns[0].Cells[0].Code = `for _, p := range []string{"vietnam", "hanoi"} { fmt.Println(p, len(grep(context, p))) }
fmt.Println(grep(context, "subsidiary|auditor"))`
	r := grounding.Trace(run)
	assert.Equal(t, grounding.Grounded, r.Verdict, "%+v", r.Values)
	for code, want := range map[string]grounding.Verdict{
		`fmt.Println(len(context)); fmt.Println(llm_query("Are conflicts of interest reported? " + head(context, 900)))`: grounding.Not,
		`fmt.Println(llm_query("Are conflicts of interest reported? " + context[:900]))`:                                 grounding.Not,
		`fmt.Println(llm_query("Are conflicts of interest reported? " + context))`:                                       grounding.Grounded,
	} {
		run := shownAnd("Does the paper report conflicts of interest?", "It says nothing about that.",
			"The paper does not report any conflict of interest.")
		cell := &run.Turns[0].Cells[0]
		cell.Code = code
		cell.Calls = []grounding.Call{{
			Number: 1, Prompt: "Are conflicts of interest reported? Ten-year outcomes of stents: Marchetti, Anand",
			Reply: "It says nothing about that.",
		}}
		r := grounding.Trace(run)
		assert.Equal(t, want, r.Verdict, "%s: %+v", code, r.Values)
	}
}
