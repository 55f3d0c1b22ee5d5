package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestTheEntryOfAnotherKeyIsFound: a number of a printed list that belongs to another key than the answer, or the
// question that it answers with just a number, names.
func TestTheEntryOfAnotherKeyIsFound(t *testing.T) {
	const (
		ibex    = "How many stalled tickets does ibex have?"
		most    = "Which team has the most stalled tickets, and how many?"
		all     = "Give the tickets of each team."
		groups  = "map[heron:{556 126840} ibex:{534 127500} lynx:{516 123000}]\n"
		preview = `{"heron":{"n":556,"sum":126840},"ibex":{"n":534,"sum":127500},"lynx":{"n":516,"s…` + "\n"
		means   = "heron n=510 mean=241.62\nibex n=370 mean=239.00\nlynx n=511 mean=244.10\notter n=560 mean=238.20\n"
		shifted = "| Team | Tickets |\n|---|---:|\n| heron | 534 |\n| ibex | 516 |\n| lynx | 556 |\n"
		right   = "| Team | Tickets |\n|---|---:|\n| heron | 556 |\n| ibex | 534 |\n| lynx | 516 |\n"
	)
	for _, out := range []string{
		"heron 51\nibex 37\nlynx 52\notter 56\nstoat 48\n", "map[heron:51 ibex:37 lynx:52 otter:56 stoat:48]\n",
		"heron   |   51\nibex    |   37\nlynx    |   52\notter   |   56\nstoat   |   48\n",
		`{"heron":51,"ibex":37,"lynx":52,"otter":56,"stoat":48}` + "\n",
	} {
		judge(t, []expect{
			{ibex, out, "56", grounding.Not},
			{ibex, out, "37", grounding.Grounded},
			{ibex, out, `{"team":"ibex","count":56}`, grounding.Not},
			{ibex, out, `{"team":"ibex","count":37}`, grounding.Grounded},
			{most, out, "With 56 stalled tickets, otter has the most, before lynx with 52.", grounding.Grounded},
			{most, out, "With 56 stalled tickets, stoat has the most, before lynx with 52.", grounding.Partly},
			{most, out, "heron 51, ibex 48, lynx 52, otter 56, stoat 37", grounding.Partly},
			{most, out, "heron 51, ibex 37, lynx 52, otter 56, stoat 48", grounding.Grounded},
		})
	}
	judge(t, []expect{
		{all, groups, shifted, grounding.Partly},
		{all, groups, right, grounding.Grounded},
		{all, preview, shifted, grounding.Partly},
		{all, preview, right, grounding.Grounded},
		{"How many tickets does heron have?", groups, "534", grounding.Not},
		{"How many tickets does heron have?", groups, "556", grounding.Grounded},
		{all, means, `[{"team":"heron","tickets":370},{"team":"ibex","tickets":511}]`, grounding.Partly},
		{all, means, `[{"team":"heron","tickets":510},{"team":"ibex","tickets":370}]`, grounding.Grounded},
	})
}

// TestSignsAroundValuesAreNoPartOfThem: hyphens of other code points, and the commands of TeX.
func TestSignsAroundValuesAreNoPartOfThem(t *testing.T) {
	const claim = "claim NM-77120 over $18,640 was declined after 41 days, 12% of all\n"
	judge(t, []expect{
		{"Which claim?", claim, "NM‑77120, after a 41‑day delay", grounding.Grounded},
		{"Which claim?", claim, "NM‑77121", grounding.Not},
		{"Over how much?", claim, `\boxed{18640}`, grounding.Grounded},
		{"Over how much?", claim, `$\boxed{\$18,640}$`, grounding.Grounded},
		{"Over how much?", claim, `\boxed{18460}`, grounding.Not},
		{"Over how much, and what share?", claim, `\$18,640, which is 12\%`, grounding.Grounded},
	})
}

// TestWhoseNumberItIs: a sentence about one key, a block of YAML, a part of a whole, a sum, a thing that was not shown.
func TestWhoseNumberItIs(t *testing.T) {
	const (
		farms = "map[Aasen:140 Brekke:212 Dalen:87]\nmap[Aasen:33 Brekke:19 Dalen:58]\n"
		ports = "services:\n  ui:\n    replicas: 4\n    port: 3000\n  mailer:\n    replicas: 1\n    port: 2525\n" +
			"  audit:\n    replicas: 2\n    port: 7070\n"
		exams    = "site;exams;passed;failed\nOulu;310;255;55\nTurku;274;231;43\n"
		votes    = "Oyelaran 20418\nLindqvist 19877\ndifference 541\n"
		packages = "name,downloads\nsilt,4410\nshoal,1287\nfjord,9032\nreef,655\n"
	)
	judge(t, []expect{
		{"How many sheep and goats has Brekke?", farms, "Brekke has 212 sheep and 19 goats.", grounding.Grounded},
		{"How many sheep and goats has Brekke?", farms, "Brekke has 212 sheep and 58 goats.", grounding.Partly},
		{"Which ports do ui and mailer use?", ports, `{"ui": 3000, "mailer": 2525}`, grounding.Grounded},
		{"Which ports do ui and mailer use?", ports, `{"ui": 3000, "mailer": 7070}`, grounding.Partly},
		{"How many exams were failed at Turku?", exams, "43 of the 274 exams were failed.", grounding.Grounded},
		{"How many exams were failed at Turku?", exams, "231 of the 274 exams were failed.", grounding.Partly},
		{
			"By how much did Oyelaran win?", votes, "Oyelaran won with 20,418 votes against 19,877 for Lindqvist, a lead of 541.",
			grounding.Grounded,
		},
		{"How many downloads has the package tarn?", packages, "tarn has 1,287 downloads.", grounding.Not},
		{"How many downloads has the package shoal?", packages, "shoal has 1,287 downloads.", grounding.Grounded},
	})
}

// TestQuartersAreRead: in words, in digits and in the keys of a map.
func TestQuartersAreRead(t *testing.T) {
	const quarters = "map[2023-Q1:188 2023-Q2:241 2023-Q3:305 2023-Q4:279]\n"
	judge(t, []expect{
		{"Which quarter was best?", quarters, "The third quarter of 2023, with 305.", grounding.Grounded},
		{"Which quarter was best?", quarters, "Q3 2023 with 305", grounding.Grounded},
		{"Which quarter was best?", quarters, "Q2 2023 with 305", grounding.Partly},
		{"Which quarter was best?", quarters, "The third quarter of 2022", grounding.Not},
		{"Welches Quartal war das beste?", quarters, "Das dritte Quartal 2023.", grounding.Grounded},
		{"Which half was better?", "In the first half of 2024 it was 12.\n", "H1 2024 with 12", grounding.Grounded},
		{"Which half was better?", "In the first half of 2024 it was 12.\n", "H2 2024 with 12", grounding.Partly},
	})
}

// TestAnItemThatWasAddedIsFound: among items in lower case that all stand there, and a number that counts it.
func TestAnItemThatWasAddedIsFound(t *testing.T) {
	const parts = "oboe d'amore\nbasset horn\ntheorbo\nviola da gamba\n"
	judge(t, []expect{
		{"Which instruments, and how many?", parts, "Four: basset horn, oboe d’amore, theorbo, viola da gamba", grounding.Grounded},
		{"Which instruments?", parts, "They are basset horn, cornett, oboe d’amore, theorbo and viola da gamba.", grounding.Partly},
		{"Which instruments?", parts, "basset horns, theorbo, viola da gamba and others", grounding.Grounded},
	})
}

// TestAReasonThatNothingShowsIsFound: nor a material, nor who did it; one that stands there in other words may be.
func TestAReasonThatNothingShowsIsFound(t *testing.T) {
	const (
		fleet = "planes grounded: 19\nmost of them after a leak in the hydraulics\n"
		tower = "Skarvholmen: white, elevation 38 m, keeper E. Haugland\n"
		panne = "panne du poste de Villers à 17 h 42, courant rétabli à 19 h 05\n"
	)
	judge(t, []expect{
		{"How many planes were grounded, and why?", fleet, "19, mostly because of hydraulic leaks.", grounding.Grounded},
		{"How many planes were grounded, and why?", fleet, "19, mostly because of cracked wings.", grounding.Partly},
		{"Describe the light.", tower, "Skarvholmen, 38 m, was built of granite.", grounding.Partly},
		{"Describe the light.", tower, "Skarvholmen, 38 m, is white thanks to its elevation.", grounding.Grounded},
		{"Quand a eu lieu la panne ?", panne, "À 17h42, à cause de la foudre.", grounding.Partly},
	})
}

// TestTheYearOfAnotherRowIsFound: also where the rows are numbered, and the key's own row has none.
func TestTheYearOfAnotherRowIsFound(t *testing.T) {
	const trees = "1 Sequoiadendron 38.5 1868\n2 Quercus 31.5 0\n3 Populus 30.0 1931\n4 Tilia 29.0 1902\n"
	judge(t, []expect{
		{"When was the Quercus planted?", trees, "Quercus, 31.5 m, planted in 1931", grounding.Partly},
		{"When was the Tilia planted?", trees, "Tilia, 29 m, planted in 1902", grounding.Grounded},
		{"How many illuminated manuscripts?", "146 illuminated of 2031\n", "146 of 2,031", grounding.Grounded},
		{"Hur många gårdar brann?", "27 gårdar brann, socknens 3:e storbrand\n", "Tjugosju gårdar", grounding.Grounded},
	})
}
