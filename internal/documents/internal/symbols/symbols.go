// Package symbols reads text in fonts that hold signs in the place of letters, such as Symbol and Wingdings.
package symbols

import "strings"

const (
	symbolLower = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
	symbolUpper = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
)

// Text is what a text in that font shows. Signs of other fonts stay; signs in the private area, which no other font shows, are bullets.
func Text(font, text string) string {
	font = strings.ToLower(font)
	symbol, dings := font == "symbol", strings.HasPrefix(font, "wingdings")
	if !symbol && !dings && !strings.ContainsFunc(text, private) {
		return text
	}
	return strings.Map(func(r rune) rune {
		code := r
		if private(r) {
			code -= 0xF000
		}
		switch {
		case symbol:
			return symbolSign(code)
		case dings:
			return dingSign(code)
		case private(r):
			return '•'
		}
		return r
	}, text)
}

// private says whether r lies where symbol fonts have their signs.
func private(r rune) bool { return r >= 0xF020 && r <= 0xF0FF }

func symbolSign(code rune) rune {
	switch {
	case code >= 'a' && code <= 'z':
		return []rune(symbolLower)[code-'a']
	case code >= 'A' && code <= 'Z':
		return []rune(symbolUpper)[code-'A']
	}
	switch code {
	case 0xA3:
		return '≤'
	case 0xA5:
		return '∞'
	case 0xAC:
		return '←'
	case 0xAE:
		return '→'
	case 0xB0:
		return '°'
	case 0xB1:
		return '±'
	case 0xB3:
		return '≥'
	case 0xB4:
		return '×'
	case 0xB6:
		return '∂'
	case 0xB7:
		return '•'
	case 0xB8:
		return '÷'
	case 0xB9:
		return '≠'
	case 0xBB:
		return '≈'
	case 0xC5:
		return '⊕'
	case 0xCE:
		return '∈'
	case 0xD6:
		return '√'
	case 0xDE:
		return '⇒'
	case 0xE5:
		return '∑'
	case 0xF2:
		return '∫'
	}
	return code
}

func dingSign(code rune) rune {
	switch code {
	case 0xFC, 0x50:
		return '✓'
	case 0xFB, 0x4F:
		return '✗'
	case 0xFE, 0x52:
		return '☑'
	case 0xFD, 0x51:
		return '☒'
	case 0xA8, 0x6F, 0x71, 0xA3, 0x2A:
		return '☐'
	case 0xE0, 0xF0, 0xD8, 0xE8:
		return '→'
	case 0xDF, 0xEF:
		return '←'
	case 0x20:
		return ' '
	case 0x4A:
		return '☺'
	case 0x4C:
		return '☹'
	}
	return '•'
}
