package front

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func itoa(n int) string { return strconv.Itoa(n) }

// closest is the name that was probably meant; empty if none is near. Of two that are equally near it is the longer one: letters
// are left out more often than added.
func closest(name string, names []string) string {
	best, limit := "", 1
	switch {
	case len(name) > 8:
		limit = 3
	case len(name) > 5:
		limit = 2
	}
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		if n == name || abs(len(n)-len(name)) > limit || len(name) < 3 {
			continue
		}
		d := distance(strings.ToLower(name), strings.ToLower(n))
		if d < limit || d == limit && len(n) > len(best) {
			best, limit = n, d
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// distance counts the insertions, deletions, replacements and swaps of neighbours between two names.
func distance(a, b string) int {
	if utf8.RuneCountInString(a) > 64 || utf8.RuneCountInString(b) > 64 {
		return 64
	}
	s, t := []rune(a), []rune(b)
	before, prev := make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(s); i++ {
		cur := make([]int, len(t)+1)
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
		before, prev = prev, cur
	}
	return prev[len(t)]
}
