package llm

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/gorlm/rlm/internal/kit/text"
)

const usualCacheLeast = 1024 // tokens, where a model's own least length is not known

// cacheMarks are for Anthropic's models, whose service keeps everything up to each of at most four marks, and reads the
// longest kept beginning that ends at a mark, or up to twenty blocks before one. They are the messages of a conversation at whose ends the cache is marked, in order. A conversation only
// grows, so what the turn before sent is the beginning of what this turn sends. Marked are the end of the system's
// messages and of the first question, which all turns and a session's later questions share; the end of what the
// turn before sent, which is in the cache and could be more than twenty blocks before the end, since a reply may have
// many thoughts; and the end of all, for the next turn. In a conversation that does not go on only the first is worth
// it: to write to the cache costs more than to send. What is shorter than the model's least length cannot be kept.
func cacheMarks(messages []Message, least int64, once bool) []int {
	least = cmp.Or(least, usualCacheLeast)
	first := slices.IndexFunc(messages, func(m Message) bool { return m.Role == User })
	before := first
	for i, m := range messages {
		if m.Role == Assistant {
			before = i - 1
		}
	}
	wanted := []int{first - 1, first, before, len(messages) - 1}
	if once {
		wanted = wanted[:1]
	}
	var marks []int
	var size int64
	for i, m := range messages {
		size += EstimateTokens(m.Content)
		if slices.Contains(wanted, i) && size*5/4 >= least {
			marks = append(marks, i)
		}
	}
	return marks
}

// marks are the cache marks of the request.
func (a *call) marks() []int { return cacheMarks(a.messages(), a.c.facts.CacheLeast, a.req.Once) }

// cacheMark is what marks a block.
func (c *Client) cacheMark() json.RawMessage {
	if c.cfg.CacheTTL == "1h" {
		return json.RawMessage(`{"type":"ephemeral","ttl":"1h"}`)
	}
	return json.RawMessage(`{"type":"ephemeral"}`)
}

// encode returns messages for chat completions, of which some are marked, as pieces of JSON: the texts are as they were encoded before.
func (r Request) encode(messages []Message, marks []int, mark json.RawMessage) [][]byte {
	pieces := make([][]byte, 0, 3*len(messages)+1)
	open := "["
	for i, m := range messages {
		begin, end := `"content":`, "}"
		if slices.Contains(marks, i) {
			begin, end = `"content":[{"type":"text","text":`, `,"cache_control":`+string(mark)+"}]}"
		}
		head := append(make([]byte, 0, 64), open...)
		head = append(text.AppendQuoted(append(head, `{"role":`...), string(m.Role)), ',')
		pieces = append(pieces, append(head, begin...), r.quoted(i, m.Content))
		open = end + ","
		if i == len(messages)-1 {
			return append(pieces, []byte(end+"]"))
		}
	}
	return append(pieces, []byte("[]"))
}
