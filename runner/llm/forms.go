package llm

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

//go:embed forms.toml
var formsTOML []byte

// forms are what endpoints send, as the table has it.
type forms struct {
	Finish map[string][]string    // the endpoint's words by finish reason
	Codes  map[ErrorKind][]string // codes by kind of failure
	Words  map[string][]string    // what says a kind of failure in words
	Fields map[string][]string    // names of the fields of errors, by what they hold
	Usage  map[string][]string    // paths of numbers in a usage, by what they count

	finish map[string]string    // finish reason by the endpoint's word
	codes  map[string]ErrorKind // kind of failure by its code
}

// knownForms is the built-in table. It is read at its first use and never changed.
var knownForms = sync.OnceValue(func() forms {
	f := forms{finish: map[string]string{}, codes: map[string]ErrorKind{}}
	if err := toml.Unmarshal(formsTOML, &f); err != nil {
		panic(fmt.Errorf("read the built-in table of forms: %w", err))
	}
	for reason, said := range f.Finish {
		for _, word := range said {
			f.finish[word] = reason
		}
	}
	for kind, said := range f.Codes {
		for _, code := range said {
			f.codes[code] = kind
		}
	}
	return f
})

// holds reports whether a text in lower case holds what says something in words.
func (f forms) holds(text, what string) bool { return contains(text, f.Words[what]) }

// finishBroken is the finish reason of a reply that the endpoint broke off: it never leaves this package.
const finishBroken = "broken"

// The finish reasons that this package gives a Response.
const (
	FinishStop    = "stop"           // it came to its end
	FinishLength  = "length"         // it was cut at the limit of tokens
	FinishFilter  = "content_filter" // it was cut by a filter
	FinishRefusal = "refusal"        // the model declines, in what it says
	FinishTools   = "tool_calls"     // a call of a tool stands beside it
)

var plainReason = strings.NewReplacer("_", "", "-", "", " ", "")

// finishReason puts the words in use into OpenAI's. A word that is not known stays as it is, cut to a length.
func finishReason(said string) string {
	if said == "" || said == FinishStop { // most
		return FinishStop
	}
	word, _, _ := strings.Cut(said, ":") // Gemini adds the rule: content_filter: SAFETY
	word = strings.ToLower(word)
	word = word[strings.LastIndexByte(word, '.')+1:] // FinishReason.SAFETY, of proxies in Python
	if known, ok := knownForms().finish[plainReason.Replace(strings.TrimPrefix(word, "finish_reason_"))]; ok {
		return known
	}
	const longest = 100
	return said[:min(len(said), longest)]
}
