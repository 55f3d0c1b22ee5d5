package grounding

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
	i := q.end + 1
	if byteAt(s, q.end)|0x20 != 'e' || len(q.values) != 1 {
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
	q.values = []reading{q.values[0].times(math.Pow10(n))}
	q.end = end
}
