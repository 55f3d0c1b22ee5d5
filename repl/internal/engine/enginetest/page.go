package enginetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Table returns the comparison of engines for repl's README, as far as the known verdicts determine it: how many
// cells, notebooks and test programs of Go are equal, refused or different, and how many random programs may be.
func Table(t testing.TB, engines ...string) string {
	t.Helper()
	total := cells(t, func(string) bool { return true })
	rows := []struct {
		text  string
		value func(k table) string
	}{
		{fmt.Sprintf("cells of the corpus, of %d: equal", total), func(k table) string {
			return fmt.Sprint(cells(t, func(name string) bool { return k["cells"][name].verdict == "" }))
		}},
		{"… refused before anything ran", func(k table) string {
			return fmt.Sprint(cells(t, func(name string) bool {
				return k["cells"][name].verdict == Refused && !k["cells"][name].panics()
			}))
		}},
		{"… that panic, recovered or not, and run again in `exact`", func(k table) string {
			return fmt.Sprint(cells(t, func(name string) bool { return k["cells"][name].panics() }))
		}},
		{"… with another outcome", func(k table) string {
			return fmt.Sprint(cells(t, func(name string) bool { return k["cells"][name].verdict == Different }))
		}},
		{"notebooks with another outcome", func(k table) string {
			return fmt.Sprint(len(k.named("notebooks", Different)))
		}},
		{"Go's own test programs refused", func(k table) string {
			return fmt.Sprint(len(k.named("goroot", Refused)) - k.leaving("goroot"))
		}},
		{"… that panic", func(k table) string { return fmt.Sprint(k.leaving("goroot")) }},
		{"… with another outcome", func(k table) string { return fmt.Sprint(len(k.named("goroot", Different))) }},
		{"random programs with another outcome, at most", func(k table) string {
			if least := k.least("random"); least > 0 {
				return fmt.Sprintf("%g %%", 100-least)
			}
			return "0"
		}},
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| | `%s` |\n|---|%s\n", strings.Join(engines, "` | `"), strings.Repeat("---|", len(engines)))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |", r.text)
		for _, e := range engines {
			fmt.Fprintf(&b, " %s |", r.value(known(t, e)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// cells counts the cells of testdata whose names some accepts. Cells of the same name count separately.
func cells(t testing.TB, some func(name string) bool) (n int) {
	for _, list := range Samples(t) {
		for _, s := range list {
			if some(s.Name) {
				n++
			}
		}
	}
	return n
}

// Reasons returns a table of the reasons why an engine leaves cells of testdata to another engine, with the number
// of cells for each.
func Reasons(t testing.TB, engine string) string {
	t.Helper()
	counts, k := map[string]int{}, known(t, engine)
	cells(t, func(name string) bool {
		if e := k["cells"][name]; e.verdict == Refused {
			counts[construct(e.reason)]++
		}
		return true
	})
	reasons := slices.SortedFunc(
		maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	var b strings.Builder
	b.WriteString("| reason | cells |\n|---|---|\n")
	for _, r := range reasons {
		fmt.Fprintf(&b, "| %s | %d |\n", r, counts[r])
	}
	return b.String()
}

// named returns the programs of a collection that are listed with a verdict.
func (k table) named(collection string, v Verdict) (programs []string) {
	for program, e := range k[collection] {
		if program != "*" && program != "share" && e.verdict == v {
			programs = append(programs, program)
		}
	}
	return programs
}

// panics reports whether a program is left to another engine because it panics.
func (e entry) panics() bool { return strings.HasPrefix(e.reason, Left) }

// leaving counts the programs of a collection that are left to another engine because they panic.
func (k table) leaving(collection string) (n int) {
	for _, program := range k.named(collection, Refused) {
		if k[collection][program].panics() {
			n++
		}
	}
	return n
}
