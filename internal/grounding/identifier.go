package grounding

import (
	"slices"
	"strings"
	"unicode"
)

// labelsID reports whether an option, or an identifier with digits that is not a path, directly follows p.
func (x *extractor) labelsID(p int) bool {
	return slices.ContainsFunc(x.claims, func(c *claim) bool {
		return c.kind == anID && c.at > p && c.at <= p+2 && c.row == len(x.rows)-1 &&
			(strings.ContainsAny(c.text, "0123456789") && !strings.Contains(c.text, "/") || c.text[0] == '-') &&
			strings.Trim(x.answer[p:c.at], " #") == ""
	})
}

// identifiers adds texts that look like identifiers: marks of evidence, paths, versions, telephone numbers.
func (x *extractor) identifiers(at, end int) {
	const seps = " \t\n|,;"
	for i := at; i < end; {
		if strings.IndexByte(seps, x.answer[i]) >= 0 {
			i++
			continue
		}
		from := i
		for i < end && strings.IndexByte(seps, x.answer[i]) < 0 {
			i++
		}
		chunk := x.answer[from:i]
		// Scripts without spaces continue after an identifier, as in "SK-410の重さ".
		if k := strings.IndexFunc(chunk, wide); k > 0 && !strings.ContainsAny(chunk, "/\\_") {
			i, chunk = from+k, chunk[:k]
		}
		// A name with its number, as in "cart(697)".
		if k := strings.IndexByte(chunk, '('); k > 0 && capless(chunk[:k]) &&
			numeral(strings.TrimRight(chunk[k+1:], ").:")) {
			i, chunk = from+k, chunk[:k]
		}
		if mark := strings.Index(chunk, "[^"); mark >= 0 {
			if n := strings.IndexByte(chunk[mark:], ']'); n > 2 {
				c := &claim{at: from + mark, end: from + mark + n + 1}
				if c.identify(chunk[mark : mark+n]); c.pieces != nil {
					x.add(c)
				}
				i, chunk = from+mark+n+1, chunk[:mark]
			}
		}
		option := len(chunk) > 4 && strings.HasPrefix(chunk, "--") && unicode.IsLetter(rune(chunk[2]))
		p := from + len(chunk) - len(
			strings.TrimLeftFunc(chunk, func(r rune) bool { return !isWord(r) && !strings.ContainsRune("/+@_", r) }))
		chunk = strings.TrimRightFunc(chunk[p-from:], func(r rune) bool { return !isWord(r) && r != '/' })
		chunk = strings.TrimSuffix(strings.TrimSuffix(chunk, "'s"), "’s")
		if chunk == "" || chunk == "/" || units(chunk) != nil || !x.free(p, p+len(chunk)) {
			continue
		}
		n := x.telephone(p, end)
		if n == 0 {
			n = x.grouped(p, end)
		}
		if n > 0 {
			x.named(p, p+n, false)
			i = max(i, p+n)
			continue
		}
		// A unit, such as the km/h of 80 km/h and the dBm of -97 dBm.
		if head, tail, _ := strings.Cut(chunk, "/"); len(head) < 6 && len(tail) < 6 && p > at+1 &&
			isDigit(x.answer[p-2]) && x.answer[p-1] == ' ' && !strings.ContainsAny(chunk, "0123456789.:_@") {
			continue
		}
		if name, value, ok := strings.Cut(chunk, "="); ok && capless("x"+name) && !isID(name) && numeral(value) {
			continue // as in "p=0.019"
		}
		if option && !isID(chunk) {
			chunk, _, _ = strings.Cut(chunk, "=")
			c := &claim{at: p - 2, end: p + len(chunk)}
			if c.identify(chunk); c.pieces != nil {
				x.add(c)
			}
			continue
		}
		if isID(chunk) && (!numeral(chunk) || x.versioned(p, chunk)) && !nones.has(fold(chunk)) {
			x.named(p, p+len(chunk), false)
		}
	}
}

// versioned reports whether three numbers at p, which may be a date, are a version, because an identifier or a name
// with a hyphen precedes them, as in "spring-web 5.3.20".
func (x *extractor) versioned(p int, chunk string) bool {
	if p == 0 || x.answer[p-1] != ' ' || strings.Count(chunk, ".") != 2 || strings.Trim(chunk, "0123456789.") != "" {
		return false
	}
	name := x.answer[:p-1]
	name = strings.Trim(name[strings.LastIndexAny(name, " \n|")+1:], "`*(\"")
	return len(name) > 2 && !isDigit(name[0]) &&
		(isID(name) || strings.Contains(name, "-") || versionWords.has(fold(name)))
}

// versionWords precede a version.
var versionWords = words("version release versión versione versie versão v")

// grouped returns the length of an identifier in groups of four at p, such as a bank account number, or 0.
func (x *extractor) grouped(p, end int) int {
	n, groups, letters, digits := 0, 0, 0, 0
	for i := p; i < end; i++ {
		c := x.answer[i]
		switch {
		case isDigit(c):
			digits++
		case c >= 'A' && c <= 'Z':
			letters++
		default:
			return 0
		}
		if i++; i-p-n < 4 && i < end && x.answer[i] != ' ' {
			i--
			continue
		}
		full := i-p-n == 4
		if groups++; !full || i >= end || x.answer[i] != ' ' || !isCode(byteAt(x.answer, i+1)) {
			if n = i - p; groups > 3 && letters > 0 && digits > letters &&
				(i >= end || !isWord(firstRune(x.answer[i:]))) {
				return n
			}
			return 0
		}
		n = i + 1 - p
	}
	return 0
}

func isCode(c byte) bool { return isDigit(c) || c >= 'A' && c <= 'Z' }

// telephone returns the length of a telephone number at p, or 0 if there is none, or if it is a date or a range.
func (x *extractor) telephone(p, end int) int {
	i := p
	for i < end && i-p < 24 && strings.IndexByte("0123456789 -/()+", x.answer[i]) >= 0 {
		i++
	}
	text := strings.TrimRight(x.answer[p:i], " -/()+")
	if p > 1 && isDigit(x.answer[p-2]) && !isWord(rune(x.answer[p-1])) { // it continues a number
		return 0
	}
	rest := strings.TrimPrefix(x.answer[p+len(text):], "-")
	if i == p || !phone(text) || strings.HasPrefix(text, "0 ") || isWord(firstRune(rest)) {
		return 0
	}
	if _, n, _, ok := dateAt(text, 0); ok && n == len(text) {
		return 0
	}
	if k := strings.IndexByte(text, '-'); k >= 0 && ranged(text, k) {
		return 0
	}
	return len(text)
}

// wide reports whether a rune is of a script without spaces, or one of its marks.
func wide(r rune) bool { return alone(r) || r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r <= 0xff65 }
