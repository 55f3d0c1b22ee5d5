package grounding_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestSoundAnswersAreNotReported: values of the right rows, retold in prose.
func TestSoundAnswersAreNotReported(t *testing.T) {
	const (
		rates    = "checkout-v2 n=12480 p95=1842.37 p99=4096.80\nsearch-api  n=31400 p95=611.29 p99=988.01"
		retry    = "retry:\n  maxAttempts: 3\ncircuitBreaker:\n  errorThreshold: 0.5\n  minCalls: 20"
		cache    = "ttl = \"450s\"\nmax_entry = \"512KiB\"\nmax_total = \"6GiB\""
		logs     = "service=auth level=error n=17\nservice=auth level=warn n=203\nservice=pay level=warn n=88"
		kills    = "Killed process 20117 (thumbs)\nKilled process 1933 (indexd)\nKilled process 771 (geo)"
		logins   = "Jun 12: 7044\n203.0.113.77 5918\n198.51.100.4 602\n192.0.2.211 190"
		units    = "Rental actual=-1204 plan=450 diff=-1654\nHosting actual=8204 plan=7900 diff=304"
		months   = "2024-02  982417.10\n2024-03  1276930.82\n2024-04  1190022.47"
		owners   = "Zöllner Bau | Brandstätter, Eva | 402188.00\nAlpenglas | Okafor, Chidi | 188004.66"
		memos    = "- Castelli & Figli: missing food-safety papers\n- Halden: late"
		times    = "route p50=0.4183 p95=2.1157\nlogin p50=0.0911 p95=0.7702"
		sums     = "Mill  655082.15  12\nPier  312944.80   9"
		shifts   = "Santangelo, Beatrice   61.50\nOyelaran, Tunde        57.00\nLind, Per              44.25"
		limits   = "[cache]\nmax_entry = 32\nmemory_mb = 768\nttl_s = 1800\n[log]\nkeep = 12"
		fridge   = "Total capacity     367 litres\n  fridge           258 litres\n  freezer          109 litres"
		accounts = "          2025     2024\nSales   84,216   91,730\nCosts   61,400   60,980"
		depths   = "/// Nesting beyond this is refused.\nconst MAX_DEPTH: usize = 192;\n    depth: usize,"
		stops    = "line A: yield 91.37 %, stops 12\nline B: yield 88.12 %, stops 31\nline D: yield 90.44 %, stops 17"
		releases = "3.12 2025-06-17 arena\n3.13 2025-08-29 arm64\n\n3.11 n=40 rss=2318000000 B p95=0.1846 s\n" +
			"3.12 n=40 rss=1466000000 B p95=0.1872 s"
		searches = "hits: 0\n- Drop Python 3.6, which is past its end of life. (#2033)"
	)
	for _, c := range []struct{ question, output, answer string }{
		{"Which upstream is slowest?", rates, "checkout-v2 has 1.84 s at p95. Next is search-api with 611 ms at p95."},
		{"When does the breaker open?", retry, "The breaker opens once 50% of at least 20 calls have failed."},
		{"What are the limits?", cache, "It keeps entries for 450 s."},
		{"What are the limits?", cache, "A single entry may be up to 512 KiB and all together 6 GiB."},
		{"How many errors did auth log?", logs, "auth logged 17 errors (and 203 warnings)."},
		{"Where is it locked?", "115\tfunc (w *WAL) Rotate() error {", "In `WAL.Rotate`, at line 115."},
		{"Which were killed?", kills, "Three services:\n- thumbs\n- indexd\n- geo (PID 771)"},
		{"How many failed?", logins, "7044 on 12 June, of which 5.9 thousand came from 203.0.113.77."},
		{"Which unit did worst?", units, "Rental missed plan by 1,654."},
		{"Wie war der Umsatz?", months, "Er sank im Februar auf rund 982.000 € und stieg im März auf 1,28 Mio. €. Ein Rekord."},
		{"Wer betreut den größten Kunden?", owners, "Größter Kunde ist die Zöllner Bau; sie hat Eva Brandstätters Team."},
		{"Whom do they criticise?", memos, "1. Halden – late\n2. Castelli & Figli – food safety papers missing"},
		{"How slow is the route?", times, "The route takes 418 ms at p50."},
		{"What were the refunds?", sums, "| | Refunds (k€) |\n|---|---|\n| Mill | 655.1 |\n| Pier | 312.9 |"},
		{"Who worked most?", shifts, "Beatrice Santangelo worked 61.5 h, Tunde Oyelaran 57 and Per Lind 44.25."},
		{"What are the limits?", limits, "Each entry may use the cache, which has 768 MB; entries live for 30 minutes."},
		{"How large is the fridge?", fridge, "It holds 367 litres (258 in the fridge and 109 in the freezer)."},
		{"How deep may it go?", depths, "The limit is `MAX_DEPTH = 192`."},
		{"Compare B and D.", stops, "| Line | Yield | Stops |\n|---|---|---|\n| B | 88.1 % | 31 |\n| D | 90.4 % | 17 |"},
		{"How did memory change?", releases, "Release 3.12 (17 June 2025) cut memory from 2.32 GB to 1.47 GB at p95."},
		{"How were sales?", accounts, "They fell to 84,216 (2024: 91,730)."},
		{"When was support for Python 3.7 dropped?", searches, "The changelog does not mention it."},
	} {
		r := grounding.Trace(shownAnd(c.question, c.output, c.answer))
		assert.Equal(t, grounding.Grounded, r.Verdict, "%q from %q: %+v", c.answer, c.output, r.Values)
	}
	run := shownAnd("How did sales go?", accounts, "")
	run.Turns = append(run.Turns, grounding.Turn{Number: 3, Cells: []grounding.Cell{{
		Number: 3, Code: "growth := 84216.0/91730 - 1\nfmt.Printf(\"growth %.4f\", growth)", Output: "growth -0.0819",
	}}})
	run.Answer = "Sales fell by 8.2%."
	assert.Equal(t, grounding.Grounded, grounding.Trace(run).Verdict, "a number of the text without its separator")
	r := grounding.Trace(shownAnd("Which are slowest?", `{"span":"POST /v1/orders","ms":88}`, "POST /v1/media (2 s)"))
	assert.Equal(t, grounding.Not, r.Verdict, "the method of another path: %+v", r.Values)
}

// TestInventionsBesideWhatStandsThere: an item, a unit or a number that looks like what was shown.
func TestInventionsBesideWhatStandsThere(t *testing.T) {
	const (
		flags = "new-nav rollout=100 owner=web since=2023-11-02\ndark-mode rollout=100 owner=web since=2022-06-30\n" +
			"sso-okta rollout=100 owner=id since=2024-05-21"
		rates = "checkout-v2 n=12480 p95=1842.37 p99=4096.80\nsearch-api n=31400 p95=611.29 p99=988.01\n" +
			"mailer n=2904 p95=290.15 p99=512.06"
		vaccine = "Store the vaccine at 2 to 8 °C."
		clinic  = "Clinic: 020 7946 0018\nWard: (030) 901820-14"
	)
	judge(t, []expect{
		{"Which are on?", flags, "Two are on: dark-mode (the oldest, since June 2022) and sso-okta (of id).", grounding.Grounded},
		{"Which are on?", flags, "They are on:\n- new-nav\n- dark-mode (the oldest)\n- sso-saml (at last)", grounding.Partly},
		{"Which are on?", flags, "Two are on: dark-mode (the oldest, since June 2022) and sso-saml (of id).", grounding.Partly},
		{"Which is slow?", rates, "It is checkout-v2: p95 of 1.84 s, p99 of 4.1 s over 12,480.", grounding.Grounded},
		{"Which is slow?", rates, "It is checkout-v2: p95 of 1.84 s, p99 of 4.1 s over 31,400.", grounding.Partly},
		{"How is it kept?", vaccine, "Between 2 and 8 °C.", grounding.Grounded},
		{"How is it kept?", vaccine, "Between 2 and 8 °F.", grounding.Not},
		{"What is the number?", clinic, "+442079460018", grounding.Grounded},
		{"What is the number?", clinic, "+442079460019", grounding.Not},
		{"What is the number?", clinic, "+493090182014", grounding.Grounded},
		{"Which host?", "host mail.example.org", "It is smtp.example.org.", grounding.Not},
		{"How slow?", "311,904 lines of 2025", "It took about 5.2 s.", grounding.Not},
	})
	run := shownAnd("Is keep-alive on?", "", "Keep-alive is disabled.")
	run.Turns = run.Turns[1:]
	assert.Equal(t, grounding.Not, grounding.Trace(run).Verdict, "a status that was asked for, without a look")
}

// TestOrdinaryAnswersStand: tables, settings, code and mails as people meet them do not make a sound answer doubtful.
func TestOrdinaryAnswersStand(t *testing.T) {
	const (
		sales = "region,q1,q2,q3,q4\nNorth,412300,398100,441900,502700\nWest,355000,341200,338700,360400"
		paper = "Model            Params   Acc.   Latency (ms)\nRoBERTa-base     125M     89.6   61\n" +
			"DistilRoBERTa    82M      88.3   34\nOurs (Tagger-S)  48M      89.9   29\n"
		mail = "We decided to postpone the cutover from Saturday 16 November to Saturday 30 November.\n" +
			"Marta will fix the matcher by the 22nd."
		yaml  = "server:\n  port: 8443\n  tls:\n    enabled: true\n    cert: /etc/ssl/api.pem\nlog_level: warn"
		bench = "BenchmarkParse/small-16     1843210     652.1 ns/op      312 B/op     7 allocs/op\n" +
			"BenchmarkParse/large-16        1204  994318 ns/op   481280 B/op  9012 allocs/op"
		iso  = "soak = \"PT35M\"\nretention: P14D\nretry_after: PT1H30M\ntimeout: PT8S\n"
		help = "usage: build [options]\n  --dry-run      print only\n  --out-dir DIR  where to write\n"
	)
	judge(t, []expect{
		{"Which region had the highest Q4 sales?", sales, "North, with 502,700 in Q4.", grounding.Grounded},
		{"Did the West fall in Q2?", sales, "Yes, from 355,000 in Q1 to 341,200 in Q2.", grounding.Grounded},
		{"Did the West fall in Q2?", sales[len("region,q1,q2,q3,q4\n"):], "Yes, to 341,200.", grounding.Grounded},
		{"Which model is best?", paper, "Tagger-S (89.9), ahead of RoBERTa-base (89.6).", grounding.Grounded},
		{"When is the matcher mended?", mail, "Marta is to fix it by 22 November.", grounding.Grounded},
		{"When is the matcher mended?", mail, "Marta is to fix it by 22 October.", grounding.Not},
		{"Is TLS on?", yaml, "Yes, with the certificate /etc/ssl/api.pem.", grounding.Grounded},
		{"How fast is parsing?", bench, "BenchmarkParse/small makes 7 allocations.", grounding.Grounded},
		{"How fast is parsing?", bench, "BenchmarkParse/small makes 6 allocations.", grounding.Partly},
		{"How long is the soak?", iso, "35 minutes", grounding.Grounded},
		{"How long is the soak?", iso, "45 minutes", grounding.Not},
		{"How long are logs kept?", iso, "For 14 days.", grounding.Grounded},
		{"When is it retried?", iso, "After 1.5 hours.", grounding.Grounded},
		{"Which option only prints?", help, "Use --dry-run.", grounding.Grounded},
		{"Which option only prints?", help, "Use --what-if.", grounding.Not},
		{"Which option sets the directory?", help, "Pass --out-dir=DIR", grounding.Grounded},
	})
	const (
		nda = "5. REMEDIES. Damages may be inadequate. Liability under this Agreement is capped at USD 250,000.\n" +
			"9. GOVERNING LAW. This Agreement is governed by the laws of the State of Delaware.\n"
		pods = "NAME     READY  RESTARTS       AGE\napi-2    1/1    1 (3d ago)     6d2h\nredis-0  1/1    0              41d"
		bank = "Date        Description             Debit      Balance\n" +
			"03.05.2024  Rent May             1'420.00     3'392.35\n07.05.2024  Coop Sihlcity           86.40     3'305.95"
		gain  = "Die Rechnung 2023 schliesst mit einem Gewinn von Fr. 12'407.55 ab und wird genehmigt."
		vogt  = "Contact: Nadine Vogt, +41 61 555 01 23."
		leave = "Up to five unused days may be carried over and must be taken by 31 March.\nThe proposal was defeated."
	)
	judge(t, []expect{
		{"Is liability limited?", nda, "Yes, liability is capped at $250,000 (section 5).", grounding.Grounded},
		{"Is liability limited?", nda, "Yes, liability is capped at $250,000 (section 6).", grounding.Partly},
		{"Which law governs it?", nda, "The law of Delaware (section 9).", grounding.Grounded},
		{"How long has redis been up?", pods, "redis-0 has been up for 41 days without a restart.", grounding.Grounded},
		{"How high was the rent?", bank, "The rent of May was 1,420.", grounding.Grounded},
		{"Wie war das Ergebnis?", gain, "Die Rechnung 2023 (Gewinn Fr. 12'407.55) wurde genehmigt.", grounding.Grounded},
		{"Wie war das Ergebnis?", gain, "Die Rechnung 2023 (Gewinn Fr. 12'508.55) wurde genehmigt.", grounding.Partly},
		{"Return the phone as JSON.", vogt, `{"phone": "+41615550123"}`, grounding.Grounded},
		{"Return the phone as JSON.", vogt, `{"phone": "+41615550124"}`, grounding.Not},
		{"May leave be kept?", leave, "Up to 5 days can be carried over, to be taken by 31 March.", grounding.Grounded},
	})
	const (
		boat = "Term: 18 months\nHire: EUR 640\nNotice: 2 weeks\nCrew: 4, surcharge 35 EUR"
		bay  = "pier A: no crane, depth 6 m\npier B: crane 12 t, depth 9 m"
		shop = "Mo-Do 09:00-18:00\nSa 10:00-14:00"
		left = "D-31 offen\nD-44 offen"
		disk = "nas-north-2a 71%\nnas-north-2c 88%\nTotal 2."
	)
	judge(t, []expect{
		{"Sum up the charter.", boat, "- Duration: 18 months\n- Hire: €640, plus 35 € a head\n- Notice: 2 weeks", grounding.Grounded},
		{"Sum up the charter.", boat, "| Point | Value |\n|---|---|\n| Duration | 18 months |\n| Price | €640 |", grounding.Grounded},
		{"Sum up the charter.", boat, "hire: 640 €, at least 35 €", grounding.Grounded},
		{"Which colours sold?", "teal 12\n", "teal 12, ochre 7", grounding.Partly},
		{"Compare the piers.", bay, "| Pier | Lift | Depth |\n|---|---|---|\n| A | no crane | 6 m |\n| B | crane | 9 m |", grounding.Grounded},
		{"Compare the piers and their roofs.", bay, "| Pier | Lift | Depth |\n|---|---|---|\n| A | no roof | 6 m |\n| B | crane | 9 m |", grounding.Partly},
		{"Wann ist offen?", shop, "| Tage | Uhr |\n|---|---|\n| Montag bis Donnerstag | 9:00–18:00 |", grounding.Grounded},
		{"Wann ist offen?", shop, "| Tage | Uhr |\n|---|---|\n| Montag bis Sonntag | 9:00–18:00 |", grounding.Partly},
		{"Welche sind nicht bezahlt?", left, "Nicht bezahlt sind zwei: D-31 und D-44.", grounding.Grounded},
		{"How full are they?", disk, "Zone 2c is 88 % full, zone 2a 71 %.", grounding.Grounded},
		{"How full are they?", disk, "Zone 2b is 88 % full, zone 2a 71 %.", grounding.Partly},
	})
	run := shownAnd("Do the statutes say how an honorary member is expelled?", "expulsion of honorary: 0", "No, they do not say.")
	run.Turns[0].Cells[0].Code = `fmt.Println("expulsion of honorary:", count(context, "honorary.*expel"))`
	assert.Equal(t, grounding.Grounded, grounding.Trace(run).Verdict)
}

// TestNumbersInTheUnitOfThePlace: lengths of time, shares and halves that the answer gives in another unit.
func TestNumbersInTheUnitOfThePlace(t *testing.T) {
	const (
		crews  = "minutes map[Falk:410 Nia:265 Omar:350]\ntonnes 88.40"
		leases = "lease_time 7200\nrenew_time 3600\nservers 14\n"
		slicer = "; infill = 20%\n; estimated time = 3h 26m 41s\n; wall = 1.2\n"
		cider  = "C-04 Russet ABV 6.42 brix 15\nC-05 Kingston ABV 7.15 brix 17\nmean ABV 6.7841, n 2"
		quorum = "The board may decide only if at least half of its members take part."
	)
	share := "gneiss 412 40.91%\nbasalt 388 38.53%\nmarl 121 12.02%\nchalk 86 8.54%\n" +
		strings.Repeat("sorted by frequency, from the whole sheet\n", 12) + "pair 0.7944"
	judge(t, []expect{
		{"How many hours did each crew work?", crews, "* Falk: 6.83 h\n* Nia: 4.42 h", grounding.Grounded},
		{"How many hours did each crew work?", crews, "* Falk: 6.38 h\n* Nia: 4.42 h", grounding.Partly},
		{"How long does a lease last?", leases, "The lease lasts two hours.", grounding.Grounded},
		{"How long does a lease last?", leases, "The lease lasts three hours.", grounding.Not},
		{"How long does the print take?", slicer, "About 3 h 26 min.", grounding.Grounded},
		{"How long does the print take?", slicer, "About 3 h 36 min.", grounding.Not},
		{"How strong is the cider?", cider, "On average it has 6.8 % ABV.", grounding.Grounded},
		{"How strong is the cider?", cider, "On average it has 6.9 % ABV.", grounding.Partly},
		{"What share do the first two have?", share, "Gneiss and basalt together have 79.4 %.", grounding.Grounded},
		{"What share do the first two have?", share, "Gneiss and basalt together have 79.6 %.", grounding.Partly},
		{"What is the quorum?", quorum, "At least 50 % of the members must take part.", grounding.Grounded},
		{"What is the quorum?", quorum, "At least 60 % of the members must take part.", grounding.Not},
	})
}

// TestWhatStandsBesideANumber: the keys of another part of a question, and words that describe, are no other row's.
func TestWhatStandsBesideANumber(t *testing.T) {
	const (
		vans = "minutes map[Ada:410 Bo:265 Cy:225]\ntolls 96.20, all minutes 900"
		lab  = "#12 Fume hood | fan rattles | open | 2023-04-03\n#19 Freezer 2 | ice | waiting | 2023-04-11"
		page = "Restore from the dump. Copy the dump in directory cold-dumps. Run load --dump FILE. It takes 50 minutes."
		told = "notes.txt:31:  The harbour froze that winter, as it had in his childhood, and nobody\n" +
			"notes.txt:32:  could bring coal to the island before Easter.\nnotes.txt:40:  The pastor kept the keys of the store."
	)
	judge(t, []expect{
		{
			"How long did they drive, and what were the tolls?", vans,
			"That's 15 h in all. Tolls: 96.20.", grounding.Grounded,
		},
		{
			"How long did they drive, and what were the tolls?", vans,
			"That's 16 h in all. Tolls: 96.20.", grounding.Partly,
		},
		{"Which faults are there?", lab, "- #12 (Fume hood): fan rattles, noticed 3 April", grounding.Grounded},
		{"Which faults are there?", lab, "- #12 (Fume hood): fan rattles, noticed 4 April", grounding.Partly},
		{"How do I restore it?", page, "Take the dump from `cold-dumps`; it takes 50 minutes.", grounding.Grounded},
		{"How do I restore it?", page, "Take the dump from `warm-dumps`; it takes 50 minutes.", grounding.Partly},
		{
			"Why was there no coal?", told,
			`"The harbour froze that winter […] and nobody could bring coal to the island"`, grounding.Grounded,
		},
		{
			"Why was there no coal?", told,
			`"The harbour froze that winter […] and nobody could bring salt to the island"`, grounding.Not,
		},
		{
			"Why was there no coal?", told, `"coal to the island before Easter. The pastor kept the keys"`, grounding.Not,
		},
	})
}

// TestValuesOfTheirOwnRow: results, roles and things that are missing are of the row or the record that has them.
func TestValuesOfTheirOwnRow(t *testing.T) {
	const (
		cranes = "crane  halts  total_s  longest_s\nNord    21   3120   540\nSued    38   7740   1380\nKai 7   12    905   190\n" +
			"fog    19\nwind   12\nHALT events 71, cranes 3"
		gate = "gate alarms 31\n2025-03-02 05:14:33 G2 B12 motor hot\n2025-03-08 22:40:09 G2 B31 door jammed\n" +
			"2025-03-03 09:02:48 G2 B07 sensor dirty at inlet"
		plays = "The first prize goes to \"Low Water\" by Imre Halasz (Hungary).\n" +
			"Best debut: \"Chalk\", directed by Oona Lehto.\nThe third prize went to \"Kiln\" by Abeba Worku (Kenya)."
		finds = "K-12 bronze key | unknown | 1610 | 840\nK-31 silver dish | Ravn | 1722 | 2950\nK-40 clay pipe | Holm | 1801 | 15"
		ask   = "List the plays as JSON: {play, director}."
	)
	judge(t, []expect{
		{
			"Which crane had the most halts, how long were they, and why?", cranes,
			"Sued had the most, 38, for 129 minutes in all; the longest halt took 23 minutes. The cause was fog (19 halts).",
			grounding.Grounded,
		},
		{
			"Which crane had the most halts, how long were they, and why?", cranes,
			"Sued had the most, 38, for 129 minutes in all; the longest halt took 27 minutes. The cause was fog (19 halts).",
			grounding.Partly,
		},
		{
			"Summarise the alarms as JSON.", gate,
			`{"alarms": 31, "text": "sensor dirty at inlet", "first": "2025-03-02T05:14", "last": "2025-03-08T22:40"}`,
			grounding.Grounded,
		},
		{
			"Summarise the alarms as JSON.", gate,
			`{"alarms": 31, "text": "sensor dirty at inlet", "first": "2025-03-02T05:41", "last": "2025-03-08T22:40"}`,
			grounding.Partly,
		},
		{
			"Summarise the alarms as JSON.", gate,
			`{"alarms": 31, "text": "sensor dirty at inlet", "seen": "2025-03-08T22:40"}`, grounding.Partly,
		},
		{ask, plays, `[{"play": "Low Water", "director": "Imre Halasz"}, {"play": "Chalk", "director": "Oona Lehto"}]`, grounding.Grounded},
		{ask, plays, `[{"play": "Chalk", "director": "Imre Halasz"}, {"play": "Kiln", "director": "Abeba Worku"}]`, grounding.Partly},
		{"Which finds are there?", finds, "1. Bronze key, 1610, maker unknown\n2. Silver dish by Ravn, 1722", grounding.Grounded},
		{"Which finds are there?", finds, "1. Bronze key by Ravn, 1610\n2. Silver dish, 1722, maker unknown", grounding.Partly},
	})
	run := shownAnd("Did anyone book the e-bike?", "mails about ebike: 0", "There is no mail about an e-bike.")
	run.Turns[0].Cells[0].Code = `fmt.Println("mails about ebike:", count(context, "e-?bike"))`
	assert.Equal(t, grounding.Grounded, grounding.Trace(run).Verdict)
	run = shownAnd("Did anyone book the e-bike?", "mails about prices: 0", "There is no mail about an e-bike.")
	run.Turns[0].Cells[0].Code = `fmt.Println("mails about prices:", count(context, "price"))`
	assert.Equal(t, grounding.Not, grounding.Trace(run).Verdict)
}

// TestSettingsAndChangesInOtherWords: a setting of true or false, a drop that is told as a gain in speed, and a number
// before the key of the next one.
func TestSettingsAndChangesInOtherWords(t *testing.T) {
	const (
		chart = "mirror:\n  enabled: false\nbackup:\n  enabled: true\n  keep: 12\n"
		on    = "backup:\n  enabled: true\n  keep: 12\n"
		bench = "# against v2.1\nSplitWide-4  -18.3%  (p=0.004)\nJoinWide-4  +2.6%  (p=0.031)\n"
		mead  = "M-07 Heather OG 1.102 FG 1.018 ABV 11.03 days 64\nM-09 Clover OG 1.094 FG 1.021 ABV 9.58 days 71"
	)
	judge(t, []expect{
		{"Compare them.", chart, "| setting | value |\n|---|---|\n| mirror | disabled |", grounding.Grounded},
		{"Compare them.", on, "| setting | value |\n|---|---|\n| backup | disabled |", grounding.Partly},
		{"How fast is SplitWide?", bench, "SplitWide got 18.3 % faster.", grounding.Grounded},
		{"How fast is SplitWide?", bench, "SplitWide got 13.8 % faster.", grounding.Not},
		{"Which mead is strongest?", mead, "`M-07` with 11.03 % ABV after 64 days.", grounding.Grounded},
		{"Which mead is strongest?", mead, "`M-07` with 11.30 % ABV after 64 days.", grounding.Partly},
	})
}
