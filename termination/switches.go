package termination

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/internal/sequence"
)

// switches returns the end of a run by the first switch of the policy that applies, in order of precedence, or nil.
func (p Policy) switches(s State, t Turn) *End {
	if called := t.called(); p.DoneIfTool && len(called) > 0 {
		return p.fired(s, t, "done_if_tool", "a cell called "+called[0])
	}
	for _, e := range t.Events() {
		if end := p.responded(s, t, e, t.isResponse(e)); end != nil {
			return end
		}
	}
	if end := p.stringSignal(s, t); end != nil {
		return end
	}
	if p.SingleRound {
		return p.fired(s, t, "single_round", "the run was limited to a single round")
	}
	return nil
}

func (p Policy) fired(s State, t Turn, name, reason string) *End {
	e := p.done(s, t, End{Fired: bySwitch, Name: name, Reason: reason})
	return &e
}

// responded returns the end caused by an entity that responded, or did not.
func (p Policy) responded(s State, t Turn, e sequence.Event, responded bool) *End {
	who := e.Responder()
	switch {
	case responded && slices.Contains(p.DoneIfResponse, who):
		return p.fired(s, t, "done_if_response", fmt.Sprintf("the %s responded", who))
	case !responded && slices.Contains(p.DoneIfNoResponse, who):
		return p.fired(s, t, "done_if_no_response", fmt.Sprintf("the %s did not respond", who))
	}
	return nil
}

// isResponse reports whether an event of the turn has any content: cells that succeed and print nothing have none.
func (t Turn) isResponse(e sequence.Event) bool {
	if e.Type != sequence.AgentEvent {
		return e.Type != sequence.NoResponse
	}
	return slices.ContainsFunc(t.ran(), func(c CellOutcome) bool {
		return c.Error != "" || strings.TrimSpace(c.Printed) != ""
	})
}

// stringSignal returns the end of a run whose reply contains a string signal, or nil. Like a signal in prose, it
// does not count next to a failed cell, code that did not run, or an invented result.
func (p Policy) stringSignal(s State, t Turn) *End {
	if len(p.StringSignals) == 0 || p.doubt(t) != "" {
		return nil
	}
	word, said, ok := reply.FindWord(t.Reply.Prose, p.StringSignals)
	if !ok {
		return nil
	}
	e := End{Fired: BySignal, Name: word, Reason: fmt.Sprintf("the reply says %s", word)}
	if len(t.ran()) == 0 && said != "" {
		e.Answer, e.HasAnswer, e.From = said, true, FromReply
	}
	t.Reply.Prose = said
	e = p.done(s, t, e)
	return &e
}
