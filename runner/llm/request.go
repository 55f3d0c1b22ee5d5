package llm

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// placeholder stands for the model's name until the body is completed: go-openai refuses, by the look of a
// name, requests that the endpoint may well accept ("gpt-5-local" with a temperature).
const placeholder = "model"

// request is what go-openai can say of a call. The messages come into the body later: it would encode the whole conversation with each turn.
func (a *call) request() openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: placeholder, ReasoningEffort: a.req.ReasoningEffort}
	if !a.req.NoStream && !a.speak.noStreamOptions {
		out.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if f := a.req.Format; f != nil {
		switch a.speak.format {
		case formatSchema:
			out.ResponseFormat = &openai.ChatCompletionResponseFormat{
				Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
				JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: f.Name, Schema: f.Schema, Strict: strictSchema(f.Schema)},
			}
		case formatObject:
			if isObjectSchema(f.Schema) {
				out.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
			}
		}
	}
	return out
}

// messages are the request's, with the schema in words for an endpoint that cannot take it as a format.
func (a *call) messages() []Message {
	messages := a.req.Messages
	if a.c.facts.lacks(lacksSystem) {
		messages = withoutSystem(messages)
	}
	if a.req.Format == nil || a.speak.format == formatSchema || len(messages) == 0 {
		return messages
	}
	out := append([]Message(nil), messages...)
	last := &out[len(out)-1]
	last.Content += fmt.Sprintf("\n\nAnswer with one JSON value that follows this JSON schema, and with nothing else:\n%s", a.req.Format.Schema)
	return out
}

// withoutSystem puts what the system says before the first message of the user.
func withoutSystem(messages []Message) []Message {
	var said []string
	var out []Message
	for _, m := range messages {
		if m.Role == System {
			said = append(said, m.Content)
			continue
		}
		if m.Role == User && len(said) > 0 {
			m.Content, said = strings.Join(append(said, m.Content), "\n\n"), nil
		}
		out = append(out, m)
	}
	if len(said) > 0 {
		out = append(out, Message{Role: User, Content: strings.Join(said, "\n\n")})
	}
	return out
}

// complete puts into the body what go-openai leaves out or gets wrong: the messages, each of which is encoded once, the name of the model, a
// temperature of 0, and the limit of tokens under the name that this endpoint knows.
func (a *call) complete(body io.ReadCloser) ([]byte, error) {
	raw, err := io.ReadAll(body)
	body.Close()
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("writing the request: %w", err)
	}
	set := func(name string, value any) error {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("writing %s of the request: %w", name, err)
		}
		fields[name] = text
		return nil
	}
	err = set("model", a.c.model)
	if err == nil && a.req.Temperature != nil {
		err = set("temperature", *a.req.Temperature)
	}
	if err == nil && a.req.MaxTokens > 0 {
		err = set(a.speak.maxTokens, a.req.MaxTokens)
	}
	if err == nil && a.req.NoStream {
		err = set("stream", false)
	}
	var marks []int
	if a.c.marked {
		marks = a.marks()
	}
	fields["messages"] = a.req.encode(a.messages(), marks, a.c.cacheMark())
	for _, extra := range []map[string]any{a.c.extra, a.c.cfg.ExtraBody} {
		for name, value := range extra {
			if err == nil {
				err = set(name, value)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return object(fields), nil
}

// object writes fields whose values are JSON, without reading all of it once more as the standard encoder does.
func object(fields map[string]json.RawMessage) []byte {
	size := 2
	for name, value := range fields {
		size += len(name) + len(value) + 8
	}
	out := append(make([]byte, 0, size), '{')
	for i, name := range slices.Sorted(maps.Keys(fields)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(name)...), ':'), fields[name]...)
	}
	return append(out, '}')
}

// strictSchema reports whether a schema keeps OpenAI's rules for strict mode: every object closed, every
// property required. A schema that does not is refused when strict is asked for.
func strictSchema(schema json.RawMessage) bool {
	var node any
	if json.Unmarshal(schema, &node) != nil {
		return false
	}
	top, ok := node.(map[string]any)
	return ok && top["type"] == "object" && strictNode(node)
}

func strictNode(node any) bool {
	switch n := node.(type) {
	case []any:
		for _, v := range n {
			if !strictNode(v) {
				return false
			}
		}
	case map[string]any:
		props, _ := n["properties"].(map[string]any)
		if n["type"] == "object" || props != nil {
			required, _ := n["required"].([]any)
			if closed, isBool := n["additionalProperties"].(bool); !isBool || closed || len(required) != len(props) {
				return false
			}
		}
		for _, v := range n {
			if !strictNode(v) {
				return false
			}
		}
	}
	return true
}

func isObjectSchema(schema json.RawMessage) bool {
	var top struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(schema, &top) == nil && strings.EqualFold(fmt.Sprint(top.Type), "object")
}
