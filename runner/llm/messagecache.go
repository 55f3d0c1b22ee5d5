package llm

import (
	"sync"

	"github.com/gorlm/rlm/internal/kit/text"
)

// MessageCache is what clients make of a conversation's messages once, though each call sends and counts all of them: their form on the wire and their
// sizes. It belongs to one conversation, whose requests all carry it, and is empty at first. Messages may be added, changed and left out
// meanwhile. It is safe for concurrent use.
type MessageCache struct {
	mu   sync.Mutex
	list []encodedMessage // by the message's place
}

type encodedMessage struct {
	text   string
	quoted []byte // the text as JSON
	tokens int64
}

// at is what was made of the text in a place of the conversation.
func (k *MessageCache) at(i int, content string) encodedMessage {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i < len(k.list) && k.list[i].text == content { // which takes no time where it is the same text in memory
		return k.list[i]
	}
	made := encodedMessage{content, text.AppendQuoted(nil, content), EstimateTokens(content)}
	if i < len(k.list) {
		k.list[i] = made
	} else { // messages are read in order
		k.list = append(k.list, made)
	}
	return made
}

// quoted is the text of a message, in its place in the conversation, as JSON.
func (r Request) quoted(i int, content string) []byte {
	if r.Kept == nil {
		return text.AppendQuoted(nil, content)
	}
	return r.Kept.at(i, content).quoted
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
