package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// anthropicProvider is Anthropic with its native interface, since its OpenAI layer caches no prompts and shows no
// thoughts.
func anthropicProvider() Provider {
	return Provider{
		Name: "anthropic", Title: "Anthropic", BaseURL: "https://api.anthropic.com/v1",
		KeyEnv: []string{"ANTHROPIC_API_KEY"}, URLEnv: []string{"ANTHROPIC_BASE_URL"},
		protocol: messagesAPI{},
		sign:     func(h http.Header, key string) { h.Set("X-Api-Key", key) },
		base:     func(raw string) string { return withEnd(strings.TrimSuffix(raw, "/messages"), "/v1") },
		prepare: func(c *Client) {
			if c.cfg.Headers == nil {
				c.cfg.Headers = http.Header{}
			}
			if c.cfg.Headers.Get("Anthropic-Version") == "" {
				c.cfg.Headers.Set("Anthropic-Version", cmp.Or(c.cfg.APIVersion, anthropicVersion))
			}
			if c.cfg.Headers.Get("Anthropic-Version") > anthropicVersion {
				c.facts.Missing = append(slices.Clip(c.facts.Missing), lacksTemperature)
			}
			c.listQuery = "limit=1000"
		},
	}
}

// anthropicVersion is the default version of the interface: the last one that accepts a temperature. Apart from
// that, the next version, 2026-10-21, removes nothing that is used here.
const anthropicVersion = "2023-06-01"

// The ways in which a Claude model is asked to think.
const (
	thinkBudget   = "budget"   // with a budget of tokens
	thinkAdaptive = "adaptive" // as much as the model chooses, given an effort
	thinkUnasked  = "unasked"  // as much as the model chooses, even if not asked to think
	thinkNot      = "disabled" // not at all
)

// Limits of a reply, in tokens. They do not count toward rate limits.
const (
	usualOutput = 32_000 // if the model's own limit is not known
	wholeOutput = 16_000 // for a reply in one piece, which must arrive before connections time out
	leastOutput = 1024   // where the window is nearly full; also the least budget of thinking
)

// thinkingTokens is the thinking budget for an effort, for models that require a number of tokens.
var thinkingTokens = map[string]int{
	"minimal": 1024, "low": 2048, "medium": 8192, "high": 24_576, "xhigh": 32_768, "max": 49_152,
}

// messagesAPI is Anthropic's protocol.
type messagesAPI struct{}

// open sends a request to the Messages API.
func (messagesAPI) open(a *call) (events, error) {
	fields, err := a.messagesRequest()
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("writing the request: %w", err)
	}
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	if _, err := a.send(http.MethodPost, a.c.baseURL+"/messages", header, body); err != nil {
		return nil, err
	}
	if a.refusal != nil {
		return nil, *a.refusal
	}
	return messageEvents{a.body}, nil
}

// messagesRequest is the body of a request.
func (a *call) messagesRequest() (map[string]any, error) {
	output, thinking, err := a.outputAndThinking()
	if err != nil {
		return nil, err
	}
	system, messages := a.messageBlocks(thinking != nil && thinking["type"] != thinkNot)
	fields := map[string]any{"model": a.c.model, "max_tokens": output, "messages": messages, "stream": !a.whole()}
	if len(system) > 0 {
		fields["system"] = system
	}
	if a.req.Temperature != nil {
		fields["temperature"] = *a.req.Temperature
	}
	config := map[string]any{}
	if thinking != nil {
		fields["thinking"] = thinking
		if effort := a.req.ReasoningEffort; thinking["type"] == thinkAdaptive && effort != "" {
			config["effort"] = strings.Replace(effort, "minimal", "low", 1)
		}
	}
	if f := a.req.Format; f != nil && a.speak.format == formatSchema {
		config["format"] = map[string]any{"type": "json_schema", "schema": f.Schema}
	}
	if len(config) > 0 {
		fields["output_config"] = config
	}
	maps.Copy(fields, a.c.cfg.ExtraBody)
	return fields, nil
}

// outputAndThinking returns the limit of the reply, which the API requires, and how the model should think, nil if
// the request does not ask it to.
func (a *call) outputAndThinking() (output int, thinking map[string]any, err error) {
	facts := a.c.facts
	output = a.req.MaxTokens
	if output == 0 {
		output = cmp.Or(a.speak.output, int(facts.Output), usualOutput)
		if a.whole() {
			output = min(output, wholeOutput)
		}
		if facts.Window != 0 {
			output = min(output, max(leastOutput, int(facts.Window-a.reckoned*5/4)))
		}
	}
	effort, how := a.req.ReasoningEffort, cmp.Or(a.speak.thinking, facts.Thinking, thinkAdaptive)
	unasked := how == thinkUnasked
	if unasked && effort == "none" {
		return output, map[string]any{"type": thinkNot}, nil
	}
	if effort == "none" || effort == "" && !unasked {
		return output, nil, nil
	}
	if unasked || how == thinkAdaptive {
		return output, map[string]any{"type": thinkAdaptive, "display": "summarized"}, nil
	}
	tokens, ok := thinkingTokens[effort]
	if !ok {
		return 0, nil, failure{
			as:      ErrBadRequest,
			message: fmt.Sprintf("reasoning effort %q is not supported: use low, medium or high", effort),
		}
	}
	if output < 2*leastOutput {
		return 0, nil, failure{as: ErrBadRequest, message: fmt.Sprintf(
			"thinking needs a reply limit of at least %d tokens, not %d", 2*leastOutput, output)}
	}
	return output, map[string]any{"type": "enabled", "budget_tokens": max(leastOutput, min(tokens, output/2))}, nil
}

// messageBlock is a part of a message in the API's form.
type messageBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Data      string          `json:"data,omitempty"`
	Cache     json.RawMessage `json:"cache_control,omitempty"`
}

// wireMessage is a message in the API's form. Its content is always a list, so that a cache mark changes nothing
// else.
type wireMessage struct {
	Role    Role           `json:"role"`
	Content []messageBlock `json:"content"`
}

// messageBlocks returns the conversation's system prompt and messages, with cache marks. With thinking, the model's
// earlier thoughts are sent back unchanged.
func (a *call) messageBlocks(thinking bool) (system []messageBlock, out []wireMessage) {
	marks := a.marks()
	for i, m := range a.messages() {
		b := messageBlock{Type: "text", Text: m.Content}
		if strings.TrimSpace(b.Text) == "" {
			b.Text = "…" // the API refuses blocks without text
		}
		if slices.Contains(marks, i) {
			b.Cache = a.c.cacheMark()
		}
		if m.Role == System && len(out) == 0 {
			system = append(system, b)
			continue
		}
		role := m.Role
		if role == System {
			role = User
		}
		content := []messageBlock{b}
		if thinking && role == Assistant {
			content = append(thoughtBlocks(m.Parts, a.c.partsFrom()), b)
		}
		out = append(out, wireMessage{role, content})
	}
	if len(out) == 0 {
		out = []wireMessage{{User, []messageBlock{{Type: "text", Text: "…"}}}}
	}
	return system, out
}

// thoughtBlocks returns the thoughts in a reply that come from one model, since a model refuses the thoughts of
// another.
func thoughtBlocks(parts []Part, from string) (blocks []messageBlock) {
	for _, p := range parts {
		if p.From != from || p.Data == "" {
			continue
		}
		switch p.Kind {
		case PartThought:
			blocks = append(blocks, messageBlock{Type: "thinking", Thinking: &p.Text, Signature: p.Data})
		case PartSealed:
			blocks = append(blocks, messageBlock{Type: "redacted_thinking", Data: p.Data})
		}
	}
	return blocks
}

// messageEvents are the events of a streamed reply.
type messageEvents struct{ stream *stream }

// next reads one event of a stream, or a reply in one piece.
func (e messageEvents) next(r *reply) (Delta, error) {
	line, err := e.stream.event()
	if err != nil {
		return Delta{}, err
	}
	var ev messageEvent
	if err := json.Unmarshal(line, &ev); err != nil {
		return Delta{}, malformed(line, err)
	}
	if ev.Type == "message_stop" {
		e.stream.finish()
		return Delta{}, io.EOF
	}
	d, err := r.message(ev, line)
	if err != nil {
		return Delta{}, err
	}
	return r.add(d.Content, d.Reasoning, false), nil
}

// Close ends the reply.
func (e messageEvents) Close() error { return e.stream.Close() }
