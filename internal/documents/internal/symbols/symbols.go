// Package symbols converts text in fonts that have symbols in place of letters, such as Symbol and Wingdings.
package symbols

import "strings"

// Pairs of a character of Latin-1 and the symbol that the font shows for its code.
const (
	symbol = "aαbβcχdδeεfφgγhηiιjϕkκlλmμnνoοpπqθrρsσtτuυvϖwωxξyψzζAΑBΒCΧDΔEΕFΦGΓHΗIΙJϑKΚLΛMΜNΝOΟPΠQΘRΡSΣTΤUΥVςWΩXΞYΨZΖ" +
		"£≤¥∞¬←®→°°±±³≥´×¶∂·•¸÷¹≠»≈Å⊕Î∈Ö√Þ⇒å∑ò∫"
	dings = "ü✓P✓û✗O✗þ☑R☑ý☒Q☒¨☐o☐q☐£☐*☐à→ð→Ø→è→ß←ï←  J☺L☹"
)

// Text returns the symbols that a font shows for a text. Text in other fonts is unchanged, except that private code
// points become bullets.
func Text(font, text string) string {
	font = strings.ToLower(font)
	isSymbol, isDings := font == "symbol", strings.HasPrefix(font, "wingdings")
	if !isSymbol && !isDings && !strings.ContainsFunc(text, private) {
		return text
	}
	return strings.Map(func(r rune) rune {
		code := r
		if private(r) {
			code -= 0xF000
		}
		switch {
		case isSymbol:
			return shown(symbol, code, code)
		case isDings:
			return shown(dings, code, '•')
		case private(r):
			return '•'
		}
		return r
	}, text)
}

// private reports whether r is a private code point of symbol fonts.
func private(r rune) bool { return r >= 0xF020 && r <= 0xF0FF }

// shown returns the symbol that follows a code in pairs.
func shown(pairs string, code, otherwise rune) rune {
	signs := []rune(pairs)
	for i := 0; i < len(signs); i += 2 {
		if signs[i] == code {
			return signs[i+1]
		}
	}
	return otherwise
}
