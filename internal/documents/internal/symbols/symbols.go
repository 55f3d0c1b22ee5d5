// Package symbols reads text in fonts that hold signs in the place of letters, such as Symbol and Wingdings.
package symbols

import "strings"

// What the characters of a font show, by the characters of Latin-1 with their codes.
const (
	symbol = "aαbβcχdδeεfφgγhηiιjϕkκlλmμnνoοpπqθrρsσtτuυvϖwωxξyψzζAΑBΒCΧDΔEΕFΦGΓHΗIΙJϑKΚLΛMΜNΝOΟPΠQΘRΡSΣTΤUΥVςWΩXΞYΨZΖ" +
		"£≤¥∞¬←®→°°±±³≥´×¶∂·•¸÷¹≠»≈Å⊕Î∈Ö√Þ⇒å∑ò∫"
	dings = "ü✓P✓û✗O✗þ☑R☑ý☒Q☒¨☐o☐q☐£☐*☐à→ð→Ø→è→ß←ï←  J☺L☹"
)

// Text is what a text in that font shows. Signs of other fonts stay; signs in the private area, which no other font
// shows, are bullets.
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

// private says whether r lies where symbol fonts have their signs.
func private(r rune) bool { return r >= 0xF020 && r <= 0xF0FF }

// shown is what stands behind a code in pairs.
func shown(pairs string, code, otherwise rune) rune {
	signs := []rune(pairs)
	for i := 0; i < len(signs); i += 2 {
		if signs[i] == code {
			return signs[i+1]
		}
	}
	return otherwise
}
