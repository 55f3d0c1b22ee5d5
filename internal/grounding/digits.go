package grounding

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// reading is a possible value of digits, with half of the unit of the last one.
type reading struct {
	value, half float64
}

func (r reading) times(f float64) reading { return reading{r.value * f, r.half * math.Abs(f)} }

// digitsAt reads the digits at p with their separators. It returns their possible values, their end and how many
// digits there are: "1.234" has two values, "12 345" one or two; 10.0.0.1 has none, because it is not a number.
func digitsAt(s string, p int) (values []reading, end, digits int) {
	var groups [9]string
	var seps [9]byte
	n, i := 0, p
	season := p > 4 && s[p-1] == '/' && strings.Trim(s[p-5:p-1], "0123456789") == "" // as in "2022/23 201.557"
	for {
		at := i
		for isDigit(byteAt(s, i)) {
			i++
		}
		groups[n] = s[at:i]
		sep, w := separator(s, i)
		if w == 0 || n == 8 || season || n > 0 && sep == ' ' && seps[n-1] != ' ' || sep == ' ' && len(groups[0]) > 3 {
			break
		}
		seps[n] = sep
		n++
		i += w
	}
	all := groups[0]
	if n > 0 {
		all = strings.Join(groups[:n+1], "")
	}
	long := len(strings.TrimLeft(all, "0")) > 18 || len(all) > 24
	switch {
	case long && seps[0] == ' ': // columns, as in "21 138.04761904761905"
		return digitsAt(s[:p+len(groups[0])], p)
	case long || all == "":
		return nil, i, 0
	}
	number := func(whole, tail string) reading {
		if tail == "" && len(whole) < 16 {
			n := 0
			for i := range len(whole) {
				n = n*10 + int(whole[i]-'0')
			}
			return reading{float64(n), 0.5}
		}
		v, _ := strconv.ParseFloat(whole+"."+tail, 64)
		return reading{v, 0.5 * math.Pow(10, -float64(len(tail)))}
	}
	even := func(n int) bool { return strings.Count(string(seps[:n]), string(seps[:1])) == n }
	last := groups[n]
	switch {
	case n == 0 || even(n) && seps[0] != ' ' && n > 1 && grouped(groups[:n+1]):
		return []reading{number(all, "")}, i, len(all)
	case even(n) && seps[0] == ' ':
		return []reading{number(all, "")}, i, len(all)
	case n == 1 && seps[0] == ',' && len(groups[0]) > 3 && len(last) == 3: // it is a list
		return []reading{number(groups[0], "")}, p + len(groups[0]), len(groups[0])
	case n == 1:
		values = []reading{number(groups[0], last)}
		if len(last) == 3 && len(groups[0]) <= 3 && groups[0] != "0" {
			if values = append(values, number(all, "")); seps[0] == ',' {
				values[0], values[1] = values[1], values[0]
			}
		}
		return values, i, len(all)
	case !even(n) && even(n-1) && seps[n-1] != ' ' && grouped(groups[:n]):
		return []reading{number(strings.Join(groups[:n], ""), last)}, i, len(all)
	case seps[0] != '.': // it is a list
		return []reading{number(groups[0], "")}, p + len(groups[0]), len(groups[0])
	}
	if k := strings.IndexByte(s[p:i], ','); k > 0 { // a list of decimals, as in "70.37,31.09"
		return digitsAt(s[:p+k], p)
	}
	return nil, i, 0 // a version, an address
}

// separator reads a separator at i that a digit follows. Spaces and the like separate groups of three only.
func separator(s string, i int) (sep byte, width int) {
	r, n := utf8.DecodeRuneInString(s[i:])
	if !isDigit(byteAt(s, i+n)) {
		return 0, 0
	}
	switch r {
	case '.', ',':
		if c := byteAt(s, i+5); r == ',' && (c == '-' || c == '/') {
			if _, _, _, ok := dateAt(s, i+n); ok {
				return 0, 0
			}
		}
		return byte(r), n
	case '\'', '’', '_', '\u00a0', '\u202f', '\u2009', ' ':
		_, k := number(s, i+n, 3)
		if next := firstRune(s[k:]); k == i+n+3 && !(r == ' ' && isWord(next) && !alone(next)) {
			return ' ', n
		}
	}
	return 0, 0
}

// grouped reports whether groups are thousands, or lakhs as in 12,34,567.
func grouped(groups []string) bool {
	if len(groups[0]) > 3 || groups[0] == "0" || len(groups[len(groups)-1]) != 3 {
		return false
	}
	for _, g := range groups[1:] {
		if len(g) != 3 && len(g) != 2 {
			return false
		}
	}
	return true
}

// oneMark drops the readings of numbers such as 874,320 as decimals if the answer's decimals have the other mark.
func (x *extractor) oneMark() {
	mark := func(c *claim) byte {
		if i := strings.LastIndexAny(c.text, ".,"); i >= 0 && isDigit(byteAt(c.text, i+1)) {
			return c.text[i]
		}
		return 0
	}
	decimal := func(v reading) bool { return v.half < 0.5 }
	seen := map[byte]bool{}
	for _, c := range x.claims {
		if c.kind == aNumber && !c.q.isDate && len(c.q.values) == 1 && decimal(c.q.values[0]) {
			seen[mark(c)] = true
		}
	}
	for _, c := range x.claims {
		if len(c.q.values) == 2 && seen['.'] != seen[','] && (mark(c) == '.') == seen[','] {
			c.q.values = slices.DeleteFunc(slices.Clone(c.q.values), decimal)
		}
	}
}

// vulgar returns the value and start of a fraction sign before p, as in "½ litre".
func vulgar(s string, p int) (part float64, at int) {
	head := strings.TrimRight(s[:p], " ")
	if head == "" || head[len(head)-1] < utf8.RuneSelf {
		return 0, 0
	}
	r, n := utf8.DecodeLastRuneInString(head)
	if at = len(head) - n; !isWord(lastRune(head[:at])) {
		part = vulgars[r]
	}
	return part, at
}

// vulgars are fractions of one character.
var vulgars = map[rune]float64{'¼': 0.25, '½': 0.5, '¾': 0.75}

// quotient reads a fraction of two digits such as 3/4, which may also be two numbers, or the fraction in 2 1/2.
func (q *quantity) quotient(s string) {
	at, whole := q.num, 0.0
	if byteAt(s, q.end) == ' ' && q.values[0].half == 0.5 {
		at, whole = q.end+1, q.values[0].value
	}
	for _, in := range []string{" in ", " von ", " sur ", " su ", " de cada ", " op de ", " em cada "} {
		if rest, ok := strings.CutPrefix(s[q.end:], in); ok && q.values[0].value == 1 {
			if n, _ := number(strings.Replace(rest, ",", "", 1), 0, 6); n > 1 {
				q.values = append(q.values, reading{1 / float64(n), 0})
			}
		}
	}
	a, b := byteAt(s, at), byteAt(s, at+2)
	if at == q.num && q.digits != 1 || byteAt(s, at+1) != '/' || a < '1' || b <= a || b > '9' {
		return
	}
	if next := firstRune(s[at+3:]); !isWord(next) && next != '/' {
		v := reading{whole + float64(a-'0')/float64(b-'0'), 0}
		if q.values = append(q.values, v); at > q.num {
			q.values = []reading{v}
		}
		q.end, q.tail, q.digits = at+3, at+3, q.digits+1
	}
}

// decade reads a number such as 1960s, which matches each of its years.
func (q *quantity) decade(s string) bool {
	y, ok := q.whole()
	if !ok || q.digits != 4 || q.end-q.num != 4 || y%10 != 0 || !validYear(y) {
		return false
	}
	for _, end := range []string{"s", "er", "ern"} {
		if rest, ok := strings.CutPrefix(s[q.end:], end); ok && !isWord(firstRune(rest)) {
			q.values, q.end = []reading{{float64(y) + 4.5, 4.5}}, q.end+len(end)
			return true
		}
	}
	return false
}

// exponent reads the power of ten of a number such as 6.02e5.
func (q *quantity) exponent(s string) {
	if q.power(s) {
		return
	}
	i := q.end + 1
	if byteAt(s, q.end)|0x20 != 'e' {
		return
	}
	if c := byteAt(s, i); c == '-' || c == '+' {
		i++
	}
	_, end := number(s, i, 2)
	if end == i {
		return
	}
	n, err := strconv.Atoi(s[q.end+1 : end])
	if err != nil || isWord(firstRune(s[end:])) {
		return
	}
	v := slices.MinFunc(q.values, func(a, b reading) int { return cmp.Compare(a.half, b.half) }) // no thousands
	q.values = []reading{v.times(math.Pow10(n))}
	q.end = end
}

// power reads the power of ten behind a number, as in "3.2 × 10⁻⁴¹".
func (q *quantity) power(s string) bool {
	c := cursor{s, q.end}
	c.spaces()
	if !c.skip("×", "x", "·", "*") {
		return false
	}
	if c.spaces(); !c.skip("10^", "10") || s[c.i-1] == '0' && !raised(firstRune(s[c.i:])) {
		return false
	}
	from, caret := c.i, s[c.i-1] == '^'
	for r := firstRune(s[c.i:]); raised(r) || caret && (r == '-' || r >= '0' && r <= '9'); r = firstRune(s[c.i:]) {
		c.i += len(string(r))
	}
	n, err := strconv.Atoi(norm.NFKC.String(strings.ReplaceAll(s[from:c.i], "⁻", "-")))
	if err != nil || n < -99 || n > 99 {
		return false
	}
	q.values, q.end = []reading{q.values[0].times(math.Pow10(n))}, c.i
	return true
}

// raised reports whether a rune is a raised digit or sign.
func raised(r rune) bool { return r != 0 && strings.ContainsRune("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", r) }
