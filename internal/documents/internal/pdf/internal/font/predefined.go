package font

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// charset decodes the codes of a predefined CMap. The codes are text in an East Asian encoding, so the CMap's name
// suffices; the CMaps themselves only map to glyph numbers.
type charset struct {
	next func(syntax.String) int // length of the first code in bytes
	text func(code syntax.String) string
}

// predefined returns the charset of a CMap by its name; nil for Identity and unknown names.
func predefined(name string) *charset {
	decode := func(e encoding.Encoding) func(syntax.String) string {
		d := e.NewDecoder()
		return func(s syntax.String) string {
			out, err := d.String(string(s))
			if err != nil || strings.ContainsRune(out, '\uFFFD') {
				return ""
			}
			return out
		}
	}
	has := func(part string) bool { return strings.Contains(name, part) }
	switch {
	case has("UTF16"), has("UCS2"):
		return &charset{nextUTF16, utf16Text}
	case has("RKSJ"):
		return &charset{nextShiftJIS, decode(japanese.ShiftJIS)}
	case has("GBK"), has("GB-EUC"), has("GBpc"):
		return &charset{nextHigh, decode(simplifiedchinese.GB18030)}
	case has("ETen"), has("B5"), has("HKscs"):
		return &charset{nextHigh, decode(traditionalchinese.Big5)}
	case has("Johab"):
		return nil
	case strings.HasPrefix(name, "KSC-H"), strings.HasPrefix(name, "KSC-V"):
		return &charset{nextPair, withHighBits(decode(korean.EUCKR))}
	case has("KSC"):
		return &charset{nextHigh, decode(korean.EUCKR)}
	case strings.HasPrefix(name, "GB-"):
		return &charset{nextPair, withHighBits(decode(simplifiedchinese.GB18030))}
	}
	switch name {
	case "EUC-H", "EUC-V", "78-EUC-H", "78-EUC-V":
		return &charset{nextHigh, decode(japanese.EUCJP)}
	case "H", "V", "78-H", "78-V", "Add-H", "Add-V", "Ext-H", "Ext-V", "NWP-H", "NWP-V": // JIS
		return &charset{nextPair, withHighBits(decode(japanese.EUCJP))}
	}
	return nil
}

// withHighBits decodes 7-bit codes with an encoding that stores them with the high bit set, next to ASCII.
func withHighBits(decode func(syntax.String) string) func(syntax.String) string {
	return func(s syntax.String) string {
		if len(s) < 2 {
			return ""
		}
		return decode(syntax.String([]byte{s[0] | 0x80, s[1] | 0x80}))
	}
}

func nextPair(s syntax.String) int { return min(2, len(s)) }

func nextUTF16(s syntax.String) int {
	if len(s) >= 4 && s[0]&0xFC == 0xD8 {
		return 4
	}
	return min(2, len(s))
}

// nextHigh returns the length of the first code in encodings in which a high first byte is followed by a second
// one.
func nextHigh(s syntax.String) int {
	if s[0] >= 0x81 && s[0] <= 0xFE {
		if len(s) >= 4 && s[1] >= '0' && s[1] <= '9' && s[2] >= 0x81 {
			return 4
		}
		return min(2, len(s))
	}
	return 1
}

func nextShiftJIS(s syntax.String) int {
	if s[0] >= 0x81 && s[0] <= 0x9F || s[0] >= 0xE0 && s[0] <= 0xFC {
		return min(2, len(s))
	}
	return 1
}

// latin returns a named encoding of simple fonts; false if the name is unknown.
func latin(name syntax.Name) (texts [256]string, ok bool) {
	var m *charmap.Charmap
	switch name {
	case "WinAnsiEncoding":
		m = charmap.Windows1252
	case "MacRomanEncoding":
		m = charmap.Macintosh
	case "StandardEncoding":
		for code, glyph := range standard().standard {
			texts[code] = glyphText(glyph)
		}
		return texts, true
	default:
		return texts, false
	}
	for code := 32; code < 256; code++ {
		if r := m.DecodeByte(byte(code)); r >= ' ' && r != '\uFFFD' && (r < 0x7F || r > 0x9F) {
			texts[code] = string(r)
		}
	}
	if name == "WinAnsiEncoding" { // unassigned codes are bullets
		for _, code := range []int{0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D} {
			texts[code] = "•"
		}
	}
	return texts, true
}
