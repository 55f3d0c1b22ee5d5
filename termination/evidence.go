package termination

import "fmt"

// SendBack is the verdict on an answer that lacks evidence, in the place of v, the verdict that ends the run with it, and the state after
// it: once in a run the model is told what is missing and goes on. The second time, and where no turn is left for another answer, v stands.
// lacks is what is missing, as a sentence without its end; cite is the function that gives marks.
func (p Policy) SendBack(s State, t Turn, v Verdict, lacks, cite string) (State, Verdict) {
	if !p.RequireEvidence || s.SentBack || s.Limit != nil || v.End == nil || !v.End.HasAnswer {
		return s, v
	}
	switch v.End.Fired {
	case ByLimit, ByGuard, ByStop, ByEndpoint, ByError, ByInterrupt:
		return s, v
	}
	s.SentBack, s.Offered = true, v.End.Answer
	v = Verdict{Action: Continue, Nudges: v.Nudges, Ignored: v.Ignored}
	v.nudge(GuardEvidence, fmt.Sprintf("The answer was not accepted: %s. Mark what it says with %s(part), part being a slice of `context`, and quote only what stands there word for word; "+
		"then give the answer again. If there is no evidence, say so in it.", lacks, cite))
	if limit := p.limit(s, t); limit != nil {
		s.Limit, v.Limit, v.Action = limit, limit, LastTurn
	}
	return s, v
}
