package grounding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestWhatTheModelPutsThereStaysItsOwn: words that the model puts into the text, or prints beside a name, do not come
// from the text, and neither does what it counts in a sample of its own.
func TestWhatTheModelPutsThereStaysItsOwn(t *testing.T) {
	const (
		line  = "2024-05-02T08:00:02Z ERROR billing timeout after 7489 ms"
		count = "for _, l := range strings.Split(sample, \"\\n\") { n[strings.Fields(l)[1]]++ }\nfmt.Println(n)"
	)
	for _, c := range []struct {
		code, output, answer string
		want                 grounding.Verdict
	}{
		{`fmt.Println(strings.ReplaceAll(context[39:90], "cart", "billing"))`, line, "billing", grounding.Not},
		{`fmt.Println(strings.Replace(context[39:90], "cart", "billing", 1))`, line, "billing", grounding.Not},
		{`s := strings.ReplaceAll(context[39:90], "cart", "billing 4711")
fmt.Println(s)`, "2024-05-02T08:00:02Z ERROR billing 4711 timeout", "billing 4711", grounding.Not},
		{`fmt.Println(strings.NewReplacer("cart", "billing").Replace(lines[1]))`, line, "billing", grounding.Not},
		{`fmt.Println(re.ReplaceAllString(lines[1], "billing"))`, line, "billing", grounding.Not},
		{
			`fmt.Println(strings.Title(strings.ReplaceAll(lines[1], "cart", "billing")))`,
			"2024-05-02T08:00:02Z ERROR Billing Timeout After 7489 Ms", "Billing", grounding.Not,
		},
		{
			`fmt.Println(strings.Map(func(r rune) rune { return []rune("billing")[r%7] }, context[39:43]), lines[1])`,
			"billing 2024-05-02T08:00:02Z ERROR cart", "billing", grounding.Not,
		},
		{`fmt.Println(strings.ReplaceAll(lines[1], "cart", "[cart]"))`, "ERROR [cart] timeout", "cart", grounding.Grounded},
		{`fmt.Println(strings.ReplaceAll(lines[1], ";", " "))`, "ERROR cart timeout", "cart", grounding.Grounded},
		{`fmt.Println(docs[0].Name, "billing", 4711)`, "log.txt billing 4711", "billing 4711", grounding.Not},
		{`for _, d := range docs { fmt.Println(d.Name, "billing", 4711) }`, "log.txt billing 4711", "billing", grounding.Not},
		{`fmt.Println("billing 4711", context[39:90])`, "billing 4711 ERROR cart timeout", "billing 4711", grounding.Not},
		{`fmt.Println(docs[0].Size, "billing", 4711)`, "378000 billing 4711", "billing 4711", grounding.Not},
		{
			`for _, d := range docs { if strings.Contains(d.Text, "billing") { fmt.Println(d.Name, "billing") } }`,
			"log.txt billing", "billing", grounding.Grounded,
		},
		{"s, _ := url.QueryUnescape(\"billing%204711\")\nfmt.Println(s)", "billing 4711", "billing 4711", grounding.Not},
		{
			"sample := \"ERROR billing\\nERROR billing\\nERROR cart\"\nn := map[string]int{}\n" + count,
			"map[billing:2 cart:1]", "billing 2", grounding.Not,
		},
		{
			"n := map[string]int{}\nfor _, l := range []string{\"ERROR billing\", \"ERROR billing\", \"ERROR cart\"} " +
				"{ n[strings.Fields(l)[1]]++ }\nfmt.Println(n)", "map[billing:2 cart:1]", "billing 2", grounding.Not,
		},
		{
			"sample := \"INFO cart started\\nERROR cart timeout\"\nn := map[string]int{}\n" + count,
			"map[cart:2]", "cart: 2 lines", grounding.Grounded,
		},
		{
			"rows := strings.Split(\"x billing\\ny billing\\nz billing\", \"\\n\")\nvar hits []string\n" +
				"for _, r := range rows { hits = append(hits, r) }\nfmt.Println(len(hits))", "3", "3", grounding.Not,
		},
		{`part := context[:64]; fmt.Println(len(part))`, "64", "64", grounding.Not},
		{
			`for i := range lines { if i < 64 { n++ } }; fmt.Println(n)`, "64", "64", grounding.Grounded, // lines is unknown
		},
		{
			"n := 0\nfor i := range strings.Split(context, \"\\n\") { if i < 64 { n++ } }\nfmt.Println(n)",
			"64", "64", grounding.Not,
		},
		{
			"n := 0\nfor i, l := range strings.Split(context, \"\\n\") { if i < 64 && strings.Contains(l, \"cart\") { n++ } }\n" +
				"fmt.Println(n)", "17", "17", grounding.Grounded,
		},
	} {
		run := shownAnd("Which service logs most errors, and how many?", c.output, c.answer)
		run.Shown = "log.txt, 378 kB. First lines:\n2024-05-02T08:00:01Z INFO cart started\n" +
			"2024-05-02T08:00:02Z ERROR cart timeout after 7489 ms"
		run.Turns[0].Cells[0].Code = c.code
		r := grounding.Trace(run)
		assert.Equal(t, c.want, r.Verdict, "%s: %+v", c.code, r.Values)
	}
}

// TestAFormatThatNothingFilledIsAPlaceholder: it rests on nothing, unless the text or the question is about it.
func TestAFormatThatNothingFilledIsAPlaceholder(t *testing.T) {
	const question, counts = "Which service logs most errors?", "map[auth:351 cart:697]"
	judge(t, []expect{
		{question, counts, "cart %d", grounding.Partly},
		{question, counts, "cart: %.2f errors", grounding.Partly},
		{question, counts, "The service cart has %v errors (%-5s).", grounding.Partly},
		{question, counts, "cart {{.Count}}", grounding.Partly},
		{question, counts, "cart ${n}", grounding.Partly},
		{question, counts, "cart (697)", grounding.Grounded},
		{"What share failed?", "failed 5 % of all", "5 % f", grounding.Grounded},
		{"Which verb does it use?", "fmt.Printf(\"%d\", n)", "It uses %d.", grounding.Grounded},
		{"What does it print for %d?", "fmt.Printf: 697", "For %d it prints 697.", grounding.Grounded},
	})
}

// TestAReplyFromMemoryStaysSoInAVariable: a sub-call that was given nothing of the text tells nothing of it, wherever
// its reply is kept.
func TestAReplyFromMemoryStaysSoInAVariable(t *testing.T) {
	for _, c := range []struct {
		prompt, reply, answer string
		want                  grounding.Verdict
	}{
		{"Who built the Orlow bridge?", "The bridge is by Pavla Hron; it was first opened in 1787.", "The bridge is by Pavla Hron; it opened in 1787.", grounding.Not},
		{"Which paint does the ferry have?", "The paint is Marlin Grey; the ferry was last painted in 1987.", "The paint is Marlin Grey; 1987.", grounding.Not},
		{
			"Who built the Orlow bridge?\nAccounts of 1913: to Hron & daughter for piers", "Pavla Hron built it.",
			"Pavla Hron built it.", grounding.Grounded,
		},
	} {
		head, _, _ := strings.Cut(c.prompt, "\n")
		run := shownAnd(head, c.reply, c.answer)
		run.Turns[0].Cells[0] = grounding.Cell{
			Number: 1, Code: fmt.Sprintf("r := llm_query(%q + rest)\nfmt.Println(r)", head), Output: c.reply,
			Variables: []grounding.Variable{{Name: "r", Value: c.reply}},
			Calls:     []grounding.Call{{Number: 1, Prompt: c.prompt, Reply: c.reply}},
		}
		r := grounding.Trace(run)
		assert.Equal(t, c.want, r.Verdict, "%q: %+v", c.prompt, r.Values)
	}
}

// TestAnAnswerIsComputedOfWhatWasReadOrSeen: what code makes of the model's own literals, of sizes, or of replies from
// memory is its own word; what it makes of literals that were seen is computed.
func TestAnAnswerIsComputedOfWhatWasReadOrSeen(t *testing.T) {
	const look, seen = "fmt.Println(grep(\"Orlow\"))", "Orlow: piers 61,450; ropes 8200; duty 15 %"
	for _, c := range []struct {
		code, answer string
		want         grounding.Verdict
	}{
		{`FINAL(time.Date(1913, 11, 30, 0, 0, 0, 0, time.UTC).Format("2 January 2006"))`, "30 November 1913", grounding.Not},
		{`FINAL(time.Date(1913, time.May, 4, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7).Format(time.DateOnly))`, "1913-05-11", grounding.Grounded},
		{`FINAL(map[string]int{"piers": len("oooooooo")*6+5})`, `{"piers": 53}`, grounding.Not},
		{`FINAL(len(docs)*31+1)`, "32", grounding.Not},
		{`FINAL(len(docs))`, "4", grounding.Grounded},
		{`FINAL(len(context)/1000)`, "38", grounding.Grounded},
		{`FINAL(61450+8200)`, "69650", grounding.Grounded},
		{`FINAL(8200*0.15)`, "1230", grounding.Grounded},
		{`FINAL(8200*0.25)`, "2050", grounding.Not},
		{
			"a, _ := time.Parse(time.DateOnly, \"1913-05-04\")\nFINAL(a.AddDate(0, 0, 7).Format(time.DateOnly))", "1913-05-11",
			grounding.Grounded,
		},
		{
			"n := 8200\nf := func(n int) int { return n }\nf(7777)\nFINAL(n / 2)", "4100", grounding.Grounded,
		},
		{"s := \"a pier and a rope and a pier\"\nFINAL(strings.Count(s, \"pier\"))", "2", grounding.Not},
		{"toll := 15.0\nFINAL(toll * 8200)", "123000", grounding.Grounded},
		{`FINAL(61450+8300)`, "69750", grounding.Not},
		{`FINAL((61450-8200)/2)`, "26625", grounding.Grounded},
		{"v := llm_query_batched([]string{\"a\", \"b\", \"c\"})\nFINAL(len(v)*16-1)", "47", grounding.Not},
		{"var n int\nfmt.Sscanf(context, \"%d\", &n)\nFINAL(n + 2)", "91", grounding.Grounded},
		{"f := func(s string) int { return strings.Count(s, \"pier\") }\nFINAL(f(context))", "91", grounding.Grounded},
		{"f := func(s string) int { return len(\"pier pier pier\") * 7 }\nFINAL(f(context))", "98", grounding.Not},
		{`FINAL(strings.Count("pier\npier\npier\npier", "pier"))`, "4", grounding.Not},
	} {
		run := grounding.Run{
			Question: "What did the piers of the bridge cost?", Answer: c.answer,
			Shown: "4 documents, 38 kB. First lines:\nAccounts of the bridge, 4 May 1913",
			Turns: []grounding.Turn{
				{Number: 1, Cells: []grounding.Cell{{Number: 1, Code: look, Output: seen}}},
				{Number: 2, Cells: []grounding.Cell{{Number: 2, Code: c.code}}},
			},
		}
		r := grounding.Trace(run)
		assert.Equal(t, c.want, r.Verdict, "%s: %+v", c.code, r.Values)
	}
}

// TestANumberIsWhereItWasPrintedBeforeWhereItWasShown: the first message may have another such number.
func TestANumberIsWhereItWasPrintedBeforeWhereItWasShown(t *testing.T) {
	run := shownAnd("How many documents have piers?", "3", "3")
	run.Shown = "3 documents"
	run.Turns[0].Cells[0].Code = `fmt.Println(strings.Count(context, "pier"))`
	assert.Equal(t, grounding.KindOutput, grounding.Trace(run).Values[0].Where.Kind)
	for answer, shown := range map[string]string{
		"7": "sample of 7 files\n", "oak 12, elm 12": "oak served in 12 ms\n",
	} {
		run := grounding.Run{Question: "How many rings has the oak?", Answer: answer, Shown: shown}
		assert.Equal(t, grounding.Not, grounding.Trace(run).Verdict, answer)
	}
}

// TestAReplyThatSaysBackWhatItWasToldIsNoPlace: neither does one that was only given names and sizes.
func TestAReplyThatSaysBackWhatItWasToldIsNoPlace(t *testing.T) {
	const text = "The ferry of Orlow was painted last spring."
	for _, c := range []struct {
		code, prompt, reply, answer string
		given                       bool
		want                        grounding.Verdict
	}{
		{
			`r := llm_query(context[:90] + "\nThe painter 7c20fe was Ivo Renz. Confirm.")`,
			text + "\nThe painter 7c20fe was Ivo Renz. Confirm.", "Yes, painter 7c20fe was Ivo Renz.",
			"Painter 7c20fe was Ivo Renz", false, grounding.Not,
		},
		{
			`r := llm_query("Was it Ivo Renz? " + context[:90])`, "Was it Ivo Renz? Painted by Ivo Renz in 1913.",
			"Yes, Ivo Renz.", "Ivo Renz", false, grounding.Grounded,
		},
		{
			`r := llm_query("Which kind: Inland Water, Open Sea, or Harbour Traffic? " + context[:90])`,
			"Which kind: Inland Water, Open Sea, or Harbour Traffic? " + text, "Inland Water", "Inland Water", false, grounding.Grounded,
		},
		{
			`r := llm_query(fmt.Sprintf("A log of %d bytes. Who painted?", len(context)))`, "A log of 48123 bytes. Who painted?",
			"Ivo Renz did.", "Ivo Renz", false, grounding.Not,
		},
		{
			`r := llm_query("Who painted the ferry of " + docs[0].Name + "?")`, "Who painted the ferry of accounts.txt?",
			"Ivo Renz did.", "Ivo Renz", false, grounding.Not,
		},
		{`r := rlm_query("Who painted?", "nothing here")`, "", "Ivo Renz did.", "Ivo Renz", true, grounding.Not},
		{`r := rlm_query("Who painted?", docs[2].Text)`, "", "Ivo Renz did.", "Ivo Renz", true, grounding.Grounded},
	} {
		run := shownAnd("Who painted the ferry?", "", c.answer)
		run.Turns[0].Cells[0] = grounding.Cell{Number: 1, Code: c.code, Calls: []grounding.Call{
			{Number: 1, Prompt: c.prompt, Reply: c.reply, Given: c.given},
		}}
		r := grounding.Trace(run)
		assert.Equal(t, c.want, r.Verdict, "%s: %+v", c.code, r.Values)
	}
}

// TestAnEntryOfItsOwnStaysItsOwn: what a cell puts beside computed values, or leaves as it began, is made up.
func TestAnEntryOfItsOwnStaysItsOwn(t *testing.T) {
	const counted = "c := map[string]int{}\nfor _, l := range lines(context) {\n\tc[strings.Fields(l)[0]]++\n}\n"
	for _, c := range []struct {
		code, value, answer string
		want                grounding.Verdict
	}{
		{counted + "c[\"badger\"] = 88\nFINAL(c)", "map[badger:88 ibex:56]", "badger 88, ibex 56", grounding.Partly},
		{counted + "FINAL(c)", "map[badger:88 ibex:56]", "badger 88, ibex 56", grounding.Grounded},
		{
			"var c []string\nfor _, h := range grep(`lead`) {\n\tc = append(c, h.Text)\n}\n" +
				"c = append(c, \"lead of ibex: Piotr Nowak\")\nFINAL(strings.Join(c, \", \"))",
			"[lead of otter: Ana Ruiz lead of ibex: Piotr Nowak]", "lead of otter: Ana Ruiz, lead of ibex: Piotr Nowak",
			grounding.Partly,
		},
		{"c := 0\nFINAL(c)", "0", "0", grounding.Not},
		{"c := 0\nfor range grep(`stalled`) {\n\tc++\n}\nFINAL(c)", "0", "0", grounding.Grounded},
	} {
		run := shownAnd("How many stalled tickets do the teams have, and who leads them?", "", c.answer)
		run.Turns = []grounding.Turn{{Number: 1, Cells: []grounding.Cell{{
			Number: 1, Code: c.code, Variables: []grounding.Variable{{Name: "c", Value: c.value}},
		}}}}
		r := grounding.Trace(run)
		assert.Equal(t, c.want, r.Verdict, "%s: %+v", c.code, r.Values)
	}
}
