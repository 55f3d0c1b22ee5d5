package grounding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestALiteralBesideTextIsNotFound: what the model wrote itself is no more found when text of the context, or of
// replies, stands beside it; a search for it finds it.
func TestALiteralBesideTextIsNotFound(t *testing.T) {
	const line = "3. The chair thanked the members."
	for _, c := range []struct {
		code, output string
		want         grounding.Verdict
	}{
		{`fmt.Println("Helen Marsh", strings.Split(context, "\n")[3])`, "Helen Marsh " + line, grounding.Not},
		{"h := \"Helen Marsh\"\nfmt.Printf(\"%s: %s\\n\", h, lines[5])", "Helen Marsh: " + line, grounding.Not},
		{
			`fmt.Println("treasurer: Helen Marsh; first line:", lines[0])`, "treasurer: Helen Marsh; first line: " + line,
			grounding.Not,
		},
		{
			"var o map[string]string\njson.Unmarshal([]byte(`{\"treasurer\":\"Helen Marsh\"}`), &o)\n" +
				"o[\"line\"] = lines[3]\nfmt.Println(o)", "map[line:" + line + " treasurer:Helen Marsh]", grounding.Not,
		},
		{
			"var qs []string\nfor _, x := range chunks { qs = append(qs, \"Who is it? Answer like: Helen Marsh\\n\"+x) }\nfmt.Println(qs)",
			"[Who is it? Answer like: Helen Marsh\n" + line + "]", grounding.Not,
		},
		{
			`for _, h := range []string{"Helen Marsh", "Joan Pike"} { fmt.Println(h+":", grep("weir")[0].Text) }`,
			"Helen Marsh: " + line + "\nJoan Pike: " + line, grounding.Not,
		},
		{
			`for _, h := range []string{"Helen Marsh", "Joan Pike"} { fmt.Println(h+":", strings.Count(context, h)) }`,
			"Helen Marsh: 4\nJoan Pike: 0", grounding.Grounded,
		},
		{
			`for _, h := range []string{"Helen Marsh", "Joan Pike"} { for _, l := range grep(h) { fmt.Println(h, l.Text) } }`,
			"Helen Marsh 7. Helen Marsh read the accounts.", grounding.Grounded,
		},
		{`fmt.Println(paragraph("Helen Marsh"))`, "Helen Marsh read the accounts.", grounding.Grounded},
		{`fmt.Println("the treasurer:", lines[7])`, "the treasurer: Helen Marsh read the accounts.", grounding.Grounded},
	} {
		run := shownAnd("Who is the treasurer?", c.output, "Helen Marsh")
		run.Turns[0].Cells[0].Code = c.code
		assert.Equal(t, c.want, grounding.Trace(run).Verdict, "%s", c.code)
	}
}

// TestANumberThatNamesIsNoCount: the number of a revision or of a dive among several is not how many there are.
func TestANumberThatNamesIsNoCount(t *testing.T) {
	judgeOf(t, "How many divers were injured?", []found{
		{"dive 4 of 6, depth 31 m\nbuddy check ok, visibility 6 m", "Four divers were injured.", grounding.Not},
		{"injured: 4 of 6 divers", "Four divers were injured.", grounding.Grounded},
		{"4 divers of 6 were injured", "Four divers were injured.", grounding.Grounded},
		{"The report, revision 3, see Figure 4. Divers were hurt.", "Three divers were injured.", grounding.Not},
	})
}

// TestANoughtOfANameIsNoCount: MPL-2.0 was found, although its name has a nought.
func TestANoughtOfANameIsNoCount(t *testing.T) {
	run := shownAnd("Which licence do the headers carry?", "MIT=0\nMPL-2.0=1093\nEUPL-1.2=0", "MPL-2.0")
	run.Turns[0].Cells[0].Code = "for _, l := range []string{\"MIT\", \"MPL-2.0\", \"EUPL-1.2\"} {\n" +
		"fmt.Printf(\"%s=%d\\n\", l, strings.Count(context, \"SPDX: \"+l))\n}"
	assert.Equal(t, grounding.Grounded, grounding.Trace(run).Verdict)
}
