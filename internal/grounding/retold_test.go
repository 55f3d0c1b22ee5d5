package grounding_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// expect is what an answer to a question from an output should be judged as.
type expect struct {
	question, output, answer string
	want                     grounding.Verdict
}

func (c expect) check(t *testing.T) {
	t.Helper()
	r := grounding.Trace(shownAnd(c.question, c.output, c.answer))
	assert.Equal(t, c.want, r.Verdict, "%s %q from %q: %+v", c.question, c.answer, c.output, r.Values)
}

func judge(t *testing.T, cases []expect) {
	t.Helper()
	for _, c := range cases {
		c.check(t)
	}
}

// found is what an answer from an output should be judged as.
type found struct {
	output, answer string
	want           grounding.Verdict
}

func judgeOf(t *testing.T, question string, cases []found) {
	t.Helper()
	for _, c := range cases {
		expect{question, c.output, c.answer, c.want}.check(t)
	}
}

// judgeEach judges the runs that are made of the keys.
func judgeEach(t *testing.T, want map[string]grounding.Verdict, run func(key string) grounding.Run) {
	t.Helper()
	for key, verdict := range want {
		r := grounding.Trace(run(key))
		assert.Equal(t, verdict, r.Verdict, "%q: %+v", key, r.Values)
	}
}

// filler makes an output so long that small numbers need words beside them.
var filler = strings.Repeat("# settings of the cluster, see the handbook\n", 16)

// TestKeysAreReadWithTheKeysAroundThem: the entry of a nested configuration belongs to what encloses it.
func TestKeysAreReadWithTheKeysAroundThem(t *testing.T) {
	const (
		pool = "{\n \"name\": \"reporting\",\n \"pool\": {\n  \"min\": 4,\n  \"max\": 36,\n  \"idle_ms\": 600000\n },\n" +
			" \"port\": 5433\n},\n{\n \"name\": \"sessions\",\n \"pool\": { \"min\": 8, \"max\": 120 }\n}"
		yaml = "replicas:\n  minimum: 3\n  ceiling: 9\nbackups:\n  keep: 7\n  hour: 2\n"
		toml = "[http]\nport = 80\n\n[retries]\nlimit = 6\ndelay = 40\n"
	)
	judge(t, []expect{
		{
			"What are the pool limits of the reporting database?", filler + pool,
			"It keeps between 4 and 36 pooled connections.", grounding.Grounded,
		},
		{"How does it scale?", filler + yaml, "It runs 3 to 9 replicas.", grounding.Grounded},
		{"How many backups are there?", filler + yaml, "There are 7 backups.", grounding.Grounded},
		{"How often does it try again?", filler + toml, "It makes up to 6 retries.", grounding.Grounded},
		{"How often does it try again?", filler + toml, "It makes up to 5 retries.", grounding.Not},
		{"How does it scale?", filler + yaml, "It runs 3 to 12 replicas.", grounding.Partly},
	})
}

// TestOptionsOfCommandsHaveValues: a size may be attached to an option.
func TestOptionsOfCommandsHaveValues(t *testing.T) {
	const java = `value: "-Xms1536m -Xmx4096m -Xss512k -XX:+UseZGC"`
	judge(t, []expect{
		{"How large is the heap?", java, "The heap grows from 1.5 GiB to 4 GiB.", grounding.Grounded},
		{"How large is the heap?", java, "The heap may take 4 GB.", grounding.Grounded},
		{"How large is a stack?", java, "A stack takes 512 KiB.", grounding.Grounded},
		{"How large is the heap?", java, "The heap may take 6 GiB.", grounding.Not},
		{"How large is the heap?", "java -Xmx8g -jar app.jar", "The heap may take 8 GiB.", grounding.Grounded},
		{"How many jobs does it run?", "make -j12 all", "It runs 12 jobs.", grounding.Grounded},
		{"How long does it wait?", "java -Xmx8g -jar app.jar", "It waits 8 minutes.", grounding.Not},
	})
}

// TestWordsOfLessGiveASign: a difference below zero is told as so much less.
func TestWordsOfLessGiveASign(t *testing.T) {
	judge(t, []expect{
		{"Comment évolue-t-il ?", "2021 23.9  2023 19.6  diff -4.3", "Il a 4,3 points de moins.", grounding.Grounded},
		{"How did it go?", "visits 2022 812, 2023 771, diff -41", "There were 41 fewer visits.", grounding.Grounded},
		{"Wie ging es aus?", "Besuche 2022 812, 2023 771, Differenz -41", "Es waren 41 weniger.", grounding.Grounded},
		{
			"How many took part?", "Results. Of 412 patients, 366 (88.8%) completed follow-up. Age was 61.",
			"About 89% completed it.", grounding.Grounded,
		},
		{"How did it go?", "price old 9.20 new 8.85 delta -0.35", "The price is 0.35 lower.", grounding.Grounded},
	})
}

// TestIdentifiersEndWhereAnotherScriptBegins: what follows an identifier is not part of it.
func TestIdentifiersEndWhereAnotherScriptBegins(t *testing.T) {
	const jp, cn = "掃除機 SK-410\n本体質量:1.45 kg\n価格:38,500円(税込)", "型号：XR-20\n重量：2.3 kg\n价格：5999元"
	judge(t, []expect{
		{"重さと価格は？", jp, "SK-410の重さは1.45kg、価格は3万8500円です。", grounding.Grounded},
		{"重さと価格は？", jp, "SK-420の重さは1.45kg、価格は3万8500円です。", grounding.Partly},
		{"多重？多少钱？", cn, "XR-20的重量是2.3kg，价格是5999元。", grounding.Grounded},
		{"多重？多少钱？", cn, "XR-20的重量是2.3kg，价格是6999元。", grounding.Partly},
	})
}

// TestTheFirstOfSeveralQuestionsIsAnsweredByYes: the others do not hide what it is about.
func TestTheFirstOfSeveralQuestionsIsAnsweredByYes(t *testing.T) {
	const hook = "[webhook]\npath = \"/hooks/pay\"\nverify_signature = false\ntolerance_s = 300\nmax_retries = 4"
	judge(t, []expect{
		{
			"Are webhook signatures verified, with what tolerance, and how many retries does the client make?", hook,
			"Yes, with a tolerance of 5 minutes and 4 retries.", grounding.Partly,
		},
		{
			"Are webhook signatures verified, with what tolerance, and how many retries does the client make?", hook,
			"No. The tolerance is 5 minutes, with 4 retries.", grounding.Grounded,
		},
		{
			"Is the webhook signature verified and how long is the tolerance?", hook,
			"Yes, the tolerance is 300 s.", grounding.Partly,
		},
	})
}

// TestTheYearOfASentenceNamesTheColumn: a year goes on for the numbers after it, as does that of the question.
func TestTheYearOfASentenceNamesTheColumn(t *testing.T) {
	const summary = "Summary (EUR million)\n            2021     2022     2023\nEquity     741.6    822.0    871.5\n" +
		"Net debt   377.2    352.4    318.0\nStaff      2,251    2,390    2,415"
	judge(t, []expect{
		{
			"How much was there at the end of 2023?", summary,
			"At the end of 2023 equity was €871.5 million and net debt €318.0 million.", grounding.Grounded,
		},
		{
			"How much was there at the end of 2023?", summary,
			"At the end of 2023 equity was €871.5 million and net debt €352.4 million.", grounding.Partly,
		},
		{"What was the net debt in 2022?", summary, "Net debt was €377.2 million.", grounding.Not},
		{"What was the net debt in 2022?", summary, "Net debt was €352.4 million.", grounding.Grounded},
		{
			"What was the net debt in 2023?", summary,
			"Net debt was €318.0 million, after €352.4 million in 2022.", grounding.Grounded,
		},
	})
}

// TestTheTextItselfMaySayNo: a denial that was read needs no search that found nothing.
func TestTheTextItselfMaySayNo(t *testing.T) {
	const trial = "241 completed the trial. There were no serious adverse events. The fee is 40 EUR."
	judge(t, []expect{
		{"How did the trial go?", trial, "241 completed it; there were no serious adverse events.", grounding.Grounded},
		{
			"Wie lange ist die Frist?", "Der Vertrag enthält keine Kündigungsfrist.", "Er enthält keine Kündigungsfrist.",
			grounding.Grounded,
		},
		{"How did the trial go?", trial, "241 completed it; there were no withdrawals.", grounding.Partly},
	})
	r := grounding.Trace(shownAnd("Does the lease say who repairs the heating?", "Rent: 42,000 pounds a year",
		"No, the lease does not say who repairs the heating."))
	assert.Len(t, r.Values, 1, "a no and its explanation are one value: %+v", r.Values)
}

// TestTasksAndNamesMayBeToldInAnotherOrder: a task has all words of its line; names are joined in other ways.
func TestTasksAndNamesMayBeToldInAnotherOrder(t *testing.T) {
	const notes = "- [ ] Priya: write the migration guide for v5, due 12 Sep\n- [ ] Lorenzo + Priya: benchmark the importer\n" +
		"- [ ] Hana: send the price list to all partners of the north"
	judge(t, []expect{
		{"Which tasks?", notes, `[{"task":"write v5 migration guide","owner":"Priya"}]`, grounding.Grounded},
		{"Which tasks?", notes, `[{"task":"send north partners price list","owner":"Hana"}]`, grounding.Grounded},
		{"Which tasks?", notes, `[{"task":"write v6 migration guide","owner":"Priya"}]`, grounding.Partly},
		{"Which tasks?", notes, `[{"task":"send migration price list","owner":"Hana"}]`, grounding.Partly},
	})
}

// TestANounBeforeANameIsNotPartOfIt: a text may set it off by a comma.
func TestANounBeforeANameIsNotPartOfIt(t *testing.T) {
	judge(t, []expect{
		{
			"Wo arbeiten sie?", "Wir haben 1.240 Leute an zwei Standorten, Emden und Wismar.",
			"An den Standorten Emden und Wismar arbeiten 1240 Leute.", grounding.Grounded,
		},
		{
			"Wo arbeiten sie?", "Wir haben 1.240 Leute an zwei Standorten, Emden und Wismar.",
			"An den Standorten Leer und Wismar arbeiten 1240 Leute.", grounding.Partly,
		},
		{"Who came?", "Present: Edda Falk, Ivo Renz, Nora Bach", "Falk Ivo came.", grounding.Not},
	})
}

// TestANameWithAnAppositionIsAName although it starts a sentence.
func TestANameWithAnAppositionIsAName(t *testing.T) {
	judge(t, []expect{
		{
			"What is the name of the mate?", "The mate is a native of Nantucket.", "Starbuck, a native of Nantucket.",
			grounding.Partly,
		},
		{"Who built it?", "Built by Ostrander, a mason of Delft.", "Ostrander, a mason of Delft.", grounding.Grounded},
		{"Who pays?", "The rent falls to the tenant from May.", "Initially, the tenant has to pay the rent of May in full.", grounding.Untraced},
	})
}

// TestACountBesideTheBeginningIsNoLook unless it counts what the question names.
func TestACountBesideTheBeginningIsNoLook(t *testing.T) {
	judgeEach(t, map[string]grounding.Verdict{
		`fmt.Println(strings.Count(context, "// ==== "))`: grounding.Not,
		`fmt.Println(strings.Count(context, "session"))`:  grounding.Grounded,
	}, func(code string) grounding.Run {
		run := shownAnd("Is the admin route protected by the session?", "38\nimport { createApp } from './app'\n"+
			"const env = loadEnv()\nconsole.log(`listening`)\n// ==== the session\n", "Yes.")
		run.Turns[0].Cells[0].Code = code + "\nfmt.Println(head(context, 420))"
		return run
	})
}

// TestNumbersKeepTheirWords: two numbers of a sentence were not exchanged.
func TestNumbersKeepTheirWords(t *testing.T) {
	const (
		trial = "264 were randomised, 241 completed. Pain at 12 weeks: walking group 3.4 (SD 1.9), control group 4.6 (SD 2.1)."
		death = "Mortality at 90 days was 4.1% in the early group and 7.9% in the late group."
		sales = "Im Jahr setzte Bremen 48,2 Mio. Euro um, während Hagen auf 31,7 Mio. Euro kam."
	)
	judge(t, []expect{
		{"Which was better?", trial, "Walking scored 3.4 against 4.6 in the control group.", grounding.Grounded},
		{"Which was better?", trial, "The walking group scored 4.6, the control group 3.4.", grounding.Not},
		{"Which was better?", trial, "The control group had 4.6, the walking group 3.4.", grounding.Grounded},
		{
			"How did it change?",
			"Stays fell from 11.2 to 8.4 days in the early group, and from 12.1 to 11.7 days in the late group.",
			"In the late group stays fell from 12.1 to 11.7 days, in the early group from 11.2 to 8.4.", grounding.Grounded,
		},
		{"Which was better?", death, "Mortality was 7.9% (late) versus 4.1%.", grounding.Grounded},
		{"Which was better?", death, "Mortality was 7.9% in the late and 4.1% in the early group.", grounding.Grounded},
		{"Which was better?", death, "Mortality was 7.9% in the early and 4.1% in the late group.", grounding.Not},
		{"Wer setzte mehr um?", sales, "Bremen hatte 48,2 Mio. Euro, Hagen 31,7 Mio. Euro.", grounding.Grounded},
		{"Wer setzte mehr um?", sales, "Hagen hatte 48,2 Mio. Euro, Bremen 31,7 Mio. Euro.", grounding.Partly},
	})
}

// TestSizesHaveShortUnits: a letter behind a number of a configuration may mean bytes.
func TestSizesHaveShortUnits(t *testing.T) {
	judge(t, []expect{
		{"How much memory?", "limits:\n  cpu: 500m\n  memory: 1Gi\n", "It may use 1 GiB.", grounding.Grounded},
		{"How much memory?", "requests:\n  memory: 256Mi\n", "It requests 256 MiB.", grounding.Grounded},
		{"How large may a body be?", "client_max_body_size 20m;", "A body may have 20 MB.", grounding.Grounded},
		{"How large may a body be?", "client_max_body_size 20m;", "A body may have 25 MB.", grounding.Not},
		{"What are the defaults?", "timeout: 30 * time.Second,\nmaxRetries: 5,\n", "It retries 5 times.", grounding.Grounded},
	})
}
