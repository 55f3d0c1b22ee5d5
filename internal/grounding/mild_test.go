package grounding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestAnAnswerThatMostlyStandsThereIsReadMildly: what is left over of it may be written in ways that no rule knows.
func TestAnAnswerThatMostlyStandsThereIsReadMildly(t *testing.T) {
	const (
		quay  = "\"berth\": \"Q7\", \"ship\": \"Marit\", \"crew\": 14, \"fee_month\": 73.5, \"in\": \"0525\", \"out\": \"1710\""
		begin = "Marit, crew of 14, lies at Q7. "
	)
	judgeOf(t, "Tell me about the berth.", []found{
		{quay, begin + "The fee is €73.50.", grounding.Grounded},
		{quay, begin + "The fee is €37.50.", grounding.Partly},
		{quay, begin + "It came in at 5:25 and leaves at 17:10.", grounding.Grounded},
		{quay, begin + "It came in at 5:10.", grounding.Partly},
		{quay, begin + "Its key is fee/month.", grounding.Grounded},
		{quay, "It lies at Q7 and pays €73.50 for 20 days, with 3 guests.", grounding.Partly}, // too little stands there
		{"room 9: Marit, crew of 14, Q7", begin + "It stays 9 days.", grounding.Partly},
	})
}

// TestTheDigitsOfTimesAreNoCounts: what a log says when is no number of what the answer counts.
func TestTheDigitsOfTimesAreNoCounts(t *testing.T) {
	const (
		head = "2026-01-02T09:31:42Z INFO auth ok\n2026-01-03T09:31:24Z WARN mail slow\n2026-01-03T09:32:17Z WARN db slow\n"
		tail = "in room4: cart 154"
	)
	judgeOf(t, "Count the errors of each service.", []found{
		{head + tail, "cart 154, mail 31, auth 42, db 17", grounding.Partly},
		{head + "cart 154\nmail 301\nauth 12", `{"cart": 154, "mail": 301, "auth": 12, "db": 24}`, grounding.Partly},
		{head + "cart 154\nmail 301\nauth 12", `{"cart": 154, "mail": 301, "auth": 12, "slow": "9:32"}`, grounding.Grounded},
		{head + tail, "cart 154 in room 4; db and mail were slow at 9:32 and 9:31.", grounding.Grounded},
	})
}

// TestWhatTheModelWroteFirstIsNotReadMildly: a cell that prints its own words shows nothing.
func TestWhatTheModelWroteFirstIsNotReadMildly(t *testing.T) {
	run := shownAnd("Tell me about the berth.", "Marit, crew of 14, lies at Q7", "Marit, crew of 14, lies at Q7 for €73.50.")
	own := grounding.Cell{Number: 1, Code: `fmt.Println("fee 73.5 a month")`, Output: "fee 73.5 a month\n"}
	run.Turns = append([]grounding.Turn{{Number: 1, Cells: []grounding.Cell{own}}}, run.Turns...)
	for i := range run.Turns {
		run.Turns[i].Number = i + 1
	}
	r := grounding.Trace(run)
	assert.Equal(t, grounding.Partly, r.Verdict, "%+v", r.Values)
}

// TestShortReplies: the only new word of a reply is its value.
func TestShortReplies(t *testing.T) {
	judge(t, []expect{
		{"Of which wood is the hull?", "hull: larch, pitched", "The hull is of larch.", grounding.Grounded},
		{"Of which wood is the hull?", "hull: pitched twice", "The hull is of larch.", grounding.Not},
		{"Which gas was found?", "the traces are of xenon", "Xenon, of mass 131.", grounding.Partly},
		{"What became of the trial?", "=== RUN\nFAIL", "The trial failed.", grounding.Grounded},
		{
			`How many seals are there? Reply as {"seals": 6, "bay": "Hope"}`, "id;bay;kind",
			`{"seals": 6, "bay": "Hope"}`, grounding.Not,
		},
		{"What is the limit?", "0xc000124a80", "The limit is 0xc000124a80.", grounding.Not},
		{"Of which wood is the hull?", "three hulls", "Which hull?", grounding.Untraced},
		{"Quantos selos tem o cofre?", "1207", "O cofre tem 1.207 selos; todos registados.", grounding.Grounded},
	})
}

// TestJoinedAndCompactForms are names and times without their separators.
func TestJoinedAndCompactForms(t *testing.T) {
	judge(t, []expect{
		{"Which flight?", "1 SK2204 Y 14MAY", `{"flight": "SK 2204"}`, grounding.Grounded},
		{"Hvornår?", "DTSTART;TZID=Europe/Oslo:20290611T170000", "Den 11. juni 2029 kl. 17.", grounding.Grounded},
		{"Quand ?", "DTEND:20290611T171500", "Le 11 juin 2029 à 17 h 15.", grounding.Grounded},
		{"How far?", "track 2846.7713 nm", "Roughly 2,850 nautical miles.", grounding.Grounded},
		{
			"How many witnesses?", "ruling.txt:4: 7. Chamber of the court", "The court heard seven witnesses.",
			grounding.Not,
		},
		{
			"Which oils?", "gauge.csv:88: Fir,4,25,212\ngauge.csv:91: Yew,6,70,287", "Fir has 212, Yew 287.",
			grounding.Grounded,
		},
	})
}

// TestAMildReadingIsNoFreeReading: with much of an answer in its place, the rest still needs one of its own.
func TestAMildReadingIsNoFreeReading(t *testing.T) {
	const (
		log = `2026-03-17T05:41:02.017Z ERROR orders-db[prod-1] could not write base/16401 (98.7 % full)
2026-03-17T09:18:27.500Z WARN mailer slow 680 ms after 19 retries
2026-03-17T17:18:00.012Z INFO auth 92 logins`
		seen  = "orders-db ran full (98.7 %) at 05:41:02; mailer took 680 ms; "
		notes = "Owner: Ada Okonkwo\nThe cluster has 48 nodes and 1536 GB.\np90 latency 412 ms.\n" +
			"Backups run every 6 hours. Next review: from 3 to 5 April 2026 at 10:30."
		known = "Owner Ada Okonkwo; 48 nodes; 1536 GB; p90 412 ms; "
	)
	table := func(output, before string, rests map[string]grounding.Verdict) (out []expect) {
		for rest, want := range rests {
			out = append(out, expect{"What does it say?", output, before + rest, want})
		}
		return out
	}
	const there, not = grounding.Grounded, grounding.Partly
	judge(t, append(table(log, seen, map[string]grounding.Verdict{
		"on 17 March 2026.": there, "on 18 March 2026.": not, "on 18 March.": not,
		"on 2026-03-27.": not, "on 2027-03-17.": not, "2026-03-18T99:00:00Z.": not,
		"92 GB were lost.": not, "auth took 92 EUR.": not, "down 17 hours.": not,
	}), table(notes, known, map[string]grounding.Verdict{
		"review from 3 April 2026.": there, "review on 6 April 2026.": not,
		"48 % of nodes are idle.": not, "48 EUR per node.": not, "48 GB.": not,
		"10 hours.": not, "30 minutes.": not, "6 %.": not,
	})...))
}
