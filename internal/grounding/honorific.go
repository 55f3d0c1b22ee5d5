package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// sentenceEnds end a Japanese sentence.
	sentenceEnds = []string{"でした", "です", "である", "になります", "となります", "になりました", "だった"}
	// honorifics follow a name, and are no part of it.
	honorifics = []string{"さん", "さま", "くん", "ちゃん", "先生", "女士", "小姐", "氏", "様", "君", "殿"}
	// cases are particles behind a value.
	cases = []string{"に", "を", "が", "で", "と", "へ", "から", "まで", "より", "の"}
)

// bareHan returns a text at some offset without the end of its sentence and without the honorific of a name. Behind
// a value, a particle and a verb are no text at all, as in "2時に始まり".
func bareHan(at int, text string, behind bool) (int, string) {
	for _, tail := range sentenceEnds {
		text = strings.TrimSuffix(text, tail)
	}
	for _, h := range honorifics {
		name, ok := strings.CutSuffix(strings.TrimSuffix(text, "で"), h)
		if ok && utf8.RuneCountInString(name) > 1 && !kana(lastRune(name)) {
			text = name
			break
		}
	}
	if k := slices.IndexFunc(cases, func(c string) bool { return strings.HasPrefix(text, c) }); behind && k >= 0 {
		verb := strings.TrimLeftFunc(text[len(cases[k]):], func(r rune) bool { return han(r) })
		if strings.IndexFunc(verb, func(r rune) bool { return !kana(r) }) < 0 &&
			strings.ContainsRune("りるたてしうくむぶすついけせえ", lastRune(verb)) {
			return at, ""
		}
	}
	return at, text
}

// kana reports whether a rune is a letter of hiragana, in which endings and particles are written.
func kana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }
