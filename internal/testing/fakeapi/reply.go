package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Rule decides when a reply is given.
type Rule struct {
	// Model, if not empty, must be the request's.
	Model string
	// Match, if not empty, must be part of the request's last message.
	Match string
	// Times is how often the rule may be used; 0 means once, -1 always.
	Times int
	Reply Reply

	used int
}

func (r *Rule) fits(req Request) bool {
	times := r.Times
	if times == 0 {
		times = 1
	}
	return (times < 0 || r.used < times) && (r.Model == "" || r.Model == req.Model) &&
		strings.Contains(req.Last(), r.Match)
}

// Reply is one answer of the endpoint. The zero value of most fields means a well-behaved endpoint.
type Reply struct {
	Content   string
	Reasoning string
	// Thoughts is the number of blocks in which the Messages API sends the reasoning; default 1.
	Thoughts int
	// ReasoningField is the name of the field with the reasoning; default reasoning_content.
	ReasoningField string
	Finish         string // default stop
	// Usage is estimated by default; NoUsage reports none.
	PromptTokens, CompletionTokens, CachedTokens, ReasoningTokens int
	WrittenTokens                                                 int // tokens written to the cache (Messages API only)
	NoUsage                                                       bool
	Cost                                                          *float64
	Usage                                                         string // JSON that is reported unchanged

	// Status and Body, if one is set, replace the usual response. Header is sent with any reply.
	Status int
	Body   string
	Header map[string]string

	Delay      time.Duration // delay of the first byte
	PieceDelay time.Duration // delay between pieces
	EndDelay   time.Duration // delay between [DONE] and the end of the response
	PieceSize  int           // characters of a piece; default 40
	Fault      Fault
	Pieces     int

	service *Service // the service whose form the reply has; nil: a generic form
}

// Failing is a reply with a status and a message in OpenAI's form.
func Failing(status int, message string) Reply {
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "error"}})
	return Reply{Status: status, Body: string(body)}
}

func (r Reply) send(w http.ResponseWriter, hr *http.Request, req Request) {
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	switch {
	case r.Fault == Drop && r.Pieces == 0 && r.Status == 0:
		cut(w)
	case r.Fault == HangHeader:
		<-hr.Context().Done()
	case r.Fault == HangBody:
		w.WriteHeader(max(r.Status, http.StatusOK))
		w.(http.Flusher).Flush()
		<-hr.Context().Done()
	case r.Status != 0 || r.Body != "":
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(max(r.Status, http.StatusOK))
		fmt.Fprint(w, r.Body)
	case strings.HasSuffix(req.Path, "/messages"):
		r.sendMessage(w, hr, req)
	case !req.Stream || r.Fault == Whole:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(r.whole(req))
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		r.stream(&events{w: w, gone: hr.Context().Done(), model: req.Model, pause: r.PieceDelay, service: r.service},
			req)
	}
}

func (r Reply) whole(req Request) map[string]any {
	message := map[string]any{"role": "assistant", "content": r.opening()}
	if r.Content != "" {
		message["content"] = r.Content
	}
	for name, value := range r.thought() {
		if before, says := message[name].(string); says && name == "content" {
			value = value.(string) + before // Gemini's thoughts precede the text
		}
		message[name] = value
	}
	if r.Fault == ToolCalls {
		message["tool_calls"] = toolCalls
	}
	choices := []any{map[string]any{"index": 0, "message": message, "finish_reason": r.finish()}}
	if r.Fault == NoChoices {
		choices = []any{}
	}
	whole := map[string]any{
		"id": "chatcmpl-fake", "object": "chat.completion", "model": req.Model, "choices": choices,
		"usage": r.usage(req),
	}
	if r.service != nil && r.service.dress != nil {
		r.service.dress(whole)
	}
	return whole
}

// thought is the piece of the reply with its reasoning.
func (r Reply) thought() map[string]any {
	switch {
	case r.Reasoning == "" || r.service != nil && r.service.thought == nil:
		return nil
	case r.service != nil:
		return r.service.thought(r.Reasoning)
	}
	return map[string]any{r.reasoningField(): r.Reasoning}
}

// opening is the content that starts a reply.
func (r Reply) opening() any {
	if r.Fault == NullContent || r.Fault == ToolCalls {
		return nil
	}
	return ""
}

var toolCalls = []any{map[string]any{
	"index": 0, "id": "call_1", "type": "function", "function": map[string]any{"name": "search", "arguments": "{}"},
}}

// stream sends the reply as events.
func (r Reply) stream(e *events, req Request) {
	if r.service != nil && r.service.opening != nil {
		r.service.opening(e)
	}
	if r.Fault == KeepAlives {
		for range 1000 {
			e.raw(": PROCESSING\n\n")
		}
	}
	switch r.Fault {
	case NoChoices:
		e.event(map[string]any{"choices": []any{}, "usage": r.usage(req)})
		e.raw("data: [DONE]\n\n")
		return
	case Endless:
		r.repeat(e)
		return
	case ToolCalls:
		e.delta(map[string]any{"tool_calls": toolCalls})
	}
	e.delta(map[string]any{"role": "assistant", "content": r.opening()})
	if thought := r.thought(); thought != nil {
		e.delta(thought)
	}
	for i, piece := range r.pieces() {
		if i == r.Pieces && r.goWrong(e) {
			return
		}
		e.delta(map[string]any{"content": piece})
	}
	if len(r.pieces()) <= r.Pieces && r.goWrong(e) {
		return
	}
	r.finishStream(e, req)
}

// repeat sends the content over and over until the client is gone.
func (r Reply) repeat(e *events) {
	for {
		select {
		case <-e.gone:
			return
		default:
			e.event(map[string]any{"choices": []any{
				map[string]any{"index": 0, "delta": map[string]any{"content": r.Content}},
			}})
		}
	}
}

// goWrong applies the fault in the middle of a reply. over means that the reply ends there.
func (r Reply) goWrong(e *events) (over bool) {
	switch r.Fault {
	case Drop:
		cut(e.w)
	case CutClean:
	case Hang:
		<-e.gone
	case Malformed:
		e.raw("data: {\"choices\":[{\"delta\":{\"content\n\n")
		return false
	case ErrorEvent:
		if r.service != nil {
			r.service.broken(e)
			return true
		}
		e.raw("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n")
	default:
		return false
	}
	return true
}

func (r Reply) finishStream(e *events, req Request) {
	if r.Fault != NoFinish {
		e.event(map[string]any{"choices": []any{
			map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": r.finish()},
		}})
	}
	if !r.NoUsage && (r.service == nil || r.service.usesChoice || includesUsage(req)) {
		last := map[string]any{"choices": []any{}, "usage": r.usage(req)}
		if r.service != nil && r.service.usesChoice {
			last["choices"] = []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": nil}}
		}
		e.event(last)
	}
	switch r.Fault {
	case NoDone:
	case Linger:
		<-e.gone
	case NoNewline:
		e.raw(`data: {"model":"` + req.Model + `","choices":[{"index":0,"delta":{"content":"!"},"finish_reason":"` +
			r.finish() + `"}]}`)
	default:
		e.raw("data: [DONE]\n\n")
		select {
		case <-time.After(r.EndDelay):
		case <-e.gone:
		}
	}
}

// includesUsage reports whether a request asks for a stream's usage.
func includesUsage(req Request) bool {
	options, _ := req.Field("stream_options").(map[string]any)
	return options["include_usage"] == true
}

func (r Reply) pieces() []string {
	size := r.PieceSize
	if size <= 0 {
		size = 40
	}
	var out []string
	for runes := []rune(r.Content); len(runes) > 0; {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

func (r Reply) reasoningField() string {
	if r.ReasoningField != "" {
		return r.ReasoningField
	}
	return "reasoning_content"
}

func (r Reply) finish() string {
	if r.Finish != "" {
		return r.Finish
	}
	return "stop"
}

func (r Reply) usage(req Request) any {
	if r.Usage != "" {
		return json.RawMessage(r.Usage)
	}
	prompt, completion := r.PromptTokens, r.completion()
	if prompt == 0 {
		prompt = len(req.Body)/4 + 1
	}
	if r.service != nil {
		return r.service.used(usage{prompt, completion, r.CachedTokens, r.ReasoningTokens, r.WrittenTokens, r.Cost})
	}
	u := map[string]any{
		"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
		"prompt_tokens_details":     map[string]any{"cached_tokens": r.CachedTokens},
		"completion_tokens_details": map[string]any{"reasoning_tokens": r.ReasoningTokens},
	}
	if r.Cost != nil {
		u["cost"] = *r.Cost
	}
	return u
}

// completion is the reply's number of tokens.
func (r Reply) completion() int {
	if r.CompletionTokens > 0 {
		return r.CompletionTokens
	}
	return (len(r.Content)+len(r.Reasoning))/4 + 1
}

// events writes server-sent events.
type events struct {
	w     http.ResponseWriter
	gone  <-chan struct{}
	model string
	pause time.Duration
	sent  int

	service *Service
}

func (e *events) raw(text string) {
	fmt.Fprint(e.w, text)
	e.w.(http.Flusher).Flush()
}

func (e *events) event(fields map[string]any) {
	fields["id"], fields["object"], fields["model"] = "chatcmpl-fake", "chat.completion.chunk", e.model
	if e.service != nil && e.service.dress != nil {
		e.service.dress(fields)
	}
	line, _ := json.Marshal(fields)
	e.raw("data: " + string(line) + "\n\n")
}

func (e *events) delta(delta map[string]any) {
	e.rest()
	e.event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": nil}}})
}

// rest pauses between two pieces.
func (e *events) rest() {
	if e.sent++; e.sent > 1 && e.pause > 0 {
		select {
		case <-time.After(e.pause):
		case <-e.gone:
		}
	}
}

// named sends an event of the Messages API, which repeats its name in its data.
func (e *events) named(name string, fields map[string]any) {
	fields["type"] = name
	line, _ := json.Marshal(fields)
	e.raw("event: " + name + "\ndata: " + string(line) + "\n\n")
}

func (e *events) slow(name string, fields map[string]any) {
	e.rest()
	e.named(name, fields)
}

func (e *events) alive() bool {
	select {
	case <-e.gone:
		return false
	default:
		return true
	}
}
