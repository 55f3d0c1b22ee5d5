package llm

import (
	"sync"

	"github.com/gorlm/rlm/internal/quoted"
)

// Kept is what clients make of a conversation's messages once, though each call sends and counts all of them: their form on the wire and their
// sizes. It belongs to one conversation, whose requests all carry it, and is empty at first. Messages may be added, changed and left out
// meanwhile. It is safe for concurrent use.
type Kept struct {
	mu   sync.Mutex
	list []kept // by the message's place
}

type kept struct {
	text   string
	quoted []byte // the text as JSON
	tokens int64
}

// at is what was made of the text in a place of the conversation.
func (k *Kept) at(i int, text string) kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i < len(k.list) && k.list[i].text == text { // which takes no time where it is the same text in memory
		return k.list[i]
	}
	made := kept{text, quoted.Append(nil, text), EstimateTokens(text)}
	switch {
	case i < len(k.list):
		k.list[i] = made
	case i == len(k.list):
		k.list = append(k.list, made)
	}
	return made
}

// quoted is the text of a message, in its place in the conversation, as JSON.
func (r Request) quoted(i int, text string) []byte {
	if r.Kept == nil {
		return quoted.Append(nil, text)
	}
	return r.Kept.at(i, text).quoted
}

// tokens estimates the tokens of the messages; see EstimateMessages.
func (r Request) tokens() (n int64) {
	if r.Kept == nil {
		return EstimateMessages(r.Messages)
	}
	for i, m := range r.Messages {
		n += 4 + r.Kept.at(i, m.Content).tokens
	}
	return n
}
