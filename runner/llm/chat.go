package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// chatCompletions is OpenAI's protocol, which most providers support. go-openai encodes the requests and decodes
// the replies. Fields that it does not know are added to the encoded request, and read from the events before it
// decodes them.
type chatCompletions struct {
	thoughtsApart bool // only the total includes the tokens of thoughts
}

// sdk returns a go-openai client that sends through a call. It never has the key, which [Client.sign] adds.
func (c *Client) sdk(baseURL string, by openai.HTTPDoer) *openai.Client {
	cfg := openai.DefaultConfig("")
	cfg.BaseURL, cfg.APIVersion, cfg.HTTPClient = baseURL, c.version, by
	return openai.NewClientWithConfig(cfg)
}

// open sends a request.
func (p chatCompletions) open(a *call) (events, error) {
	stream, err := a.c.sdk(a.c.baseURL, a).CreateChatCompletionStream(a.ctx, a.chatRequest())
	if err != nil {
		return nil, err
	}
	return chatEvents{stream, a.body, p.thoughtsApart}, nil
}

// Do is go-openai's access to the network: it completes the request and sends it.
func (a *call) Do(r *http.Request) (*http.Response, error) {
	body, err := a.merge(r.Body)
	if err != nil {
		return nil, err
	}
	return a.send(r.Method, r.URL.String(), r.Header, body)
}

// chatEvents are the events of a reply, decoded by go-openai.
type chatEvents struct {
	*openai.ChatCompletionStream
	body          *stream
	thoughtsApart bool
}

// next reads one event, or a reply in one piece.
func (e chatEvents) next(r *reply) (Delta, error) {
	chunk, err := e.Recv()
	if oddField(err, "choices", "choices.index", "choices.delta", "choices.finish_reason") {
		if !addParts(chunk.Choices, e.body.plain) {
			return Delta{}, malformed(e.body.line, err)
		}
	} else if errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError)) {
		return Delta{}, malformed(e.body.line, err)
	} else if err != nil {
		return Delta{}, err
	}
	if tells(e.body.line) {
		r.count(e.body.line, e.thoughtsApart)
	}
	if f, isError := errorInEvent(e.body.line); isError {
		return Delta{}, f
	}
	r.model = cmp.Or(chunk.Model, r.model)
	if e.body.both {
		r.beside(e.body.line)
	}
	var d Delta
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		r.choice = true
		r.finish = cmp.Or(string(choice.FinishReason), r.finish)
		r.said = r.said || saysSomething().Match(e.body.line)
		refusal := choice.Delta.Refusal
		if !r.refused && strings.TrimSpace(refusal) != "" {
			if r.refused = true; r.text.n > 0 || choice.Delta.Content != "" {
				refusal = "\n\n" + refusal // it does not go on with the text before it
			}
		}
		for _, call := range toolCalls(choice.Delta) {
			r.callTool(call.Function.Name, call.Function.Arguments)
		}
		content, thoughts := choice.Delta.Content+refusal, choice.Delta.ReasoningContent
		if e.body.renamed && (r.streamed || chunk.Object == "chat.completion") {
			d = join(d, r.wholeOnceMore(content, thoughts))
			continue
		}
		r.streamed = r.streamed || !e.body.renamed
		d = join(d, r.add(content, thoughts, choice.FinishReason != ""))
	}
	return d, nil
}

// join merges two pieces into one.
func join(d, more Delta) Delta {
	if more.Restart {
		return more
	}
	d.Content += more.Content
	d.Reasoning += more.Reasoning
	return d
}

// toolCalls returns the tool calls in a piece, in the present or the former form of the interface.
func toolCalls(d openai.ChatCompletionStreamChoiceDelta) []openai.ToolCall {
	if f := d.FunctionCall; f != nil && *f != (openai.FunctionCall{}) {
		return append(d.ToolCalls, openai.ToolCall{Function: *f})
	}
	return d.ToolCalls
}

// oddField reports whether an error of go-openai concerns only the type of a field that is not needed: all other
// fields are then decoded.
func oddField(err error, needed ...string) bool {
	odd, ok := errors.AsType[*json.UnmarshalTypeError](err)
	return ok && odd.Field != "" && !slices.Contains(needed, odd.Field)
}
