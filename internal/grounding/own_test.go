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
