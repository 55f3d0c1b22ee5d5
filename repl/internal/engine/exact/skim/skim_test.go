package skim

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// expressions are of all kinds: their matches start with one of a few characters or of many, may be empty, or
// depend on the text around them.
var expressions = []string{
	`\d{4}-\d{2}-\d{2}`, `[A-Z]\w+`, `(\d+)\.(\d+)?`, `(?i)k+`, `(?i:s)\d`, `[äöü]+x?`, `[^\x00-\x7f]+`, `x|yy|(z)`,
	`(?:a|b)*c`, `\d*`, `(\d|)x`, `^\d+`, `(?m)^\d+`,
	`\b\d+`, `\d+\b`, `\d+$`, `(?m)\d+$`, `\d+\B`, `.x`, `(?s).1`, `[a-z]+`, `\w+`, `abc`, `\x{FFFD}`, `[\x{FFFD}0]+`,
	`(a)|(b)|(\d)+?`, `[0-9]+?`, `\pL`, `(?U)\d+`, `[[:digit:]]x*`,
	`(?:1|2|12)(?:3|23)?`, `(1|12)(2|23|)`, `\d{2,3}?x?`, `$`, ``, `[^\d]`, `[\d\s]+[a-c]`, `(?i)ſ`, `K`, `()1`,
	`(?:(1)|2)+`,
}

var pieces = []string{
	"1", "12", "123", "2024-01-02", " ", "\n", "x", "yy", "z", "abc", "k", "K", "\u212a", "ſ", "S", "s1", "ä", "öü",
	"世", "\xff", "\xe4", "\u00e4x", "3.5", "4.", "\u2028", "\ufffd", "Word", "word", "_",
}

// The results equal those of package regexp.
func TestMatchesAreTheSame(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	skimmed := 0
	for round := range 4 {
		var b strings.Builder
		filler := []string{"", " and so on ", "....", "é"}[round]
		for b.Len() < shortest+round*100 {
			b.WriteString(pieces[r.Intn(len(pieces))] + strings.Repeat(filler, r.Intn(3)))
		}
		s := b.String()
		for _, expression := range expressions {
			longest := regexp.MustCompile(expression)
			longest.Longest()
			for how, re := range map[string]*regexp.Regexp{
				"first": regexp.MustCompile(expression), "longest": longest,
			} {
				for _, n := range []int{-1, 0, 7} {
					name := fmt.Sprint(expression, " ", how, " ", n, " ", round)
					require.Equal(t, re.FindAllString(s, n), FindAllString(re, s, n), name)
					require.Equal(t, cap(re.FindAllString(s, n)), cap(FindAllString(re, s, n)), name)
					require.Equal(t, re.FindAllStringIndex(s, n), FindAllStringIndex(re, s, n), name)
					require.Equal(t, re.FindAllStringSubmatch(s, n), FindAllStringSubmatch(re, s, n), name)
					require.Equal(t, re.FindAllStringSubmatchIndex(s, n), FindAllStringSubmatchIndex(re, s, n), name)
				}
				if _, ok := firstBytes(re); ok {
					skimmed++
				}
			}
		}
	}
	require.Greater(t, skimmed, 4*2*15, "enough expressions take the fast way")
}

func TestShortTexts(t *testing.T) {
	re := regexp.MustCompile(`\d+`)
	require.Equal(t, []string{"1", "22"}, FindAllString(re, "a1b22", -1))
	require.Panics(t, func() { FindAllString(nil, strings.Repeat("x", shortest), -1) })
}

func BenchmarkDates(b *testing.B) {
	s := strings.Repeat("the quick brown fox jumps over the lazy dog 2024-01-02 and again\n", 4000)
	re := regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)
	b.Run("skim", func(b *testing.B) {
		for b.Loop() {
			FindAllString(re, s, -1)
		}
	})
	b.Run("regexp", func(b *testing.B) {
		for b.Loop() {
			re.FindAllString(s, -1)
		}
	})
}
