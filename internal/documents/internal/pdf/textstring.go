package pdf

import (
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// textString decodes a string for people: UTF-16, UTF-8 or PDFDocEncoding.
func textString(s syntax.String) string {
	switch {
	case strings.HasPrefix(string(s), "\xFE\xFF"), strings.HasPrefix(string(s), "\xFF\xFE"):
		even := string(s[:len(s)/2*2])
		text, _ := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().String(even)
		return withoutLanguage(text)
	case strings.HasPrefix(string(s), "\xEF\xBB\xBF"):
		return strings.ToValidUTF8(string(s[3:]), "\uFFFD")
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(docRune(s[i]))
	}
	return b.String()
}

// withoutLanguage removes the escape sequences that mark the language of text.
func withoutLanguage(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	var b strings.Builder
	for i, part := range strings.Split(s, "\x1b") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

// docRune returns a character of PDFDocEncoding: Latin-1, with other characters in place of control characters.
func docRune(c byte) rune {
	const low, high = "˘ˇˆ˙˝˛˚˜", "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž"
	switch {
	case c >= 0x18 && c < 0x20:
		return []rune(low)[c-0x18]
	case c >= 0x80 && c < 0x9F:
		if r := []rune(high); int(c-0x80) < len(r) {
			return r[c-0x80]
		}
		return '\uFFFD'
	case c == 0xA0:
		return '€'
	}
	return rune(c)
}

// date converts "D:20240131123000+01'00'", or a prefix of it, to "2024-01-31 12:30:00 +01:00".
func date(s string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "D:")
	digits := 0
	for digits < len(s) && digits < 14 && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits < 4 {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:4])
	for i, mark := range []string{"-", "-", " ", ":", ":"} {
		if digits < 6+2*i {
			break
		}
		if i == 2 && digits < 12 { // an hour without minutes is omitted
			break
		}
		b.WriteString(mark + s[4+2*i:6+2*i])
	}
	zone := s[digits:]
	if digits >= 12 && len(zone) >= 3 && (zone[0] == '+' || zone[0] == '-') {
		minutes := "00"
		if len(zone) >= 6 {
			minutes = zone[4:6]
		}
		b.WriteString(" " + zone[:3] + ":" + minutes)
	} else if digits >= 12 && strings.HasPrefix(zone, "Z") {
		b.WriteString(" UTC")
	}
	return b.String()
}
