package termination

import (
	"slices"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/sequence"
)

// Next returns the verdict on a turn and the state after it. It checks the following in this order; the first that
// applies ends the run:
//
//  1. an answer that a cell recorded
//  2. a completion signal in the prose, by the table of reply.Signal.Counts
//  3. an outside condition (Turn.Stop)
//  4. done sequences, then the switches
//  5. in a conversation: a reply of prose
//  6. the turn after a limit was the last one
//  7. the guards, in the order of their constants
//  8. limits, which allow one last turn
//
// So an answer is read before a limit is checked: a run that answers in the very turn that uses up a budget is
// completed, and one that answers in the turn after it gets the limit's status.
func (p Policy) Next(s State, t Turn) (State, Verdict) {
	s.Turns++
	s.view(t)
	s.remember(t, maxPeriod*p.LoopRounds)
	s.learn(t)
	if t.Draft != "" {
		s.Draft = t.Draft
	}
	var v Verdict
	if end := p.recorded(s, t, &v); end != nil {
		return s, p.ended(s, v, *end)
	}
	if end := p.inProse(&s, t, &v); end != nil {
		return s, p.ended(s, v, *end)
	}
	echo := p.isEcho(t)
	before := s
	if said := p.withoutCalls(t.Reply); len(t.ran()) == 0 && !echo && !t.attempted() && !t.isTrivial(p.TrivialChars) &&
		t.Withheld == "" && (!t.Reply.Cut || s.Said == "") {
		s.Said = said
	}
	if t.Stop != "" {
		return s, p.ended(s, v, p.partial(s, End{Status: Stopped, Fired: byStop, Name: "condition", Reason: t.Stop}))
	}
	s, end := p.observe(s, t.Events(), t)
	if end == nil {
		end = p.switches(before, t)
	}
	if end == nil {
		end = p.conversation(s, t, echo)
	}
	if end == nil && s.Limit != nil {
		end = p.lastTurn(s, t, echo)
	}
	if end != nil {
		return s, p.ended(s, v, *end)
	}
	if end := p.guards(&s, t, echo, &v); end != nil {
		return s, p.ended(s, v, *end)
	}
	if limit := p.limit(s, t); limit != nil {
		s.Limit, v.Limit, v.Action = limit, limit, LastTurn
		return s, v
	}
	v.Action = Continue
	return s, v
}

// ended returns the final verdict, keeping the remarks made so far. An answer given in the turn after a limit gets
// the limit's status, which shows that there was no time for more. In task mode a person reviews it all the same.
func (p Policy) ended(s State, v Verdict, e End) Verdict {
	if s.Limit != nil && e.Status == Completed {
		e.Status, e.Fired, e.Name = s.Limit.Status, ByLimit, string(s.Limit.Status)
		e.Reason = s.Limit.reached() + "; " + e.Reason
	}
	out := p.stop(e)
	out.Nudges, out.Ignored = v.Nudges, v.Ignored
	return out
}

// recorded returns the end of a run with the answer that a cell recorded, or nil if no recorded answer counts.
func (p Policy) recorded(s State, t Turn, v *Verdict) *End {
	for _, c := range t.Cells {
		if c.Final == nil {
			continue
		}
		if ofOtherMode(p.Names, c.Final.Signal, p.Mode) {
			v.ignore(c.Final.Signal, p.otherMode(c.Final.Signal))
			continue
		}
		return p.answered(*c.Final, s, t, "")
	}
	return nil
}

// answered returns the end of a run with the answer in a completion signal. from is set for a signal in prose.
func (p Policy) answered(f answer.FinalOutput, s State, t Turn, from AnswerFrom) *End {
	e := End{
		Status: p.completed(), Fired: BySignal, Name: f.Signal, From: fromSignal,
		Reason: f.Signal + " was called", Answer: f.Answer, HasAnswer: true, Var: f.Var, FinishStatus: f.Status,
	}
	if f.Signal == p.Names.Final || f.Signal == p.Names.FinalVar {
		e.Fired, e.From = ByFinal, fromFinal
		if f.Type == answer.Variable {
			e.From = fromVariable
		}
	} else if f.Answer == "" { // finish_response() without a summary: the reply's prose is the answer
		said := p.withoutCalls(t.Reply)
		e.Answer, e.HasAnswer, e.From = said, said != "", FromReply
		e = p.partial(s, e)
	}
	if from != "" && f.Answer != "" {
		e.From = from
	}
	if !e.HasAnswer {
		e.From = ""
	}
	if p.Mode == Task && e.FinishStatus == "" {
		e.FinishStatus = answer.Done
	}
	return &e
}

// observe feeds events to the done sequences.
func (p Policy) observe(s State, events []sequence.Event, t Turn) (State, *End) {
	if len(p.Sequences) == 0 {
		return s, nil
	}
	m, err := sequence.NewMatcher(p.Sequences)
	if err != nil { // Begin has reported it
		return s, nil
	}
	m.Resume(s.Sequences)
	for _, e := range events {
		seq, done := m.Observe(e)
		s.Sequences = m.Matched()
		if done {
			end := p.done(s, t, End{
				Fired: bySequence, Name: seq.Name,
				Reason: "the done sequence matched: " + seq.String(),
			})
			return s, &end
		}
	}
	return s, nil
}

// done completes an end without an answer: the answer is what the last cell printed, else the reply's prose, else
// the best partial answer.
func (p Policy) done(s State, t Turn, e End) End {
	e.Status = p.completed()
	if e.HasAnswer {
		return e
	}
	said := p.withoutCalls(t.Reply)
	if out := t.output(); out != "" {
		e.Answer, e.HasAnswer, e.From = out, true, FromOutput
	} else if said != "" && !t.attempted() && t.Withheld == "" && !s.Unread {
		e.Answer, e.HasAnswer, e.From = said, true, FromReply
		if t.Reply.Cut {
			e.From = FromPartial
		}
	}
	if e = p.partial(s, e); !e.HasAnswer && said != "" && s.Unread && len(t.ran()) == 0 {
		e.Status = Failed
		e.Reason += ", and none of the text was looked at"
	}
	return e
}

func (v *Verdict) ignore(signal, reason string) {
	in := IgnoredSignal{Signal: signal, Reason: reason}
	if !slices.Contains(v.Ignored, in) {
		v.Ignored = append(v.Ignored, in)
	}
}

func (v *Verdict) nudge(g Guard, text string) {
	v.Nudges = append(v.Nudges, Reminder{Guard: g, Text: text})
}
