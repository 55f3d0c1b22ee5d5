package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestUnitsAreReadFromNames: a name that carries a unit gives it to its value, wherever the name stands.
func TestUnitsAreReadFromNames(t *testing.T) {
	const (
		p50     = "search   n=188306   p50=0.2279 p95=1.8463 max=30.002\nexport   n=688   p50=0.4426 p95=1.2907 max=9.1\n"
		rust    = "const CAP: Duration = Duration::from_secs(20);\nlet first = Duration::from_millis(250);\n"
		golang  = "client.Timeout = 45 * time.Second\n"
		metrics = "http_request_seconds{route=\"/a\",quantile=\"0.99\"} 0.8846\nhttp_request_seconds_sum 5130.2\n"
		csv     = "meter,import_wh,peak_w\nA-0417,18422,4120\nB-0031,44190,11260\n"
		refunds = "Duisburg;21904;655082.15\nFaro;2560;112552.48\nTartu;3173;129471.09\n"
	)
	judge(t, []expect{
		{"How slow is it?", p50, "The median of search is 228 ms, the p95 of export 1.29 s.", grounding.Grounded},
		{"How long does it wait?", rust, "It waits a quarter of a second, 20 seconds at most.", grounding.Grounded},
		{"How long does it wait?", rust, "It waits 20 minutes at most.", grounding.Not},
		{"What is the timeout?", golang, "It gives up after 45 seconds.", grounding.Grounded},
		{"How slow is it?", metrics, "The 99th percentile of /a is 885 ms.", grounding.Grounded},
		{"How long in all?", metrics, "All requests took 85.5 minutes.", grounding.Grounded},
		{"How much did B-0031 draw?", csv, "B-0031 drew 44.2 kWh with a peak of 11.3 kW.", grounding.Grounded},
		{"How much did B-0031 draw?", csv, "B-0031 drew 44.2 MWh.", grounding.Not},
		{
			"Which depots?", refunds, "| Depot | Refunds (k€) |\n|---|---|\n| Duisburg | 655.1 |\n| Faro | 112.6 |",
			grounding.Grounded,
		},
		{
			"Which depots?", refunds, "| Depot | Refunds (M€) |\n|---|---|\n| Duisburg | 655.1 |\n| Faro | 112.6 |",
			grounding.Partly,
		},
	})
}

// TestUnitsOfAKindConvert: any two units of a kind do, and no two of different kinds.
func TestUnitsOfAKindConvert(t *testing.T) {
	judge(t, []expect{
		{"How far?", "length of the pass: 21.3 km", "The pass is 13.2 miles long.", grounding.Grounded},
		{"How far?", "length of the pass: 21.3 km", "The pass is 21.3 miles long.", grounding.Not},
		{"How tight?", "Bar nuts, torque   18 Nm", "Tighten the bar nuts to 18 ft-lb.", grounding.Not},
		{"How tight?", "Bar nuts, torque   18 Nm", "Tighten the bar nuts to 13.3 ft-lb.", grounding.Grounded},
		{"How large?", "H x B x T   2.030 x 595 x 663 mm", "Es misst 203 x 59,5 x 66,3 cm.", grounding.Grounded},
		{"Um wie viel?", "Das Entgelt steigt um höchstens 2 v. H.", "Um höchstens 2 %.", grounding.Grounded},
		{"How long?", "prove it for 45 min", "Prove it for three quarters of an hour.", grounding.Grounded},
		{"How long?", "a swap takes 6:40 on average", "A swap takes 6 min 40 s.", grounding.Grounded},
	})
}

// TestBoundsHold: a bound is said of a number on its side only.
func TestBoundsHold(t *testing.T) {
	const town = "Hautefosse   10992   9387   -0.1460\nMontreval   41318   40102   -0.0294\n"
	judge(t, []expect{
		{"Combien ?", town, "Hautefosse a moins de 9 400 habitants.", grounding.Grounded},
		{"Combien ?", town, "Hautefosse a plus de 9 400 habitants.", grounding.Partly},
		{"Combien ?", town, "Montreval compte plus de 40 000 habitants.", grounding.Grounded},
		{"How many?", town, "Montreval has just under 40,000 people.", grounding.Partly},
		{"How slow?", "p50=3.914 p90=11.27 max=912.6", "Half take less than 3.9 s.", grounding.Grounded},
	})
}

// TestNamesInAnyOrderAreKeys: the row of "Last, First" is that of First Last.
func TestNamesInAnyOrderAreKeys(t *testing.T) {
	const hours = "Quattrocchi, Serena      61.50\nAdeyemi, Folake          58.25\nWójcik, Agnieszka        47.25\n"
	judge(t, []expect{
		{"Who?", hours, "Serena Quattrocchi has 61.5 h and Agnieszka Wojcik 47.25 h.", grounding.Grounded},
		{"Who?", hours, "Serena Quattrocchi has 58.25 h.", grounding.Partly},
		{"Who won?", "1   Viking Stavanger   66\n2   Bodo/Glimt   64\n", "Bodø/Glimt has 64 points.", grounding.Grounded},
	})
}

// TestAVersionMayFollowItsName: the answer may part it from its name, and leave out its last part.
func TestAVersionMayFollowItsName(t *testing.T) {
	const pkg = `{"license": "MPL-2.0", "engines": {"node": ">=18.17"}, "dependencies": {"d3-shape": "^3.2.0"}}`
	const tls = "bind :443 ssl-min-ver TLSv1.2\nbind :9443 ssl-min-ver TLSv1.0\n"
	judge(t, []expect{
		{"What licence?", pkg, "It is under the MPL 2.0 and needs d3-shape 3.2.", grounding.Grounded},
		{"What licence?", pkg, "It is under the MPL 1.1.", grounding.Partly},
		{"Which default?", tls, "The default is TLS 1.2.", grounding.Grounded},
		{"Which default?", tls, "The default is TLS 1.3.", grounding.Not},
	})
}

// TestAPartOfAKeyIsNoKey: a word of a longer key only counts with its other parts.
func TestAPartOfAKeyIsNoKey(t *testing.T) {
	const toml = "[store]\nmemory_mb = 768\nmax_entry_kb = 512\nttl_s = 1800\nshards = 32\n"
	judge(t, []expect{
		{
			"Describe the settings: size, entry limit, time to live.", toml,
			"The cache holds 768 MB in 32 shards. Entries live for 30 minutes.", grounding.Grounded,
		},
		{
			"Describe the settings: size, entry limit, time to live.", toml,
			"The cache holds 768 GB in 32 shards; an entry may have 512 MB.", grounding.Partly,
		},
	})
}

// TestPaymentsAreToldWithoutTheirSign: a payment has none, a temperature has.
func TestPaymentsAreToldWithoutTheirSign(t *testing.T) {
	judge(t, []expect{
		{"Quels frais ?", "12/01  PRLV EDF   -118,90\n15/01  VIR SALAIRE   +2 640,15\n", "EDF a prélevé 118,90 €.", grounding.Grounded},
		{"How cold?", "Zugspitze   -18.4 °C\nHof   -3.1 °C\n", "Zugspitze had 18.4 °C.", grounding.Partly},
	})
}

// TestPartsOfAWhole: two numbers of a fraction support each other.
func TestPartsOfAWhole(t *testing.T) {
	judge(t, []expect{
		{"Who was there?", filler + "present 10 of 13; bars 1-84", "Ten of the 13 singers came.", grounding.Grounded},
		{"What is the target?", "targetCPUUtilizationPercentage: 70", "The target is 70%.", grounding.Grounded},
	})
}
