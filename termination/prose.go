package termination

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/termination/answer"
	"github.com/gorlm/rlm/termination/reply"
)

// Wants names the variable whose value Next will need, because a signal in the prose of the turn refers to it: look it
// up and put its formatted value into Turn.Vars (nothing, if there is no such variable). Ask after the turn's
// cells have run.
func (p Policy) Wants(t Turn) (name string, ok bool) {
	if _, recorded := t.final(p); recorded {
		return "", false
	}
	d, ok := p.counting(t)
	if !ok || !d.Var && !d.Bare {
		return "", false
	}
	return d.Content, true
}

// final is the answer that a cell of the turn recorded, if it counts.
func (t Turn) final(p Policy) (answer.FinalOutput, bool) {
	for _, c := range t.Cells {
		if c.Final != nil && !ofOtherMode(p.Names, c.Final.Signal, p.Mode) {
			return *c.Final, true
		}
	}
	return answer.FinalOutput{}, false
}

// counting is the first signal in the turn's prose that counts in this mode.
func (p Policy) counting(t Turn) (reply.Signal, bool) {
	for _, d := range t.Reply.Signals {
		if p.counts(d, t) {
			return d, true
		}
	}
	return reply.Signal{}, false
}

func (p Policy) counts(d reply.Signal, t Turn) bool {
	return d.Counts(len(t.ran()) > 0) && t.succeeded() && !ofOtherMode(p.Names, d.Name, p.Mode)
}

// inProse is the end by a completion signal in the prose of the reply. Every signal that does not count is
// remarked on.
func (p Policy) inProse(s *State, t Turn, v *Verdict) *End {
	used, _ := p.counting(t)
	var end *End
	for _, d := range t.Reply.Signals {
		if end != nil {
			break // the first answer wins
		}
		if d != used {
			p.remark(s, d, t, v)
			continue
		}
		f, err := p.proseAnswer(d, t)
		if err != nil {
			v.ignore(d.Name, err.Error())
			continue
		}
		end = p.answered(f, t, FromText)
	}
	return end
}

// proseAnswer is the answer that a signal in prose gives. Its errors are addressed to the model.
func (p Policy) proseAnswer(d reply.Signal, t Turn) (answer.FinalOutput, error) {
	f := answer.FinalOutput{Type: answer.Direct, Signal: d.Name}
	value, known := t.Vars[d.Content]
	switch {
	case d.Var && !known:
		return f, answer.NoVariable(d.Name, d.Content, t.Names)
	case (d.Var || d.Bare) && known:
		f.Type, f.Var, f.Answer = answer.Variable, d.Content, value
	case d.Bare && reply.IsPlaceholder(d.Content):
		return f, fmt.Errorf("%s was not counted: %s is neither a variable nor an answer; %s", d.RawMatch, d.Content, p.howToAnswer())
	case p.isTask(d.Name):
		finish, err := answer.ParseFinish(d.Content)
		if err != nil {
			return f, fmt.Errorf("%s was not counted: %w", d.Name, err)
		}
		f.Answer, f.Status = finish.Summary, finish.Status
	default:
		f.Answer = answer.JSONText(d.Content)
	}
	return f, nil
}

func (p Policy) isTask(name string) bool { return slices.Contains(p.Names.FinishTask, name) }

// maxRemarks bounds how many uncounted signals of one reply are remarked on.
const maxRemarks = 3

// remark says why a signal in prose does not count, and keeps what it offered.
func (p Policy) remark(s *State, d reply.Signal, t Turn, v *Verdict) {
	if len(v.Ignored) >= maxRemarks {
		return
	}
	if ofOtherMode(p.Names, d.Name, p.Mode) {
		v.ignore(d.Name, p.otherMode(d.Name))
		return
	}
	if d.Malformed == "" && d.Place != reply.Mentioned && !d.Var && !d.Bare {
		s.Offered = answer.JSONText(d.Content)
	}
	v.ignore(d.Name, p.whyNot(d, t))
}

func (p Policy) whyNot(d reply.Signal, t Turn) string {
	why := ""
	switch {
	case d.Cut:
		why = "the reply was cut off inside it by the token limit"
	case d.Malformed != "":
		why = d.Malformed
	case !t.succeeded():
		why = "a cell of the same reply failed"
	case d.Place == reply.Mentioned:
		why = "it reads as if it were talked about"
	case d.Place == reply.InSentence:
		why = "it stands inside a sentence"
	default:
		why = "beside cells it counts only on a line of its own"
	}
	return fmt.Sprintf("%s in the text of the reply was not counted: %s. %s", d.Name, why, capitalize(p.howToAnswer())+".")
}

// otherMode tells why a signal of the other mode has no effect.
func (p Policy) otherMode(name string) string {
	kind := "a conversation"
	if p.Mode == Task {
		kind = "a task"
	}
	return fmt.Sprintf("%s has no effect in %s: %s.", name, kind, p.howToAnswer())
}

func capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
