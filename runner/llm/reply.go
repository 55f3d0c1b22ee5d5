package llm

import (
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
	from               string // who understands its parts
	parts              []Part // as they grow

	choice bool // there was a choice
	said   bool // its content was a text, if an empty one
	tools  bool // it calls tools
}

// take takes in one event, as a protocol understands it, and returns the piece of reply in it.
func (r *reply) take(p protocol, line []byte) (Delta, error) {
	d, err := p.add(r, line)
	if err != nil {
		return Delta{}, err
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
func (r *reply) response(c *Client, req Request) Response {
	resp := Response{Content: r.content.String(), Reasoning: r.reasoning.String(), Parts: r.parts, FinishReason: finishReason(r.finish), Model: firstOf(r.model, c.model)}
	if r.usage != nil {
		resp.Usage, resp.Cost = r.usage.counts(resp, req)
	}
	complete(&resp, c.cfg.Name, req, 0)
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
	return req.tokens() + received
}

// finishReason puts the names in use into OpenAI's.
func finishReason(said string) string {
	said, _, _ = strings.Cut(said, ":") // Gemini adds the rule: content_filter: SAFETY
	switch strings.ToLower(said) {
	case "", "stop", "end_turn", "eos", "stop_sequence", "eos_token":
		return "stop"
	case "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded":
		return "length"
	case "content_filter", "safety", "refusal":
		return "content_filter"
	default:
		return said
	}
}
