package grounding

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/text"
)

// filter has stems and leading digits of the claims, so that most words of a text cost a look at their first bytes.
type filter struct {
	stems   [1 << 12]bool // hashes of stems
	starts  [10000]byte   // what first four digits can belong to
	days    [100]uint32   // bit sets of the months of days to find, and of the days of months
	numbers []int         // indexes of claims that are numbers
	open    []bool        // the claims for which the other fields were filled
	worn    bool          // a claim has been found often enough
	version bool          // a claim is a version, which may be glued to a name, as in go1.24.1
}

// The parts of a claim to which digits may belong.
const (
	ofNumber = 1 << iota // they are its first digits
	ofTime               // they are a part of a date or time
	ofDay                // or of one with a day and a month
)

// anchor is a word of a claim by which the claim is found in a text.
type anchor struct {
	claim  int
	words  []string
	off    int  // index of this word in words
	piece  int  // index of the claim's spelling with these words
	comma  int  // number of words before a comma: "Last, First"
	number bool // a number that may be written in words
	whole  bool // one behind its label, as in "UN3480"
}

// stem returns the key of a word in anchors.
func stem(w string) string { return w[:min(3, len(w))] }

// stemHash returns the hash of a stem.
func stemHash(w string) uint { return hash(byteAt(w, 0), byteAt(w, 1), byteAt(w, 2)) }

func hash(a, b, c byte) uint { return ((uint(a)*41+uint(b))*41 + uint(c)) % (1 << 12) }

// lookup sets the anchors and leads of the claims.
func (t *tracer) lookup() {
	t.anchors = map[string][]anchor{}
	for i, c := range t.claims {
		c.mates = make([]uint64, (len(t.claims)+63)/64)
		c.altSeen = make([]bool, len(c.alt))
		c.heads = c.kind == aNumber && c.row >= 0 && heading(t.x.answer[c.end:])
		if c.dated() || c.heads {
			t.dated = append(t.dated, i)
		}
		if c.kind == aNumber {
			c.leads = leads(c)
			slices.Sort(c.leads)
			for _, w := range t.spellings(c) {
				t.anchor(c, anchor{claim: i, words: []string{w}, number: true})
			}
			if w := t.oneWord(c); w != "" {
				t.anchor(c, anchor{claim: i, words: []string{w}, number: true, whole: true})
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
			t.anchor(c, a)
			if c.kind == aName && len(ws) == 2 && isDigit(ws[1][0]) { // as in "LX 1842"
				t.anchor(c, anchor{claim: i, words: []string{ws[0] + ws[1]}, piece: p})
			}
			if n := len(ws) - 1; c.kind == aName && n > 0 && n < 5 {
				t.anchor(c, anchor{claim: i, words: append([]string{ws[n]}, ws[:n]...), piece: p, comma: 1})
				if n > 1 {
					t.anchor(c, anchor{claim: i, words: append(ws[1:len(ws):len(ws)], ws[0]), piece: p, comma: n})
				}
			}
		}
		if c.kind == aName && len(c.pieces[0]) == 1 { // "Tuesday" can be "Dienstag" in a text
			if w := c.pieces[0][0]; len(w) > 3 && !c.hidden {
				c.month = months()[w]
			}
			for on, to := range map[string]string{"enabled": "true", "disabled": "false"} { // as in "enabled: false"
				if c.pieces[0][0] == on {
					t.anchor(c, anchor{claim: i, words: []string{"enabled", to}})
				}
			}
			if day := weekdays()[c.pieces[0][0]]; day > 0 {
				for n := 2; n < min(4, len(c.pieces[0][0])); n++ { // as in "Mo-Fr"
					t.anchor(c, anchor{claim: i, words: []string{c.pieces[0][0][:n]}})
				}
				for name, n := range weekdays() {
					if stem(name) != stem(c.pieces[0][0]) && n == day {
						t.anchor(c, anchor{claim: i, words: []string{name}})
					}
				}
			}
		}
	}
}

// anchor gives a claim an anchor.
func (t *tracer) anchor(c *claim, a anchor) {
	key := stem(a.words[a.off])
	t.anchors[key] = append(t.anchors[key], a)
	c.stems = append(c.stems, stemHash(key))
}

// heading reports whether s begins with a colon and a number, as after the 404 of "404: 12".
func heading(s string) bool {
	rest := strings.TrimLeft(s, " ")
	return len(s)-len(rest) < 2 && len(rest) > 2 && rest[0] == ':' && rest[1] == ' ' && isDigit(rest[2])
}

// set prepares the filter for a text and the open claims.
func (f *filter) set(claims []*claim, open func(c *claim) bool) {
	same := len(f.open) == len(claims)
	f.open = slices.Grow(f.open, len(claims))[:len(claims)]
	for i, c := range claims {
		c.next, c.hits = 0, 0
		o := open(c) && !c.worn()
		same = same && o == f.open[i]
		f.open[i] = o
	}
	if !same {
		f.fill(claims)
	}
}

// wear removes the claims that were found often enough.
func (f *filter) wear(claims []*claim) {
	for i := range claims {
		f.open[i] = f.open[i] && !claims[i].worn()
	}
	f.fill(claims)
}

// fill rebuilds the filter for its open claims.
func (f *filter) fill(claims []*claim) {
	*f = filter{numbers: f.numbers[:0], open: f.open}
	for i, c := range claims {
		if !f.open[i] {
			continue
		}
		for _, h := range c.stems {
			f.stems[h] = true
		}
		f.version = f.version || c.version()
		if c.kind != aNumber && c.month == 0 {
			continue
		}
		f.numbers = append(f.numbers, i)
		for _, l := range c.leads {
			for f.starts[l] |= ofNumber; l > 0 && l%10 == 0; {
				l /= 10
				f.starts[l] |= ofNumber
			}
		}
		for _, n := range c.wholes() {
			f.starts[n] |= ofTime
		}
		if d := &c.q.date; d.day > 0 && d.month > 0 {
			f.days[d.day] |= 1 << d.month
			f.days[d.month] |= 1 << d.day
			f.starts[d.day] |= ofDay
			f.starts[d.month] |= ofDay
		}
	}
}

// wholes returns numbers, one of which is a number of its own wherever the date or time of a claim is written in
// digits, unless its day is next to its month.
func (c *claim) wholes() []int {
	d := c.q.date
	switch {
	case c.month > 0:
		return []int{c.month}
	case c.year > 0:
		return []int{c.year % 100}
	case !c.q.isDate, d.day > 0 && d.month > 0:
		return nil
	case d.year > 0:
		return []int{d.year, d.year % 100}
	case d.hour < 0:
		return []int{max(d.month, d.day, 0)}
	case d.minute > 0:
		return []int{d.minute, d.hour*100 + d.minute}
	}
	return []int{d.hour, d.hour % 12, d.hour%12 + 12, d.hour * 100}
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

// The smallest numbers that are searched for as a value in another unit, leastLong for minutes and longer: nobody
// writes 12 ms as 0.0000033 h, or as 0.0002 min.
const (
	leastRead = 0.0005
	leastLong = 0.05
)

// leads returns the first four digits of all numbers that may be the claim: itself, rounded, in another unit.
func leads(c *claim) []uint16 {
	var out []uint16
	var has [10_000]bool
	put := func(a int) {
		if !has[a] {
			has[a] = true
			out = append(out, uint16(a))
		}
	}
	add := func(low, high float64) {
		a, b := lead(low), lead(high)
		for put(a); a != b && low < high; put(a) {
			if a++; a > 9999 {
				a = 1000
			}
		}
	}
	if c.q.isDate {
		if c.plain != nil {
			for _, v := range c.plain.values {
				add(v.value, v.value)
			}
		}
		d := c.q.date
		d.sec = max(d.sec, 0)
		if v, ok := d.clock(); ok {
			for _, f := range factors()["time"] {
				add(v/f, v/f)
				if c.q.date.sec < 0 { // 3:40 may be minutes
					add(v/60/f, v/60/f)
				}
			}
		}
		return out
	}
	for _, v := range c.q.values {
		if c.q.round {
			v.half = max(v.half, 2*roundness(v.value))
		}
		v.value = math.Abs(v.value)
		low, high := max(v.value-v.half, 0), v.value+v.half
		add(low, high)
		share := v.value
		if len(c.q.units) > 0 && c.q.units[0].kind == percent {
			share /= 100
		}
		for of := 2.0; share > 0 && share < 1 && of < 10; of++ { // as in "3/4"
			if n := math.Round(share * of); math.Abs(share*of-n) < 1e-6 {
				add(n, n)
			}
		}
		for _, u := range c.q.units {
			for _, f := range factors()[u.kind] {
				least := leastRead
				if u.kind == "time" && f >= 60 {
					least = leastLong
				}
				if as := v.value * u.factor / f; as > 0 && as < least {
					continue
				}
				add(low*u.factor/f, high*u.factor/f)
				if n := math.Floor(v.value*u.factor/f + 1e-9); u.kind == "time" && n > 0 { // as in "1 h 15 min"
					add(n, n)
				}
			}
		}
	}
	return out
}

// led reports whether a number has the first digits of one that may stand for the claim, in any scale.
func (c *claim) led(q *quantity) bool {
	return slices.ContainsFunc(q.values, func(v reading) bool {
		_, found := slices.BinarySearch(c.leads, uint16(lead(math.Abs(v.value))))
		return found
	})
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
		if h := c.q.date.hour; c.q.date.year < 0 && c.q.date.minute <= 0 {
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
			if m == c.q.date.month || c.q.date.swap && m == c.q.date.day {
				out = append(out, name)
			}
		}
		return out
	}
	v := math.Abs(c.q.values[0].value * c.q.scale)
	for _, u := range c.q.units { // three years are thirty-six months
		for _, f := range factors()[u.kind] {
			if other := v * u.factor / f; f != u.factor && other < 100 {
				if out = t.spelled(out, other); temporal(c.q.units) {
					out = spanned(out, other)
				}
			}
		}
	}
	percent := len(c.q.units) > 0 && c.q.units[0].kind == percent
	if v >= 500 && lead(v) == 5000 || percent && v == 50 { // as in "half a million"
		out = append(out, halves...)
	}
	if temporal(c.q.units) || percent && v < 2 {
		out = spanned(out, v)
	}
	if v != math.Trunc(v) { // as in "four and a half", "two thirds"
		out = append(out, halves...)
		out = t.spelled(out, math.Trunc(v))
	}
	for w, of := range parts {
		if n := v * of; v < 1 && math.Abs(n-math.Round(n)) < 0.01*of ||
			percent && math.Abs(n/100-math.Round(n/100)) < 0.005*of {
			out = append(out, w)
		}
	}
	if of := 100 / v; percent && of == math.Round(of) { // as in "one in five"
		out = append(out, "one")
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
		out = t.firsts(append(out, "hundred", "thousand"), n)
	}
	if n%12 == 0 && n > 0 {
		out = append(out, "dozen", "dutzend", "douzaine", "docena", "dozzina", "duzia", "dozijn", "дюжин")
	}
	for _, l := range t.q.langs {
		if n > 100 && n%100 > 0 { // no word is such a number
			break
		}
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

// leading reports whether the digits at p, or with those after separators, can start a number to find or be of a date.
func (f *filter) leading(s string, p int) bool {
	n, end := upTo4(s, p, 0)
	return f.leads(s, p, n, end)
}

// leads does so for digits that end at i, of which n are the first four.
func (f *filter) leads(s string, p, n, i int) bool {
	of := f.starts[n]
	switch {
	case of&ofNumber != 0 && !(p > 1 && s[p-1] == '.' && isDigit(s[p-2])): // else it is a part of a longer number
		return true
	case !isDigit(byteAt(s, i)):
		if of&ofTime != 0 || of&ofDay != 0 && (f.dating(s, i, n) || strings.HasSuffix(s[:p], "the ")) {
			return true
		}
	case i == p+4: // 20240503
		day, end := number(s, i, 4)
		return end == p+8 && (of&ofTime != 0 || f.days[day/100]>>(day%100)&1 != 0) || end == p+6 && of&ofTime != 0
	}
	for i < len(s) && n < 1000 && (s[i] >= utf8.RuneSelf || separates[s[i]] && isDigit(byteAt(s, i+1))) {
		if n, i = upTo4(s, i+1, n); f.starts[n]&ofNumber != 0 {
			return true
		}
	}
	return false
}

// separates tells the ASCII separators of groups of digits.
var separates = [utf8.RuneSelf]bool{'.': true, ',': true, '\'': true, ' ': true, '_': true}

// upTo4 reads digits at p into n, which gets no more than four, and returns their end.
func upTo4(s string, p, n int) (int, int) {
	for ; n < 1000 && p < len(s) && isDigit(s[p]); p++ {
		n = n*10 + int(s[p]-'0')
	}
	return n, p
}

// dating reports whether the number n, which ends at p, is next to the other of day and month of a date to find.
func (f *filter) dating(s string, p, n int) bool {
	rest := s[p:min(p+9, len(s))]
	for rest != "" && strings.IndexByte("-./ ", rest[0]) >= 0 {
		rest = rest[1:]
	}
	if byteAt(rest, 0) >= utf8.RuneSelf {
		rest = strings.TrimLeft(rest, "-./ 月월")
	}
	other, _ := number(rest, 0, 2)
	if other < 0 {
		other, _ = romanMonth(rest)
	}
	if other <= 0 && len(rest) > 2 && p < len(s) && s[p] == rest[0] { // as in 14MAR2019
		other = months()[string([]byte{lowered1(rest[0]), lowered1(rest[1]), lowered1(rest[2])})]
	}
	return f.days[n]>>other&1 != 0
}

// oneWord returns a number together with the capitals before it, as un3480 for "UN 3480", or "".
func (t *tracer) oneWord(c *claim) string {
	before, ok := strings.CutSuffix(t.x.answer[:c.at], " ")
	at := len(before)
	for at > 0 && capital(before[at-1]) {
		at--
	}
	if n := len(before) - at; !ok || n < 2 || n > 4 || isWord(lastRune(before[:at])) ||
		len(c.text) < 3 || strings.Trim(c.text, "0123456789") != "" {
		return ""
	}
	return fold(before[at:]) + c.text
}
