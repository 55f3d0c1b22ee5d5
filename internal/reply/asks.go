package reply

import (
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// requests are the ways to ask for something without a question mark, in English.
var requests = startup.Regexp(`(?i)\b(?:(?:please|kindly|could you|can you|would you)\s+(?:clarify|specify|provide|confirm|share|upload|paste|attach|send|tell|supply|give)|`,
	`let me know (?:which|what|where|whether|if|how|the)|I (?:would )?need (?:to know|more (?:information|details|context)))\b`)

// longestAfter is how many characters may follow a question that a text still asks at its end.
const longestAfter = 120

// Asks reports whether the prose of a reply ends by asking its reader for something, instead of saying something.
func Asks(prose string) bool {
	text := strings.TrimRight(strings.TrimSpace(prose), "*_`\"')> \n")
	for _, mark := range [...]string{"?", "？", "؟", "⁇"} {
		if i := strings.LastIndex(text, mark); i >= 0 && utf8.RuneCountInString(text[i+len(mark):]) <= longestAfter {
			return true
		}
	}
	return requests().MatchString(lastRunes(text, 2*longestAfter))
}

// lastRunes is the end of s, of at most n characters.
func lastRunes(s string, n int) string {
	i := len(s)
	for range n {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
