package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/quantity"
)

// reply gathers a streamed reply.
type reply struct {
	content, reasoning strings.Builder
	think              thinkSplitter
	model, finish      string
	usage              *wireUsage

	choice bool // there was a choice
	said   bool // its content was a text, if an empty one
	tools  bool // it calls tools
}

// wireChunk is one event of a stream, or a reply in one piece. It holds the fields that go-openai does not
// know.
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

// add takes in one event and returns the piece of reply in it.
func (r *reply) add(line []byte) (Delta, error) {
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
		for _, p := range []wirePiece{choice.Delta, choice.Message} {
			content, thought := r.think.add(p.Content.text + p.Refusal.text)
			d.Content += content
			d.Reasoning += firstOf(p.ReasoningContent.text, p.Reasoning.text) + thought
			r.said = r.said || p.Content.said || p.Refusal.said
			r.tools = r.tools || p.callsTools()
		}
	}
	r.keep(d)
	if r.content.Len()+r.reasoning.Len() > mostReply {
		return Delta{}, &midStreamError{tooLong()}
	}
	return d, nil
}

// mostReply bounds the bytes of a reply with its reasoning: several times what any model can write.
const mostReply = 32 << 20

// tooLong is the failure of a reply that does not end.
func tooLong() failure {
	return failure{as: ErrReplyTooLong, message: fmt.Sprintf("it is longer than %s", quantity.Bytes(mostReply))}
}

func (r *reply) keep(d Delta) {
	r.content.WriteString(d.Content)
	r.reasoning.WriteString(d.Reasoning)
}

// end returns the piece that was held back until the reply was complete.
func (r *reply) end() Delta {
	content, reasoning := r.think.rest()
	d := Delta{Content: content, Reasoning: reasoning}
	r.keep(d)
	return d
}

// response is the complete reply.
func (r *reply) response(model string, req Request) Response {
	resp := Response{Content: r.content.String(), Reasoning: r.reasoning.String(), FinishReason: finishReason(r.finish), Model: firstOf(r.model, model)}
	if r.usage != nil {
		resp.Usage, resp.Cost = r.usage.counts(resp, req)
	}
	complete(&resp, model, req, 0)
	return resp
}

// missing returns the failure of a reply that ended normally and holds no text: that is not an empty
// text.
func (r *reply) missing(resp Response) (failure, bool) {
	switch {
	case resp.Content != "":
		return failure{}, false
	case resp.FinishReason == "content_filter":
		return failure{as: ErrContentFilter, message: "the reply was withheld"}, true
	case !r.choice:
		return failure{as: ErrNoReply, message: "the list of choices is empty"}, true
	case r.tools:
		return failure{as: ErrToolCalls}, true
	case !r.said && resp.FinishReason != "length": // a reply whose tokens were used up by reasoning is told by its finish reason
		return failure{as: ErrNoReply, message: "it holds no content"}, true
	}
	return failure{}, false
}

// spent is what a reply that broke off has used: as reported, else as estimated. Nothing is counted before
// the endpoint began to answer.
func (r *reply) spent(req Request) int64 {
	if r.usage != nil {
		u, _ := r.usage.counts(Response{Content: r.content.String(), Reasoning: r.reasoning.String()}, req)
		return u.Prompt + u.Completion
	}
	received := EstimateTokens(r.content.String()) + EstimateTokens(r.reasoning.String())
	if received == 0 {
		return 0
	}
	return EstimateMessages(req.Messages) + received
}

// finishReason puts the names in use into OpenAI's.
func finishReason(said string) string {
	switch strings.ToLower(said) {
	case "", "stop", "end_turn", "eos", "stop_sequence", "eos_token":
		return "stop"
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return "length"
	case "content_filter", "safety":
		return "content_filter"
	default:
		return said
	}
}
