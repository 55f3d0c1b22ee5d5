// Package transcript describes what happens in a run or a session as text for people. All front ends on a terminal
// use it, so that a run looks the same while it happens, in a local or a server's session, and when it is read
// later.
package transcript

import (
	"fmt"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/front/terminal/progress"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Detail is how much of a run a transcript shows.
type Detail int

// The levels of detail. With each, the code of a cell precedes its output.
const (
	Steps Detail = iota // one line for each step
	Cells               // also the code of each cell as it starts, its output and its value
	Turns               // whole replies, the results of their cells, and the answer
)

// Transcript renders events as text that stays on the screen. It depends only on the events. Make it with New. It
// is not safe for concurrent use.
type Transcript struct {
	Detail Detail
	// Session is set in an interactive session: its screen already shows the input and the context, and /show
	// unfolds what is folded.
	Session bool
	// All shows, in addition to Turns, the system prompt, reasoning, the model's messages, sub-calls and child runs.
	All bool
	// Output shows, in addition to Steps, the first lines of each cell's output.
	Output bool

	r       *screen.Renderer
	calls   progress.Progress // sub-calls of the running cell, shown in one line when the cell ends
	source  string            // its code with a title, held back until it prints something
	last    string            // the unfinished last line of its output
	held    string            // lines of its output that wait for its end
	warned  map[string]bool   // warnings already shown; each is shown once
	leftOut bool              // files left out of the context have just been listed
	summary map[string]bool   // by path: the next reply is a summary, not part of a turn
	partial strings.Builder   // the incomplete reply so far
}

// New makes a transcript, for a run that will happen or a recorded one.
func New(r *screen.Renderer, detail Detail) *Transcript {
	return &Transcript{Detail: detail, r: r, warned: map[string]bool{}, summary: map[string]bool{}}
}

// Event renders what an event adds to the screen, without the last line end. Most events add nothing.
func (t *Transcript) Event(ev trajectory.Event) string {
	root := ev.Path == ""
	if _, starts := ev.Data.(trajectory.CellStarted); starts && root {
		t.calls = progress.Progress{}
	}
	t.calls.Add(ev)
	if !root && t.Detail == Turns {
		return t.child(ev)
	}
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		if root && !t.Session {
			return t.begun(ev, d)
		}
	case trajectory.ContextAdded:
		return t.context(ev, d)
	case trajectory.TurnStarted:
		t.summary[ev.Path] = d.Kind == "summary"
	case trajectory.MessageAdded:
		if d.Kind == "review" && !t.Session && t.Detail == Turns {
			return t.Question(d.Content.String())
		}
		return t.hidden(d.Kind, d.Content.String())
	case trajectory.ReplyDelta:
		if d.Restart {
			t.partial.Reset()
		}
		t.partial.WriteString(d.Content)
	case trajectory.ReplyReceived:
		return t.reply(ev, d)
	case trajectory.CellStarted:
		return t.starts(ev, d)
	case trajectory.CellPrinted:
		if root && (t.Output || t.Detail == Cells) {
			return t.prints(d.Text)
		}
	case trajectory.CellEnded:
		if t.Detail == Turns {
			return t.cell(d)
		}
		output := ""
		if root {
			result, _ := d.Decode() // if it cannot be decoded, tables stay as they were printed
			output = t.rest(result.Items)
		}
		return join(output, t.say(ev, "turn %d · cell %d %s", ev.Turn, d.Cell, outcome(d)), t.value(d))
	case trajectory.SubCallStarted:
		return t.hidden(fmt.Sprintf("cell %d · %s", d.Cell, d.Impl), d.Prompt.String())
	case trajectory.SubCallEnded:
		if d.Error != "" && t.Detail < Turns {
			return t.say(ev, "cell %d · sub-call failed: %s", d.Cell, d.Error)
		}
		return t.hidden(fmt.Sprintf("cell %d · answer of %s", d.Cell, d.Model), d.Reply.String()+d.Error)
	case trajectory.RunEnded:
		if t.Detail == Turns {
			return t.Cut() + t.ended(ev, d)
		}
		if root {
			return t.rest(nil) // of a cell that was broken off
		}
	default:
		return t.beside(ev)
	}
	return ""
}

// beside renders events that are not steps of a run.
func (t *Transcript) beside(ev trajectory.Event) string {
	inTurn := ""
	more := func(text string) string {
		if text == "" || t.Detail < Turns {
			return ""
		}
		return ": " + text
	}
	if t.Detail < Turns {
		inTurn = fmt.Sprintf("turn %d · ", ev.Turn)
	}
	switch d := ev.Data.(type) {
	case trajectory.Warned:
		if t.warned[d.Text] || d.About == "context" && t.leftOut { // those files are already listed
			t.leftOut = false
			return ""
		}
		t.warned[d.Text] = true
		return t.say(ev, "warning: %s", d.Text)
	case trajectory.CallRetried:
		switch retry := progress.Retry(d, d.Wait); {
		case t.Detail < Turns:
			return t.say(ev, "%s", retry)
		case t.r.Plain() || !t.Session: // a session on a terminal shows it in the live part
			return t.clean(retry)
		}
	case trajectory.FellBack:
		return t.say(ev, "%s", progress.FellBack(d))
	case trajectory.Nudged:
		return t.say(ev, "%sreminder to the model (%s)%s", inTurn, strings.ReplaceAll(d.Guard, "_", " "), more(d.Text))
	case trajectory.SignalIgnored:
		return t.say(ev, "%s%s was not counted: %s", inTurn, d.Signal, d.Reason)
	case trajectory.LimitReached:
		return t.say(ev, "%s reached: %s used of %s", Status(d.Limit, "", ""), d.Used, d.Bound)
	case trajectory.Compacted:
		return t.say(ev, "%s summarised%s", units.Of(d.Messages, "earlier message"), more(compactedHow[d.How]))
	case trajectory.EngineMoved:
		if t.Detail > Steps {
			return t.say(ev, "%scell %d continues in the %s engine: %s", inTurn, d.Cell, d.To, d.Why)
		}
	case trajectory.Reviewed:
		if verdict := map[bool]string{true: "approved", false: "sent back"}[d.Approved]; !t.Session {
			return t.say(ev, "review: %s %s", verdict, d.Note)
		}
	}
	return ""
}

// compactedHow describes how a summary was made, if not by the model.
var compactedHow = map[string]string{"mechanical": "only their beginnings were kept, because the model wrote no summary"}

// child renders an event of a child run with Turns: only its result, unless All is set. In a session, the child run
// is one of the sub-calls and is not shown.
func (t *Transcript) child(ev trajectory.Event) string {
	switch d := ev.Data.(type) {
	case trajectory.ReplyReceived:
		return t.hidden("child "+ev.Path+" · "+t.head(ev, d), d.Content.String())
	case trajectory.MessageAdded:
		if d.Kind != "system" {
			return t.hidden("child "+ev.Path+" · "+d.Kind, d.Content.String())
		}
	case trajectory.RunEnded:
		if !t.Session {
			turns := TurnsOf(d.Turns, ev.Turn)
			return t.say(ev, "child %s: %s after %s: %s", ev.Path, Status(d.Status, "", ""), turns,
				text.First(d.Answer))
		}
	}
	return ""
}

// say formats a line of the transcript's own, set apart from whole turns.
func (t *Transcript) say(ev trajectory.Event, format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if t.Detail == Turns {
		return t.r.Paint(screen.Faint, screen.Indent("· ", t.r.Wrap(t.clean(text), 2)))
	}
	if ev.Path != "" {
		text = "  child " + ev.Path + " · " + text
	}
	return screen.Line(text)
}

// begun announces the start of a run; from the detail Turns on, with its question.
func (t *Transcript) begun(ev trajectory.Event, d trajectory.RunStarted) string {
	models := d.Model
	if d.SubModel != "" && d.SubModel != d.Model {
		models += " with " + d.SubModel
	}
	line := fmt.Sprintf("run %s · %s · sandbox %s", d.Run, models, d.Sandbox)
	if t.Detail < Turns {
		return t.say(ev, "%s", line)
	}
	return t.say(ev, "%s · %s", line, ev.Time.Local().Format(time.DateTime)) + "\n" + t.Question(d.Question)
}

// skippedShown is the maximum number of files left out of the context that are listed.
const skippedShown = 5

// context describes the content of a context, and lists the first files left out of it, with the reasons.
func (t *Transcript) context(ev trajectory.Event, d trajectory.ContextAdded) (text string) {
	if !t.Session {
		text = t.say(ev, "context: %s, %s", units.Of(d.Documents, "document"), units.Bytes(d.Size))
		switch {
		case d.Documents == 0:
			text = t.say(ev, "no context")
		case d.Size == 0:
			text = t.say(ev, "no context: it is empty (%s)", units.Of(d.Documents, "empty document"))
		}
	}
	if t.leftOut = len(d.Skipped) > 0; !t.leftOut {
		return text
	}
	more := ""
	if n := len(d.Skipped) - skippedShown; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	shown := strings.Join(d.Skipped[:min(len(d.Skipped), skippedShown)], ", ")
	return join(text, t.say(ev, "left out: %s%s", shown, more))
}

// clean removes everything that a terminal would act on. For a file or a pipe, a recorded run stays as it is, byte
// for byte.
func (t *Transcript) clean(text string) string {
	if t.r.Plain() && !t.Session {
		return text
	}
	return screen.Clean(text)
}

// join joins the non-empty parts with line ends.
func join(parts ...string) string {
	text := ""
	for _, part := range parts {
		if part != "" && text != "" {
			text += "\n"
		}
		text += part
	}
	return text
}
