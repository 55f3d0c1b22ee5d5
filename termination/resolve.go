package termination

import (
	"fmt"
	"slices"
	"strings"
)

// ResolveVar looks up the variable that FINAL_VAR names. An unknown name is an *UnknownVarError, which never ends a run.
func ResolveVar(name string, vars map[string]any) (any, error) {
	if v, ok := vars[name]; ok {
		return v, nil
	}
	have := make([]string, 0, len(vars))
	for k := range vars {
		have = append(have, k)
	}
	return nil, &UnknownVarError{Name: name, Have: NameSuggestions(name, have)}
}

// UnknownVarError says that there is no variable of a name, and which there are.
type UnknownVarError struct {
	Name string
	// Signal is the builtin that named it, as registered; may be empty.
	Signal string
	// Have are the variables there are, the closest first.
	Have []string
}

// maxNamed is how many variables an error lists.
const maxNamed = 30

func (e *UnknownVarError) Error() string {
	var b strings.Builder
	if e.Signal != "" {
		fmt.Fprintf(&b, "%s(%q): ", e.Signal, e.Name)
	}
	fmt.Fprintf(&b, "there is no variable %q, so the run goes on. ", e.Name)
	if len(e.Have) == 0 {
		b.WriteString("No variables are set yet: assign the answer to one first.")
		return b.String()
	}
	b.WriteString("The variables are: ")
	b.WriteString(strings.Join(e.Have[:min(len(e.Have), maxNamed)], ", "))
	if n := len(e.Have) - maxNamed; n > 0 {
		fmt.Fprintf(&b, " and %d more", n)
	}
	return b.String() + "."
}

// NameSuggestions sorts names by how close they are to name, the closest first: by edit distance (with
// transpositions, without regard to case and underscores), where a shared beginning or a part counts as close.
func NameSuggestions(name string, have []string) []string {
	type scored struct {
		name  string
		score int
	}
	want := foldName(name)
	all := make([]scored, 0, len(have))
	for _, h := range have {
		all = append(all, scored{h, closeness(want, foldName(h))})
	}
	slices.SortFunc(all, func(a, b scored) int {
		if a.score != b.score {
			return a.score - b.score
		}
		return strings.Compare(a.name, b.name)
	})
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = s.name
	}
	return slices.Compact(out)
}

// maxCompared bounds the part of a name that is compared.
const maxCompared = 64

func foldName(s string) string {
	s = strings.ReplaceAll(strings.ToLower(s), "_", "")
	return s[:min(len(s), maxCompared)]
}

// closeness is small for names that are alike: twice the edit distance, less when one contains the other.
func closeness(a, b string) int {
	d := 2 * editDistance(a, b)
	if a != "" && b != "" && (strings.Contains(b, a) || strings.Contains(a, b)) {
		d = min(d, 3+max(len(a), len(b))-min(len(a), len(b)))
	}
	return d
}

// editDistance is the number of insertions, deletions, replacements and swaps of neighbours between a and b.
func editDistance(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
