package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gorlm/rlm/cmd/rlm/internal/footnotes"
	"github.com/gorlm/rlm/cmd/rlm/internal/progress"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
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
	// partial is what came of a reply that is not complete yet; summary says that it is no turn's.
	partial strings.Builder
	summary bool
	// leftOut says that files that are no part of the context were just named.
	leftOut bool
}

// Event renders what an event leaves on the screen; most leave nothing.
func (t *transcript) Event(ev trajectory.Event) string {
	if ev.Path != "" {
		t.calls.Add(ev)
		return ""
	}
	switch d := ev.Data.(type) {
	case trajectory.TurnStarted:
		t.summary = d.Kind == "summary"
	case trajectory.ReplyDelta:
		if d.Restart {
			t.partial.Reset()
		}
		t.partial.WriteString(d.Content)
	case trajectory.CellStarted:
		t.calls = progress.Progress{}
		t.calls.Add(ev)
		if d.Own {
			return t.own(d)
		}
	case trajectory.SubCallStarted, trajectory.SubCallEnded:
		t.calls.Add(ev)
	case trajectory.ReplyReceived:
		t.partial.Reset()
		if t.summary {
			return "" // the event that uses the summary tells of it
		}
		return t.reply(ev.Turn, d)
	case trajectory.CellEnded:
		return t.cell(ev.Time, d)
	case trajectory.FellBack:
		return t.remark("another model", progress.FellBack(d))
	case trajectory.Nudged:
		return t.remark("told the model", d.Text)
	case trajectory.SignalIgnored:
		return t.remark("not counted", d.Signal+": "+d.Reason)
	case trajectory.LimitReached:
		return t.remark("limit", limitText(d))
	case trajectory.Compacted:
		return t.remark("shortened", quantity.Of(d.Messages, "earlier message")+" summarised"+compactedHow[d.How])
	case trajectory.ContextAdded:
		return t.context(d)
	case trajectory.Warned:
		return t.warning(d)
	case trajectory.RunEnded:
		return t.Cut() + t.ended(d)
	}
	return ""
}

// retry says how a run goes on that broke off, through nobody's decision about its answer.
func (t *transcript) retry(d trajectory.RunEnded) string {
	if d.EndedBy != string(termination.ByInterrupt) && d.EndedBy != string(termination.ByError) {
		return ""
	}
	return "\n" + t.r.paint(faint, "/retry goes on where it broke off")
}

// Cut shows what came of a reply that broke off, nothing if none did.
func (t *transcript) Cut() string {
	text := screen.Clean(t.partial.String())
	t.partial.Reset()
	if strings.TrimSpace(text) == "" || t.summary {
		return ""
	}
	return "\n" + t.r.paint(faint, "── a reply that broke off") + "\n" + t.r.Markdown(text) + "\n"
}

// compactedHow says how a summary was made where that is not what one expects.
var compactedHow = map[string]string{"mechanical": " by their beginnings, because the model wrote no summary"}

// limitText says which budget is used up.
func limitText(d trajectory.LimitReached) string {
	return fmt.Sprintf("%s: %s used of %s", d.Limit, d.Used, d.Bound)
}

// Question shows what a person asked.
func (t *transcript) Question(text string) string {
	return "\n" + t.r.paint(bold, indent("› ", t.r.wrap(screen.Clean(text), 2)))
}

func (t *transcript) own(d trajectory.CellStarted) string {
	return "\n" + t.r.paint(cyan, fmt.Sprintf("cell %d (yours)", d.Cell)) + "\n" + t.r.Cell(screen.Clean(d.Source))
}

func (t *transcript) reply(turn int, d trajectory.ReplyReceived) string {
	head := t.r.paint(faint, fmt.Sprintf("── turn %d · %s · %s", turn, screen.Clean(d.Model), quantity.About(d.Usage.Prompt+d.Usage.Completion, "token")))
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
		parts = append(parts, screen.Charts(t.output(d), result.Items, t.r.paint))
	}
	if result.Value != "" {
		parts = append(parts, indent("= ", t.r.wrap(t.fold(screen.Clean(result.Value), d.Cell), 4)))
	}
	if result.Error != nil {
		parts = append(parts, t.r.paint(red, t.r.wrap(screen.Clean(result.Error.Message), 4)))
	}
	for _, note := range result.Notes {
		parts = append(parts, t.r.paint(faint, t.r.wrap("note: "+screen.Clean(note), 4)))
	}
	return indent("  ", strings.Join(parts, "\n"))
}

func (t *transcript) output(d trajectory.CellEnded) string {
	text := t.fold(screen.Clean(strings.TrimRight(d.Output, "\n")), d.Cell)
	if d.Truncated > 0 {
		text += fmt.Sprintf("\n(%s left out)", quantity.Bytes(d.Truncated))
	}
	return t.r.wrap(text, 4)
}

// fold keeps the first and last lines of a long text. Where there is no screen all of it is there.
func (t *transcript) fold(text string, cell int) string {
	lines := strings.Split(text, "\n")
	if t.r.plain || len(lines) <= outputShown {
		return text
	}
	head, foot := outputShown*2/3, outputShown/3
	left := len(lines) - head - foot
	middle := fmt.Sprintf("… %d more lines: /show %d", left, cell)
	return strings.Join(append(append(lines[:head:head], middle), lines[len(lines)-foot:]...), "\n")
}

// skippedShown is how many files that are no part of the context are named.
const skippedShown = 5

// context names what was left out of the context; what is in it is told by who made it.
func (t *transcript) context(d trajectory.ContextAdded) string {
	if len(d.Skipped) == 0 {
		return ""
	}
	t.leftOut = true
	lines := append([]string{}, d.Skipped[:min(len(d.Skipped), skippedShown)]...)
	if more := len(d.Skipped) - skippedShown; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return t.remark("no part of the context", strings.Join(lines, "\n"))
}

func (t *transcript) remark(about, text string) string {
	return t.r.paint(faint, indent("· "+about+": ", t.r.wrap(screen.Clean(text), 4+len(about))))
}

func (t *transcript) warning(d trajectory.Warned) string {
	text := d.Text
	if t.warned[text] || d.About == "context" && t.leftOut { // those files are named already
		t.leftOut = false
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
		spent = append(spent, quantity.Dollars(*d.Cost))
	}
	spent = append(spent, quantity.Of(d.Turns, "turn"), d.Duration.Round(100*time.Millisecond).String())
	foot := t.footnotes(d) + t.r.paint(faint, t.r.wrap("── "+screen.Line(strings.Join(spent, " · ")), 0))
	switch {
	case d.HasAnswer && d.RequiresReview:
		return "\n" + t.r.paint(bold, "Answer, waiting for your review (/review approve, /review reject NOTE)") + "\n" + t.r.Markdown(screen.Clean(d.Answer)) + "\n" + foot
	case d.HasAnswer:
		return "\n" + t.r.paint(bold, "Answer") + "\n" + t.r.Markdown(screen.Clean(d.Answer)) + "\n" + foot
	case d.Reason != "":
		return "\n" + t.r.paint(red, t.r.wrap("No answer: "+screen.Clean(d.Reason), 0)) + "\n" + foot + t.retry(d)
	default:
		return foot
	}
}

// footnotes are those of an answer, with their line end. Where there is no screen they are not part of the transcript.
func (t *transcript) footnotes(d trajectory.RunEnded) string {
	lines := footnotes.Lines(d)
	if t.r.plain || len(lines) == 0 {
		return ""
	}
	for i, line := range lines {
		lines[i] = indent("  ", t.r.paint(faint, t.r.wrap(screen.Line(line), 2)))
	}
	return strings.Join(lines, "\n") + "\n"
}
