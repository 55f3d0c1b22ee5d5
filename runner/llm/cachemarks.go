package llm

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/gorlm/rlm/internal/kit/text"
)

const usualCacheLeast = 1024 // tokens, if the least length for a model is not known

// cacheMarks returns the messages after which the prompt cache of an Anthropic model is marked, in order. The
// service stores the prompt up to each of at most four marks, and reads the longest stored prefix that ends at a
// mark or up to twenty blocks before one. A conversation only grows, so the last turn's prompt is a prefix of this
// turn's. The marks are at the end of the system messages and of the first question, which all turns and a
// session's later questions share; at the end of the last turn's prompt, which is cached but may be more than
// twenty blocks before the end, since a reply may have many thoughts; and at the end of the whole, for the next
// turn. A conversation that will not continue has only the first marks: writing to the cache costs more than
// sending. A prefix shorter than the model's least length cannot be cached.
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

// marks returns the cache marks of the request.
func (a *call) marks() []int { return cacheMarks(a.messages(), a.c.facts.CacheLeast, a.req.Once) }

// cacheMark is the JSON of a cache mark.
func (c *Client) cacheMark() json.RawMessage {
	if c.cfg.CacheTTL == "1h" {
		return json.RawMessage(`{"type":"ephemeral","ttl":"1h"}`)
	}
	return json.RawMessage(`{"type":"ephemeral"}`)
}

// encode returns messages for chat completions, with cache marks on some, as pieces of JSON: texts that were
// encoded before are reused.
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
