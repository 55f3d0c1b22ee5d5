package layout

import (
	"cmp"
	"math"
	"slices"
)

// Rules are the straight lines on a page.
type Rules struct{ Upright, Level []Rule }

// Rule is a straight line, in points: at an x from one y to another, or at a y from one x to another.
type Rule struct{ At, From, To float64 }

const (
	ruleGap = 3   // points between borders of stacked cells that form one rule
	tall    = 2.5 // in letter sizes; a shorter rule frames a word, not a cell
)

// joined merges rules that are drawn cell by cell.
func joined(rules []Rule) []Rule {
	slices.SortFunc(rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(math.Round(a.At), math.Round(b.At)), cmp.Compare(a.From, b.From))
	})
	out := rules[:0]
	for _, r := range rules {
		if n := len(out); n > 0 && math.Round(out[n-1].At) == math.Round(r.At) && r.From <= out[n-1].To+ruleGap {
			out[n-1].To = max(out[n-1].To, r.To)
			continue
		}
		out = append(out, r)
	}
	return out
}

// ruled returns the position of a rule between a and b at height y, if there is one.
func ruled(rules []Rule, a, b float64, y, size float64) (x float64, ok bool) {
	i, _ := slices.BinarySearchFunc(
		rules, math.Round(a), func(r Rule, x float64) int { return cmp.Compare(math.Round(r.At), x) })
	for ; i < len(rules) && rules[i].At <= b; i++ {
		if r := rules[i]; r.At >= a && r.From <= y+0.3*size && r.To >= y+0.3*size && r.To-r.From > tall*size {
			return r.At, true
		}
	}
	return 0, false
}

// part moves the edges of two segments away from the rule between them until the gap separates columns.
func part(left, right *segment, x float64) {
	left.x1 = max((left.x0+left.x1)/2, min(left.x1, x-segmentGap/2*left.size))
	right.x0 = min((right.x0+right.x1)/2, max(right.x0, x+segmentGap/2*right.size))
}
