package grounding_test

import (
	"strings"
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestAValueStandsInTheRecordOfItsThing: what stands in the record of another thing than the question or the answer
// names does not support the answer.
func TestAValueStandsInTheRecordOfItsThing(t *testing.T) {
	const (
		staff = "name        team      start        salary\nA. Novak    Payments  2019-03-01   5,400\n" +
			"B. Lind     Search    2021-07-15   4,900"
		users = `{"id":"u-101","name":"Mara","plan":"pro","seats":14}` + "\n" +
			`{"id":"u-102","name":"Iben","plan":"free","seats":31}`
		errs = "2024-05-06 08:01:12 ERROR payment timeout (order 88123)\n" +
			"2024-05-06 08:09:31 ERROR payment refused: card expired (order 88140)"
		ferries = "Ferry Norse  06.10  12.40  21.55\nFerry Sula   07.00  19.30"
		closed  = "T-411 closed by Mara\nT-412 closed by Iben"
		fees    = "Tier A £1,150 p.a.; Tier B £2,400 p.a."
		invoice = "Seller: Brack Timber\nBuyer: Oakley & Sons\nTotal: 2,281.44"
	)
	judge(t, []expect{
		{"Which team is B. Lind in?", staff, "Search", grounding.Grounded},
		{"Which team is B. Lind in?", staff, "Payments", grounding.Not},
		{"Who is better paid than B. Lind?", staff, "A. Novak", grounding.Grounded},
		{"List the teams.", staff, "A. Novak: Payments, B. Lind: Search", grounding.Grounded},
		{"List the teams.", staff, "A. Novak: Search, B. Lind: Payments", grounding.Partly},
		{"List the teams.", staff, "| name | team |\n|---|---|\n| A. Novak | Search |", grounding.Partly},
		{"How many seats does Iben have?", users, "31", grounding.Grounded},
		{"How many seats does Iben have?", users, "14", grounding.Not},
		{"Return the seats as JSON.", users, `{"Mara": 14, "Iben": 31}`, grounding.Grounded},
		{"Return the seats as JSON.", users, `{"Mara": 31, "Iben": 14}`, grounding.Not},
		{"When did order 88140 fail?", errs, "08:09:31", grounding.Grounded},
		{"When did order 88140 fail?", errs, "08:01:12", grounding.Not},
		{"When does the last ferry leave for Sula?", ferries, "19:30", grounding.Grounded},
		{"When does the last ferry leave for Sula?", ferries, "21:55", grounding.Not},
		{"Which ticket did Iben close?", closed, "T-412", grounding.Grounded},
		{"Which ticket did Iben close?", closed, "T-411", grounding.Not},
		{"What does Tier B cost?", fees, "£2,400", grounding.Grounded},
		{"What does Tier B cost?", fees, "£1,150", grounding.Not},
		{"What must Oakley & Sons pay?", invoice, "2,281.44", grounding.Grounded},
		{"Is the deploy blue or green?", "deploy: green", "green", grounding.Grounded},
		{"Is the deploy blue or green?", "deploy: green", "blue", grounding.Not},
	})
}

// TestALineOfJSONIsOfWhatItNames: a number or date of a line is of the service that the line names, also in a sentence.
func TestALineOfJSONIsOfWhatItNames(t *testing.T) {
	const rows = `{"ts": "2026-02-19T03:14:07Z", "svc": "ledger", "level": "fatal", "ms": 48211, "msg": "disk quota exceeded"}
{"ts": "2026-02-21T22:05:44Z", "svc": "mailer", "level": "fatal", "ms": 15033, "msg": "certificate expired"}`
	judgeOf(t, "How long did the ledger take?", []found{
		{rows, "The ledger request took 15,033 ms.", grounding.Not},
		{rows, "The ledger request took 48,211 ms.", grounding.Grounded},
		{strings.ReplaceAll(rows, `", "`, `","`), "The ledger request took 15,033 ms.", grounding.Not},
		{rows, "The ledger request took 48,211 ms, the one of the mailer 15,033 ms.", grounding.Grounded},
		{rows, "48,211 ms; the other fatal one took 15,033 ms.", grounding.Grounded},
	})
	judgeOf(t, "When did the mailer fail?", []found{
		{rows, "The mailer failed on 2026-02-19T03:14:07Z.", grounding.Not},
		{rows, "The mailer failed on 21 February 2026 at 22:05:44.", grounding.Grounded},
	})
}
