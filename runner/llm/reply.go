package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// reply gathers a streamed reply.
type reply struct {
	content, reasoning strings.Builder
	think              thinkSplitter
	model, finish      string
	usage              *wireUsage
}

// wireChunk is one event of a stream, or a reply in one piece. It holds the fields that go-openai does not know.
type wireChunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Index        int       `json:"index"`
		Delta        wirePiece `json:"delta"`
		Message      wirePiece `json:"message"`
		FinishReason string    `json:"finish_reason"`
	} `json:"choices"`
	Usage *wireUsage `json:"usage"`
}

type wirePiece struct {
	Content          wireText `json:"content"`
	Refusal          wireText `json:"refusal"`
	ReasoningContent wireText `json:"reasoning_content"` // DeepSeek, vLLM, llama.cpp
	Reasoning        wireText `json:"reasoning"`         // OpenRouter, Ollama, newer vLLM
}

type wireUsage struct {
	Prompt        float64  `json:"prompt_tokens"`
	Completion    float64  `json:"completion_tokens"`
	Cost          *float64 `json:"cost"` // OpenRouter
	CacheHit      float64  `json:"prompt_cache_hit_tokens"`
	PromptDetails struct {
		Cached float64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning float64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// wireText is text in any of the forms in use: a string, null, or a list of parts.
type wireText string

// UnmarshalJSON accepts every form; what holds no text is empty.
func (t *wireText) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = wireText(s)
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(data, &parts) == nil {
		for _, p := range parts {
			if p.Type == "text" || p.Type == "output_text" {
				*t += wireText(p.Text)
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
	if chunk.Usage != nil {
		r.usage = chunk.Usage
	}
	var d Delta
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if choice.FinishReason == "error" {
			return Delta{}, &midStreamError{failure{message: "the endpoint ended the reply with an error"}}
		}
		if choice.FinishReason != "" {
			r.finish = choice.FinishReason
		}
		for _, p := range []wirePiece{choice.Delta, choice.Message} {
			content, thought := r.think.add(string(p.Content + p.Refusal))
			d.Content += content
			d.Reasoning += firstOf(string(p.ReasoningContent), string(p.Reasoning)) + thought
		}
	}
	r.keep(d)
	return d, nil
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
	if r.usage == nil || r.usage.Prompt+r.usage.Completion == 0 {
		complete(&resp, model, req, 0)
		return resp
	}
	resp.Usage = Usage{
		Prompt:     tokens(r.usage.Prompt),
		Completion: tokens(r.usage.Completion),
		Reasoning:  tokens(r.usage.CompletionDetails.Reasoning),
		Cached:     tokens(max(r.usage.PromptDetails.Cached, r.usage.CacheHit)),
	}
	if r.usage.Cost != nil && *r.usage.Cost >= 0 {
		resp.Cost = r.usage.Cost
	}
	return resp
}

// tokens is a reported number as far as it can be true: budgets are counted with it.
func tokens(reported float64) int64 { return int64(min(max(reported, 0), 1e12)) }

// spent is what a reply that broke off has used: as reported, else as estimated. Nothing is counted before the endpoint began to answer.
func (r *reply) spent(req Request) int64 {
	if r.usage != nil {
		return tokens(r.usage.Prompt + r.usage.Completion)
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

// midStreamError is an error that the endpoint sent as an event.
type midStreamError struct{ f failure }

func (e *midStreamError) Error() string { return e.f.message }

// failureOf brings an error of go-openai, of the network or of a stream into one form.
func failureOf(err error) failure {
	var (
		mid *midStreamError
		api *openai.APIError
		raw *openai.RequestError
	)
	switch {
	case errors.As(err, &mid):
		return mid.f
	case errors.As(err, &api):
		code := firstOf(text(api.Code), api.Type)
		return failure{status: api.HTTPStatusCode, code: code, message: api.Message}
	case errors.As(err, &raw):
		return errorBody(raw.HTTPStatusCode, raw.Body)
	default:
		return failure{message: plainNetError(err), err: err}
	}
}

// errorBody reads the body of an error reply, in whatever form it comes.
func errorBody(status int, body []byte) failure {
	f, ok := errorIn(body)
	if !ok {
		f = failure{message: strings.TrimSpace(string(body))}
		if strings.HasPrefix(f.message, "<") || f.message == "" {
			f.message = http.StatusText(status)
		}
	}
	f.status = status
	return f
}

// errorIn finds the error in a JSON object: {"error":{"message":…,"code":…}}, {"error":"…"}, {"type":"error",…}, {"message":…,"code":…}, {"detail":…}.
func errorIn(data []byte) (failure, bool) {
	var top struct {
		Error   json.RawMessage `json:"error"`
		Choices json.RawMessage `json:"choices"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Code    any             `json:"code"`
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil && len(list) > 0 { // Gemini's form
		data = list[0]
	}
	if json.Unmarshal(data, &top) != nil {
		return failure{}, false
	}
	var inner struct {
		Message string `json:"message"`
		Code    any    `json:"code"`
		Type    string `json:"type"`
		Status  any    `json:"status"`
	}
	switch {
	case len(top.Error) > 0 && string(top.Error) != "null":
		if json.Unmarshal(top.Error, &inner) != nil || inner.Message == "" {
			inner.Message = text(plainJSON(top.Error))
		}
	case top.Choices == nil && (top.Message != "" || top.Detail != nil):
		inner.Message, inner.Code = firstOf(top.Message, text(plainJSON(top.Detail))), top.Code
	default:
		return failure{}, false
	}
	status, _ := strconv.Atoi(firstOf(text(inner.Code), text(inner.Status)))
	if status < 400 || status > 599 {
		status = 0
	}
	code := text(inner.Code)
	if status != 0 || code == "" {
		code = inner.Type
	}
	return failure{status: status, code: code, message: inner.Message}, true
}

// plainJSON is a JSON string as its text, anything else as it stands.
func plainJSON(data json.RawMessage) any {
	var s string
	if json.Unmarshal(data, &s) == nil {
		return s
	}
	return string(data)
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
