package llm

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/thought"
	"github.com/gorlm/rlm/internal/kit/units"
)

// reply collects a streamed reply.
type reply struct {
	text, thoughts pieces          // as received
	content        strings.Builder // as delivered
	reasoning      strings.Builder
	think          thinkSplitter
	model, finish  string
	usage          *wireUsage
	blocks         map[string]any // the merged usages of the Messages API
	from           string         // the model that understands its parts
	parts          []Part         // parts so far
	cost           *float64       // from a gateway's header

	streamed bool            // the content came in pieces
	repeated strings.Builder // whole messages that came next to pieces

	choice  bool   // there was a choice
	said    bool   // the content of the choice was a text, possibly empty
	tools   bool   // the choice contains tool calls
	calls   string // the tool calls, as far as received
	refused bool   // the choice contains a refusal
}

// mostReply bounds the bytes of a reply with its reasoning: several times as much as any model can write.
const mostReply = 32 << 20

// tooLong is the failure of an endless reply.
func tooLong() failure {
	return failure{as: ErrReplyTooLong, message: fmt.Sprintf("it is longer than %s", units.Bytes(mostReply))}
}

// add adds pieces of content and reasoning, and returns the delta to deliver.
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

// restart discards what was delivered.
func (r *reply) restart() {
	r.think, r.content, r.reasoning = thinkSplitter{}, strings.Builder{}, strings.Builder{}
}

// keep adds a delivered delta.
func (r *reply) keep(d Delta) {
	r.content.WriteString(d.Content)
	r.reasoning.WriteString(d.Reasoning)
}

// mostCalls bounds the bytes kept of tool calls: they are only quoted.
const mostCalls = 16 << 10

// callTool adds a piece of a tool call.
func (r *reply) callTool(name, arguments string) {
	r.tools = true
	if name != "" {
		name += " "
	}
	if len(r.calls) < mostCalls {
		r.calls += name + arguments
	}
}

// end separates thoughts from content in the complete reply, and returns the last delta to deliver.
func (r *reply) end(req Request) Delta {
	half := ""
	if r.text.n == 0 { // all deltas were empty
		half, _ = r.text.add(r.repeated.String(), false)
	}
	half, dangling := half+r.text.rest(), r.thoughts.rest()
	more, inside := r.think.add(half)
	content, thoughts := r.think.rest()
	d := Delta{Content: more + content, Reasoning: dangling + inside + thoughts}
	r.keep(d)
	said, inner, call := thought.Apart(r.text.String(), req.holds)
	r.tools = r.tools || call
	whole := r.thoughts.String() + inner
	if said == r.content.String() && whole == r.reasoning.String() {
		return d
	}
	r.restart()
	d = Delta{Restart: true, Content: said, Reasoning: whole}
	r.keep(d)
	return d
}

// holds reports whether a message to the model contains a mark that could be mistaken for a thinking tag. A reply
// with a format is always JSON, so no mark counts.
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

// response returns the complete reply.
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

// used is the usage of the reply so far: as reported, or else estimated from usage that this endpoint reported
// earlier.
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

// missing returns a failure if a reply ended normally without text, or was broken off.
func (r *reply) missing(resp Response) (failure, bool) {
	if resp.FinishReason == finishBroken {
		if strings.EqualFold(r.finish, "error") {
			return failure{message: "the endpoint ended the reply with an error"}, true
		}
		return failure{message: fmt.Sprintf("the endpoint broke off the reply (finish_reason %s)", r.finish)}, true
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
	case resp.FinishReason == FinishLength: // thoughts used up the tokens, as FinishLength implies
		return failure{}, false
	case strings.TrimSpace(resp.Reasoning) != "":
		return failure{as: ErrThoughtsOnly, message: "it contains thoughts but no text", thought: resp.Reasoning}, true
	case !r.said:
		return failure{as: ErrNoReply, message: "it contains no content"}, true
	case resp.FinishReason != FinishStop:
		return failure{as: ErrNoReply, message: fmt.Sprintf("it contains no text (finish_reason %s)", resp.FinishReason)},
			true
	}
	return failure{}, false
}
