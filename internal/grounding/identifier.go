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
		parts := wide
		if strings.ContainsAny(chunk, "/\\_") { // the name of a file may be in the script, as in 長いのはjob_0417.srt
			parts = hiragana
			if k := strings.IndexFunc(chunk, letterOrDigit); k > 0 && hiragana(lastRune(chunk[:k])) {
				i = from + k
				continue
			}
		}
		if k := strings.IndexFunc(chunk, parts); k > 0 {
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
				// Marks that cells are given begin with a number; others, as [^12] and [^a], may be in any text.
				if c.identify(chunk[mark : mark+n]); c.pieces != nil && isID(chunk[mark+2:mark+n]) {
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
		for _, mark := range []string{"'", "’"} { // as in l'ECN-2/1
			if article, rest, ok := strings.Cut(chunk, mark); ok && contracted.has(fold(article)) && isID(rest) {
				p, chunk = p+len(article)+len(mark), rest
			}
		}
		if chunk == "" || chunk == "/" || units(chunk) != nil || !x.free(p, p+len(chunk)) ||
			chunk[0] == '/' && cashes(x.answer[:p]) {
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
		if name, value, ok := strings.Cut(chunk, "="); ok && numeral(value) { // as in "p=0.019" and "web-1=12"
			if chunk = name; !isID(name) {
				continue
			}
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
			x.named(p, p+len(chunk)+x.closes(p, chunk), false)
		}
	}
}

// closes returns the length of the bracket behind an identifier at p that closes one in it, as in db[prod-1].
func (x *extractor) closes(p int, chunk string) int {
	opened := strings.Count(chunk, "[") > strings.Count(chunk, "]")
	if next := p + len(chunk); opened && byteAt(x.answer, next) == ']' {
		return len("]")
	}
	return 0
}

// cashes reports whether a text ends with the sign of a currency, so that "/kg" behind it belongs to a price.
func cashes(s string) bool { return strings.ContainsRune("€$£¥₹₩₽", lastRune(s)) }

// contracted are articles and particles before an apostrophe.
var contracted = words("l d n s c j m t qu dell all nell sull dall un")

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
	// A season, as in "2022/23 201.557".
	if year, end := number(text, 0, 4); validYear(year) && end == 4 && text[4] == '/' {
		if next, end := number(text, 5, 2); next == (year+1)%100 && byteAt(text, end) == ' ' {
			return end
		}
	}
	return len(text)
}

// wide reports whether a rune is of a script without spaces, or one of its marks.
func wide(r rune) bool { return alone(r) || r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r <= 0xff65 }

func hiragana(r rune) bool { return r >= 0x3041 && r <= 0x309f }

// letterOrDigit reports whether a character is one of ASCII's.
func letterOrDigit(r rune) bool { return r < utf8.RuneSelf && isWord(r) && r != '_' }

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
	if !plus && (s[from] != '0' || !isDigit(byteAt(s, from+1)) || joined(s, from)) { // as in "S-0412 5 17.3"
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
	if !plus && departing(run) {
		return false
	}
	for i := range run { // as in "0881 2021-04-19"
		starts := isDigit(run[i]) && (i == 0 || !isDigit(run[i-1]))
		if d, _, _, dated := dateAt(run, i); starts && dated && (i == 0 || d.day > 0 && d.year > 0) {
			return false
		}
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

// identified returns the offsets of the identifier c at p, or -1: all characters must match, except for case and
// for spaces and hyphens, which a long identifier may have or lack anywhere.
func (t *tracer) identified(c *claim, p int) (int, int) {
	s, id := t.text, c.id
	long := len(id) >= 8
	i, k := p, 0
	switch abroad := c.countryCode(); {
	case isDigit(id[0]) && s[p]|0x20 == 'v': // it is a version
		i++
	case c.digits && id[0] == '0' && s[p] != '0' && countryCoded(s[:p]): // "+44 20 …" for "020 …"
		k++
	case abroad > 0 && s[p] == '0':
		i, k = i+1, abroad
	}
	for k < len(id) {
		if i >= len(s) {
			return -1, 0
		}
		x, y := lowered1(s[i]), id[k]
		loose := x == ' ' || x == '-'
		switch {
		case x == y && y != '-' && y != ' ':
			i++
			k++
		case y == '.' && strings.HasPrefix(s[i:], ") "): // "func (w *WAL) Rotate" is WAL.Rotate
			i += 2
			k++
		case (y == '-' || y == ' ') && (loose || strings.IndexByte("/.()", x) >= 0 && long):
			i++
			k++
		case (y == '-' || y == ' ') && long:
			k++
		case x >= utf8.RuneSelf && y >= utf8.RuneSelf: // as in "Б-204"
			r, n := utf8.DecodeRuneInString(s[i:])
			o, m := utf8.DecodeRuneInString(id[k:])
			if unicode.ToLower(r) != o {
				return -1, 0
			}
			i, k = i+n, k+m
		case loose && k > 0 && len(id) > 4 && isDigit(y) && !isDigit(id[k-1]), // as in "LX 1612"
			(loose || strings.IndexByte("()/", x) >= 0 && c.digits) && long && i > p:
			i++
		default:
			return -1, 0
		}
	}
	if !t.bordered(c, p, i) {
		return -1, 0
	}
	return p, i
}

// countryCode returns the length of the country code of a telephone number, 0 if there is none.
func (c *claim) countryCode() int {
	if !c.digits || c.text[0] != '+' || len(c.id) < 9 {
		return 0
	}
	if n := strings.IndexAny(c.id, " -("); n > 0 && n < 4 {
		return n
	}
	switch {
	case strings.IndexByte("17", c.id[0]) >= 0:
		return 1
	case strings.Contains(shortCodes, c.id[:2]):
		return 2
	}
	return 3
}

// shortCodes are the country codes of two digits.
const shortCodes = `20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64
 65 66 81 82 84 86 90 91 92 93 94 95 98`

// countryCoded reports whether a text ends with the country code of a telephone number.
func countryCoded(s string) bool {
	s = strings.TrimRight(s, " -(")
	code := strings.TrimRight(s, "0123456789")
	return len(s)-len(code) < 4 && len(s) > len(code) && strings.HasSuffix(code, "+")
}

// hosted reports whether a text ends with the host of an address, so that a path begins behind it.
func hosted(s string) bool {
	s = s[max(0, len(s)-256):]
	i := strings.LastIndex(s, "://")
	return i >= 0 && !strings.ContainsAny(s[i+3:], "/ \n\t\"'")
}

// versions reports whether the claim is a version, and a text before it ends with a name, as in "log4j-core-2.14.1".
func (c *claim) versions(before string) bool {
	return strings.Contains(c.id, ".") && strings.Trim(c.id, "0123456789.") == "" &&
		!isDigit(byteAt(before, len(before)-1))
}

// versionAt reports whether digits and a point start at p, as behind the name in "log4j-core-2.14.1".
func versionAt(s string, p int) bool {
	_, end := number(s, p, 4)
	return end > p && byteAt(s, end) == '.' && isDigit(byteAt(s, end+1))
}

// early are words behind a version that make it one before it.
var early = words("rc alpha beta pre preview dev snapshot nightly a b m")

// bordered reports whether an identifier between at and end is not part of a longer one. A path may be the end
// of a longer path, and a short hash the beginning of a long one.
func (t *tracer) bordered(c *claim, at, end int) bool {
	s := t.text
	before, next := lastRune(s[:at]), firstRune(s[end:])
	glued := c.version() && at > 0 && classes[s[at-1]] == aLetter // as in go1.24.1
	if isWord(before) && !alone(before) && !glued && !(before == 'v' && !isWord(lastRune(s[:at-1]))) {
		return false
	}
	if isWord(next) && !alone(next) && !(len(c.id) >= 7 && strings.Trim(c.id, "0123456789abcdef") == "" && !c.digits) {
		return false
	}
	zone := len(c.id) == 2 && isDigit(c.id[0]) && !isDigit(c.id[1]) // as in "eu-west-1b"
	if at > 1 && strings.IndexByte("-_", s[at-1]) >= 0 && isWord(lastRune(s[:at-1])) && !c.versions(s[:at-1]) && !zone {
		return false
	}
	slash := at > 0 && s[at-1] == '/'
	if c.text[0] == '/' && (slash && isWord(lastRune(s[:at-1])) && !hosted(s[:at-1]) ||
		!slash && !strings.Contains(c.id, "/")) {
		return false
	}
	if end+1 < len(s) && isWord(firstRune(s[end+1:])) {
		if strings.IndexByte("-_", s[end]) >= 0 {
			at, to := wordAfter(s, end)
			unit := s[end] == '_' && at >= 0 && lookUnit(s[at:to]) != nil // as in e1RM_kg
			named := strings.Contains(c.id, "-") && versionAt(s, end+1)
			built := c.version() && at >= 0 && !early.has(strings.TrimRight(fold(s[at:to]), "0123456789"))
			based := s[end] == '-' && strings.IndexFunc(c.id, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 ||
				strings.HasPrefix(c.id, "benchmark") && isDigit(s[end+1])
			return unit || named || built || based // as in "8.5.0-2ubuntu1_amd64" and "3.11.4-slim"
		}
		return !(s[end] == '.' && isDigit(s[end-1]) && isDigit(s[end+1]))
	}
	return true
}
