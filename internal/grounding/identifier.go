package grounding

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
				c := claim{at: from + mark, end: from + mark + n + 1}
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
			c := claim{at: p - 2, end: p + len(chunk)}
			if c.identify(chunk); c.pieces != nil {
				x.add(c)
			}
			continue
		}
		if isID(chunk) && (!numeral(chunk) || x.versioned(p, chunk) || padded(chunk)) && !nones.has(fold(chunk)) {
			x.named(p, p+len(chunk), false)
		}
	}
}

// padded reports whether digits are an identifier of two groups, of which the second has a leading nought: 2-014.
func padded(s string) bool {
	_, second, ok := strings.Cut(s, "-")
	return ok && len(second) > 2 && second[0] == '0' && !strings.ContainsAny(second, "-.,:")
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
		if i++; i-p-n < 4 && i < end && isCode(x.answer[i]) {
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
	if d, n, _, ok := dateAt(text, 0); ok && (n == len(text) || d.year > 0 && d.day > 0) { // an hour may follow
		return 0
	}
	if k := strings.IndexByte(text, '-'); k >= 0 && ranged(text, k) {
		return 0
	}
	return len(text)
}

// wide reports whether a rune is of a script without spaces, or one of its marks.
func wide(r rune) bool { return alone(r) || r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r <= 0xff65 }

// dialled reports whether the digits at p belong to a telephone number of several groups that starts with a
// country code or a zero.
func dialled(s string, p int) bool {
	const signs = "0123456789 -()/"
	from := p
	for from > 0 && p-from < 24 && strings.IndexByte(signs, s[from-1]) >= 0 && !strings.HasPrefix(s[from-1:], "  ") {
		from--
	}
	if p-from == 24 && from > 0 && isDigit(s[from-1]) { // it goes on
		return false
	}
	for from < p && !isDigit(s[from]) {
		from++
	}
	plus := from > 0 && s[from-1] == '+'
	if !plus && (s[from] != '0' || !isDigit(byteAt(s, from+1))) {
		return false
	}
	end := p
	for end < len(s) && end-p < 24 && strings.IndexByte(signs, s[end]) >= 0 {
		end++
	}
	run := strings.TrimRight(s[from:end], " -()/")
	if plus {
		run = "+" + run
	}
	if !phone(run) || !strings.ContainsAny(run, " -/") {
		return false
	}
	if _, _, _, dated := dateAt(run, 0); dated || !plus && departing(run) {
		return false
	}
	return len(strings.FieldsFunc(run, func(r rune) bool { return !isDigit(byte(r)) })) > 2
}

// departing reports whether a text has only times such as 0512 and 1530.
func departing(s string) bool {
	fs := strings.Fields(s)
	return !slices.ContainsFunc(fs, func(f string) bool {
		n, end := number(f, 0, 4)
		return len(f) != 4 || end != 4 || n/100 > 24 || n%100 > 59
	})
}

// coded reports whether a hyphen and capitals follow a number, as in 4711-B.
func coded(s string) bool {
	end := 1
	for end < len(s) && s[end] >= 'A' && s[end] <= 'Z' {
		end++
	}
	return end > 1 && s[0] == '-' && !isWord(firstRune(s[end:])) && units(s[1:end]) == nil
}

// times reports whether the byte at p is the x between two numbers, as in 1170x2532.
func times(s string, p int) bool {
	return p > 0 && byteAt(s, p) == 'x' && isDigit(s[p-1]) && isDigit(byteAt(s, p+1)) &&
		!(s[p-1] == '0' && !(p > 1 && isDigit(s[p-2])))
}

// joined reports whether the character before p makes the digits there part of a longer name, number or path.
func joined(s string, p int) bool {
	prev, n := utf8.DecodeLastRuneInString(s[:p])
	if n == 0 {
		return false
	}
	before := lastRune(s[:p-n])
	word := isWord(before) && !alone(before)
	switch prev {
	case '_':
		return true
	case '-':
		return word && !ranged(s, p-n) && !(unicode.IsLetter(before) && versionAt(s, p))
	case '/':
		return word && !(before >= '0' && before <= '9')
	case '.': // except in "p.12"
		head := s[:p-n]
		head = head[strings.LastIndexFunc(head, func(r rune) bool { return !isWord(r) })+1:]
		return word && !labels.has(fold(head)) && lookUnit(head) == nil
	}
	return isWord(prev) && !alone(prev)
}

// ranged reports whether the hyphen at p is between two short numbers, as in 10-15, and not in a telephone
// number or an identifier.
func ranged(s string, p int) bool {
	no := func(r rune) bool { return (r < '0' || r > '9') && r != '.' }
	from := strings.LastIndexFunc(s[:p], no) + 1
	end := len(s)
	if i := strings.IndexFunc(s[p+1:], no); i >= 0 {
		end = p + 1 + i
	}
	a, b := strings.TrimSuffix(s[from:p], "."), strings.TrimSuffix(s[p+1:end], ".")
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	nought := func(n string) bool { return len(n) > 5 || len(n) > 1 && n[0] == '0' && n[1] != '.' }
	before, next := lastRune(s[:from]), firstRune(s[end:])
	if u, n := unitsAt(s[end:]); u != nil && !isWord(firstRune(s[end+n:])) { // as in "100-240V"
		next = 0
	}
	return err == nil && err2 == nil && !nought(a) && !nought(b) && (len(b) <= len(a)+1 || a == "0") &&
		(x < y || len(a) < 4 && len(b) < 4) && // or the score of a game
		!isWord(before) && before != '-' && !isWord(next) && next != '-'
}

// capless reports whether a word has no capital behind its first letter.
func capless(w string) bool { return strings.ToLower(w[1:]) == w[1:] }
