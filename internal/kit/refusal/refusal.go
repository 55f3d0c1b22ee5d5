// Package refusal recognises replies in which a model declines in words what it was asked.
package refusal

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// Longest is how long a refusal may be, in bytes. A longer reply says more than that.
const Longest = 300

// declines matches a refusal from its first word on. That something is not in a text, or cannot be read, is none.
var declines = startup.Regexp(`(?i)^(?:(?:(?:I['’]?m|I am) (?:really |very |so )?(?:sorry|afraid)|(?:my )?apologies|sorry|unfortunately|`,
	`I apologi[sz]e|as an AI(?: language)?(?: model| assistant)?)[,.:;]?\s+(?:that\s+|but\s+|however,?\s+)?)?`,
	`I(?:['’]?m|\s+am)?\s+(?:just\s+)?(?:can(?:['’]?t|not| not)|(?:not able|unable) to|won['’]?t(?: be able to)?|will not|`,
	`must (?:decline|refuse) to|have to (?:decline|refuse) to|do not feel comfortable|don['’]t feel comfortable)\s+`,
	`(?:(?:help(?:ing)?|assist(?:ing)?)\b(?:\s+(?:you|out))?(?:\s*[.!]|\s+(?:you\s+)?(?:with|on|in)\s)|compl(?:y|ying)\b|`,
	`fulfil(?:l(?:ing)?)?\s+(?:this|that|your|the)\s+request|engag(?:e|ing) (?:with|in)|participat(?:e|ing) in|discuss(?:ing)? (?:this|that)|`,
	`do(?:ing)? (?:this|that)\b)|`,
	`^(?:es tut mir leid|tut mir leid|entschuldigung|leider)[,.:]?\s+(?:aber\s+)?(?:(?:dabei|damit|hierbei|bei \pL+ (?:anfrage|bitte|frage)|`,
	`das|ich)\s+)*(?:kann|darf|werde)\s[^.!?]{0,60}nicht\s+(?:weiter)?(?:helfen|behilflich|unterstützen|tun)|`,
	`^(?:(?:je suis )?désolée?|je m['’]excuse|malheureusement)[,.:]?\s+(?:mais\s+)?je ne (?:peux|puis) (?:pas )?(?:vous |t['’])?(?:y )?aider|`,
	`^(?:lo siento|lo lamento|disculpa)[,.:]?\s+(?:pero\s+)?no puedo (?:ayudar|asistir)|`,
	`^(?:mi dispiace|mi spiace)[,.:]?\s+(?:ma\s+)?non posso aiutar|`,
	`^(?:desculpe|sinto muito|lamento)[,.:]?\s+(?:mas\s+)?não posso ajudar|`,
	`^(?:很?抱歉|对不起)[，,]?\s*(?:但)?我?(?:无法|不能)(?:为您|帮您|为你)?(?:提供)?(?:这方面的|相关)?(?:协助|帮助|满足)|`,
	`^(?:申し訳(?:ありません|ございません)|すみません|ごめんなさい)[がけど、。]*[^。]{0,40}(?:お手伝い|お答え|対応)(?:する|いたし|でき)[^。]{0,12}(?:ません|ない)`)

// Said reports whether a text is nothing but a refusal.
func Said(text string) bool {
	text = strings.Trim(strings.TrimSpace(text), "\"'`*_“”")
	return len(text) <= Longest && !strings.Contains(text, "```") && declines().MatchString(text)
}
