package grounding

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/kit/text"
)

// filter holds word stems and leading digits of the claims to find, so that most of a text costs only a look at
// the first bytes of its words.
type filter struct {
	stems   [1 << 12]bool // hashes of stems
	leads   [10000]byte   // first four digits of numbers to find
	days    [32]bool      // days of dates with a year
	anchors map[string][]anchor
	numbers []int  // indexes of claims that are numbers
	open    []bool // the claims for which the other fields were filled
	worn    bool   // a claim has been found often enough
}

// The parts of a claim to which leading digits may belong.
const (
	ofNumber = 1
	ofYear   = 2 // the year of a date that also has a day
)

// anchor is a word of a claim by which the claim is found in a text.
type anchor struct {
	claim  int
	words  []string
	off    int  // index of this word in words
	piece  int  // index of the claim's spelling with these words
	comma  int  // number of words before a comma: "Last, First"
	number bool // a number that may be written in words
}

// stem returns the key of a word in anchors.
func stem(w string) string { return w[:min(3, len(w))] }

// stemHash returns the hash of a stem.
func stemHash(w string) uint {
	h := uint(0)
	for i := range 3 {
		h = h*41 + uint(byteAt(w, i))
	}
	return h % (1 << 12)
}

// lookup sets the anchors and leads of the claims.
func (t *tracer) lookup() {
	t.every = map[string][]anchor{}
	for i := range t.claims {
		c := &t.claims[i]
		c.mates = make([]uint64, (len(t.claims)+63)/64)
		c.altSeen = make([]bool, len(c.alt))
		c.heads = c.kind == aNumber && c.row >= 0 && heading(t.x.answer[c.end:])
		if c.dated() || c.heads {
			t.dated = append(t.dated, i)
		}
		if c.kind == aNumber {
			c.leads = leads(c)
			for _, w := range t.spellings(c) {
				c.anchors = append(c.anchors, anchor{claim: i, words: []string{w}, number: true})
			}
			continue
		}
		for p, ws := range slices.Concat(c.pieces, c.alt) {
			a := anchor{claim: i, words: ws, piece: p}
			for k, w := range ws[:min(len(ws), 12)] {
				if len(w) > len(ws[a.off]) && c.kind != anID {
					a.off = k
				}
			}
			if c.kind == anID {
				a.piece = 0
			}
			c.anchors = append(c.anchors, a)
			if n := len(ws) - 1; c.kind == aName && p == 0 && n > 0 && n < 5 {
				c.anchors = append(c.anchors, anchor{claim: i, words: append([]string{ws[n]}, ws[:n]...), comma: 1})
				if n > 1 {
					c.anchors = append(c.anchors,
						anchor{claim: i, words: append(ws[1:len(ws):len(ws)], ws[0]), comma: n})
				}
			}
		}
		if c.kind == aName && len(c.pieces[0]) == 1 { // "Tuesday" can be "Dienstag" in a text
			if w := c.pieces[0][0]; len(w) > 3 && !c.hidden {
				c.month = months()[w]
			}
			if c.month > 0 {
				c.leads = []uint16{uint16(lead(float64(c.month)))}
			}
			for name, n := range weekdays() {
				if stem(name) != stem(c.pieces[0][0]) && n == weekdays()[c.pieces[0][0]] {
					c.anchors = append(c.anchors, anchor{claim: i, words: []string{name}})
				}
			}
		}
		for _, a := range c.anchors {
			key := stem(a.words[a.off])
			t.every[key] = append(t.every[key], a)
		}
	}
}

// heading reports whether s, the text after a number, begins with a colon and another number, as after the 404 of
// "404: 12".
func heading(s string) bool {
	rest := strings.TrimLeft(s, " ")
	return len(s)-len(rest) < 2 && len(rest) > 2 && rest[0] == ':' && rest[1] == ' ' && isDigit(rest[2])
}

// set prepares the filter for a text and the open claims.
func (f *filter) set(claims []claim, open func(c *claim) bool) {
	same := len(f.open) == len(claims)
	f.open = slices.Grow(f.open, len(claims))[:len(claims)]
	for i := range claims {
		c := &claims[i]
		c.next, c.hits = 0, 0
		o := open(c)
		same = same && o == f.open[i]
		f.open[i] = o
	}
	if !same {
		f.fill(claims)
	}
}

// wear removes the claims that were found often enough.
func (f *filter) wear(claims []claim) {
	for i := range claims {
		f.open[i] = f.open[i] && !claims[i].worn()
	}
	f.fill(claims)
}

// fill rebuilds the filter for its open claims.
func (f *filter) fill(claims []claim) {
	*f = filter{anchors: f.anchors, numbers: f.numbers[:0], open: f.open}
	if f.anchors == nil {
		f.anchors = map[string][]anchor{}
	}
	clear(f.anchors)
	for i := range claims {
		c := &claims[i]
		if !f.open[i] {
			continue
		}
		for _, a := range c.anchors {
			key := stem(a.words[a.off])
			f.anchors[key] = append(f.anchors[key], a)
			f.stems[stemHash(key)] = true
		}
		if c.kind != aNumber && c.month == 0 {
			continue
		}
		f.numbers = append(f.numbers, i)
		of := byte(ofNumber)
		if d := &c.q.date; c.q.isDate && d.day > 0 && d.year > 0 {
			of = ofYear
			f.days[d.day] = true
			f.days[max(d.month, 0)] = f.days[max(d.month, 0)] || d.swap
		}
		for _, l := range c.leads {
			f.leads[l] |= of
		}
	}
}

// factors maps each kind of unit to the factors of its units.
var factors = sync.OnceValue(func() map[string][]float64 {
	out := map[string][]float64{}
	all, _ := measures()
	for _, us := range all {
		for _, u := range us {
			if !slices.Contains(out[u.kind], u.factor) {
				out[u.kind] = append(out[u.kind], u.factor)
			}
		}
	}
	return out
})

// leastRead is the smallest number that is searched for as a value in another unit: nobody writes 12 ms as
// 0.0000033 h.
const leastRead = 0.0005

// leads returns the first four digits of numbers that equal the claim: in other units of the same kind,
// rounded, as a date.
func leads(c *claim) []uint16 {
	var out []uint16
	add := func(low, high float64) {
		a, b := lead(low), lead(high)
		for out = append(out, uint16(a)); a != b && low < high; out = append(out, uint16(a)) {
			if a++; a > 9999 {
				a = 1000
			}
		}
	}
	if c.q.isDate {
		for _, v := range c.q.date.telling() {
			add(float64(v), float64(v))
		}
		if d := c.q.date; d.day < 0 && d.hour >= 0 {
			add(float64(d.hour*100+d.minute), float64(d.hour*100+d.minute))
			add(float64(d.hour), float64(d.hour))
		}
		if c.plain != nil {
			for _, v := range c.plain.values {
				add(v.value, v.value)
			}
		}
		if v, ok := c.q.date.clock(); ok {
			for _, f := range factors()["time"] {
				add(v/f, v/f)
			}
		}
		return out
	}
	if y := float64(c.year % 100); c.year > 0 {
		add(y, y)
	}
	for _, v := range c.q.values {
		if c.q.round {
			v.half = max(v.half, roundness(v.value))
		}
		v.value = math.Abs(v.value)
		low, high := max(v.value-v.half, 0), v.value+v.half
		add(low, high)
		for of := 2.0; v.value > 0 && v.value < 1 && of < 10; of++ { // as in "3/4"
			if n := math.Round(v.value * of); math.Abs(v.value*of-n) < 1e-6 {
				add(n, n)
			}
		}
		for _, u := range c.q.units {
			for _, f := range factors()[u.kind] {
				if v.value > 0 && v.value*u.factor/f < leastRead {
					continue
				}
				add(low*u.factor/f, high*u.factor/f)
				if n := math.Floor(v.value*u.factor/f + 1e-9); u.kind == "time" && n > 0 { // as in "1 h 15 min"
					add(n, n)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// lead returns the first four digits of v, 0 for zero.
func lead(v float64) int {
	if v <= 0 || v > 1e30 || v < 1e-30 {
		return 0
	}
	for v >= 9999.999999 {
		v /= 10
	}
	for v < 999.9999999 {
		v *= 10
	}
	return min(int(v+1e-6), 9999)
}

// spellings returns words in which the number of a claim can be written.
func (t *tracer) spellings(c *claim) []string {
	var out []string
	if c.q.isDate {
		if h := c.q.date.hour; c.q.date.year < 0 && c.q.date.minute == 0 {
			for name, hour := range noons {
				if hour%24 == h {
					out = append(out, name)
				}
			}
			for _, l := range t.q.langs {
				for w, word := range l {
					if word.value == (h+11)%12+1 && !word.ordinal {
						out = append(out, w)
					}
				}
			}
		}
		if m := c.q.date.minute; m > 0 && m%5 == 0 && c.q.date.hour >= 0 { // as in "half past eight"
			out = append(out, "half", "halb", "quarter", "viertel")
			out = t.spelled(t.spelled(out, float64(m)), float64(60-m))
		}
		for name, m := range months() {
			if c.q.date.bare() && m == c.q.date.month {
				out = append(out, name)
			}
		}
		return out
	}
	v := math.Abs(c.q.values[0].value * c.q.scale)
	for _, u := range c.q.units { // three years are thirty-six months
		for _, f := range factors()[u.kind] {
			if other := v * u.factor / f; f != u.factor && other < 100 {
				out = t.spelled(out, other)
			}
		}
	}
	if v >= 500 && lead(v) == 5000 { // as in "half a million"
		out = append(out, halves...)
	}
	if v != math.Trunc(v) { // as in "four and a half", "two thirds"
		out = append(out, halves...)
		out = t.spelled(out, math.Trunc(v))
	}
	percent := len(c.q.units) > 0 && c.q.units[0].kind == percent
	for w, of := range parts {
		if n := v * of; v < 1 && math.Abs(n-math.Round(n)) < 0.01*of ||
			percent && math.Abs(n/100-math.Round(n/100)) < 0.005*of {
			out = append(out, w)
		}
	}
	return t.spelled(out, v)
}

// spelled appends the words for a whole number.
func (t *tracer) spelled(out []string, v float64) []string {
	n := int(v)
	if v > 1e6 || float64(n) != v {
		return out
	}
	if n >= 100 {
		out = append(out, "hundred", "thousand")
	}
	if n%12 == 0 && n > 0 {
		out = append(out, "dozen")
	}
	for _, l := range t.q.langs {
		for w, word := range l {
			if word.value == n || n > 20 && n < 100 && word.value == n/10*10 {
				out = append(out, w)
			}
		}
	}
	if n > 0 && n < 4000 {
		out = append(out, strings.ToLower(text.Roman(n)))
	}
	return out
}

// leading reports whether the digits at p, with or without those after separators, can start a number to find.
func (f *filter) leading(s string, p int) bool {
	n, digits, of := 0, 0, byte(0)
	for i := p; i < len(s) && digits < 4; i++ {
		c := s[i]
		if isDigit(c) {
			if n = n*10 + int(c-'0'); n > 0 {
				digits++
			}
			continue
		}
		if of |= f.leads[pad(n, digits)]; strings.IndexByte(".,' _", c) < 0 && c < 0x80 ||
			c < 0x80 && !isDigit(byteAt(s, i+1)) {
			break
		}
	}
	of |= f.leads[pad(n, digits)]
	return of&ofNumber != 0 || of&ofYear != 0 && (isDigit(byteAt(s, p+7)) || f.dayNear(s, p) ||
		strings.Contains(s[max(0, p-20):p], "day of "))
}

func pad(n, digits int) int {
	for ; digits > 0 && digits < 4; digits++ {
		n *= 10
	}
	return n
}

// dayNear reports whether one of the days is near p, where the year of a date is.
func (f *filter) dayNear(s string, p int) bool {
	for i := max(0, p-24); i < min(len(s), p+24); i++ {
		v, end := number(s, i, 2)
		if v >= 0 && v < len(f.days) && f.days[v] {
			return true
		}
		for end = max(end, i); isDigit(byteAt(s, end)); end++ {
		}
		i = end
	}
	return false
}
