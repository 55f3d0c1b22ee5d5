package grounding_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// service is a row of several columns.
type service struct {
	Name    string
	Errors  int
	Latency float64
	Last    string
}

// TestColumnsOfKeysInAnyForm: each number of a row is found, and none of another row is.
func TestColumnsOfKeysInAnyForm(t *testing.T) {
	rows := []service{
		{"mailer", 529, 489.4, "2025-08-12"},
		{"auth", 500, 82.1, "2025-10-25"},
		{"gateway", 479, 867.4, "2025-06-21"},
		{"search", 205, 243.6, "2025-09-05"},
		{"ledger", 105, 367.9, "2025-05-17"},
	}
	form := func(format, between string) string {
		var out []string
		for _, r := range rows {
			out = append(out, fmt.Sprintf(format, r.Name, r.Errors, r.Latency, r.Last))
		}
		return strings.Join(out, between)
	}
	data, err := json.Marshal(rows)
	require.NoError(t, err)
	answers := func(r service) []string {
		return []string{
			fmt.Sprintf("%s had %d errors.", r.Name, r.Errors),
			fmt.Sprintf("The latency of %s was %.1f ms.", r.Name, r.Latency),
			fmt.Sprintf("%s took %.4f s.", r.Name, r.Latency/1000),
			fmt.Sprintf("%s: last on %s.", r.Name, r.Last),
			fmt.Sprintf("- **%s**: %d errors, %.1f ms, last %s", r.Name, r.Errors, r.Latency, r.Last),
		}
	}
	other := rows[3]
	other.Name = rows[0].Name
	for name, output := range map[string]string{
		"CSV":        "name,errors,latency_ms,last\n" + form("%s,%d,%.1f,%s", "\n"),
		"JSON":       string(data),
		"Markdown":   "| name | errors | ms | last |\n|---|---|---|---|\n" + form("| %s | %d | %.1f | %s |", "\n"),
		"columns":    "name  errors  ms  last\n" + form("%-12s %6d %8.1f %12s", "\n"),
		"lines":      form("%s: %d errors, %.1f ms, last %s", "\n"),
		"structs":    fmt.Sprint(rows),
		"with names": fmt.Sprintf("%+v", rows),
	} {
		verdict := func(answer string) grounding.Verdict {
			return grounding.Trace(shownAnd("Which errors, latency and last date has it?", output, answer)).Verdict
		}
		for _, answer := range answers(rows[0]) {
			assert.Equal(t, grounding.Grounded, verdict(answer), "%s: %q of %q", name, answer, output)
		}
		for _, answer := range answers(other)[:4] { // a list of many is not caught in each form
			assert.NotEqual(t, grounding.Grounded, verdict(answer), "%s: %q of %q", name, answer, output)
		}
	}
}
