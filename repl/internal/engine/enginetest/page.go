package enginetest

import (
	"fmt"
	"strings"
	"testing"
)

// Table is the honest table of engines for repl's page, as far as it follows from what is known: how many cells of
// testdata are equal, refused and different, and which of Go's own test programs.
func Table(t testing.TB, engines ...string) string {
	t.Helper()
	total := 0
	for _, list := range Samples(t) {
		total += len(list)
	}
	rows := []struct {
		text  string
		value func(k table) string
	}{
		{fmt.Sprintf("cells of the corpus, of %d: equal", total), func(k table) string {
			return fmt.Sprint(total - len(k.named("cells", Refused)) - len(k.named("cells", Different)))
		}},
		{"… refused before anything ran", func(k table) string {
			return fmt.Sprint(len(k.named("cells", Refused)) - k.leaving("cells"))
		}},
		{"… that panic, recovered or not, and run again in `exact`", func(k table) string { return fmt.Sprint(k.leaving("cells")) }},
		{"… with another outcome", func(k table) string { return fmt.Sprint(len(k.named("cells", Different))) }},
		{"notebooks with another outcome", func(k table) string { return fmt.Sprint(len(k.named("notebooks", Different))) }},
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

// named are the programs of a collection that are listed with a verdict.
func (k table) named(collection string, v Verdict) (programs []string) {
	for program, e := range k[collection] {
		if program != "*" && program != "share" && e.verdict == v {
			programs = append(programs, program)
		}
	}
	return programs
}

// leaving counts the programs of a collection that panic in an engine that leaves panics to another one.
func (k table) leaving(collection string) (n int) {
	for _, program := range k.named(collection, Refused) {
		if strings.HasPrefix(k[collection][program].reason, Left) {
			n++
		}
	}
	return n
}
