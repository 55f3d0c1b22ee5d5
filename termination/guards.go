package termination

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/reply"
)

// guards checks a turn without an answer. A guard first nudges: the model reads what is wrong and how to act. The
// guard stops the run only if the model continues in the same way. Only one guard acts per turn, the first that
// applies. Each guard counts turns in a row; only a turn whose cells ran resets the counts of errors and of prose.
func (p Policy) guards(s *State, t Turn, echo bool, v *Verdict) *End {
	p.count(s, t, echo)
	for _, g := range []func(*State, Turn, *Verdict) (*End, bool){
		p.guardWithheld, p.guardEmpty, p.guardEcho, p.guardRepeatedReply, p.guardRepeatedCell, p.guardLoop,
		p.guardProse, p.guardErrors,
	} {
		if end, spoke := g(s, t, v); end != nil || spoke {
			return end
		}
	}
	return nil
}

// count updates the counters of the guards.
func (p Policy) count(s *State, t Turn, echo bool) {
	inARow := func(n *int, is bool) {
		if is {
			*n++
		} else {
			*n = 0
		}
	}
	ran := len(t.ran()) > 0
	inARow(&s.Withheld, t.Withheld != "" && !ran)
	inARow(&s.Empty, t.isTrivial(p.TrivialChars) && t.Withheld == "")
	inARow(&s.Echoes, echo && !ran)
	switch failing := t.failed() || t.attempted(); {
	case failing:
		s.Errors++
	case ran:
		s.Errors = 0
	}
	if ran {
		s.Prose = 0
	} else if !echo && !t.attempted() && (t.Reply.Prose != "" || t.noCell()) {
		s.Prose++
	}
}

// guardStop returns the end of a run that a guard stops: an implicit completion if there is an answer, a failure
// otherwise.
func (p Policy) guardStop(s *State, g Guard, reason string) *End {
	e := p.partial(*s, End{Status: ImplicitCompletion, Fired: byGuard, Name: string(g), Reason: reason})
	if !e.HasAnswer {
		e.Status = Failed
	}
	return &e
}

// mostWithheld is how many filtered replies and refusals in a row end a run: the model may rephrase once.
const mostWithheld = 2

// guardWithheld never nudges: the observation already reports what the endpoint did.
func (p Policy) guardWithheld(s *State, t Turn, _ *Verdict) (*End, bool) {
	if s.Withheld < mostWithheld {
		return nil, s.Withheld > 0
	}
	e := End{
		Status: Refused, Fired: byGuard, Name: string(guardWithheld),
		Reason: "the model declined: " + text.Line(t.Reply.Prose, 300),
	}
	if t.Withheld == ContentFilter {
		e.Status = ContentFilter
		e.Reason = fmt.Sprintf("a content filter of the endpoint cut or withheld %d replies in a row", s.Withheld)
	}
	e = p.partial(*s, e)
	return &e, true
}

func (p Policy) guardEmpty(s *State, t Turn, v *Verdict) (*End, bool) {
	if p.EmptyReplies == 0 || s.Empty == 0 {
		return nil, false
	}
	if s.Empty < p.EmptyReplies {
		if t.Reply.Prose != "" { // a reply like "OK.": the reminder of how to act is more useful
			return nil, false
		}
		what := "Your reply was empty. "
		if t.Reply.Cut {
			what = "Your reply ended at the token limit before it said anything: think less, and begin with the cell. "
		}
		v.nudge(guardEmpty, what+p.howToAct(*s))
		return nil, true
	}
	reason := fmt.Sprintf("%d replies in a row were empty or trivial", s.Empty)
	if t.Reply.Prose == "" && t.Reply.Cut {
		reason += ", the last one because thinking used up its token limit"
	}
	if t.Reply.Prose == "" {
		e := p.partial(*s, End{Status: EmptyResponseError, Fired: byGuard, Name: string(guardEmpty), Reason: reason})
		return &e, true
	}
	e := p.guardStop(s, guardEmpty, reason)
	if !e.HasAnswer && !s.Unread && !t.Reply.Cut {
		e.Status, e.Answer, e.HasAnswer, e.From = ImplicitCompletion, t.Reply.Prose, true, FromReply
	}
	return e, true
}

// isEcho reports whether a reply imitates an observation.
func (p Policy) isEcho(t Turn) bool {
	if t.Reply.Imitates > 0 || len(p.ObservationMarks) == 0 {
		return t.Reply.Imitates > 0
	}
	for line := range strings.Lines(t.Reply.Prose) {
		for _, mark := range p.ObservationMarks {
			if mark != "" && strings.HasPrefix(strings.TrimLeft(line, " \t>*_#"), mark) {
				return true
			}
		}
	}
	return false
}

func (p Policy) guardEcho(s *State, t Turn, v *Verdict) (*End, bool) {
	if p.Echoes == 0 || !p.isEcho(t) {
		return nil, false
	}
	if s.Echoes >= p.Echoes {
		return p.guardStop(s, guardEcho,
			fmt.Sprintf("%d replies in a row imitated the notebook's output instead of running a cell", s.Echoes)), true
	}
	if s.Echoes == 0 { // cells ran too: a remark is enough, and other guards may act
		v.nudge(guardEcho, "Part of your reply imitated the notebook's output. It was ignored: what your cells really did is above.")
		return nil, false
	}
	v.nudge(guardEcho, "Your reply imitates the notebook's output, but no cell ran: only the notebook writes output. "+
		p.howToAct(*s))
	return nil, true
}

func (p Policy) guardRepeatedReply(s *State, t Turn, v *Verdict) (*End, bool) {
	if p.SameReplies == 0 || s.SameReply < 2 || t.Reply.Prose == "" && len(t.ran()) == 0 {
		return nil, false
	}
	if s.SameReply >= p.SameReplies {
		if e := p.asks(t, guardRepeatedReply); e != nil {
			return e, true
		}
		e := p.guardStop(s, guardRepeatedReply,
			fmt.Sprintf("the same reply came %d times in a row, with the same result", s.SameReply))
		if t.Reply.Cut && len(t.ran()) == 0 { // the rest of a truncated reply is no answer
			e.Status = Failed
		}
		return e, true
	}
	if len(t.ran()) == 0 { // guardProse reminds the model how to act
		return nil, false
	}
	v.nudge(guardRepeatedReply, fmt.Sprintf(
		"You sent the same reply %d times, and the result was the same. Change the approach, or answer: %s.",
		s.SameReply, p.howToAnswer()))
	return nil, true
}

func (p Policy) guardRepeatedCell(s *State, _ Turn, v *Verdict) (*End, bool) {
	if p.SameCells == 0 || s.SameCell < 2 {
		return nil, false
	}
	if s.SameCell >= p.SameCells {
		return p.guardStop(s, guardRepeatedCell,
			fmt.Sprintf("the same cell ran %d times in a row, with the same result", s.SameCell)), true
	}
	v.nudge(guardRepeatedCell, fmt.Sprintf(
		"The same cell ran %d times and did the same. Its result will not change: do something else, or answer: %s.",
		s.SameCell, p.howToAnswer()))
	return nil, true
}

func (p Policy) guardLoop(s *State, _ Turn, v *Verdict) (*End, bool) {
	if p.LoopRounds < 2 {
		return nil, false
	}
	if period := s.loop(p.LoopRounds); period > 0 {
		return p.guardStop(s, guardLoop, fmt.Sprintf(
			"the last %d turns repeated every %d turns, with the same results", period*p.LoopRounds, period)), true
	}
	if period := s.loop(p.LoopRounds - 1); period > 0 {
		v.nudge(guardLoop, fmt.Sprintf(
			"Your last turns repeat every %d turns with the same results. Leave this loop: try something new, or answer: %s.",
			period, p.howToAnswer()))
		return nil, true
	}
	return nil, false
}

// asks returns the end of a run whose last reply asks for something, because nobody is there to answer; nil if the
// reply does not ask.
func (p Policy) asks(t Turn, g Guard) *End {
	if len(t.ran()) > 0 || t.attempted() || t.Reply.Cut || t.handsIn() || !reply.Asks(t.Reply.Prose) {
		return nil
	}
	e := asksFor(t.Reply.Prose, byGuard, string(g))
	return &e
}

// asksFor returns the end of a run by a question of the model.
func asksFor(question string, by Trigger, name string) End {
	return End{
		Status: NeedsInput, Fired: by, Name: name, Asks: question,
		Reason: "the model asks for something that it was not given: " + text.Line(question, 300),
	}
}

// guardErrors only nudges: the error limit ends a run of failing turns, and still allows one last turn. A model that
// tried in vain to look at the text gets a cell to send.
func (p Policy) guardErrors(s *State, t Turn, v *Verdict) (*End, bool) {
	left := p.MaxErrors - s.Errors
	if t.attempted() && s.Unread && s.Errors == 1 && left > 0 {
		v.nudge(guardErrors, p.look(*s))
		return nil, true
	}
	if p.MaxErrors == 0 || !t.failed() && !t.attempted() || s.Errors < 2 || left <= 0 {
		return nil, false
	}
	v.nudge(guardErrors, fmt.Sprintf(
		"%d turns in a row have failed; after %d more the run ends. Do less in one cell: fix the first error "+
			"named above, print what you have, and go on from there.", s.Errors, left))
	return nil, true
}
