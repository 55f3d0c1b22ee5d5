package grounding

import (
	"math"
	"slices"
	"strings"
)

// rescales are what the numbers of a place may be multiplied with to get those of the answer: the scale or the unit of
// a column, a variable or a table stands anywhere or nowhere. Thousands, percent, minutes and hours, sizes.
var rescales = []float64{
	1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9, 100, 60, 3600, 1. / 60, 1. / 3600,
	1024, 1 << 20, 1 << 30, 1. / 1024, 1. / (1 << 20), 1. / (1 << 30),
}

// rescaled reports whether a number of a place is the claim in another scale or unit that nothing there denies: its
// digits are the claim's, rounded, in a row about the same. Few digits may be so by chance, unless the answer gives
// them a scale, as in "4.8 billion".
func (t *tracer) rescaled(c *claim, q *quantity, r *row) bool {
	cash := func(us []unit) bool { return len(us) > 0 && strings.HasPrefix(us[0].kind, "money") }
	a, p := &c.q, q
	least := 3
	if a.scale > 1 && p.digits > a.digits {
		least = 2
	}
	timed := temporal(a.units) && a.units[0].kind == "time"
	if a.digits < 2 && !timed || p.digits < 2 || c.year > 0 || p.inside || len(a.values) == 0 || len(p.values) == 0 ||
		a.units == nil && a.scale == 1 && a.digits < 4 && (c.noun == "" || len(c.noun) > 3) || // else an unknown unit
		a.units != nil && p.units != nil && !(cash(a.units) && cash(p.units) && a.units[0].kind == p.units[0].kind) {
		return false
	}
	x := a.values[0].times(a.scale)
	for _, v := range p.values {
		exact := math.Abs(v.value) >= 1e4 && v.half > 0 && v.half <= 0.005 // to the cent, so not in thousands
		for _, f := range rescales {
			if exact && f >= 1e3 && f != 3600 {
				continue
			}
			column := func(of float64) bool { return math.Abs(a.units[0].factor*f/of-1) < 1e-9 }
			if timed && !slices.ContainsFunc(clockUnits, column) {
				continue
			}
			y := math.Abs(v.value * p.scale * f)
			d := math.Abs(math.Abs(x.value) - y)
			if x.value != 0 && (d <= 1e-9*y || a.digits > 1 && d <= x.half*(1+1e-9) && p.digits > a.digits) {
				if len(r.headed(t)) > 0 || t.scaleBefore(p.at).factor != 0 { // a heading says which
					return false
				}
				if t.accompanied(c, r) { // as in "a TTL of 5 minutes" beside the name of the row with 300
					return a.digits > 1 || p.digits > 2
				}
				whole := timed && d <= 1e-9*y && p.digits > 2 // as in "two hours" of a "ttl 7200"
				return (whole || a.digits >= least && p.digits >= least) && t.akin(c, r.words)
			}
		}
	}
	return false
}
