package reply

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"
)

// paren is a parenthesis outside of strings.
type paren struct {
	at, width int
	opens     bool
}

// parenScan finds the parentheses in a range of text. It is shared by calls that are never closed, which all extend
// to the same end, so that nothing is read twice.
type parenScan struct {
	skipper stringSkipper
	start   int
	read    int // offset up to which the text has been read
	parens  []paren
	strings []codeSpan // the strings, in which no parenthesis counts
}

// closeParen returns the offset of the parenthesis that closes the one just before start, and the offset after it;
// at is -1 if there is none. Strings are skipped. In text, the parenthesis of an enumeration ("a) red b) blue")
// closes nothing as long as a later one can.
func (d *detector) closeParen(start, bound int) (at, after int) {
	scan := d.scan(start, bound)
	enumerated := -1
	i := sort.Search(len(scan.parens), func(i int) bool { return scan.parens[i].at >= start })
	for depth := 1; i < len(scan.parens) || scan.next(); i++ {
		p := scan.parens[i]
		if p.opens {
			depth++
			continue
		}
		if depth > 1 {
			depth--
			continue
		}
		if p.width > 1 || !isEnumerator(d.src, start, p.at, bound) {
			return p.at, p.at + p.width
		}
		if enumerated == -1 {
			enumerated = p.at
		}
	}
	return enumerated, enumerated + 1
}

// scan returns a scan of the text up to bound for which start is outside of strings. It therefore finds the same
// parentheses after start as a scan that begins there.
func (d *detector) scan(start, bound int) *parenScan {
	for _, s := range d.scans {
		if len(s.skipper.src) != bound || start < s.start || start > s.read {
			continue
		}
		n := sort.Search(len(s.strings), func(i int) bool { return s.strings[i].end > start })
		if n == len(s.strings) || s.strings[n].start >= start {
			return s
		}
	}
	s := &parenScan{skipper: stringSkipper{src: d.src[:bound]}, start: start, read: start}
	d.scans = append(d.scans[max(0, len(d.scans)-maxScans+1):], s)
	return s
}

// maxScans is how many scans are kept. More than one is needed when quotes are unclosed: the scan of one call may
// then treat the start of another call as part of a string.
const maxScans = 4

// next finds the next parenthesis, or returns false if there is none.
func (s *parenScan) next() bool {
	src := s.skipper.src
	for s.read < len(src) {
		rest := src[s.read:]
		at := slices.IndexFunc(rest, func(c byte) bool { return closing[c] })
		if at == -1 {
			s.read = len(src)
			return false
		}
		i := len(src) - len(rest[at:])
		s.read = i
		if size, ok := s.skipper.skip(s.start, i); ok {
			s.read += size
			s.strings = append(s.strings, codeSpan{i, s.read})
			continue
		}
		width, opens := opensCall(src[i:]), true
		if width == 0 {
			width, opens = closesCall(src[i:]), false
		}
		s.read += max(width, 1)
		if width != 0 {
			s.parens = append(s.parens, paren{i, width, opens})
			return true
		}
	}
	return false
}

// closing marks the bytes that matter in the search for a closing parenthesis; 0xEF begins a full-width one.
var closing = [256]bool{'(': true, ')': true, '"': true, '\'': true, '`': true, 0xEF: true}

// stringSkipper finds the strings of a text that may be code. A quote opens a string if it is closed on its line
// and no letter or digit precedes it, as one does in It's.
type stringSkipper struct {
	src     []byte
	lineEnd int      // end of the line examined last
	open    [5]quote // quotes that are not closed on this line
	opened  int      // number of these quotes
}

// skip returns the length of the string that begins at i, if there is one; start is the beginning of the text.
func (k *stringSkipper) skip(start, i int) (size int, ok bool) {
	if i >= k.lineEnd {
		k.lineEnd, k.opened = lineEnd(k.src, i), 0
	}
	if before, _ := utf8.DecodeLastRune(k.src[start:i]); !isOneOf(k.src[i], "\"'`") || isIdent(before) {
		return 0, false
	}
	q, size := quoteAt(k.src[i:])
	if slices.Contains(k.open[:k.opened], q) {
		return 0, false
	}
	bound := k.lineEnd
	if size > 1 || q.raw {
		bound = len(k.src)
	}
	end := closeQuote(k.src, i+size, bound, q)
	if end == -1 {
		k.open[k.opened] = q
		k.opened++
		return 0, false
	}
	text := k.src[i : end+len(q.end)]
	return len(text), true
}

// quoteScan is the result of a search: at is the offset of the closing quote for any string that begins between
// start and at.
type quoteScan struct {
	end              string
	start, bound, at int
}

// lenientClose returns the offset of the first quote followed by a closing parenthesis, or -1.
func (d *detector) lenientClose(i, bound int, q quote) int {
	known := slices.IndexFunc(d.quotes, func(s quoteScan) bool {
		return s.end == q.end && s.bound == bound && s.start <= i && (s.at == -1 || s.at >= i)
	})
	if known != -1 && len(q.end) != len(`"""`) { // where three quotes begin depends on the starting point
		return d.quotes[known].at
	}
	s := quoteScan{end: q.end, start: i, bound: bound, at: lenientClose(d.src, i, bound, q)}
	d.quotes = append(d.quotes[max(0, len(d.quotes)-maxScans+1):], s)
	return s.at
}

func lenientClose(src []byte, i, bound int, q quote) int {
	for {
		at := bytes.Index(src[i:bound], []byte(q.end))
		if at == -1 {
			return -1
		}
		i += at
		if bytes.HasPrefix(bytes.TrimLeft(src[i+len(q.end):bound], " \t"), []byte(")")) {
			return i
		}
		i += len(q.end)
	}
}
