package grounding

import (
	"strings"
	"unicode/utf8"
)

var vagueWords = words(`about around roughly nearly almost approximately approx circa ca rund etwa ungefähr knapp gut fast über over under than
 environ presque près cerca oltre d'environ some aproximadamente unos unas casi alrededor circa quasi ongeveer bijna около примерно 約 およそ`)

// belows and aboves say that the number after them is a bound.
var (
	belows = words(`under below almost nearly less fewer fast knapp unter weniger moins presque près menos casi presque meno quasi
 bijna minder`)
	aboves = words("over above more exceeding über mehr gut plus más oltre più meer ruim")
)

// vague reports whether a sign or one of the last two words of s marks the next number as approximate, and whether
// as a bound: -1 if the exact number is below it, 1 if it is above it.
func vague(s string) (round bool, bound int8) {
	s = strings.TrimRight(s, " \u00a0")
	r, n := utf8.DecodeLastRuneInString(s)
	arrow := n == len(s) || strings.IndexByte("-=", s[len(s)-n-1]) >= 0
	switch {
	case r == '~' || r == '≈':
		return true, 0
	case r == '<' && !arrow:
		return true, -1
	case r == '>' && !arrow:
		return true, 1
	}
	ws := appendWords(nil, s[max(0, len(s)-32):])
	ws = ws[max(0, len(ws)-2):]
	for i, w := range ws {
		than := i+1 < len(ws) && thans.has(ws[i+1].text)
		switch {
		case belows.has(w.text) && (than || vagueWords.has(w.text) && i == len(ws)-1):
			return true, -1
		case aboves.has(w.text) && (than || vagueWords.has(w.text) && i == len(ws)-1):
			return true, 1
		}
	}
	return spoken(ws, vagueWords), 0
}

var thans = words("than als de di que dan")
