package grounding

import (
	"math"
	"slices"
	"strings"
)

// agreement is how a number of the answer agrees with a number of a place.
type agreement int

const (
	differs   agreement = iota
	ifPercent           // equal if the place is about a percentage, not if it is about a share
	ifShare             // equal if the place is about a share or a percentage
	agrees
)

var bare = []unit{{"", 1}}

// orBare adds the reading without a unit to the readings of a unit.
func orBare(u []unit) []unit { return append(slices.Clone(bare), u...) }

// compare reports whether the quantity c of the answer is the quantity p of a place, possibly rewritten: in
// another unit of the same kind, with another scale, correctly rounded, or as a percentage of a fraction.
func compare(c, p *quantity) agreement {
	switch {
	case c.isDate && p.isDate && p.date.covers(c.date):
		return agrees
	case c.isDate || p.isDate:
		return lasts(c, p)
	}
	units := func(q *quantity) []unit {
		if q.units == nil {
			return bare
		}
		return q.units
	}
	best, cus, pus := differs, units(c), units(p)
	cus, pus = decimal(rates(cus, pus), pus), decimal(rates(pus, cus), cus)
	for n, a := range c.values {
		if n > 0 && a.half < 0.01 && a.value == math.Trunc(a.value) { // 5,000 is five thousand if the place has "5"
			continue
		}
		own := 1.0 // the share of the half that is rounding
		if c.round {
			half := max(a.half, roundness(a.value)) // as in "about 18,200"
			if c.bound != 0 && half > a.half {
				half *= 2
			}
			own, a.half = a.half/half, half
		}
		for _, b := range p.values {
			for _, cu := range cus {
				for _, pu := range pus {
					best = max(best, compareUnits(c, p, a.times(c.factor(cu)), b.times(p.factor(pu)), own, cu, pu))
				}
			}
		}
	}
	return best
}

// rates drops the readings without a denominator if the other quantity has one, too.
func rates(us, others []unit) []unit {
	per := func(u unit) bool { return strings.Contains(u.kind, "/") }
	if i := slices.IndexFunc(us, per); i > 0 && slices.ContainsFunc(others, per) {
		return us[i:]
	}
	return us
}

// decimal drops the binary reading of MB beside MiB.
func decimal(us, others []unit) []unit {
	if len(us) == 2 && us[0].kind == "bytes" && len(others) == 1 && math.Mod(others[0].factor, 1024) == 0 {
		return us[:1]
	}
	return us
}

// factor returns the scale of the number if its unit is u: "3 m" is three metres or three million.
func (q *quantity) factor(u unit) float64 {
	if q.either && u.kind != "" {
		return 1
	}
	return q.scale
}

func compareUnits(c, p *quantity, a, b reading, own float64, cu, pu unit) agreement {
	fits := func(a, b reading) bool {
		x, y := math.Abs(a.value), math.Abs(b.value)
		d := math.Abs(x - y)
		if y < x && 2*a.half > y && own < 1 && c.bound == 0 { // 930 is about 1,000, but 620 is not
			a.half /= 5
		}
		rounded := a.half > b.half && x != 0 && (p.digits > 1 || c.digits <= 1)
		held := c.bound == 0 || (y > x) == (c.bound > 0) || d <= a.half*own // as in "less than 9,400"
		return d <= 1e-9*max(x, y) || rounded && held && d <= a.half*(1+1e-9)
	}
	yes := func(ok bool) agreement {
		if ok {
			return agrees
		}
		return differs
	}
	switch {
	case (c.span || c.rank) && cu.kind == "" && pu.kind == "" && b.value < 1 && b.value > 0 && fits(a, b.times(100)):
		return agrees // quantile="0.99"
	case cu.kind == pu.kind:
		if cu != pu && b.value == math.Trunc(b.value) { // a whole number is exact in another unit
			b.half = 0
		}
		a, b = a.times(cu.factor), b.times(pu.factor)
		return yes(fits(a, b) || cu.kind == "time" && p.least > 0 && p.least < c.least && c.cut(a, b.value))
	case cu.kind == percent && pu.kind == "":
		share := b.half < 0.05 && math.Abs(b.value) <= 1
		switch {
		case p.span && fits(a, b), share && fits(a, b.times(100)):
			return agrees
		case share:
			return min(yes(fits(a, b)), ifPercent)
		case b.half < 0.5 && b.value < 1 && fits(a, b.times(100)): // one decimal
			return ifShare
		}
		return min(yes(fits(a, b)), ifShare)
	case cu.kind == "" && pu.kind == percent:
		return yes(fits(a, b) || a.half < 0.05 && math.Abs(a.value) <= 1 && fits(a.times(100), b))
	case cu.kind == percent || pu.kind == percent:
		return differs
	case pu.kind == "" && cu.kind == "time" && p.digits > 2 && c.digits > 1: // 192 in a variable can be 3.2 hours
		if b.value == math.Trunc(b.value) {
			b.half = 0
		}
		for _, f := range clockUnits {
			if by := cu.factor / f; (by >= 1e-3 && by <= 3600) && fits(a.times(by), b) {
				return agrees
			}
		}
	case pu.kind == "" && (p.digits > 3 || p.digits == 3 && c.digits > 2) &&
		(c.digits > 1 || math.Mod(b.value, 1e3) != 0) && cu.kind != "time" && cu.kind != "":
		// "30480" in a column can be 30.48 t, and 5242880 is exactly 5 MiB.
		if c.digits == 1 {
			a.half = 0
		}
		for _, f := range factors()[cu.kind] {
			// 1024 kB are no whole number of kB in thousands.
			if by := cu.factor / f; by > 1 && math.Abs(by-math.Round(by)) < 1e-9*by && fits(a.times(by), b) {
				return agrees
			}
		}
	}
	return yes((pu.kind == "" || cu.kind == "") && fits(a, b))
}

// clockUnits are the factors of units in which columns without a unit give times.
var clockUnits = []float64{1e-6, 1e-3, 1, 60}

// roundness returns half of the unit of v's last non-zero digit: 50 for 18,200.
func roundness(v float64) float64 {
	v = math.Abs(v)
	if v == 0 || v != math.Trunc(v) {
		return 0
	}
	h := 0.5
	for math.Mod(v, 10) == 0 {
		v, h = v/10, h*10
	}
	return h
}
