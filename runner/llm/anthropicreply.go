package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
)

// messageEvent is one event of a streamed reply of the Messages API, or a reply in one piece, which has the fields
// of replyMessage at its top level.
type messageEvent struct {
	Type    string       `json:"type"`
	Index   int          `json:"index"`
	Message replyMessage `json:"message"`
	Block   replyBlock   `json:"content_block"`
	Delta   struct {
		replyBlock
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage json.RawMessage `json:"usage"`
}

type replyMessage struct {
	Model      string          `json:"model"`
	Content    []replyBlock    `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      json.RawMessage `json:"usage"`
}

type replyBlock struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
	Data      string `json:"data"`
}

// message adds one event of a stream, or a reply in one piece, which is decoded a second time.
func (r *reply) message(ev messageEvent, line []byte) (d Delta, err error) {
	switch ev.Type {
	case "error":
		f, ok := errorIn(line)
		if !ok {
			f = failure{message: "the endpoint ended the reply with an error"}
		}
		for _, code := range f.codes {
			f.as = cmp.Or(f.as, anthropicErrors[code])
		}
		return Delta{}, f
	case "message_start":
		r.begin(ev.Message)
	case "message":
		var whole replyMessage
		if err := json.Unmarshal(line, &whole); err != nil {
			return Delta{}, fmt.Errorf("the reply is malformed: %w", err)
		}
		r.begin(whole)
		for _, b := range whole.Content {
			r.block(b, &d)
		}
		r.stop(whole.StopReason)
	case "content_block_start":
		r.block(ev.Block, &d)
	case "content_block_delta":
		r.grow(ev.Delta.replyBlock, &d)
	case "message_delta":
		r.countBlocks(ev.Usage)
		r.stop(ev.Delta.StopReason)
	}
	return d, nil
}

// anthropicErrors are the error types in a stream, where there is no status.
var anthropicErrors = map[string]ErrorKind{
	"invalid_request_error": ErrBadRequest, "authentication_error": ErrAuth, "permission_error": ErrAuth,
	"billing_error":   ErrQuota,
	"not_found_error": ErrBadRequest, "request_too_large": ErrContextTooLong, "rate_limit_error": ErrRateLimit,
}

func (r *reply) begin(m replyMessage) {
	r.choice, r.model = true, m.Model
	r.countBlocks(m.Usage)
}

// block starts a block, or adds a complete one.
func (r *reply) block(b replyBlock, d *Delta) {
	switch b.Type {
	case "text":
		r.said = true
		d.Content += b.Text
	case "thinking":
		r.parts = append(r.parts, Part{Kind: PartThought, From: r.from, Text: b.Thinking, Data: b.Signature})
		d.Reasoning += b.Thinking
	case "redacted_thinking":
		r.parts = append(r.parts, Part{Kind: PartSealed, From: r.from, Data: b.Data})
	case "tool_use", "server_tool_use":
		r.tools = true
	}
}

// grow adds a piece to the latest block: blocks do not interleave.
func (r *reply) grow(piece replyBlock, d *Delta) {
	d.Content += piece.Text
	d.Reasoning += piece.Thinking
	if n := len(r.parts); n > 0 && (piece.Type == "thinking_delta" || piece.Type == "signature_delta") {
		r.parts[n-1].Text += piece.Thinking
		r.parts[n-1].Data += piece.Signature
	}
}

// stop records why a reply ended. A reply that ended normally without a block is an empty text.
func (r *reply) stop(reason string) {
	if reason != "" {
		r.finish = reason
	}
	r.said = r.said || finishReason(r.finish) == "stop" && r.finish != ""
}

// countBlocks merges a usage. Later usages are for the whole reply so far, and may omit what has not changed.
func (r *reply) countBlocks(raw json.RawMessage) {
	value, _ := decoded(raw)
	told, _ := value.(map[string]any)
	blocks := maps.Clone(r.blocks)
	if blocks == nil {
		blocks = map[string]any{}
	}
	for name, v := range told {
		if v != nil {
			blocks[name] = v
		}
	}
	if u, ok := usageIn(blocks); ok {
		r.blocks, r.usage = blocks, &u
	}
}
