package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/text"
)

// Read passes the events of a reply in chat completions to go-openai, one at a time.
func (s *stream) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		event, err := s.event()
		if err != nil {
			return 0, err
		}
		event = keepHalves(event)
		s.line = event
		s.plain, s.renamed = renamed(event)
		s.both = !s.renamed && bytes.Contains(event, []byte(`"message":`))
		decoded := bytes.Replace(s.plain, []byte("{"), []byte("{ "), 1) // go-openai refuses {"error": right after data:
		s.frame = append(append(append(s.frame[:0], "data: "...), decoded...), '\n')
		s.rest = s.frame
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// renamed rewrites the field names of an event to those that go-openai decodes: a reply in one piece has a message
// instead of a delta, and OpenRouter, Ollama and newer vLLM write reasoning for DeepSeek's reasoning_content. whole
// reports whether the event had a message.
func renamed(event []byte) (out []byte, whole bool) {
	if delta := []byte(`"delta":`); !bytes.Contains(event, delta) {
		message := []byte(`"message":`)
		whole = bytes.Contains(event, message)
		event = bytes.ReplaceAll(event, message, delta)
	}
	if reasoning := []byte(`"reasoning":`); bytes.Contains(event, reasoning) {
		event = bytes.ReplaceAll(event, reasoning, []byte(`"reasoning_content":`))
	}
	return event, whole
}

// wholeOnceMore adds an event that repeats the whole message after its pieces. If they differ, the message counts,
// but thoughts that it lacks are kept.
func (r *reply) wholeOnceMore(content, thoughts string) Delta {
	var think thinkSplitter
	said, inner := think.add(content)
	held, open := think.rest()
	said += held
	missing, extends := strings.CutPrefix(content, r.text.String())
	if text := strings.TrimSpace(said); text == "" || !extends && text == strings.TrimSpace(r.content.String()) {
		missing, extends = "", true
	}
	before := r.reasoning.String()
	if extends {
		more, further := strings.CutPrefix(thoughts, r.thoughts.String())
		if !further || strings.TrimSpace(thoughts) == strings.TrimSpace(before) {
			more = ""
		}
		return r.add(missing, more, false)
	}
	if thoughts += inner + open; !strings.Contains(thoughts, before) {
		thoughts = before
	}
	r.text, r.thoughts = pieces{}, pieces{}
	r.restart()
	r.think.state = thinkOver // the message was split above
	d := Delta{Restart: true}
	d.Content, _ = r.text.add(said, false)
	d.Reasoning, _ = r.thoughts.add(thoughts, false)
	return d
}

// beside collects a message that an event has next to its delta: it is used if all deltas are empty.
func (r *reply) beside(event []byte) {
	var both struct {
		Choices []struct {
			Index   int `json:"index"`
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if json.Unmarshal(event, &both) != nil {
		return
	}
	for _, c := range both.Choices {
		if c.Index != 0 || c.Message.Content == "" {
			continue
		}
		if strings.HasPrefix(c.Message.Content, r.repeated.String()) {
			r.repeated.Reset()
		}
		r.repeated.WriteString(c.Message.Content)
	}
}

// saysSomething matches an event with a content or a refusal other than null, which go-openai also decodes to "".
var saysSomething = startup.Regexp(`"(?:content|refusal)":\s*[^n\s]`)

// parts decodes a text that arrives as a list of parts, as from Mistral's models, or as a single part.
type parts struct {
	said, thought string
	unread        bool // a part is in an unknown form
}

// UnmarshalJSON never fails: an unexpected field must not cost the reply. go-openai itself decodes plain strings.
func (ps *parts) UnmarshalJSON(data []byte) error {
	list := []json.RawMessage{data}
	switch data[0] {
	case '[':
		list = nil
		ps.unread = json.Unmarshal(data, &list) != nil
	case '"', 'n':
		return nil
	}
	for _, item := range list {
		ps.take(item)
	}
	return nil
}

func (ps *parts) take(item json.RawMessage) {
	var said string
	var part struct {
		Type, Text string
		Thinking   json.RawMessage
	}
	switch {
	case json.Unmarshal(item, &said) == nil:
		ps.said += said
	case json.Unmarshal(item, &part) != nil || part.Type == "" && part.Text == "":
		ps.unread = true
	case part.Type == "thinking" || part.Type == "reasoning" || part.Type == "thought":
		ps.thought += part.Text + thoughtsIn(part.Thinking)
	case part.Type == "text" || part.Type == "output_text" || part.Type == "":
		ps.said += part.Text
	}
}

// thoughtsIn returns the thoughts in a part, which are either a text or parts.
func thoughtsIn(thinking json.RawMessage) (thoughts string) {
	var inner parts
	if len(thinking) == 0 || json.Unmarshal(thinking, &thoughts) == nil {
		return thoughts
	}
	_ = inner.UnmarshalJSON(thinking)
	return inner.said + inner.thought
}

// addParts adds texts that arrive as lists of parts to the choices of an event: go-openai decodes only strings.
// all reports whether all content could be read.
func addParts(choices []openai.ChatCompletionStreamChoice, event []byte) (all bool) {
	var lists struct {
		Choices []struct {
			Delta struct {
				Content   parts `json:"content"`
				Refusal   parts `json:"refusal"`
				Reasoning parts `json:"reasoning_content"`
			} `json:"delta"`
		} `json:"choices"`
	}
	_ = json.Unmarshal(event, &lists) // anything but a list was decoded before
	unread := false
	for i := range min(len(choices), len(lists.Choices)) {
		from, to := lists.Choices[i].Delta, &choices[i].Delta
		unread = unread || from.Content.unread
		to.Content += from.Content.said
		to.Refusal += from.Refusal.said
		to.ReasoningContent += from.Reasoning.said + from.Reasoning.thought + from.Content.thought
	}
	return !unread
}

// malformed is the error for an unreadable event. It contains the event's text.
func malformed(event []byte, err error) error {
	return fmt.Errorf("an event of the stream is malformed: %w: %s", err, text.Line(string(event), 200))
}

// errorInEvent finds the error in an event.
func errorInEvent(event []byte) (failure, bool) {
	has := func(name string) bool { return bytes.Contains(event, []byte(name)) }
	if has(`"error"`) || has(`"base_resp"`) || !has(`"choices"`) {
		return errorIn(event)
	}
	return failure{}, false
}
