package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gorlm/rlm/cmd/rlm/internal/progress"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
)

// outputShown is how many lines of a cell's output are shown; /show N has them all.
const outputShown = 24

// transcript writes what happened as text that stays on the screen. It reads the session's events, nothing else.
type transcript struct {
	r *renderer
	// calls follows the sub-calls of the running cell, which fold to one line when it ends.
	calls progress.Progress
	// warned holds the warnings that were shown; each is shown once.
	warned map[string]bool
}

// Event renders what an event leaves on the screen; most leave nothing.
func (t *transcript) Event(ev trajectory.Event) string {
	if ev.Path != "" {
		t.calls.Add(ev)
		return ""
	}
	switch d := ev.Data.(type) {
	case trajectory.CellStarted:
		t.calls = progress.Progress{}
		t.calls.Add(ev)
		if d.Own {
			return t.own(d)
		}
	case trajectory.SubCallStarted, trajectory.SubCallEnded:
		t.calls.Add(ev)
	case trajectory.ReplyReceived:
		return t.reply(ev.Turn, d)
	case trajectory.CellEnded:
		return t.cell(ev.Time, d)
	case trajectory.Nudged:
		return t.remark("told the model", d.Text)
	case trajectory.SignalIgnored:
		return t.remark("not counted", d.Signal+": "+d.Reason)
	case trajectory.LimitReached:
		return t.remark("limit", fmt.Sprintf("%s: %s of %s", d.Limit, d.Used, d.Bound))
	case trajectory.Compacted:
		return t.remark("shortened", fmt.Sprintf("%d earlier messages were summarised (%s)", d.Messages, d.How))
	case trajectory.ContextAdded:
		return t.context(d)
	case trajectory.Warned:
		return t.warning(d.Text)
	case trajectory.RunEnded:
		return t.ended(d)
	}
	return ""
}

// Question shows what a person asked.
func (t *transcript) Question(text string) string {
	return "\n" + t.r.paint(bold, indent("› ", t.r.wrap(screen.Clean(text), 2)))
}

func (t *transcript) own(d trajectory.CellStarted) string {
	return "\n" + t.r.paint(cyan, fmt.Sprintf("cell %d (yours)", d.Cell)) + "\n" + t.r.Cell(screen.Clean(d.Source))
}

func (t *transcript) reply(turn int, d trajectory.ReplyReceived) string {
	head := t.r.paint(faint, fmt.Sprintf("── turn %d · %s · %s tokens", turn, screen.Clean(d.Model), progress.Count(d.Usage.Prompt+d.Usage.Completion)))
	text := screen.Clean(d.Content.String())
	if strings.TrimSpace(text) == "" {
		text = "(an empty reply)"
	}
	if d.FinishReason == "length" {
		text += "\n\n*(the reply was cut: it reached its token limit)*"
	}
	return "\n" + head + "\n" + t.r.Markdown(text)
}

// cell shows what a cell did: output, value, error with its line, and its sub-calls folded to one line.
func (t *transcript) cell(at time.Time, d trajectory.CellEnded) string {
	var result repl.Result
	_ = json.Unmarshal(d.Result, &result) // an older log may lack parts; what is there is shown
	mark, name := t.r.paint(green, "✓"), fmt.Sprintf("cell %d", d.Cell)
	if !d.OK {
		mark = t.r.paint(red, "✗")
	}
	head := fmt.Sprintf("%s %s · %s", mark, name, result.Duration.Round(time.Millisecond))
	if calls := t.calls.SubCalls(); calls != "" {
		head += " · " + calls + " · " + t.calls.Spent()
	}
	parts := []string{t.r.paint(faint, head)}
	if d.Output != "" {
		parts = append(parts, t.output(d))
	}
	if result.Value != "" {
		parts = append(parts, indent("= ", t.r.wrap(fold(screen.Clean(result.Value), outputShown, d.Cell), 4)))
	}
	if result.Error != nil {
		parts = append(parts, t.r.paint(red, screen.Clean(result.Error.Message)))
	}
	for _, note := range result.Notes {
		parts = append(parts, t.r.paint(faint, "note: "+screen.Clean(note)))
	}
	return indent("  ", strings.Join(parts, "\n"))
}

func (t *transcript) output(d trajectory.CellEnded) string {
	text := fold(screen.Clean(strings.TrimRight(d.Output, "\n")), outputShown, d.Cell)
	if d.Truncated > 0 {
		text += fmt.Sprintf("\n(%d bytes were left out)", d.Truncated)
	}
	return t.r.wrap(text, 4)
}

// fold keeps the first and last lines of a long text.
func fold(text string, most, cell int) string {
	lines := strings.Split(text, "\n")
	if len(lines) <= most {
		return text
	}
	head, foot := most*2/3, most/3
	left := len(lines) - head - foot
	middle := fmt.Sprintf("… %d more lines: /show %d", left, cell)
	return strings.Join(append(append(lines[:head:head], middle), lines[len(lines)-foot:]...), "\n")
}

func (t *transcript) context(d trajectory.ContextAdded) string {
	text := countText(d.Documents, "document") + ", " + progress.Bytes(d.Size)
	for _, s := range d.Skipped {
		text += "\nskipped: " + screen.Clean(s)
	}
	return t.remark("context", text)
}

func (t *transcript) remark(about, text string) string {
	return t.r.paint(faint, indent("· "+about+": ", t.r.wrap(screen.Clean(text), 6+len(about))))
}

func (t *transcript) warning(text string) string {
	if t.warned[text] {
		return ""
	}
	if t.warned == nil {
		t.warned = map[string]bool{}
	}
	t.warned[text] = true
	return t.remark("warning", text)
}

// ended shows the answer, or why there is none.
func (t *transcript) ended(d trajectory.RunEnded) string {
	spent := []string{d.Status}
	if d.Name != "" && d.Name != d.Status {
		spent[0] += " (" + d.Name + ")"
	}
	if d.Cost != nil {
		spent = append(spent, progress.Dollars(*d.Cost))
	}
	spent = append(spent, countText(d.Turns, "turn"), d.Duration.Round(100*time.Millisecond).String())
	foot := t.r.paint(faint, "── "+strings.Join(spent, " · "))
	switch {
	case d.HasAnswer && d.RequiresReview:
		return "\n" + t.r.paint(bold, "Answer, waiting for your review (/review approve, /review reject NOTE)") + "\n" + t.r.Markdown(screen.Clean(d.Answer)) + "\n" + foot
	case d.HasAnswer:
		return "\n" + t.r.paint(bold, "Answer") + "\n" + t.r.Markdown(screen.Clean(d.Answer)) + "\n" + foot
	case d.Reason != "":
		return "\n" + t.r.paint(red, "No answer: "+t.r.wrap(screen.Clean(d.Reason), 0)) + "\n" + foot
	default:
		return foot
	}
}

// countText writes a number of things.
func countText(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
