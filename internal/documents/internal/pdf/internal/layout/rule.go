package layout

import (
	"cmp"
	"math"
	"slices"
)

// Rule is an upright line on a page, in points.
type Rule struct{ X, Y0, Y1 float64 }

const (
	ruleGap = 3   // points between the borders of cells below each other, which are one rule
	tall    = 2.5 // sizes of letters, which a rule of a table is higher than: a lower one frames a word
)

// joined puts the pieces of rules together that are drawn cell by cell.
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

// ruled is the place between two words where a rule parts them, if there is one.
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

// part moves the sides of two segments away from the rule between them, as far apart as columns are.
func part(left, right *segment, x float64) {
	left.x1 = max((left.x0+left.x1)/2, min(left.x1, x-segmentGap/2*left.size))
	right.x0 = min((right.x0+right.x1)/2, max(right.x0, x+segmentGap/2*right.size))
}
