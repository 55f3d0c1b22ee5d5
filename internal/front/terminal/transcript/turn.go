package transcript

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/front/terminal/footnotes"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// Question renders a person's question.
func (t *Transcript) Question(text string) string {
	return "\n" + t.r.Paint(screen.Bold, screen.Indent("› ", t.r.Wrap(t.clean(strings.TrimRight(text, "\n")), 2)))
}

// Command renders input of a person that is neither a question nor a cell.
func (t *Transcript) Command(text string) string {
	return t.r.Paint(screen.Bold, t.r.Cut(screen.Line("› "+strings.TrimSpace(text))))
}

// Partial returns the incomplete reply so far.
func (t *Transcript) Partial() string { return t.partial.String() }

// Cut renders the incomplete reply if it was cut off; "" if there is none.
func (t *Transcript) Cut() string {
	text := t.clean(t.partial.String())
	t.partial.Reset()
	if strings.TrimSpace(text) == "" || t.summary[""] {
		return ""
	}
	return "\n" + t.r.Paint(screen.Faint, "── a reply that was cut off") + "\n" + t.r.Markdown(text) + "\n"
}

// head describes a reply in one line.
func (t *Transcript) head(ev trajectory.Event, d trajectory.ReplyReceived) string {
	what := fmt.Sprintf("turn %d", ev.Turn)
	if t.summary[ev.Path] {
		what = "summary of earlier messages"
	}
	tokens := units.About(d.Usage.Prompt+d.Usage.Completion, "token")
	head := fmt.Sprintf("%s · %s · %s in %s", what, d.Model, tokens, units.Duration(d.Duration))
	if d.Attempts > 1 {
		head += fmt.Sprintf(" (%d tries)", d.Attempts)
	}
	return head
}

func (t *Transcript) reply(ev trajectory.Event, d trajectory.ReplyReceived) string {
	t.partial.Reset()
	head := t.head(ev, d)
	if t.Detail < Turns {
		return t.say(ev, "%s", head)
	}
	if t.summary[""] {
		return "" // the event that uses the summary describes it
	}
	reasoning := ""
	if thoughts := d.Reasoning.String(); thoughts != "" {
		reasoning = t.hidden("reasoning", thoughts)
	}
	text := t.clean(d.Content.String())
	if strings.TrimSpace(text) == "" {
		text = "(an empty reply)"
	}
	if d.Cut() {
		text += "\n\n*(the reply was cut: it reached its token limit)*"
	}
	return join(reasoning, "\n"+t.r.Paint(screen.Faint, "── "+t.clean(head))+"\n"+t.r.Markdown(text))
}

// hidden renders a text that is shown only if All is set.
func (t *Transcript) hidden(title, text string) string {
	if !t.All {
		return ""
	}
	text = t.r.Wrap(t.clean(strings.TrimRight(text, "\n")), 0)
	return "\n" + t.r.Paint(screen.Faint, "── "+t.clean(title)+" ──") + "\n" + text
}

// Heading is the title above an answer.
const Heading = "Answer"

// ended renders the answer, or why there is no answer.
func (t *Transcript) ended(ev trajectory.Event, d trajectory.RunEnded) string {
	foot := t.footnotes(d) + t.r.Paint(screen.Faint, t.r.Wrap("── "+screen.Line(ending(ev, d)), 0))
	switch {
	case d.HasAnswer:
		head := Heading
		if d.RequiresReview && t.Session {
			head += ", waiting for your review (/review approve, /review reject NOTE)"
		}
		answer := t.r.Markdown(t.clean(d.Answer), d.Grounding.Missing()...)
		return "\n" + t.r.Paint(screen.Bold, head) + "\n" + answer + "\n" + foot
	case d.Reason == "":
		return foot
	case d.Status == string(termination.NeedsInput) && t.Session: // the person is there to reply
		return "\n" + t.r.Paint(screen.Bold, "The model asks") + "\n" + t.r.Markdown(t.clean(d.Reply)) + "\n" + foot
	}
	text := "\n" + t.r.Paint(screen.Red, t.r.Wrap("No answer: "+t.clean(d.Reason), 0)) + "\n" + foot
	if by := termination.Trigger(d.EndedBy); t.Session && (by == termination.ByInterrupt || by == termination.ByError) {
		text += "\n" + t.r.Paint(screen.Faint, "/retry continues where it broke off")
	}
	return text
}

// ending describes in one line how a run ended and what it used.
func ending(ev trajectory.Event, d trajectory.RunEnded) string {
	cost := "cost unknown"
	if d.Cost != nil {
		cost = units.Dollars(*d.Cost)
	}
	return fmt.Sprintf("%s · %s, %s, %s · %s, %s · %s", Status(d.Status, d.Name, d.FinishStatus),
		TurnsOf(d.Turns, ev.Turn), units.Of(d.Cells, "cell"), units.Of(d.SubCalls, "sub-call"),
		units.About(trajectory.UsageOf(d.Usage).Tokens(), "token"), cost, units.Duration(d.Duration))
}

// TurnsOf formats the number of turns of a run: those counted, and the additional last one after the turn limit.
func TurnsOf(counted, last int) string {
	text := units.Of(counted, "turn")
	if last > counted {
		text += " and a last one"
	}
	return text
}

// inWords has readable words for statuses whose own names are not.
var inWords = map[string]string{
	"error": "failed", "llm_empty_response_error": "empty replies", "max_iterations": "turn limit",
	"iterations_exceeded": "turn limit",
	"sub_call_limit":      "sub-call limit", "pending_review": "waiting for a review",
}

// Status describes how a run ended: its status, the name of what ended it if it has one, and what the model reports
// about its answer.
func Status(status, name, finish string) string {
	if name == status {
		name = ""
	}
	status = cmp.Or(inWords[status], strings.ReplaceAll(status, "_", " "))
	if name != "" {
		status += " by " + name
	}
	if finish != "" {
		status += " (" + finish + ")"
	}
	return status
}

// footnotes renders an answer's footnotes, with line ends. In a session without a screen it returns nothing,
// because they are printed separately.
func (t *Transcript) footnotes(d trajectory.RunEnded) (text string) {
	if t.Session && t.r.Plain() {
		return ""
	}
	for _, line := range footnotes.Lines(d) {
		text += screen.Indent("  ", t.r.Paint(screen.Faint, t.r.Wrap(screen.Line(line), 2))) + "\n"
	}
	return text
}
