package grounding

import "unicode/utf8"

// glance tells lines that cannot have any of the claims that are left over, without reading their words.
type glance struct {
	t       *tracer
	all     bool          // some claims may be anywhere
	numbers bool          // there are numbers, which may be in words
	days    [32]bool      // days of dates
	parts   [32]bool      // months of dates, or 0 if one has none
	names   [1 << 12]bool // stems of months
	stems   [1 << 12]bool // of words of names and identifiers
	firsts  [1 << 8]bool  // their first letters, in either case
	within  [1 << 8]bool  // and of those that may be a part of a longer word
}

// glance returns the filter of the claims.
func (t *tracer) glance(open []wanted) *glance {
	g := &glance{t: t}
	for _, c := range open {
		d := c.q.date
		switch {
		case c.kind == aNumber && c.q.isDate && d.hour < 0 && d.day > 0:
			g.numbers, g.days[d.day], g.parts[max(d.month, 0)] = true, true, true
		case c.kind == aNumber:
			g.numbers = true
			g.all = g.all || c.q.isDate || c.q.digits > 7 || c.q.digits > 4 && c.q.label != ""
		case c.kind == anID && len(c.letters) > 4, c.kind == aName && roman(c.text) > 2:
			g.all = true
		}
		for _, w := range c.words {
			g.all = g.all || len(w) < 3 || w[0] >= utf8.RuneSelf
			g.stems[stemHash(w)] = true
			for c := range g.firsts {
				same := lowered1(byte(c)) == w[0]
				g.firsts[c] = g.firsts[c] || same
				g.within[c] = g.within[c] || same && len(w) > 4
			}
		}
	}
	for w := range months() {
		g.names[stemHash(w)] = true
	}
	return g
}

// stemAt returns the hash of the stem of the letters and digits at p.
func stemAt(s string, p int) uint {
	var b [3]byte
	for k := range b {
		if p+k >= len(s) || classes[s[p+k]] == 0 {
			break
		}
		b[k] = lowered1(s[p+k])
	}
	return hash(b[0], b[1], b[2])
}

// numeralAt reports whether the word at p may be a Roman numeral.
func numeralAt(s string, p int) bool {
	for ; p < len(s) && romans[s[p]]; p++ {
	}
	return p > 0 && capital(s[p-1]) && classes[byteAt(s, p)] != aLetter
}

// romans tells the Roman numerals.
var romans = [1 << 8]bool{'I': true, 'V': true, 'X': true, 'L': true, 'C': true, 'D': true, 'M': true}

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }

// mayHave reports whether a line may have one of the claims.
func (g *glance) mayHave(s string) bool {
	var before byte
	day, month := false, g.parts[0]
	for i := 0; i < len(s) && !g.all; i++ {
		c := s[i]
		k := classes[c]
		switch {
		case k == aLetter && before == aLetter && !g.within[c]: // most bytes
			continue
		case c >= utf8.RuneSelf:
			return true
		}
		if k == aDigit && before != aDigit && g.numbers {
			n, end := upTo4(s, i, 0)
			if n < len(g.days) {
				day, month = day || g.days[n], month || g.parts[n]
			}
			if day && month || g.t.filter.leads(s, i, n, end) {
				return true
			}
		}
		begins := k == aLetter && before != aLetter
		first := before != aLetter && g.firsts[c] || g.within[c]
		if first || begins && g.numbers {
			h := stemAt(s, i)
			if g.stems[h] {
				return true
			}
			if begins && g.numbers {
				month = month || g.names[h]
				if day && month || g.t.counting[h] || capital(c) && numeralAt(s, i) {
					return true
				}
			}
			if first && begins && capital(c) && capital(byteAt(s, i+1)) && capital(byteAt(s, i+2)) {
				return true // a code
			}
		}
		before = k
	}
	return g.all
}
