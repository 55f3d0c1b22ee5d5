package grounding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestANumberStandsUnderItsLabel: a number supports an answer only under the label that the answer gives it, if the
// place has both labels. What the answer calls otherwise than the place, or in another order, is no swap.
func TestANumberStandsUnderItsLabel(t *testing.T) {
	const (
		net    = "iface  received_mb  sent_mb\neth0   8812         431"
		orders = "region\torders\treturns\nAlentejo\t1482\t37\nMinho\t2210\t64\nAlgarve\t978\t21"
		csv    = "date,visitors,sold\n2024-05-06,1240,310\n2024-05-07,990,284"
		hosts  = "host;avg_ms;max_ms;errors\nweb1;182;2412;17\nweb2;240;3120;29"
	)
	judgeOf(t, "What are the figures?", []found{
		{net, "Received 8812 MB, sent 431 MB.", grounding.Grounded},
		{net, "Received 431 MB, sent 8812 MB.", grounding.Not},
		{net, "eth0 sent 431 MB and received 8812 MB.", grounding.Grounded},
		{net, "It sent 8812 MB and received 431 MB.", grounding.Not},
		{net, "received: 431\nsent: 8812", grounding.Not},
		{net, "8812 MB came in and 431 MB went out.", grounding.Grounded},
		{net, "Received and sent were 8812 and 431 MB.", grounding.Grounded},
		{orders, "Minho had 2210 orders, of which 64 came back.", grounding.Grounded},
		{orders, "Minho had 64 orders and 2210 returns.", grounding.Partly},
		{orders, "| region | returns | orders |\n|---|---|---|\n| Minho | 64 | 2210 |", grounding.Grounded},
		{orders, "| region | returns | orders |\n|---|---|---|\n| Minho | 2210 | 64 |", grounding.Partly},
		{hosts, "web2 has the highest maximum, 3120 ms, and an average of 240 ms.", grounding.Grounded},
		{hosts, "web2 has an average of 3120 ms.", grounding.Partly},
		{hosts, `{"host": "web1", "errors": 17, "average": 182}`, grounding.Grounded},
		{hosts, `{"host": "web1", "errors": 182, "average": 17}`, grounding.Partly},
		{csv, "On 7 May 2024 there were 990 visitors, and 284 were sold.", grounding.Grounded},
		{csv, "On 7 May 2024 there were 990,284 visitors.", grounding.Partly},
		{"min: 12.4\nmax: 98.7", "The minimum is 12.4 and the maximum 98.7.", grounding.Grounded},
		{"min: 12.4\nmax: 98.7", "The minimum is 98.7 and the maximum 12.4.", grounding.Not},
		{"min: 12.4\nmax: 98.7", "The minimum and the maximum are 12.4 and 98.7.", grounding.Grounded},
		{"openssl 3.0.13\nnginx 1.24.0", "openssl is 3.0.13 and nginx 1.24.0.", grounding.Grounded},
		{"openssl 3.0.13\nnginx 1.24.0", "openssl is 1.24.0 and nginx 3.0.13.", grounding.Partly},
		{"oslo 412\nbergen 309", "Oslo is 309 and Bergen 412.", grounding.Partly},
		{"oslo 412\nbergen 309", "Oslo and Bergen have 309 and 412.", grounding.Partly},
		{"Oslo: 412\nBergen: 309", "Oslo: 309, Bergen: 412", grounding.Partly},
		{"late=3 of=8 line=S4", "3 of 8 trains were late.", grounding.Grounded},
		{"late=3 of=8 line=S4", "Three out of eight trains were late.", grounding.Grounded},
		{"late=3 of=8 line=S4", "3 of 9 trains were late.", grounding.Partly},
		{"in: 4410 out: 3127", `{"in": 4410, "out": 3127}`, grounding.Grounded},
		{"in: 4410 out: 3127", `{"in": 3127, "out": 4410}`, grounding.Partly},
		{"n=18422\nmean=37.9", "Over 18,422 records the mean is 37.9.", grounding.Grounded},
		{"unreachable=1288 total=20400", "1,288 of 20,400 hosts are unreachable.", grounding.Grounded},
		{"files: 213 (lines: 4810)", "4,810 lines in 213 files", grounding.Grounded},
		{"Oslo: 412\nBergen: 309", "Oslo and Bergen have 412 and 309.", grounding.Grounded},
		{"Four of the rooms are\n12 and 14 are shut", "Of the rooms, 12 and 14 are shut.", grounding.Grounded},
	})
	r := grounding.Trace(shownAnd("How many orders were returned in Minho?", orders, "64 orders"))
	assert.Equal(t, grounding.Grounded, r.Verdict, "the question asks for returns: %+v", r.Values)
	r = grounding.Trace(shownAnd("How many errors were there?", "error 412\nwarn 1033", "412 errors"))
	assert.Equal(t, grounding.Grounded, r.Verdict, "the row counts: %+v", r.Values)
	r = grounding.Trace(shownAnd("How much was received?", net, "Received: 431 MB"))
	assert.Equal(t, "stands there as sent_mb", r.Values[0].Why)
}

// TestAShareIsNotAPercentage: 0.60 is 60 %, and 0.6 % only where the place speaks of percent.
func TestAShareIsNotAPercentage(t *testing.T) {
	judgeOf(t, "What share failed?", []found{
		{"failed share: 0.60 of all requests", "60% of the requests failed.", grounding.Grounded},
		{"failed share: 0.60 of all requests", "0.6% of the requests failed.", grounding.Not},
		{"error rate = 0.05", "0.05%", grounding.Not},
		{"error rate = 0.05", "5%", grounding.Grounded},
		{"error rate (%): 0.05", "0.05%", grounding.Grounded},
		{"error_pct=0.05", "0.05%", grounding.Grounded},
		{"host\tfailed %\nweb1\t0.62\nweb2\t0.31", "web1 failed 0.62% of the time.", grounding.Grounded},
		{"host\tfailed\nweb1\t0.62\nweb2\t0.31", "web1 failed 0.62% of the time.", grounding.Partly},
		{"churn fraction 0.083", "8.3%", grounding.Grounded},
		{"churn fraction 0.083", "0.083%", grounding.Not},
		{"Fehlerquote in Prozent: 0,42", "0,42 %", grounding.Grounded},
		{"error rate: 3.25", "3.25%", grounding.Grounded},
	})
}

// TestAKeyIsNoLabel: a word that may label a number, such as a page, can also be the key of a row that the answer
// names.
func TestAKeyIsNoLabel(t *testing.T) {
	const question = "Which service logs most errors, and how many?"
	for _, key := range []string{"mail", "order", "ticket", "file", "case", "track", "page"} {
		judgeOf(t, question, []found{
			{"map[auth:351 cart:697 " + key + ":499]", "499 errors in " + key, grounding.Grounded},
			{"auth 351\ncart 697\n" + key + " 499", "499 errors in " + key, grounding.Grounded},
			{
				"map[auth:351 cart:697 " + key + ":499]", "cart fails most: 697 errors, before " + key + " with 499.",
				grounding.Grounded,
			},
			{"map[auth:351 cart:697 " + key + ":499]", "498 errors in " + key, grounding.Not},
			{`{"cart":697,"` + key + `":499}`, "cart with 697, then " + key + " with 499 errors", grounding.Grounded},
			{"697 cart\n499 " + key + "\n", "499 errors in " + key, grounding.Grounded},
			{"cart is on page 7\nit fails on page 12\nand on page 31", "There were 12 errors.", grounding.Not},
		})
	}
}
