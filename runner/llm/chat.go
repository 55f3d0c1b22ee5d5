package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"
)

// chatCompletions is OpenAI's protocol, which most providers speak.
type chatCompletions struct {
	thoughtsApart bool // what was thought counts in the total of tokens only
}

// open sends a request. The key is put in when the request leaves.
func (chatCompletions) open(a *call) (events, error) {
	body, err := a.chatRequest()
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}, "Cache-Control": {"no-cache"}, "Connection": {"keep-alive"}}
	resp, err := a.send(http.MethodPost, a.c.address(a.c.baseURL+"/chat/completions"), header, body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 {
		return nil, refused(resp)
	}
	return chatEvents{a.body, resp.Body}, nil
}

// chatEvents are the events of a streamed reply.
type chatEvents struct {
	stream *stream // nil where there is no reply, but a redirection that was not followed
	body   io.Closer
}

// RecvRaw is the next event.
func (e chatEvents) RecvRaw() ([]byte, error) { return e.stream.event() }

// Close ends the reply.
func (e chatEvents) Close() error {
	if e.stream != nil {
		return e.stream.Close()
	}
	return e.body.Close()
}

// wireChunk is one event of a stream, or a reply in one piece.
type wireChunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Index        int       `json:"index"`
		Delta        wirePiece `json:"delta"`
		Message      wirePiece `json:"message"`
		FinishReason string    `json:"finish_reason"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"`
}

type wirePiece struct {
	Content          wireText        `json:"content"`
	Refusal          wireText        `json:"refusal"`
	ReasoningContent wireText        `json:"reasoning_content"` // DeepSeek, vLLM, llama.cpp
	Reasoning        wireText        `json:"reasoning"`         // OpenRouter, Ollama, newer vLLM
	ToolCalls        json.RawMessage `json:"tool_calls"`
	FunctionCall     json.RawMessage `json:"function_call"`
}

// callsTools reports whether the piece holds a call of a tool in the endpoint's own interface.
func (p wirePiece) callsTools() bool { return holds(p.ToolCalls) || holds(p.FunctionCall) }

func holds(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "[]", "{}":
		return false
	}
	return true
}

// wireText is text in any of the forms in use: a string, null, or a list of parts.
type wireText struct {
	text string
	said bool // it was no null, and not missing
}

// UnmarshalJSON accepts every form; what holds no text is empty.
func (t *wireText) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	t.said = true
	if n := len(data); n >= 2 && data[0] == '"' && bytes.IndexByte(data, '\\') < 0 && utf8.Valid(data) { // it holds what it means
		t.text = string(data[1 : n-1])
		return nil
	}
	if json.Unmarshal(data, &t.text) == nil {
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(data, &parts) == nil {
		for _, p := range parts {
			if p.Type == "text" || p.Type == "output_text" {
				t.text += p.Text
			}
		}
	}
	return nil
}

// add takes in one event of a stream, or a reply in one piece.
func (p chatCompletions) add(r *reply, line []byte) (Delta, error) {
	if bytes.Contains(line, []byte(`"error"`)) || !bytes.Contains(line, []byte(`"choices"`)) {
		if f, isError := errorIn(line); isError {
			return Delta{}, &midStreamError{f}
		}
	}
	var chunk wireChunk
	if err := json.Unmarshal(line, &chunk); err != nil {
		return Delta{}, fmt.Errorf("an event of the stream is malformed: %w", err)
	}
	if chunk.Model != "" {
		r.model = chunk.Model
	}
	if u := readUsage(chunk.Usage); u != nil {
		if thought := u.Total - u.Prompt - u.Completion; p.thoughtsApart && thought > 0 {
			u.Completion += thought
			u.CompletionDetails.Reasoning = thought
		}
		r.usage = u
	}
	var d Delta
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		r.choice = true
		if choice.FinishReason == "error" {
			return Delta{}, &midStreamError{failure{message: "the endpoint ended the reply with an error"}}
		}
		if choice.FinishReason != "" {
			r.finish = choice.FinishReason
		}
		for _, piece := range []wirePiece{choice.Delta, choice.Message} {
			content, thought := r.think.add(piece.Content.text + piece.Refusal.text)
			d.Content += content
			d.Reasoning += firstOf(piece.ReasoningContent.text, piece.Reasoning.text) + thought
			r.said = r.said || piece.Content.said || piece.Refusal.said
			r.tools = r.tools || piece.callsTools()
		}
	}
	return d, nil
}
