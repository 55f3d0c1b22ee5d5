package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// placeholder replaces the model's name until the body is completed: judging by the name, go-openai refuses
// requests that the endpoint may well accept ("gpt-5-local" with a temperature).
const placeholder = "model"

// chatRequest is the part of a request that go-openai can express.
func (a *call) chatRequest() openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{
		Model: placeholder, ReasoningEffort: a.req.ReasoningEffort, ResponseFormat: a.format(),
	}
	if !a.whole() && !a.speak.noStreamOptions {
		out.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	return out
}

// format returns the endpoint's form of the request for JSON, nil if there is no such request.
func (a *call) format() *openai.ChatCompletionResponseFormat {
	f := a.req.Format
	if f == nil {
		return nil
	}
	switch a.speak.format {
	case formatSchema:
		schema := &openai.ChatCompletionResponseFormatJSONSchema{
			Name: f.Name, Schema: f.Schema, Strict: strictSchema(f.Schema),
		}
		return &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema, JSONSchema: schema,
		}
	case formatObject:
		if isObjectSchema(f.Schema) {
			return &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
		}
	}
	return nil
}

// merge completes a body written by go-openai with what go-openai omits, refuses or gets wrong: the model's name, a
// reply in one piece, a temperature of 0 or of more than seven digits, a token limit under the endpoint's field
// name, fields of the provider and the user, and the messages. go-openai omits empty messages, has no cache marks,
// writes < as \u003c, and would encode all messages again each turn.
func (a *call) merge(written io.ReadCloser) ([]byte, error) {
	defer written.Close()
	var fields map[string]json.RawMessage
	if err := json.NewDecoder(written).Decode(&fields); err != nil {
		return nil, fmt.Errorf("writing the request: %w", err)
	}
	ours := map[string]any{"model": a.c.model, "stream": !a.whole()}
	if a.req.Temperature != nil {
		ours["temperature"] = *a.req.Temperature
	}
	if a.req.MaxTokens > 0 {
		ours[a.speak.maxTokens] = a.req.MaxTokens
	}
	if a.req.Conversation != "" && a.c.provider.Name == "openai" && a.c.provider.At(a.c.baseURL) {
		ours["prompt_cache_key"] = a.req.Conversation
	}
	maps.Copy(ours, a.c.extra)
	maps.Copy(ours, a.c.cfg.ExtraBody)
	for name, value := range ours {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("writing %s of the request: %w", name, err)
		}
		fields[name] = text
	}
	delete(fields, "messages")
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("writing the request: %w", err)
	}
	var marks []int
	if a.c.marked {
		marks = a.marks()
	}
	pieces := append([][]byte{[]byte(`{"messages":`)}, a.req.encode(a.messages(), marks, a.c.cacheMark())...)
	rest[0] = ',' // rest contains at least the model
	return bytes.Join(append(pieces, rest), nil), nil
}

// messages returns the request's messages, with the schema in words for an endpoint that does not accept it as a
// format.
func (a *call) messages() []Message {
	messages := a.req.Messages
	if a.c.facts.lacks(lacksSystem) || a.speak.noSystem {
		messages = withoutSystem(messages)
	}
	if a.req.Format == nil || a.speak.format == formatSchema || len(messages) == 0 {
		return messages
	}
	out := append([]Message(nil), messages...)
	last := &out[len(out)-1]
	last.Content += fmt.Sprintf(
		"\n\nAnswer with one JSON value that follows this JSON schema, and with nothing else:\n%s", a.req.Format.Schema)
	return out
}

// withoutSystem moves system messages into the next user message.
func withoutSystem(messages []Message) []Message {
	var said []string
	var out []Message
	for _, m := range messages {
		if m.Role == System {
			said = append(said, m.Content)
			continue
		}
		if m.Role == User {
			m.Content, said = strings.Join(append(said, m.Content), "\n\n"), nil
		}
		out = append(out, m)
	}
	if len(said) > 0 {
		out = append(out, Message{Role: User, Content: strings.Join(said, "\n\n")})
	}
	return out
}

// strictSchema reports whether a schema meets OpenAI's rules for strict mode: every object is closed and every
// property required. Other schemas are refused in strict mode.
func strictSchema(schema json.RawMessage) bool {
	var node any
	if json.Unmarshal(schema, &node) != nil {
		return false
	}
	top, ok := node.(map[string]any)
	return ok && top["type"] == "object" && !looseNode(node)
}

// looseNode reports whether a part of a schema breaks the rules.
func looseNode(node any) bool {
	switch n := node.(type) {
	case []any:
		return slices.ContainsFunc(n, looseNode)
	case map[string]any:
		props, _ := n["properties"].(map[string]any)
		required, _ := n["required"].([]any)
		if (n["type"] == "object" || props != nil) &&
			(n["additionalProperties"] != false || len(required) != len(props)) {
			return true
		}
		return slices.ContainsFunc(slices.Collect(maps.Values(n)), looseNode)
	}
	return false
}

func isObjectSchema(schema json.RawMessage) bool {
	var top struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(schema, &top) == nil && strings.EqualFold(fmt.Sprint(top.Type), "object")
}
