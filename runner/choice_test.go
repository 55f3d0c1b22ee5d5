package runner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/termination"
)

// TestAChoiceIsNoGuessWhereACellDecidesIt: a cell that counts and then chooses between words has looked at the text;
// one that only finds the subject of the question there has not.
func TestAChoiceIsNoGuessWhereACellDecidesIt(t *testing.T) {
	t.Parallel()
	const (
		which = "Which has more ERROR lines, cart or mail?"
		more  = "Does cart have more than 2 ERROR lines?"
		there = "Does the log mention the service mail?"
		panic = "Is there a kernel panic in the log?"
		count = "m := map[string]int{}\nfor _, l := range strings.Split(context, \"\\n\") {\n\tif f := strings.Fields(l); len(f) > 2 && " +
			"f[1] == \"ERROR\" {\n\t\tm[f[2]]++\n\t}\n}\n"
	)
	for name, c := range map[string]struct {
		question, cell string
		guess          bool
	}{
		"by counts":              {which, count + `if m["cart"] > m["mail"] { FINAL("cart") } else { FINAL("mail") }`, false},
		"by counts, a switch":    {which, count + "switch {\ncase m[\"cart\"] > m[\"mail\"]:\n\tFINAL(\"cart\")\ndefault:\n\tFINAL(\"mail\")\n}", false},
		"by counts, a variable":  {which, count + "w := \"mail\"\nif m[\"cart\"] > m[\"mail\"] {\n\tw = \"cart\"\n}\nFINAL(w)", false},
		"yes by a count":         {more, count + `if m["cart"] > 2 { FINAL("yes") } else { FINAL("no") }`, false},
		"yes by a table":         {more, count + `FINAL(map[bool]string{true: "yes", false: "no"}[m["cart"] > 2])`, false},
		"an absence by a search": {panic, "if len(grep(`(?i)kernel panic`)) == 0 { FINAL(\"The log mentions no kernel panic.\") }", false},
		"yes by a search":        {there, `if strings.Contains(context, "mail") { FINAL("yes") } else { FINAL("no") }`, false},
		"yes by a search, in a variable": {
			there, "v := \"no\"\nif n := strings.Count(context, \"mail\"); n > 0 {\n\tv = \"yes\"\n}\nFINAL(v)", false,
		},
		"by the subject":      {which, `if strings.Contains(context, "ERROR") { FINAL("mail") }`, true},
		"by any of its lines": {which, `if len(grep("ERROR")) > 0 { FINAL("mail") }`, true},
		"yes by a name":       {more, `if strings.Contains(context, "cart") { FINAL("yes") } else { FINAL("no") }`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cell := fence(c.cell)
			r := newRunner(t, root([]string{cell, cell}, nil))
			res, err := r.Answer(timeout(t), c.question, runner.Text("app.log", errorLog))
			require.NoError(t, err)
			require.Equal(t, termination.Completed, res.Status, res.Reason)
			assert.Equal(t, c.guess, res.Guess, "%+v", res.Grounding)
			assert.Equal(t, c.guess, res.Grounding.Verdict != "grounded", "%+v", res.Grounding)
			sent := 0
			if c.guess {
				sent = 1
			}
			assert.Equal(t, sent, sentBack(t, r, res.RunID))
		})
	}
}
