package llm

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/thought"
	"github.com/gorlm/rlm/internal/kit/units"
)

// reply gathers a streamed reply.
type reply struct {
	text, thoughts pieces          // as they came
	content        strings.Builder // as it was handed on
	reasoning      strings.Builder
	think          thinkSplitter
	model, finish  string
	usage          *wireUsage
	blocks         map[string]any // what a usage of the Messages API was made of
	from           string         // who understands its parts
	parts          []Part         // as they grow
	cost           *float64       // that a gateway told before the reply

	streamed bool            // there were pieces
	repeated strings.Builder // the message that stood beside them

	choice  bool   // there was a choice
	said    bool   // its content was a text, if an empty one
	tools   bool   // it calls tools
	calls   string // those calls, as far as they are known
	refused bool   // it holds a refusal
}

// mostReply bounds the bytes of a reply with its reasoning: several times what any model can write.
const mostReply = 32 << 20

// tooLong is the failure of a reply that does not end.
func tooLong() failure {
	return failure{as: ErrReplyTooLong, message: fmt.Sprintf("it is longer than %s", units.Bytes(mostReply))}
}

// add takes in a piece of content and of reasoning, and returns what is to be handed on.
func (r *reply) add(content, reasoning string, last bool) Delta {
	content, otherText := r.text.add(content, last)
	reasoning, otherThoughts := r.thoughts.add(reasoning, last)
	restart := otherText || otherThoughts
	if restart {
		r.restart()
		content, reasoning = r.text.String(), r.thoughts.String()
	}
	d := Delta{Restart: restart}
	said, thoughts := r.think.add(content)
	d.Content, d.Reasoning = said, reasoning+thoughts
	return d
}

// restart forgets what was handed on.
func (r *reply) restart() {
	r.think, r.content, r.reasoning = thinkSplitter{}, strings.Builder{}, strings.Builder{}
}

// keep adds what is handed on.
func (r *reply) keep(d Delta) error {
	r.content.WriteString(d.Content)
	r.reasoning.WriteString(d.Reasoning)
	if r.content.Len()+r.reasoning.Len() > mostReply {
		return tooLong()
	}
	return nil
}

// mostCalls bounds the bytes that are kept of calls of tools: they are only quoted.
const mostCalls = 16 << 10

// callTool takes in a piece of a call of a tool.
func (r *reply) callTool(name, arguments string) {
	r.tools = true
	if name != "" {
		name += " "
	}
	if len(r.calls) < mostCalls {
		r.calls += name + arguments
	}
}

// end tells thoughts from content in the complete reply, and returns what is to be handed on to make the
// pieces up to it.
func (r *reply) end(req Request) Delta {
	half := ""
	if r.text.n == 0 { // the deltas were empty
		half, _ = r.text.add(r.repeated.String(), false)
	}
	half, dangling := half+r.text.rest(), r.thoughts.rest()
	more, inside := r.think.add(half)
	content, thoughts := r.think.rest()
	d := Delta{Content: more + content, Reasoning: dangling + inside + thoughts}
	_ = r.keep(d) // a few bytes
	said, inner, call := thought.Apart(r.text.String(), req.holds)
	r.tools = r.tools || call
	whole := r.thoughts.String() + inner
	if said == r.content.String() && whole == r.reasoning.String() {
		return d
	}
	r.restart()
	d = Delta{Restart: true, Content: said, Reasoning: whole}
	_ = r.keep(d)
	return d
}

// holds reports whether the conversation holds a mark that could be one of thinking. A typed reply is JSON in any case.
func (r Request) holds(mark string) bool {
	if r.Format != nil {
		return false
	}
	for _, m := range r.Messages {
		if m.Role != Assistant && strings.Contains(m.Content, mark) {
			return true
		}
	}
	return false
}

// response is the complete reply.
func (r *reply) response(c *Client, req Request) Response {
	resp := Response{
		Content: r.content.String(), Reasoning: r.reasoning.String(), Parts: r.parts,
		FinishReason: finishReason(r.finish), Model: cmp.Or(r.model, c.model),
	}
	if r.refused && resp.FinishReason == FinishStop {
		resp.FinishReason = FinishRefusal
	}
	resp.Usage, resp.Cost = r.used(c, req)
	complete(&resp, c.cfg.Name, req, 0)
	return resp
}

// used is what the reply used, as far as it came: as reported, else as estimated from what this endpoint
// reported of others.
func (r *reply) used(c *Client, req Request) (Usage, *float64) {
	received := EstimateTokens(r.content.String()) + EstimateTokens(r.reasoning.String())
	if r.usage != nil {
		u := *r.usage
		u.Cost = cmp.Or(u.Cost, r.cost)
		return u.counts(received, req)
	}
	u := c.rates.estimate(req.tokens(), received)
	u.Reasoning = min(EstimateTokens(r.reasoning.String()), u.Completion)
	return u, r.cost
}

// missing returns the failure of a reply that ended normally and holds no text, or was broken off: that is no reply.
func (r *reply) missing(resp Response) (failure, bool) {
	if resp.FinishReason == finishBroken {
		if strings.EqualFold(r.finish, "error") {
			return failure{message: "the endpoint ended the reply with an error"}, true
		}
		return failure{message: fmt.Sprintf("the endpoint broke the reply off (finish_reason %s)", r.finish)}, true
	}
	if resp.Content != "" {
		return failure{}, false
	}
	switch {
	case resp.FinishReason == FinishFilter:
		return failure{as: ErrContentFilter, message: "the reply was withheld"}, true
	case !r.choice:
		return failure{as: ErrNoReply, message: "the list of choices is empty"}, true
	case r.tools:
		return failure{as: ErrToolCalls, message: r.calls, calls: r.calls}, true
	case resp.FinishReason == FinishLength: // thoughts used up the tokens, as the finish reason says
		return failure{}, false
	case strings.TrimSpace(resp.Reasoning) != "":
		return failure{as: ErrNoReply, message: "it holds thoughts and no text"}, true
	case !r.said:
		return failure{as: ErrNoReply, message: "it holds no content"}, true
	case resp.FinishReason != FinishStop:
		return failure{as: ErrNoReply, message: fmt.Sprintf("it holds no text (finish_reason %s)", resp.FinishReason)}, true
	}
	return failure{}, false
}
