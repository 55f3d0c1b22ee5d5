package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// messages is a call of Anthropic's Messages API.
type messages struct {
	Model     string          `json:"model"`
	MaxTokens *int            `json:"max_tokens"`
	System    []textBlock     `json:"system"`
	Messages  []wireTurn      `json:"messages"`
	Stream    bool            `json:"stream"`
	Thinking  *thinkingConfig `json:"thinking"`

	Temperature  *float64        `json:"temperature"`
	OutputConfig json.RawMessage `json:"output_config"`
	Metadata     json.RawMessage `json:"metadata"`
	StopSequence json.RawMessage `json:"stop_sequences"`
	ServiceTier  json.RawMessage `json:"service_tier"`
}

type wireTurn struct {
	Role    string     `json:"role"`
	Content textBlocks `json:"content"`
}

type thinkingConfig struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens"`
	Display string `json:"display"`
}

type textBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	Cache     json.RawMessage `json:"cache_control"`
}

// textBlocks is a list of blocks, or a text that stands for one block.
type textBlocks []textBlock

// UnmarshalJSON accepts both forms.
func (b *textBlocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = textBlocks{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]textBlock)(b))
}

// refusal returns the service's reply to a request that breaks its rules; nil if it does not.
func (m *messages) refusal(r *http.Request, body []byte) *Reply {
	bad := func(format string, args ...any) *Reply {
		reply := AnthropicError(http.StatusBadRequest, "invalid_request_error", fmt.Sprintf(format, args...))
		return &reply
	}
	switch {
	case r.Header.Get("X-Api-Key") == "" && r.Header.Get("Authorization") == "":
		reply := AnthropicError(http.StatusUnauthorized, "authentication_error", "x-api-key header is required")
		return &reply
	case r.Header.Get("Anthropic-Version") == "":
		return bad("anthropic-version: header is required")
	}
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(m); err != nil {
		if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			return bad("%s: Extra inputs are not permitted", strings.Trim(name, `"`))
		}
		return bad("the body is not valid: %v", err)
	}
	switch {
	case m.Temperature != nil && r.Header.Get("Anthropic-Version") >= "2026-10-21":
		return bad("temperature: Extra inputs are not permitted")
	case m.MaxTokens == nil:
		return bad("max_tokens: Field required")
	case *m.MaxTokens < 1:
		return bad("max_tokens: must be greater than or equal to 1")
	case len(m.Messages) == 0:
		return bad("messages: at least one message is required")
	case m.Messages[0].Role != "user":
		return bad("messages: first message must use the \"user\" role")
	}
	if text := m.brokenBlock(); text != "" {
		return bad("%s", text)
	}
	if text := claudeNamed(m.Model).refuses(m); text != "" {
		return bad("%s", text)
	}
	if t := m.Thinking; t != nil && t.Type == "enabled" {
		switch {
		case t.Budget < 1024:
			return bad("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
		case t.Budget >= *m.MaxTokens:
			return bad("`max_tokens` must be greater than `thinking.budget_tokens`")
		}
	}
	if t := m.Thinking; t != nil && t.Type != "disabled" && m.Temperature != nil && *m.Temperature != 1 {
		return bad("`temperature` may only be set to 1 when thinking is enabled")
	}
	return nil
}

// brokenBlock describes what is wrong with a block of the request.
func (m *messages) brokenBlock() string {
	var marks []json.RawMessage
	check := func(where string, blocks []textBlock) string {
		for i, b := range blocks {
			if len(b.Cache) > 0 {
				marks = append(marks, b.Cache)
			}
			switch {
			case b.Type == "text" && b.Text == "":
				return where + ": text content blocks must be non-empty"
			case b.Type == "text" && strings.TrimSpace(b.Text) == "":
				return where + ": text content blocks must contain non-whitespace text"
			case b.Type == "thinking" && b.Signature == "":
				return fmt.Sprintf("%s.content.%d.thinking.signature: Field required", where, i)
			case b.Type == "thinking" && b.Signature != signature(m.Model, b.Thinking):
				return fmt.Sprintf("%s.content.%d: Invalid `signature` in `thinking` block", where, i)
			case b.Type == "thinking" && len(b.Cache) > 0:
				return fmt.Sprintf("%s.content.%d.thinking.cache_control: Extra inputs are not permitted", where, i)
			}
		}
		return ""
	}
	if text := check("system", m.System); text != "" {
		return text
	}
	for i, t := range m.Messages {
		if t.Role != "user" && t.Role != "assistant" {
			return fmt.Sprintf("messages.%d.role: Input should be 'user' or 'assistant'", i)
		}
		if text := check(fmt.Sprintf("messages.%d", i), t.Content); text != "" {
			return text
		}
	}
	return brokenMarks(marks)
}

// signature is the service's signature of a model's thought. No other model accepts it.
func signature(model, thought string) string {
	return fmt.Sprintf("sig-%d-%x", len(thought), sum(model+"\x00"+thought))
}

// AnthropicError is a reply with a status and an error as the Messages API sends it.
func AnthropicError(status int, kind, message string) Reply {
	body, _ := json.Marshal(map[string]any{
		"type": "error", "error": map[string]any{"type": kind, "message": message}, "request_id": "req_fake",
	})
	return Reply{Status: status, Body: string(body)}
}

// plain returns the conversation as the rules of the fake endpoint see it.
func (m *messages) plain() (out []Message) {
	add := func(role string, blocks []textBlock) {
		var text []string
		for _, b := range blocks {
			if b.Type == "text" {
				text = append(text, b.Text)
			}
		}
		out = append(out, Message{role, strings.Join(text, "\n")})
	}
	if len(m.System) > 0 {
		add("system", m.System)
	}
	for _, t := range m.Messages {
		add(t.Role, t.Content)
	}
	return out
}

// sendMessage answers a call of the Messages API.
func (r Reply) sendMessage(w http.ResponseWriter, hr *http.Request, req Request) {
	if !req.Stream || r.Fault == Whole {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(r.wholeMessage(req))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	r.streamMessage(&events{w: w, gone: hr.Context().Done(), model: req.Model, pause: r.PieceDelay}, req)
}

func (r Reply) wholeMessage(req Request) map[string]any {
	content, shown := []any{}, r.shown(req)
	for range r.thoughts() {
		content = append(content,
			map[string]any{"type": "thinking", "thinking": shown, "signature": signature(req.Model, shown)})
	}
	if r.Content != "" {
		content = append(content, map[string]any{"type": "text", "text": r.Content})
	}
	if r.Fault == ToolCalls {
		content = append(content, toolUse)
	}
	return map[string]any{
		"id": "msg_fake", "type": "message", "role": "assistant", "model": req.Model, "content": content,
		"stop_reason": r.stopReason(), "stop_sequence": nil, "usage": r.messageUsage(req, true),
	}
}

// thoughts is the number of blocks with reasoning.
func (r Reply) thoughts() int {
	if r.Reasoning == "" {
		return 0
	}
	return max(1, r.Thoughts)
}

// shown is the thought as the reply shows it.
func (r Reply) shown(req Request) string {
	var m messages
	if json.Unmarshal(req.Body, &m) == nil && !claudeNamed(req.Model).shows(&m) {
		return ""
	}
	return r.Reasoning
}

var toolUse = map[string]any{"type": "tool_use", "id": "toolu_1", "name": "search", "input": map[string]any{}}

func (r Reply) stopReason() string {
	switch {
	case r.Fault == ToolCalls:
		return "tool_use"
	case r.Finish == "length":
		return "max_tokens"
	case r.Finish != "":
		return r.Finish
	}
	return "end_turn"
}

func (r Reply) messageUsage(req Request, whole bool) any {
	if r.Usage != "" {
		return json.RawMessage(r.Usage)
	}
	u := map[string]any{
		"input_tokens": req.Cache.Fresh, "cache_creation_input_tokens": req.Cache.Written,
		"cache_read_input_tokens": req.Cache.Read,
		"output_tokens":           1, "service_tier": "standard",
		"cache_creation": map[string]any{
			"ephemeral_5m_input_tokens": req.Cache.Written - req.Cache.Hour,
			"ephemeral_1h_input_tokens": req.Cache.Hour,
		},
	}
	if r.PromptTokens > 0 {
		delete(u, "cache_creation")
		u["input_tokens"], u["cache_creation_input_tokens"],
			u["cache_read_input_tokens"] = r.PromptTokens-r.CachedTokens-r.WrittenTokens, r.WrittenTokens,
			r.CachedTokens
	}
	if whole {
		u["output_tokens"] = r.completion()
	}
	return u
}

// streamMessage sends the reply as events of the Messages API.
func (r Reply) streamMessage(e *events, req Request) {
	e.named("message_start", map[string]any{"message": map[string]any{
		"id": "msg_fake", "type": "message", "role": "assistant", "model": req.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": r.messageUsage(req, false),
	}})
	pings := 1
	if r.Fault == KeepAlives {
		pings = 1000
	}
	for range pings {
		e.named("ping", map[string]any{})
	}
	index := 0
	block := func(start map[string]any, deltas func()) {
		e.named("content_block_start", map[string]any{"index": index, "content_block": start})
		deltas()
		e.named("content_block_stop", map[string]any{"index": index})
		index++
	}
	delta := func(d map[string]any) { e.slow("content_block_delta", map[string]any{"index": index, "delta": d}) }
	shown := r.shown(req)
	for range r.thoughts() {
		block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, func() {
			if shown != "" {
				delta(map[string]any{"type": "thinking_delta", "thinking": shown})
			}
			delta(map[string]any{"type": "signature_delta", "signature": signature(req.Model, shown)})
		})
	}
	over := false
	if r.Fault == Endless {
		e.named("content_block_start",
			map[string]any{"index": index, "content_block": map[string]any{"type": "text", "text": ""}})
		for e.alive() {
			e.named("content_block_delta",
				map[string]any{"index": index, "delta": map[string]any{"type": "text_delta", "text": r.Content}})
		}
		return
	}
	if r.Content != "" {
		e.named("content_block_start",
			map[string]any{"index": index, "content_block": map[string]any{"type": "text", "text": ""}})
		for i, piece := range r.pieces() {
			if over = i == r.Pieces && r.goWrong(e); over {
				return
			}
			delta(map[string]any{"type": "text_delta", "text": piece})
		}
		if over = len(r.pieces()) <= r.Pieces && r.goWrong(e); over {
			return
		}
		e.named("content_block_stop", map[string]any{"index": index})
		index++
	}
	if r.Fault == ToolCalls {
		block(toolUse, func() { delta(map[string]any{"type": "input_json_delta", "partial_json": "{}"}) })
	}
	r.finishMessage(e)
}

func (r Reply) finishMessage(e *events) {
	if r.Fault != NoFinish {
		last := map[string]any{"delta": map[string]any{"stop_reason": r.stopReason(), "stop_sequence": nil}}
		if !r.NoUsage {
			last["usage"] = map[string]any{"output_tokens": r.completion()}
			if r.ReasoningTokens > 0 {
				last["usage"] = map[string]any{
					"output_tokens":         r.completion(),
					"output_tokens_details": map[string]any{"thinking_tokens": r.ReasoningTokens},
				}
			}
		}
		e.named("message_delta", last)
	}
	switch r.Fault {
	case NoDone:
	case Linger:
		<-e.gone
	default:
		e.named("message_stop", map[string]any{})
	}
}
