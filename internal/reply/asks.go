package reply

import (
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// requests matches English requests for something without a question mark.
var requests = startup.Regexp(
	`(?i)\b(?:(?:please|kindly|could you|can you|would you)\s+(?:clarify|specify|provide|confirm|share|upload|paste|attach|send|tell|supply|give)|`,
	`let me know (?:which|what|where|whether|if|how|the)|I (?:would )?need (?:to know|more (?:information|details|context)))\b`)

// longestAfter is how many characters may follow a question for the text to count as ending with it.
const longestAfter = 120

// Asks reports whether the prose of a reply ends by asking its reader for something.
func Asks(prose string) bool {
	text := strings.TrimRight(strings.TrimSpace(prose), "*_`\"')> \n")
	for _, mark := range [...]string{"?", "？", "؟", "⁇"} {
		if i := strings.LastIndex(text, mark); i >= 0 && utf8.RuneCountInString(text[i+len(mark):]) <= longestAfter {
			return true
		}
	}
	return requests().MatchString(lastRunes(text, 2*longestAfter))
}

// clarifies matches the words of a question about what the reader means or wants.
var clarifies = startup.Regexp(`(?i)\b(?:(?:do|did) you (?:mean|want|need|refer)|(?:should|shall) I|would you (?:like|prefer)|`,
	`are you (?:asking|referring|looking))\b`)

// Clarifies reports whether an answer asks what its reader means or wants, and not just any question.
func Clarifies(answer string) bool {
	return Asks(answer) && (clarifies().MatchString(answer) || requests().MatchString(answer))
}

// lastRunes returns the last n characters of s.
func lastRunes(s string, n int) string {
	i := len(s)
	for range n {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
