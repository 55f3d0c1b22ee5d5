package llm

import (
	"sync"

	"github.com/gorlm/rlm/internal/kit/text"
)

// MessageCache caches the JSON and the sizes of a conversation's messages, since each call sends and counts all of
// them. It belongs to one conversation, is carried by all its requests, and starts empty. Messages may be added,
// changed and removed meanwhile. It is safe for concurrent use.
type MessageCache struct {
	mu   sync.Mutex
	list []encodedMessage // by the message's index
}

type encodedMessage struct {
	text   string
	quoted []byte // the text as JSON
	tokens int64
}

// at returns the cached form of the text at an index of the conversation.
func (k *MessageCache) at(i int, content string) encodedMessage {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i < len(k.list) && k.list[i].text == content { // comparing is instant if both are the same string in memory
		return k.list[i]
	}
	made := encodedMessage{content, text.AppendQuoted(nil, content), EstimateTokens(content)}
	if i < len(k.list) {
		k.list[i] = made
	} else { // messages are read in order, so i is the next index
		k.list = append(k.list, made)
	}
	return made
}

// quoted is the text of the i-th message as JSON.
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
