package grounding

import (
	"math"
	"slices"
	"strings"
)

// An answer of which most has a place is read mildly: the values left over are then rather written in a form that the
// strict reading does not know than made up.
const (
	mildLeast = 3   // values with a place
	mildShare = 0.6 // and their share of all values
)

// mild gives the values that are left over in an answer, of which most has a place, the lines that have the same number
// or words of the same stems, wherever the run showed them before the model wrote them.
func (t *tracer) mild() {
	var open []*claim
	placed, all := 0, 0
	for _, c := range t.claims {
		if c.neutral || c.hidden || c.soft && c.place == nil || c.kind == aStatus || c.kind == aBlank {
			continue
		}
		if all++; c.place != nil {
			placed++
		} else if c.why == "" && (c.kind == aNumber || c.kind == aName) {
			open = append(open, c)
		}
	}
	if len(open) == 0 || placed < mildLeast || float64(placed) < mildShare*float64(all) {
		return
	}
	var qs []quantity
	for n, text := range t.texts {
		for line := range strings.Lines(text) {
			if t.work += len(line); t.work > maxWork {
				return
			}
			ws := appendWords(nil, line)
			qs = quantities(qs[:0], line, ws, t.q.langs)
			for _, c := range open {
				if c.place == nil && (c.wrote == 0 || n < c.wrote) && c.mildly(ws, qs) {
					at := t.sources[n]
					at.Document, at.Line = reference(line)
					c.place, c.why = &at, "stands there in another form"
				}
			}
		}
	}
}

// mildly reports whether a line has the number of a claim in any unit that it may mean, or words of the same stems.
func (c *claim) mildly(ws []word, qs []quantity) bool {
	if c.kind == aNumber {
		return slices.ContainsFunc(qs, c.nearly)
	}
	telling := slices.DeleteFunc(slices.Concat(c.pieces...), func(w string) bool { return !telling(w) })
	return len(telling) > 0 && !slices.ContainsFunc(telling, func(w string) bool {
		return !slices.ContainsFunc(ws, func(o word) bool { return akin(w, o.text) })
	})
}

// nearly reports whether a number may be the claim, perhaps rounded, with a unit or scale that stands elsewhere.
func (c *claim) nearly(q quantity) bool {
	if c.q.isDate || q.isDate || q.inside || len(c.q.values) == 0 || len(q.values) == 0 ||
		c.q.units != nil && q.units != nil && c.q.units[0].kind != q.units[0].kind {
		return false
	}
	x := c.q.values[0].times(c.q.scale)
	fits := func(f float64) bool {
		y := math.Abs(q.values[0].value * q.scale * f)
		d := math.Abs(math.Abs(x.value) - y)
		return d <= 1e-9*y || c.q.digits > 1 && q.digits > c.q.digits && d <= x.half*(1+1e-9)
	}
	switch {
	case fits(1):
		return true
	case c.q.units == nil && c.q.scale == 1 || c.q.digits < 2:
		return false
	case c.q.units != nil && c.q.units[0].kind == percent:
		return fits(100)
	case temporal(c.q.units):
		return fits(60) || fits(1./60) || fits(1e-3)
	}
	return fits(1e3) || fits(1e6) || fits(1e-3)
}
