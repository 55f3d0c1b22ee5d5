package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/quoted"
)

// wireFormat is how an endpoint is asked for JSON.
type wireFormat struct {
	Type   string      `json:"type"`
	Schema *wireSchema `json:"json_schema,omitempty"`
}

type wireSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// format is how the request asks for JSON in the words of this endpoint, nil if it does not.
func (a *call) format() *wireFormat {
	f := a.req.Format
	switch {
	case f == nil:
	case a.speak.format == formatSchema:
		return &wireFormat{Type: "json_schema", Schema: &wireSchema{Name: f.Name, Schema: f.Schema, Strict: strictSchema(f.Schema)}}
	case a.speak.format == formatObject && isObjectSchema(f.Schema):
		return &wireFormat{Type: "json_object"}
	}
	return nil
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

// chatRequest is the body of a request: what the call sets, what the provider wants and what the user adds.
func (a *call) chatRequest() ([]byte, error) {
	var b body
	b.set("model", a.c.model)
	b.set("stream", !a.req.NoStream)
	if !a.req.NoStream && !a.speak.noStreamOptions {
		b.put("stream_options", []byte(`{"include_usage":true}`))
	}
	if a.req.ReasoningEffort != "" {
		b.set("reasoning_effort", a.req.ReasoningEffort)
	}
	if f := a.format(); f != nil {
		b.set("response_format", f)
	}
	if a.req.Temperature != nil {
		b.set("temperature", *a.req.Temperature)
	}
	if a.req.MaxTokens > 0 {
		b.set(a.speak.maxTokens, a.req.MaxTokens)
	}
	for _, extra := range []map[string]any{a.c.extra, a.c.cfg.ExtraBody} {
		for name, value := range extra {
			b.set(name, value)
		}
	}
	if b.err != nil {
		return nil, b.err
	}
	var marks []int
	if a.c.marked {
		marks = a.marks()
	}
	return b.with("messages", a.req.encode(a.messages(), marks, a.c.cacheMark())), nil
}

// body is an object whose fields are JSON already. It is written once, in the order of their names.
type body struct {
	fields []field
	err    error // of the first value that is none for JSON
}

type field struct {
	name  string
	value []byte
}

// set puts a value under a name, in the place of the one before.
func (b *body) set(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("writing %s of the request: %w", name, err)
	}
	b.put(name, text)
}

func (b *body) put(name string, value []byte) {
	if i := slices.IndexFunc(b.fields, func(f field) bool { return f.name == name }); i >= 0 {
		b.fields[i].value = value
		return
	}
	b.fields = append(b.fields, field{name, value})
}

// with writes the object with one more field, whose value is long and comes in pieces: it is copied once.
func (b *body) with(name string, pieces [][]byte) []byte {
	b.put(name, nil)
	size := 2
	for _, p := range pieces {
		size += len(p)
	}
	for _, f := range b.fields {
		size += len(f.name) + len(f.value) + 4
	}
	slices.SortFunc(b.fields, func(x, y field) int { return strings.Compare(x.name, y.name) })
	out := append(make([]byte, 0, size), '{')
	for i, f := range b.fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(quoted.Append(out, f.name), ':')
		if f.name != name {
			out = append(out, f.value...)
			continue
		}
		for _, p := range pieces {
			out = append(out, p...)
		}
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
