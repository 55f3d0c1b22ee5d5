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

// forms is the table of the words and field names in the answers of endpoints.
type forms struct {
	Finish map[string][]string    // endpoints' words by finish reason
	Codes  map[ErrorKind][]string // codes by kind of failure
	Words  map[string][]string    // words in messages by kind of failure
	Fields map[string][]string    // names of error fields, by what they contain
	Usage  map[string][]string    // paths of numbers in a usage, by meaning

	finish map[string]string    // finish reason by the endpoint's name for it
	codes  map[string]ErrorKind // kind of failure by code
}

// knownForms is the built-in table. It is read on first use and never changed.
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

// holds reports whether a text in lower case contains a word of the given list.
func (f forms) holds(text, what string) bool { return contains(text, f.Words[what]) }

// finishBroken is the finish reason of a reply that the endpoint broke off. It is used only inside this package.
const finishBroken = "broken"

// The finish reasons of a Response.
const (
	FinishStop    = "stop"           // the reply ended normally
	FinishLength  = "length"         // the reply was cut at the token limit
	FinishFilter  = "content_filter" // the reply was cut by a filter
	FinishRefusal = "refusal"        // the model declined, in its text
	FinishTools   = "tool_calls"     // the reply includes a tool call
)

var plainReason = strings.NewReplacer("_", "", "-", "", " ", "")

// finishReason translates an endpoint's word to OpenAI's. An unknown word is kept, shortened.
func finishReason(said string) string {
	if said == "" || said == FinishStop { // the usual cases
		return FinishStop
	}
	word, _, _ := strings.Cut(said, ":") // Gemini adds the rule: content_filter: SAFETY
	word = strings.ToLower(word)
	word = word[strings.LastIndexByte(word, '.')+1:] // such as FinishReason.SAFETY, from Python proxies
	if known, ok := knownForms().finish[plainReason.Replace(strings.TrimPrefix(word, "finish_reason_"))]; ok {
		return known
	}
	const longest = 100
	return said[:min(len(said), longest)]
}
