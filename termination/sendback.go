package termination

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/reply"
)

// Lacks is what an answer lacks.
type Lacks struct {
	// Look means that the answer is a guess: a literal, or a value in prose, given before the text was looked at.
	Look bool
	// Values are values of the answer that occur nowhere in the run.
	Values []string
	// Evidence describes the missing evidence, as a sentence without its full stop; Cite is the name of the
	// function that returns marks.
	Evidence, Cite string
}

// SendBack returns the verdict on an answer that lacks something, and the state after it. v is the verdict that
// would end the run with that answer. Once in a run, the model instead reads what is missing and continues,
// however many things are missing. The second time, and if no turn is left for another answer, v remains.
func (p Policy) SendBack(s State, t Turn, v Verdict, lacks Lacks) (State, Verdict) {
	guard, reason := p.sentBack(s, lacks)
	if reason == "" || !p.MaySendBack(s, v) {
		return s, v
	}
	s.SentBack, s.Offered = true, v.End.Answer
	if v.End.Fired == ByProse {
		s.Prose++
	}
	return p.goOn(s, t, v, Reminder{Guard: guard, Text: reason})
}

// Unfit returns the verdict on an answer that does not have the required form, and the state after it, instead of
// the verdict v that ends the run: the model reads the reminder and continues. Like a cell whose answer does not fit,
// it counts as a failing turn, so that a model that repeats it reaches the error limit.
func (p Policy) Unfit(s State, t Turn, v Verdict, remind Reminder) (State, Verdict) {
	s.Errors++
	return p.goOn(s, t, v, remind)
}

// goOn returns the verdict that continues a run instead of ending it by v, within its limits.
func (p Policy) goOn(s State, t Turn, v Verdict, remind Reminder) (State, Verdict) {
	v = Verdict{Action: Continue, Nudges: append(v.Nudges, remind), Ignored: v.Ignored}
	if limit := p.limit(s, t); limit != nil {
		s.Limit, v.Limit, v.Action = limit, limit, LastTurn
	}
	return s, v
}

// MaySendBack reports whether v ends the run with an answer that the model itself gave, and the answer can be sent
// back.
func (p Policy) MaySendBack(s State, v Verdict) bool {
	if s.SentBack || s.Limit != nil || v.End == nil || !v.End.HasAnswer {
		return false
	}
	switch v.End.Fired {
	case ByLimit, byGuard, byStop, ByEndpoint, ByError, ByInterrupt:
		return false
	}
	return true
}

// sentBack explains to the model why an answer is sent back; the reason is empty if it is not.
func (p Policy) sentBack(s State, lacks Lacks) (Guard, string) {
	evidence := ""
	if p.RequireEvidence && lacks.Evidence != "" {
		evidence = fmt.Sprintf("Mark what it says with %s(part), part being a slice of `context`, and quote only what stands there word for word", lacks.Cite)
	}
	switch {
	case lacks.Look:
		reason := "The answer was not accepted: it came before any output showed something of the text, so it would be a guess. " +
			p.look(s) +
			"Then compute the answer and " + p.howToAnswer() + "; if you are sure of it as it is, give it again."
		if evidence != "" {
			reason += " " + evidence + "."
		}
		return guardLook, reason
	case evidence != "":
		return guardEvidence, fmt.Sprintf(
			"The answer was not accepted: %s. %s; then give the answer again. If there is none, give the answer without: it is then marked as such.",
			lacks.Evidence, evidence)
	case len(lacks.Values) > 0:
		shown := make([]string, 0, maxValues)
		for _, v := range lacks.Values[:min(len(lacks.Values), maxValues)] {
			shown = append(shown, text.Line(v, 60))
		}
		return guardGrounding, fmt.Sprintf(
			"The answer was not accepted yet: nothing in it rests on the text or on what cells made of it (%s). "+
				"Print or compute what it rests on and hand in that variable; if it is right as it is, give it again.",
			strings.Join(shown, ", "))
	}
	return "", ""
}

// Asked returns the verdict on an answer that is a question of the model, instead of v.
func (v Verdict) Asked() Verdict {
	e := asksFor(v.End.Answer, v.End.Fired, v.End.Name)
	v.End = &e
	return v
}

// Declined returns the verdict on an answer in which the model declines, instead of v.
func (v Verdict) Declined() Verdict {
	e := End{
		Status: Refused, Fired: v.End.Fired, Name: v.End.Name, Asks: v.End.Answer,
		Reason: "the model declined: " + text.Line(v.End.Answer, 300),
	}
	v.End = &e
	return v
}

// maxValues bounds the values that a message names.
const maxValues = 10

// Guessed returns the verdict on a guess, instead of v. If every cell failed, the answer only counts as the best
// partial one; in a conversation, prose about a text that was never looked at is no answer. Nor is a question.
func (p Policy) Guessed(s State, v Verdict) Verdict {
	if v.End == nil || !v.End.HasAnswer {
		return v
	}
	if v.End.Fired == ByProse && v.End.From == FromReply {
		v.End = p.guardStop(&s, guardProse, "the replies contained no cell, and none of the text was looked at")
		return v
	}
	if (v.End.Fired == ByFinal || v.End.Fired == BySignal) && reply.Asks(v.End.Answer) {
		return v.Asked()
	}
	e := *v.End
	e.Guess = true
	if s.Ran && !s.Succeeded && e.Fired != ByLimit {
		e.Status, e.Fired, e.Name, e.From = ErrorLimit, ByLimit, string(ErrorLimit), FromPartial
		e.Reason = "every cell failed, and none of the text was looked at before " + e.Reason
		e.RequiresReview = false
	}
	v.End = &e
	return v
}
