package grounding

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
	_, _, _, dated := dateAt(run, 0)
	return !dated && len(strings.FieldsFunc(run, func(r rune) bool { return !isDigit(byte(r)) })) > 2
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
