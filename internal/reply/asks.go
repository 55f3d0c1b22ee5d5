package reply

import (
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// requests matches requests for something without a question mark, in English, German, French, Spanish, Portuguese,
// Italian, Chinese and Japanese.
var requests = startup.Regexp(
	`(?i)\b(?:(?:please|kindly|could you|can you|would you)\s+(?:clarify|specify|provide|confirm|share|upload|paste|attach|send|tell|supply|give)|`,
	`let me know (?:which|what|where|whether|if|how|the)|I (?:would )?need (?:to know|more (?:information|details|context))|`,
	`bitte (?:teilen?|geben|gib|nennen?|sagen?|sag|schicken?|schick|senden?|laden?|lade|präzisieren?|klären?|bestätigen?)|`,
	`(?:merci de|veuillez|pourriez-vous|pouvez-vous)\s+(?:(?:me|nous)\s+)?(?:préciser|indiquer|fournir|confirmer|envoyer|clarifier|dire|donner)|`,
	`por favor,?\s+(?:indi|especifi|aclar|proporcion|confirm|compart|env[ií]|d[ií]|esclare|forne|inform)\pL*|`,
	`(?:per favore|si prega di)\s+(?:specific|indic|chiar|forni|conferm|invi|dimmi|mi dica)\pL*)\b|`,
	`请您?(?:先|再)?(?:提供|说明|告诉|告知|指定|确认|明确|上传|发送)|(?:教えて|指定して|提供して|送って|示して|お知らせ|ご指定|ご提供)(?:下さい|ください)`)

// courtesy matches a question that closes an answer and needs no reply.
var courtesy = startup.Regexp(`(?i)[^.!?\n]*\b(?:anything else|(?:any|more|further|other) questions|sonst noch|autre chose|`,
	`algo más|mais alguma coisa|qualcos'altro)\b[^.!?\n]*[.!?]*$`)

// longestAfter is how many characters may follow a question for the text to count as ending with it.
const longestAfter = 120

// sentence matches a sentence, with the spaces behind it.
var sentence = startup.Regexp(`(?:[^.!?？؟⁇\n]|[.!]\S)+[.!?？؟⁇\n]*\s*`)

// Claims returns what a text states: its sentences that neither are questions nor ask for something.
func Claims(prose string) string {
	return strings.TrimSpace(sentence().ReplaceAllStringFunc(prose, func(s string) string {
		if strings.ContainsAny(s, questionMarks) || requests().MatchString(s) {
			return ""
		}
		return s
	}))
}

// questionMarks are those of all scripts.
const questionMarks = "?？؟⁇"

// Asks reports whether the prose of a reply ends by asking its reader for something. An offer of more help, at the end
// of an answer, asks for nothing.
func Asks(prose string) bool {
	text := courtesy().ReplaceAllString(strings.TrimRight(strings.TrimSpace(prose), "*_`\"')> \n"), "")
	if i := strings.LastIndexAny(text, questionMarks); i >= 0 && utf8.RuneCountInString(text[i:])-1 <= longestAfter {
		return true
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
