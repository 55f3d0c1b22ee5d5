package grounding_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// counted is the number of a key.
type counted struct {
	key string
	n   int
}

// printed returns counts in the forms in which cells print them.
func printed(rows []counted) map[string]string {
	each := func(rows []counted, format, between string) string {
		var out []string
		for _, r := range rows {
			out = append(out, fmt.Sprintf(format, r.key, r.n))
		}
		return strings.Join(out, between)
	}
	byKey := slices.SortedFunc(slices.Values(rows), func(a, b counted) int { return strings.Compare(a.key, b.key) })
	return map[string]string{
		"a map":         "map[" + each(byKey, "%s:%d", " ") + "]",
		"JSON":          "{" + each(byKey, "%q:%d", ",") + "}",
		"lines":         each(rows, "%s: %d", "\n"),
		"CSV":           "name,count\n" + each(rows, "%s,%d", "\n"),
		"structs":       "[" + each(rows, "{%s %d}", " ") + "]",
		"Markdown":      "| name | count |\n|---|---|\n" + each(rows, "| %s | %d |", "\n"),
		"columns":       each(rows, "%-14s %6d", "\n"),
		"numbers first": each(rows, "%[2]d %[1]s", "\n"),
	}
}

// told returns the first rows in the forms in which models answer.
func told(rows []counted) map[string]string {
	a, b, c := rows[0], rows[1], rows[2]
	all := func(format string) string {
		return fmt.Sprintf(format, a.key, a.n, b.key, b.n, c.key, c.n)
	}
	return map[string]string{
		"a sentence":    fmt.Sprintf("%s has %d orders.", a.key, a.n),
		"turned around": fmt.Sprintf("There are %d orders for %s.", a.n, a.key),
		"two":           fmt.Sprintf("%s has %d orders and %s has %d.", a.key, a.n, b.key, b.n),
		"bold": fmt.Sprintf(
			"**%s** leads with **%d** orders, ahead of **%s** with **%d**.", a.key, a.n, b.key, b.n),
		"the most": fmt.Sprintf("Most orders are of %s, namely %d.", a.key, a.n),
		"objects": fmt.Sprintf(
			`[{"name": %q, "count": %d}, {"name": %q, "count": %d}]`, a.key, a.n, b.key, b.n),
		"brackets":  all("The top three are %s (%d), %s (%d) and %s (%d)."),
		"a list":    all("- %s: %d\n- %s: %d\n- %s: %d"),
		"numbered":  all("1. %s: %d\n2. %s: %d\n3. %s: %d"),
		"a table":   all("| name | orders |\n|---|---|\n| %s | %d |\n| %s | %d |\n| %s | %d |"),
		"JSON":      all("{%q: %d, %q: %d, %q: %d}"),
		"three":     all("%s comes first with %d orders. Second is %s with %d. Third is %s with %d."),
		"equations": all("%s=%d, %s=%d, %s=%d"),
		"dashes":    all("%s – %d\n%s – %d\n%s – %d"),
		"in German": fmt.Sprintf("%s hat %d, %s dagegen %d.", a.key, a.n, b.key, b.n),
		"in parallel": fmt.Sprintf(
			"%s, %s and %s have %d, %d and %d orders, respectively.", a.key, b.key, c.key, a.n, b.n, c.n),
	}
}

// TestCountsOfKeysInAnyForm: whatever form a cell prints and an answer has, the numbers of the keys are found, and the
// number of another key is not one.
func TestCountsOfKeysInAnyForm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, keys := range [][]string{
		{"auth", "billing", "gateway", "mailer", "search", "ledger", "stock"},
		{"Ada Okonkwo", "Piotr Wolny", "Marek Sedlak", "Ana Ruiz", "Kenji Abe", "Lena Vogt"},
		{"INV-2041", "INV-2055", "INV-2107", "INV-2230", "INV-2291"},
		{"Ghent", "Linz", "Turin", "New York", "Porto", "Graz"},
	} {
		var rows []counted
		for i, n := range random.Perm(6000)[:len(keys)] {
			rows = append(rows, counted{keys[i], 3000 + n})
		}
		slices.SortFunc(rows, func(a, b counted) int { return b.n - a.n })
		swapped := slices.Clone(rows)
		swapped[0].n, swapped[3].n = swapped[3].n, swapped[0].n
		for form, output := range printed(rows) {
			verdict := func(answer string) grounding.Verdict {
				return grounding.Trace(shownAnd("How many orders are there for each?", output, answer)).Verdict
			}
			for style, answer := range told(rows) {
				assert.Equal(
					t, grounding.Grounded, verdict(answer), "%s, of %s: %q of %q", style, form, answer, output)
			}
			for style, answer := range told(swapped) {
				assert.NotEqual(
					t, grounding.Grounded, verdict(answer), "%s, of %s: %q of %q", style, form, answer, output)
			}
		}
	}
}
