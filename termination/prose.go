package termination

import (
	"fmt"

	"github.com/gorlm/rlm/internal/reply"
)

// conversation returns the end of a run by a reply of prose to a person, or nil. Half a cell, an imitated
// observation, or half an answer is not such a reply; nor is the prose around a signal that does not count, nor
// code that should have read the text but does not run.
func (p Policy) conversation(s State, t Turn, echo bool) *End {
	if !p.Interactive || p.Mode != Response || len(t.ran()) > 0 || echo || t.brokenCell() || t.Reply.Cut ||
		t.handsIn() {
		return nil
	}
	if s.Unread && t.Reply.OnlyCode {
		return nil
	}
	said := p.withoutCalls(t.Reply)
	if said == "" || s.Unread && s.SentBack && !reply.Asks(said) { // sent back once, it counts as any reply of prose
		return nil
	}
	return &End{
		Status: Completed, Fired: ByProse, Name: "reply", Reason: "the reply answers in prose",
		Answer: said, HasAnswer: true, From: FromReply,
	}
}

// withoutCalls returns the prose of a reply without its ineffective completion signals.
func (p Policy) withoutCalls(r reply.Reply) string { return reply.WithoutCalls(r, p.Names) }

// lastTurn returns the end of a run after its last turn, if that turn had no signal.
func (p Policy) lastTurn(s State, t Turn, echo bool) *End {
	e := End{
		Status: s.Limit.Status, Fired: ByLimit, Name: string(s.Limit.Status),
		Reason: s.Limit.reached(),
	}
	noWords := t.Withheld != "" || t.CalledTool || t.brokenCell() || t.Reply.OnlyCode
	if said := p.withoutCalls(t.Reply); !s.Unread && len(t.ran()) == 0 && !echo && !noWords && said != "" {
		e.Answer, e.HasAnswer, e.From = said, true, fromLastTurn
	}
	e = p.partial(s, e)
	return &e
}

func (p Policy) guardProse(s *State, t Turn, v *Verdict) (*End, bool) {
	if p.ProseReplies == 0 || s.Prose == 0 || len(t.ran()) > 0 || t.attempted() {
		return nil, false
	}
	if s.Prose >= p.ProseReplies && t.Reply.Cut {
		e := p.partial(*s, End{
			Status: Failed, Fired: byGuard, Name: string(guardProse),
			Reason: fmt.Sprintf("%d replies in a row contained no cell, and the last one was cut off by the token limit",
				s.Prose),
		})
		return &e, true
	}
	if s.Prose >= p.ProseReplies {
		if e := p.asks(t, guardProse); e != nil {
			return e, true
		}
		said := p.withoutCalls(t.Reply)
		if said == "" || s.Unread { // only signals that do not count, or prose about a text that was never looked at
			return p.guardStop(s, guardProse, fmt.Sprintf("%d replies in a row contained no cell", s.Prose)), true
		}
		return &End{
			Status: ImplicitCompletion, Fired: byGuard, Name: string(guardProse),
			Reason: fmt.Sprintf("%d replies in a row contained no cell", s.Prose),
			Answer: said, HasAnswer: true, From: FromReply,
		}, true
	}
	if t.Reply.Cut {
		v.nudge(guardProse, "Your reply was cut off by the token limit, so it was not taken as the answer. Say it shorter, or build it in parts: "+
			"put each part into a variable, in cells of their own. Then "+p.howToAnswer()+".")
	} else if s.Prose == p.ProseReplies-1 {
		v.nudge(guardProse, p.exactFormat(*s))
	} else {
		v.nudge(guardProse, "Your reply held no cell, so nothing happened. "+p.howToAct(*s))
	}
	return nil, true
}
