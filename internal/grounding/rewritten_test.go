package grounding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// retold is an answer to a question over what a cell printed, with its verdict.
type retold struct {
	question, output, answer string
	want                     grounding.Verdict
}

func (c retold) check(t *testing.T) {
	t.Helper()
	r := grounding.Trace(shownAnd(c.question, c.output, c.answer))
	assert.Equal(t, c.want, r.Verdict, "%q from %q: %+v", c.answer, c.output, r.Values)
}

// TestASmallNumberIsKnownByTheWordsAroundIt: words without a meaning of their own do not hide the others.
func TestASmallNumberIsKnownByTheWordsAroundIt(t *testing.T) {
	const trial = "A total of 148 participants were screened; 112 were randomised (61 women).\n" +
		"Light was given between 19:00 and 21:00 at 2,500 lux, on six evenings a week.\n" +
		"There was no effect on total sleep time (mean difference 3.1 min, 95 % CI -6.0 to 12.2).\n" +
		"Nine participants withdrew before the second period, seven of them because of roster changes.\n" +
		"Participants were recruited at three hospitals and one steel works.\n" +
		"Two participants were excluded from the analysis of actigraphy (defective devices).\n"
	for _, c := range []retold{
		{"Who dropped out?", trial, "Nine withdrew, 7 of them because of changes in the roster.", grounding.Grounded},
		{"Who dropped out?", trial, "Nine withdrew, 8 of them because of changes in the roster.", grounding.Partly},
	} {
		c.check(t)
	}
}

// TestAUnitMayStandOnTheNextLine: prose is wrapped anywhere, and lines may be numbered.
func TestAUnitMayStandOnTheNextLine(t *testing.T) {
	for _, c := range []retold{
		{
			"What is the initial term?", "212 11.1 This Agreement starts on 1 July 2023 with a term of thirty-six (36)\n" +
				"213 months. It may not be terminated before.\n", "The initial term is three years.", grounding.Grounded,
		},
		{
			"How large is the site?", "The site by the river, which the council bought, measures in all 12\n" +
				"hectares of meadow.\n", "It measures 120,000 m².", grounding.Grounded,
		},
		{
			"What is the initial term?", "212 11.1 This Agreement starts on 1 July 2023 with a term of thirty-six (36)\n" +
				"213 months. It may not be terminated before.\n", "The initial term is four years.", grounding.Not,
		},
	} {
		c.check(t)
	}
}
