package search

import "strings"

// Quotation is the place of a quotation in a text.
type Quotation struct {
	// Offset and Length describe its first occurrence, in bytes; Length differs from the quotation's if white
	// space does.
	Offset, Length int64
	// Count is the number of occurrences, 0 if there is none. If any are word for word, only those count.
	Count int
	// Folded means that no occurrence is word for word.
	Folded bool
}

// Quotations returns the place of each quotation in a text. A quotation that is empty or only white space has no
// place.
func Quotations(text string, quotes []string) []Quotation {
	f := newQuoteFinder(quotes)
	b := f.book(int64(len(text)))
	b.scan(text, 0, 0, len(text))
	return f.places(b)
}

// Fold returns a text with each run of white space replaced by one space, and trimmed.
func Fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// quote is a quotation with its anchor.
type quote struct {
	raw, folded string
	// inRaw and inFolded are the indices of the anchor's last byte.
	inRaw, inFolded int
}

// quoteFinder looks for quotations. It is immutable.
//
// One pass keeps the last eight bytes of the text that are not white space in a register. Each quotation has an
// anchor: the contents of the register at some place within it. A bitmap excludes nearly all other places at about
// a nanosecond per byte, and quotations are compared byte by byte only where their anchor occurs.
type quoteFinder struct {
	quotes  []quote
	longest int
	anchors map[uint64][]int // quotations by anchor
	short   []int            // quotations that are too short for an anchor
	// bitmap has a bit set for the hash of each anchor; it fits into the nearest cache.
	bitmap [1 << (hashBits - 6)]uint64
}

const (
	anchorLen = 8
	hashBits  = 18
)

// hash spreads the contents of the register over the bits of the bitmap. The factor is 2^64 divided by the golden
// ratio.
func hash(register uint64) uint64 { return register * 0x9E3779B97F4A7C15 >> (64 - hashBits) }

func newQuoteFinder(quotes []string) *quoteFinder {
	f := &quoteFinder{anchors: map[uint64][]int{}}
	for i, raw := range quotes {
		q := quote{raw: raw, folded: Fold(raw)}
		key, ok := q.anchor()
		f.quotes = append(f.quotes, q)
		f.longest = max(f.longest, len(raw))
		switch {
		case q.folded == "":
		case !ok:
			f.short = append(f.short, i)
		default:
			f.quotes[i] = q
			f.anchors[key] = append(f.anchors[key], i)
			h := hash(key)
			f.bitmap[h>>6] |= 1 << (h & 63)
		}
	}
	return f
}

// anchor chooses the place at which to look for the quotation: the end of its longest word, so that the register
// rarely has the same contents elsewhere. It returns false if the quotation has too few bytes.
func (q *quote) anchor() (key uint64, ok bool) {
	word, best := 0, -1
	var register uint64
	kept := 0
	for i := range len(q.folded) {
		c := q.folded[i]
		if word++; c == ' ' {
			word = 0
		}
		if step[c] == 0 {
			continue
		}
		register = register<<8 | uint64(c)
		if kept++; kept >= anchorLen && word > best {
			best, key, q.inFolded = word, register, i
		}
	}
	if best < 0 {
		return 0, false
	}
	q.inRaw = inRaw(q.raw, q.folded, q.inFolded)
	return key, true
}

// inRaw returns the index in raw of the byte with index at in folded.
func inRaw(raw, folded string, at int) int {
	left := at + 1 - strings.Count(folded[:at+1], " ") // bytes that are not white space
	for i := 0; ; {
		if n := spaceAt(raw, i); n > 0 {
			i += n
			continue
		}
		if left--; left == 0 {
			return i
		}
		i++
	}
}

// step is, for each byte, how the register takes it: the shift in the upper byte, and the byte itself. It is 0 for
// all bytes in white space of any kind, so that the register is the same with any white space; skipping parts of
// some other characters as well is harmless.
var step = func() (t [256]uint16) {
	for c := range t {
		t[c] = 8<<8 | uint16(c)
	}
	for _, c := range []byte(
		"\t\n\v\f\r \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000") {
		t[c] = 0
	}
	return t
}()

// match is what a pass has found for one quotation.
type match struct {
	exact, folded int64 // offsets of the first occurrences
	exacts        int
	foldeds       int
	length        int64 // length of the first folded occurrence
}

// matches is the result of a pass.
type matches struct {
	*quoteFinder
	found []match
	// work is how many more bytes may be compared: without this bound, a text and a quotation that both consist of
	// one repeated letter would be compared at every place.
	work int64
}

// workFactor bounds the bytes that a pass compares, as a multiple of the text's length.
const workFactor = 16

func (f *quoteFinder) book(size int64) *matches {
	return &matches{quoteFinder: f, found: make([]match, len(f.quotes)), work: workFactor*size + 1<<26}
}

// scan searches text, which begins at base, for quotations whose anchor ends in text[from:to].
func (b *matches) scan(text string, base int64, from, to int) {
	b.scanShort(text, base, from, to)
	if len(b.anchors) == 0 {
		return
	}
	var register uint64
	bitmap, looked := &b.bitmap, text[:to]
	for i := 0; i < len(looked); i++ {
		e := step[looked[i]]
		register = register<<(e>>8&63) | uint64(e&0xff)
		h := hash(register)
		if bitmap[h>>6]&(1<<(h&63)) == 0 || i < from || e == 0 {
			continue
		}
		for _, q := range b.anchors[register] {
			b.compare(q, text, base, i)
		}
	}
}

// compare checks one quotation whose anchor ends at text[at].
func (b *matches) compare(i int, text string, base int64, at int) {
	q, f := &b.quotes[i], &b.found[i]
	if b.work <= 0 {
		return
	}
	b.work -= int64(len(q.raw))
	start := at - q.inRaw
	if start >= 0 && strings.HasPrefix(text[start:], q.raw) {
		f.addExact(base + int64(start))
		return
	}
	if f.exacts > 0 {
		return
	}
	if start, end, ok := q.foldedAt(text, at); ok {
		f.addFolded(base+int64(start), int64(end-start))
	}
}

func (f *match) addExact(at int64) {
	if f.exacts == 0 || at < f.exact {
		f.exact = at
	}
	f.exacts++
}

func (f *match) addFolded(at, length int64) {
	if f.foldeds == 0 || at < f.folded {
		f.folded, f.length = at, length
	}
	f.foldeds++
}

// foldedAt compares with folded white space; the anchor ends at text[at].
func (q *quote) foldedAt(text string, at int) (start, end int, ok bool) {
	end = at + 1
	for i := q.inFolded + 1; i < len(q.folded); i++ {
		switch n := spacesAt(text, end); {
		case q.folded[i] == ' ' && n > 0:
			end += n
		case q.folded[i] != ' ' && end < len(text) && text[end] == q.folded[i]:
			end++
		default:
			return 0, 0, false
		}
	}
	start = at
	for i := q.inFolded - 1; i >= 0; i-- {
		if q.folded[i] == ' ' {
			n := spacesBefore(text, start)
			if n == 0 {
				return 0, 0, false
			}
			start -= n
		} else if start--; start < 0 || text[start] != q.folded[i] {
			return 0, 0, false
		}
	}
	return start, end, true
}

// scanShort looks for quotations without an anchor, in one pass for each.
func (b *matches) scanShort(text string, base int64, from, to int) {
	for _, i := range b.short {
		q, f := &b.quotes[i], &b.found[i]
		first, _, _ := strings.Cut(q.folded, " ")
		for at := from; at < to; at++ {
			n := strings.Index(text[at:], first)
			if n < 0 || at+n >= to {
				break
			}
			at += n
			lead := strings.Index(q.raw, first)
			if at >= lead && strings.HasPrefix(text[at-lead:], q.raw) {
				f.addExact(base + int64(at-lead))
				continue
			}
			short := quote{folded: q.folded, inFolded: 0}
			if start, end, ok := short.foldedAt(text, at); ok {
				f.addFolded(base+int64(start), int64(end-start))
			}
		}
	}
}

// merge adds the results of a pass over another part of the text.
func (b *matches) merge(other *matches) {
	for i := range b.found {
		f, o := &b.found[i], other.found[i]
		if o.exacts > 0 && (f.exacts == 0 || o.exact < f.exact) {
			f.exact = o.exact
		}
		if o.foldeds > 0 && (f.foldeds == 0 || o.folded < f.folded) {
			f.folded, f.length = o.folded, o.length
		}
		f.exacts, f.foldeds = f.exacts+o.exacts, f.foldeds+o.foldeds
	}
	b.work = min(b.work, other.work)
}

func (f *quoteFinder) places(b *matches) []Quotation {
	out := make([]Quotation, len(f.quotes))
	for i, x := range b.found {
		switch {
		case x.exacts > 0:
			out[i] = Quotation{Offset: x.exact, Length: int64(len(f.quotes[i].raw)), Count: x.exacts}
		case x.foldeds > 0:
			out[i] = Quotation{Offset: x.folded, Length: x.length, Count: x.foldeds, Folded: true}
		}
	}
	return out
}
