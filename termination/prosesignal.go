package termination

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/reply"
)

// Wants names the variable whose value Next will need, because a signal in the prose of the turn refers to it.
// Look it up and put its formatted value into Turn.Vars (nothing, if there is no such variable). Call Wants after
// the turn's cells have run.
func (p Policy) Wants(t Turn) (name string, ok bool) {
	d, ok := p.counting(t)
	if !ok || p.isTool(d.Name) || !d.Var && !d.Bare {
		return "", false
	}
	return d.Content, true
}

// Calls returns the source of a cell to run before Next, because the prose of the turn calls a tool that is a
// completion signal: the tool has effects, and may refuse. Put the outcome of the cell into Turn.Handed.
func (p Policy) Calls(t Turn) (source string, ok bool) {
	d, ok := p.counting(t)
	if !ok || !p.isTool(d.Name) {
		return "", false
	}
	source, err := p.callSource(d, t)
	return source, err == nil
}

// callSource returns a call in prose as Go source. Its errors are addressed to the model.
func (p Policy) callSource(d reply.Signal, t Turn) (string, error) {
	args := make([]string, len(d.Arguments))
	for i, a := range d.Arguments {
		if a.Name != "" || a.Source == "" {
			return "", fmt.Errorf("%s was not called: write its call in a ```%s cell", d.RawMatch, reply.CellTag)
		}
		args[i] = a.Source
	}
	if len(args) == 0 && strings.TrimSpace(d.Content) != "" {
		switch {
		case d.Bare && slices.Contains(t.Names, d.Content):
			args = []string{d.Content}
		case d.Bare && !reply.IsWord(d.Content):
			return "", answer.NoVariable(d.Name, d.Content, t.Names)
		default:
			args = []string{fmt.Sprintf("%q", d.Content)}
		}
	}
	return d.Name + "(" + strings.Join(args, ", ") + ")", nil
}

func (p Policy) isTool(name string) bool { return slices.Contains(p.Names.Signals, name) }

func (p Policy) isTask(name string) bool { return slices.Contains(p.Names.FinishTask, name) }

// final returns the answer that a cell of the turn recorded, if it counts.
func (t Turn) final(p Policy) (answer.FinalOutput, bool) {
	for _, c := range t.Cells {
		if c.Final != nil && !ofOtherMode(p.Names, c.Final.Signal, p.Mode) {
			return *c.Final, true
		}
	}
	return answer.FinalOutput{}, false
}

// counting returns the first signal in the turn's prose that counts in this mode. No signal in prose counts if a
// cell gave the answer.
func (p Policy) counting(t Turn) (reply.Signal, bool) {
	if _, recorded := t.final(p); recorded {
		return reply.Signal{}, false
	}
	for _, d := range t.Reply.Signals {
		if p.counts(d, t) {
			return d, true
		}
	}
	return reply.Signal{}, false
}

func (p Policy) counts(d reply.Signal, t Turn) bool {
	return d.Counts(len(t.ran()) > 0) && p.doubt(t) == "" && !p.unseen(d, t) && !ofOtherMode(p.Names, d.Name, p.Mode)
}

// unseen reports whether a signal in prose gives literal text beside cells whose output the model has not seen.
func (p Policy) unseen(d reply.Signal, t Turn) bool {
	if len(t.ran()) == 0 || d.Var {
		return false
	}
	return !d.Bare || !slices.Contains(t.Names, d.Content) && t.Vars[d.Content] == ""
}

// doubt explains why no signal in the prose of a turn counts, whatever its content: the answer may be based on
// something that did not happen.
func (p Policy) doubt(t Turn) string {
	switch {
	case !t.succeeded():
		return "a cell of the same reply failed"
	case slices.ContainsFunc(t.Cells, isProse) ||
		slices.ContainsFunc(t.Reply.Skipped, func(s reply.SkippedBlock) bool { return s.Code }):
		return "the reply holds code that did not run"
	case p.isEcho(t):
		return "the reply imitates the notebook's output, which only the notebook writes"
	}
	return ""
}

// inProse returns the end of a run by a completion signal in the prose of the reply, and adds a remark for every
// signal that does not count.
func (p Policy) inProse(s *State, t Turn, v *Verdict) *End {
	used, counts := p.counting(t)
	for _, d := range t.Reply.Signals {
		if !counts || d.Line != used.Line || d.RawMatch != used.RawMatch {
			p.remark(s, d, t, v)
			continue
		}
		f, err := p.proseAnswer(d, *s, t)
		if err == nil {
			return p.answered(f, *s, t, FromText)
		}
		v.ignore(d.Name, err.Error())
		counts = false
	}
	return nil
}

// proseAnswer returns the answer that a signal in prose gives. Its errors are addressed to the model.
func (p Policy) proseAnswer(d reply.Signal, s State, t Turn) (answer.FinalOutput, error) {
	if p.isTool(d.Name) {
		return p.handed(d, t)
	}
	f := answer.FinalOutput{Type: answer.Direct, Signal: d.Name}
	value, known := t.Vars[d.Content]
	switch {
	case (d.Var || d.Bare) && known:
		f.Type, f.Var, f.Answer = answer.Variable, d.Content, value
		return f, nil
	case d.Var:
		return f, answer.NoVariable(d.Name, d.Content, t.Names)
	case d.Bare && reply.IsPlaceholder(d.Content):
		return f, fmt.Errorf("%s was not counted: %s stands for an answer and is none; %s", d.RawMatch, d.Content,
			p.howToAnswer())
	case d.Bare && !s.isWord(d.Content, t):
		return f, fmt.Errorf("%w A text stands in quotes", answer.NoVariable(d.Name, d.Content, t.Names))
	case namesOnly().MatchString(d.Content) && !s.areWords(d.Content, t):
		return f, fmt.Errorf("%s was not counted: only a cell can evaluate it, and a text stands in quotes", d.RawMatch)
	}
	if p.isTask(d.Name) {
		finish, err := finishOf(d, statusBelow(d, t.Reply.Text))
		if err != nil {
			return f, fmt.Errorf("%s was not counted: %w", d.Name, err)
		}
		f.Answer, f.Status = finish.Summary, finish.Status
		return f, nil
	}
	text, err := onlyArgument(d)
	if err != nil {
		return f, fmt.Errorf("%s was not counted: %w", d.RawMatch, err)
	}
	f.Answer = answer.JSONText(text)
	if d.Name == p.Names.FinishResponse {
		f.Answer = strings.TrimSpace(f.Answer)
	}
	return f, nil
}

// handed returns the answer from the call of a tool in the prose.
func (p Policy) handed(d reply.Signal, t Turn) (answer.FinalOutput, error) {
	if _, err := p.callSource(d, t); err != nil {
		return answer.FinalOutput{}, err
	}
	if t.Handed == nil {
		return answer.FinalOutput{},
			fmt.Errorf("%s was not called: write its call in a ```%s cell", d.RawMatch, reply.CellTag)
	}
	if t.Handed.Final == nil {
		return answer.FinalOutput{}, fmt.Errorf("%s was called from the text of the reply, and did not end the run. %s",
			d.RawMatch, strings.TrimSpace(t.Handed.Output))
	}
	return *t.Handed.Final, nil
}

// isWord reports whether a name that is not a variable is meant as text. A near match of a variable, or a name
// that code of the run uses, is not.
func (s State) isWord(name string, t Turn) bool {
	return reply.IsWord(name) && !slices.Contains(s.Identifiers, name) &&
		!slices.ContainsFunc(t.Names, func(v string) bool { return strings.EqualFold(v, name) })
}

var namesOnly = startup.Regexp(`^[\pL_][\pL\d_]*(?:,\s*[\pL_][\pL\d_]*)+$`)

func (s State) areWords(list string, t Turn) bool {
	for name := range strings.SplitSeq(list, ",") {
		if !s.isWord(strings.TrimSpace(name), t) {
			return false
		}
	}
	return true
}

// onlyArgument returns the text of the one argument that a signal takes.
func onlyArgument(d reply.Signal) (string, error) {
	if len(d.Arguments) == 1 {
		a := d.Arguments[0]
		if a.Source == "nil" {
			return "", nil
		}
		if a.Name == "" || isSummary(a.Name) {
			return a.Text, nil
		}
		return "", fmt.Errorf("it has no argument %s", a.Name)
	}
	if slices.ContainsFunc(d.Arguments, func(a reply.Argument) bool {
		return a.Name != "" || a.Source == "" || a.Source[0] == '"'
	}) {
		return "", errors.New("it takes one argument")
	}
	return d.Content, nil // text, or a number in groups: 1,234
}

func isSummary(name string) bool {
	switch strings.ToLower(name) {
	case "summary", "answer", "final_answer", "result", "text", "content", "message", "value", "response", "output":
		return true
	}
	return false
}

// finishOf reads the arguments of a task signal: a summary and a status, by position, by name or as one object.
// below is the status to use if the arguments contain none.
func finishOf(d reply.Signal, below answer.FinishStatus) (answer.Finish, error) {
	if len(d.Arguments) == 0 || len(d.Arguments) == 1 && d.Arguments[0].Name == "" {
		text, err := onlyArgument(d)
		if err != nil {
			return answer.Finish{}, err
		}
		f, err := answer.ParseFinish(text)
		isText := f.Summary == strings.TrimSpace(text)
		if err == nil && below != "" && (isText || !strings.Contains(strings.ToLower(text), "status")) {
			f.Status = below
		}
		return f, err
	}
	var f answer.Finish
	places := []string{"summary", "status"}
	for i, a := range d.Arguments {
		name := a.Name
		if name == "" && i < len(places) {
			name = places[i]
		}
		switch {
		case isSummary(name):
			f.Summary = a.Text
		case strings.EqualFold(name, "status"):
			f.Status = answer.FinishStatus(a.Text)
		default:
			return f, fmt.Errorf("it takes a summary and a status, and %s is neither", a.Name+a.Text)
		}
	}
	if f.Status == "" {
		f.Status = below
	}
	return answer.ParseFinish(f)
}

var statusLine = startup.Regexp(
	`^[\s>*_\x60-]*(?i:(?:finish[ _])?status[*_\x60"]*\s*[:=][\s*_\x60"]*(done|partial|blocked))[\s*_\x60".]*$`)

// statusBelow returns the status in the line below a call, if that line holds nothing else.
func statusBelow(d reply.Signal, text string) answer.FinishStatus {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := d.Line + strings.Count(d.RawMatch, "\n"); i < len(lines); i++ {
		if m := statusLine().FindStringSubmatch(lines[i]); m != nil {
			return answer.FinishStatus(strings.ToLower(m[1]))
		}
		if strings.TrimSpace(lines[i]) != "" {
			break
		}
	}
	return ""
}

// maxRemarks bounds the remarks on uncounted signals of one reply.
const maxRemarks = 3

// remark explains why a signal in prose does not count, and keeps its text as a possible partial answer.
func (p Policy) remark(s *State, d reply.Signal, t Turn, v *Verdict) {
	if len(v.Ignored) >= maxRemarks {
		return
	}
	if ofOtherMode(p.Names, d.Name, p.Mode) {
		v.ignore(d.Name, p.otherMode(d.Name))
		return
	}
	if d.Malformed == "" && d.Place != reply.Mentioned && !d.Var && !d.Bare && !p.isTool(d.Name) && !p.isEcho(t) {
		s.Offered = answer.JSONText(d.Content)
	}
	v.ignore(d.Name, p.whyNot(d, t))
}

func (p Policy) whyNot(d reply.Signal, t Turn) string {
	return fmt.Sprintf("%s in the text of the reply was not counted: %s. %s.", d.Name, p.objection(d, t),
		capitalize(p.howToAnswer()))
}

// objection returns a clause that explains why a signal in prose does not count.
func (p Policy) objection(d reply.Signal, t Turn) string {
	if d.Cut {
		return "the reply was cut off inside it by the token limit"
	}
	if d.Malformed != "" {
		return d.Malformed
	}
	if why := p.doubt(t); why != "" {
		return why
	}
	switch d.Place {
	case reply.Mentioned:
		return "it reads as if it were talked about"
	case reply.InSentence:
		return "it stands inside a sentence"
	}
	switch counts := d.Counts(len(t.ran()) > 0); {
	case counts && p.unseen(d, t):
		return "beside a cell it counts only with a variable that exists, because what the cell shows was not seen yet"
	case counts:
		return "an earlier one of the same reply came first"
	}
	return "beside cells it counts only on a line of its own"
}

// otherMode explains why a signal of the other mode has no effect.
func (p Policy) otherMode(name string) string {
	kind := "a conversation"
	if p.Mode == Task {
		kind = "a task"
	}
	return fmt.Sprintf("%s has no effect in %s: %s.", name, kind, p.howToAnswer())
}

func capitalize(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
