package layout

import (
	"cmp"
	"math"
	"slices"
)

// Rule is a vertical line on a page, in points.
type Rule struct{ X, Y0, Y1 float64 }

const (
	ruleGap = 3   // points between borders of stacked cells that form one rule
	tall    = 2.5 // in letter sizes; a shorter rule frames a word, not a cell
)

// joined merges rules that are drawn cell by cell.
func joined(rules []Rule) []Rule {
	slices.SortFunc(rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(math.Round(a.X), math.Round(b.X)), cmp.Compare(a.Y0, b.Y0))
	})
	out := rules[:0]
	for _, r := range rules {
		if n := len(out); n > 0 && math.Round(out[n-1].X) == math.Round(r.X) && r.Y0 <= out[n-1].Y1+ruleGap {
			out[n-1].Y1 = max(out[n-1].Y1, r.Y1)
			continue
		}
		out = append(out, r)
	}
	return out
}

// ruled returns the position of a rule between a and b at height y, if there is one.
func ruled(rules []Rule, a, b float64, y, size float64) (x float64, ok bool) {
	i, _ := slices.BinarySearchFunc(
		rules, math.Round(a), func(r Rule, x float64) int { return cmp.Compare(math.Round(r.X), x) })
	for ; i < len(rules) && rules[i].X <= b; i++ {
		if r := rules[i]; r.X >= a && r.Y0 <= y+0.3*size && r.Y1 >= y+0.3*size && r.Y1-r.Y0 > tall*size {
			return r.X, true
		}
	}
	return 0, false
}

// part moves the edges of two segments away from the rule between them until the gap separates columns.
func part(left, right *segment, x float64) {
	left.x1 = max((left.x0+left.x1)/2, min(left.x1, x-segmentGap/2*left.size))
	right.x0 = min((right.x0+right.x1)/2, max(right.x0, x+segmentGap/2*right.size))
}
