package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// compared is the length, in characters, of the longest names that are compared, because the work is quadratic.
const compared = 64

// Distance counts the insertions, deletions, replacements and swaps of neighbours between two names (Damerau's
// distance of optimal alignment). It is maximal if a name has more than 64 characters.
func Distance(a, b string) int {
	if utf8.RuneCountInString(a) > compared || utf8.RuneCountInString(b) > compared {
		return compared
	}
	s, t := []rune(a), []rune(b)
	before, prev, cur := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(s); i++ {
		cur[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(t)]
}

// Closest returns the name that an unknown one probably means; empty if none is similar. It ignores case. Of two
// equally similar names it returns the longer one, because letters are left out more often than added.
func Closest(name string, names []string) string {
	if utf8.RuneCountInString(name) < 3 {
		return ""
	}
	limit := 1
	switch {
	case len(name) > 8:
		limit = 3
	case len(name) > 5:
		limit = 2
	}
	best := ""
	for _, n := range slices.Sorted(slices.Values(names)) {
		if n == name || max(len(n)-len(name), len(name)-len(n)) > limit {
			continue
		}
		d := Distance(strings.ToLower(name), strings.ToLower(n))
		if d < limit || d == limit && len(n) > len(best) {
			best, limit = n, d
		}
	}
	return best
}
