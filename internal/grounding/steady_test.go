package grounding_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestTheRowThatTheQuestionNames: a short answer must not be the value of another row than the one asked for.
func TestTheRowThatTheQuestionNames(t *testing.T) {
	const (
		torque = "shop.txt:81: Cylinder head bolts    95 Nm\nshop.txt:82: Wheel bolts           210 Nm\n" +
			"shop.txt:83: Drain plug             45 Nm\nshop.txt:84: Steering arm          180 Nm\n"
		loans  = "Loan A: 2.1 %\nLoan B: 3.4 %\nSecond loan: 4.0 %\n"
		shifts = "First shift: 6 h\nSecond shift: 8 h\n"
		tanks  = "Rain water tank: 3,200 l\nSettling tank: 900 l\nOil trap: 120 l\n"
	)
	judge(t, []expect{
		{"What is the torque of the wheel bolts in Nm?", torque, "180 Nm", grounding.Not},
		{"What is the torque of the wheel bolts in Nm?", torque, "210 Nm", grounding.Grounded},
		{"What is the torque of the drain plug?", torque, "180 Nm", grounding.Not},
		{"Which part of the wheel comes next?", torque, "The steering arm, with 180 Nm.", grounding.Grounded},
		{"How much does the settling tank hold?", tanks, "3,200 litres", grounding.Not},
		{"How much does the settling tank hold?", tanks, "900 litres", grounding.Grounded},
		{"What is the largest volume of a tank?", tanks, "3,200 litres", grounding.Grounded},
		{"What is the interest rate of the second loan?", loans, "3.4 %", grounding.Not},
		{"What is the interest rate of loan B?", loans, "3.4 %", grounding.Grounded},
		{"How long is the first shift?", shifts, "480 minutes", grounding.Not},
		{"How long is the second shift?", shifts, "480 minutes", grounding.Grounded},
	})
}

// TestHowOftenIsAStatus: how often something is due is opposed by a text with another period.
func TestHowOftenIsAStatus(t *testing.T) {
	const (
		lease  = "l.txt:24: Article 4. Loyer annuel : 22 800 € hors taxes, payable par trimestre.\n"
		supply = "Die Abrechnung erfolgt vierteljährlich.\nDer Zähler wird monatlich abgelesen.\n"
		audit  = "The books are audited every year. The committee meets weekly on Mondays.\n"
	)
	judge(t, []expect{
		{"Quel est le loyer ?", lease, "Le loyer est de 22 800 € HT par an, payable chaque mois.", grounding.Partly},
		{"Quel est le loyer ?", lease, "Le loyer est de 22 800 € HT par an, payable par trimestre.", grounding.Grounded},
		{"What is the rent?", lease, "22,800 euros a year, payable quarterly.", grounding.Grounded},
		{"Wie oft wird abgerechnet?", supply, "Die Abrechnung erfolgt jährlich.", grounding.Partly},
		{"How often are the books audited?", audit, "The books are audited monthly.", grounding.Not},
		{"How often are backups made?", "backup: { schedule: weekly }", "Backups run daily.", grounding.Not},
	})
}

// TestStatusesInOtherWords: a status may be told by another word, or by a key that is false.
func TestStatusesInOtherWords(t *testing.T) {
	const (
		chart  = "mason: no port is set; service.enabled is false. The chart runs as a CronJob.\nledger: metrics are off\n"
		policy = "  auditor:\n    allow:\n      - invoices:read\n    deny:\n      - \"*:delete\"\n"
		cover  = "c.txt:344: B.4.7 Covered is damage done directly by the bite of martens or rodents to cables.\n" +
			"c.txt:350: B.4.9 Damage by pets is not covered.\n"
	)
	judge(t, []expect{
		{"Which port does mason expose?", chart, "mason: none, the service is disabled", grounding.Grounded},
		{"Can the auditor delete invoices?", policy, "No. `*:delete` is denied.", grounding.Grounded},
		{"Is damage by martens to cables covered?", cover, "No. The policy excludes bites of martens.", grounding.Not},
		{"Is damage by martens to cables covered?", cover, "Yes, B.4.7 covers it.", grounding.Grounded},
		{"Is damage by pets covered?", cover, "No, B.4.9 excludes it.", grounding.Grounded},
		{"Which features are on?", "dark_mode true\nbeta false\n", "dark_mode is enabled.", grounding.Grounded},
	})
}

// TestNamesInQuotesAreOfTheirSentence: a quoted name is no key of numbers in other sentences.
func TestNamesInQuotesAreOfTheirSentence(t *testing.T) {
	const (
		client = "a.py:31: LIMIT_OF_TRIES = 8\na.py:32: BACKOFF_BASE = 1.5   # seconds\n" +
			"a.py:33: BACKOFF_CAP = 90     # seconds\n"
		oom = "d:20: [71233.104511] Killed process 22714 (blender) total-vm:58120344kB\n" +
			"d:88: [80411.920077] Killed process 23950 (blender) total-vm:60911200kB\n" +
			"d:94: [91002.558120] Killed process 1182 (texcached) total-vm:7120044kB\n"
	)
	judge(t, []expect{
		{
			"How long does it wait?", client,
			"At most eight attempts (`LIMIT_OF_TRIES`). The wait starts at 1.5 s, capped at a minute and a half.",
			grounding.Grounded,
		},
		{
			"Which processes were killed?", oom,
			"It struck three times: twice `blender` (PIDs 22714 and 23950), once `texcached` (PID 1182).",
			grounding.Grounded,
		},
		{
			"Which processes were killed?", oom,
			"It struck four times: twice `blender` (PIDs 22714 and 23950), once `texcached` (PID 1182).",
			grounding.Partly,
		},
	})
}

// TestACountOfTheTableAbove: a sentence below a table may count its rows.
func TestACountOfTheTableAbove(t *testing.T) {
	const crops = "map[bobal:48250 garnacha:61930 macabeo:20415 monastrell:35780]\n"
	const table = "| Variedad | Kilos |\n|---|---|\n| Garnacha | 61.930 |\n| Bobal | 48.250 |\n| Monastrell | 35.780 |\n\n"
	judge(t, []expect{
		{"¿Cuántos kilos de cada variedad?", crops, table + "En total son tres variedades.", grounding.Grounded},
		{"¿Cuántos kilos de cada variedad?", crops, table + "En total son nueve variedades.", grounding.Partly},
		{"How many kilos?", crops, "- Bobal: 48,250\n- Macabeo: 20,415\n\nThese are two varieties.", grounding.Grounded},
	})
}

// TestWritingsBesideOtherNumbers: dates behind times, versions behind names, amounts behind a comma.
func TestWritingsBesideOtherNumbers(t *testing.T) {
	const (
		gap  = "2030-02-17 21:40:00 2030-02-19 06:15:00 32h35m0s 390\n"
		mod  = "go.mod:3: go 1.23.4\ngo.mod:5: toolchain go1.24.1\n"
		loan = "Dear colleagues,\n  inv. 1903.4    Model of the Anna shaft, wood         EUR  45,000\n" +
			"  inv. 1911.118  Guild cup, silver gilt, 1642          EUR 230,000\n"
		servers = "    server 10.31.4.12:7070 weight=5;\n    server 10.31.4.19:7070 weight=2;\n\n" +
			"    server 10.31.5.21:7080 weight=3;\n    server 10.31.5.22:7080 weight=1;\n"
	)
	judge(t, []expect{
		{"When did it end?", gap, "**End:** 19 February 2030, 06:15", grounding.Grounded},
		{"When did it end?", gap, "**End:** 18 February 2030, 06:15", grounding.Partly},
		{"Which toolchain is used?", mod, "The toolchain is 1.24.1.", grounding.Grounded},
		{"Which toolchain is used?", mod, "The toolchain is 1.24.2.", grounding.Not},
		{"Which image?", "FROM python3.11.4-slim\nRUN make\n", "Python 3.11.4", grounding.Grounded},
		{"Which image?", "FROM python3.11.4-rc2\nRUN make\n", "Python 3.11.4", grounding.Not},
		{"Wie lange dauert der Lauf?", "Laufzeit: 150 min\nPause: 20 min\n", "zweieinhalb Stunden", grounding.Grounded},
		{"Wie lange dauert der Lauf?", "Laufzeit: 150 min\nPause: 20 min\n", "dreieinhalb Stunden", grounding.Not},
		{"How long did it last?", "downtime_ms=220000\nretries=12\n", "3:40 minutes", grounding.Grounded},
		{"How long did it last?", "downtime_ms=220000\nretries=12\n", "4:40 minutes", grounding.Not},
		{
			"Which ports are open?", "22/tcp open ssh\n80/tcp open http\n443/tcp closed https\n",
			"Two ports are open: 22 and 80; 443 is closed.", grounding.Grounded,
		},
		{"What is the model insured for?", loan, "Model of the Anna shaft (1903.4): €45,000", grounding.Grounded},
		{
			"List the servers with their weights.", servers,
			"1. 10.31.4.12:7070, weight 5\n2. 10.31.4.19:7070, weight 3", grounding.Partly,
		},
		{
			"List the servers with their weights.", servers,
			"1. 10.31.4.12:7070, weight 5\n2. 10.31.4.19:7070, weight 2", grounding.Grounded,
		},
	})
}

// TestAUnitOfTheCode: a number that code summed from a column is in the unit of that column.
func TestAUnitOfTheCode(t *testing.T) {
	sum := func(code, output, answer string) grounding.Verdict {
		look := grounding.Cell{Number: 1, Code: code, Output: output}
		hand := grounding.Cell{Number: 2, Code: fmt.Sprintf("FINAL(%q)", answer)}
		return grounding.Trace(grounding.Run{
			Question: "How much did the pump deliver?", Answer: answer,
			Turns: []grounding.Turn{{Number: 1, Cells: []grounding.Cell{look, hand}}},
		}).Verdict
	}
	const plain = "for _, r := range rows { total += r.M3 }\nfmt.Println(total)"
	assert.Equal(t, grounding.Not, sum(plain, "15480", "It delivered 15,480 litres."))
	assert.Equal(t, grounding.Grounded, sum(plain, "15480", "It delivered 15,480 m³."))
	const converted = "for _, r := range rows { total += r.M3 * 1000 }\nfmt.Println(total)"
	assert.Equal(t, grounding.Grounded, sum(converted, "15480", "It delivered 15,480 litres."))
}

// TestKeysOfAnInventedList: the names in a list that the question asks for are values, if nothing of it was seen.
func TestKeysOfAnInventedList(t *testing.T) {
	const (
		question = "How many nights does the orchestra spend in each city?"
		output   = "The tour plan was agreed by the board and the conductor.\n"
		answer   = "- Lyon: 2 nights\n- Turin: 3 nights\n- Graz: 14 nights"
	)
	report := grounding.Trace(shownAnd(question, output, answer))
	assert.Equal(t, grounding.Not, report.Verdict)
	assert.Len(t, report.Values, 6, "%+v", report.Values)
	judge(t, []expect{
		{question, "lyon 2\nturin 3\ngraz 14\n", answer, grounding.Grounded},
		{question, "LYS 2 nights\nTRN 3 nights\nGRZ 14 nights\n", answer, grounding.Grounded},
	})
}
