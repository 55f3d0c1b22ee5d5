package answer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// maxNamed is how many variables an error lists.
const maxNamed = 30

// NoVariable is the error for a signal, by its registered name, that names a variable which does not exist. It lists
// the existing variables, the most similar first, and never ends a run.
func NoVariable(signal, name string, have []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(%q): there is no variable %q, so the run goes on. ", signal, name, name)
	if len(have) == 0 {
		b.WriteString("No variables are set yet: assign the answer to one first.")
		return errors.New(b.String())
	}
	have = byCloseness(name, have)
	b.WriteString("The variables are: " + strings.Join(have[:min(len(have), maxNamed)], ", "))
	if n := len(have) - maxNamed; n > 0 {
		fmt.Fprintf(&b, " and %d more", n)
	}
	return errors.New(b.String() + ".")
}

// byCloseness sorts names by similarity to name, ignoring case and underscores.
func byCloseness(name string, have []string) []string {
	want := foldName(name)
	distance := map[string]int{}
	for _, h := range have {
		distance[h] = closeness(want, foldName(h))
	}
	return slices.Compact(slices.SortedFunc(slices.Values(have), func(a, b string) int {
		return cmp.Or(distance[a]-distance[b], strings.Compare(a, b))
	}))
}

func foldName(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "") }

// closeness is small for similar names: twice the edit distance, or less if one contains the other.
func closeness(a, b string) int {
	d := 2 * text.Distance(a, b)
	if strings.Contains(b, a) || strings.Contains(a, b) {
		d = min(d, 3+max(len(a), len(b))-min(len(a), len(b)))
	}
	return d
}
