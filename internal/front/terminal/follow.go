package terminal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front"
	"github.com/gorlm/rlm/internal/front/terminal/footnotes"
	"github.com/gorlm/rlm/internal/front/terminal/progress"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/front/terminal/transcript"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// Options configure how a run in progress is shown, and what is printed of its result.
type Options struct {
	Out, Err *screen.Output
	// Quiet hides all progress; Verbose adds the model's cells and their output.
	Quiet, Verbose bool
	// Events prints each event as a line of JSON. Result, if set, maps the result to a value that is printed as
	// JSON instead of the answer.
	Events bool
	Result func(runner.Result) any
	// Reading is the progress of reading the context.
	Reading *Reading
	// RunsDir is the folder of the runs; empty for a server's run.
	RunsDir string
	// Resume returns the command that resumes a run. Key returns where the model's key and endpoint are configured.
	Resume func(run string) string
	Key    func() string
	// Meant returns the end of a message about a model that its endpoint does not know: a suggestion of the closest
	// known name, or "" if none is close.
	Meant func() string
}

// Follow shows a run in progress and prints its result. If there is no valid answer, it returns a *front.Exit. It
// stops the run when events cannot be written any more.
func Follow(ctx context.Context, o Options, events iter.Seq2[trajectory.Event, error]) error {
	v := NewView(o.Err, o.Quiet, o.Verbose, o.Reading)
	var res runner.Result
	var failed error
	for ev, err := range events {
		if err != nil {
			failed = err
			break
		}
		res.Add(ev)
		v.Add(ev)
		if o.Events {
			if err := o.Out.JSONLine(ev); err != nil { // leaving the loop cancels the run
				failed = fmt.Errorf("writing events: %w", err)
				break
			}
		}
	}
	v.Close()
	if failed != nil && !res.Ended {
		if ctx.Err() != nil {
			o.interrupted(res)
			return &front.Exit{Code: exitcode.Interrupted}
		}
		return front.Storage(failed, o.RunsDir, res.RunID)
	}
	if err := o.conclude(res, &v.p); err != nil {
		return err
	}
	return front.Storage(failed, o.RunsDir, res.RunID) // the run has ended, but its log was not properly closed
}

// conclude prints the answer on stdout, followed by its footnotes if that is a terminal, and everything else on
// stderr.
func (o Options) conclude(res runner.Result, p *progress.Progress) error {
	code := res.ExitCode()
	switch {
	case o.Events:
	case o.Result != nil:
		if err := o.Out.JSON(o.Result(res)); err != nil {
			return err
		}
	case res.HasAnswer:
		if !o.Quiet && o.Out.Terminal() && o.Err.Terminal() { // the heading goes to stderr
			_ = o.Err.Styled("\n" + o.Err.Paint(screen.Bold, transcript.Heading) + "\n")
		}
		render := o.Out.Markdown
		if res.Typed { // a typed answer is JSON, not Markdown
			render = o.Out.Underlined
		}
		if err := o.Out.Styled(screen.WithLineEnd(render(res.Answer, res.Grounding.Missing()...))); err != nil {
			return fmt.Errorf("writing the answer: %w (it is kept: rlm show %s)", err, res.RunID)
		}
		o.footnotes(res)
	}
	if code == exitcode.Interrupted {
		o.interrupted(res)
		return &front.Exit{Code: code}
	}
	// The model's last reply is not an answer, but worth showing.
	if !res.HasAnswer && strings.TrimSpace(res.Reply) != "" && o.Result == nil && !o.Events {
		_ = o.Err.Styled(screen.WithLineEnd(res.Reply))
	}
	if !o.Quiet {
		status := transcript.Status(string(res.Status), res.Name, string(res.FinishStatus))
		fmt.Fprintf(o.Err, "%s · %s · %s · %s\n", status, transcript.TurnsOf(res.Turns, p.Turn), p.Spent(),
			units.Duration(res.Duration))
	}
	if res.NeedsReview && !o.Quiet {
		fmt.Fprintf(o.Err, "review it: rlm review %s --approve, or --reject \"what is missing\"\n", res.RunID)
	}
	if code == exitcode.Answered {
		return nil
	}
	return &front.Exit{Code: code, Err: errors.New(o.whyNot(res))}
}

// footnotes prints an answer's footnotes: below the answer if stdout is a terminal, otherwise on stderr.
func (o Options) footnotes(res runner.Result) {
	to := o.Out
	if !to.Terminal() {
		to = o.Err
		if o.Quiet {
			return
		}
	}
	e := trajectory.RunEnded{
		Evidence: res.Evidence, UnknownMarks: res.UnknownMarks, Unverified: res.Unverified,
		Unsupported: res.Unsupported, Grounding: res.Grounding, Guess: res.Guess, CutReplies: res.CutReplies,
	}
	switch res.Status { // the reason at the end of the output includes these
	case termination.EvidenceMissing:
		e.Unsupported = ""
	case termination.NotGrounded:
		e.Grounding = nil
	}
	for _, line := range footnotes.Lines(e) {
		_ = to.Styled(to.Paint(screen.Faint, to.Fit(line)) + "\n") // errors are ignored: the log has these lines
	}
}

// whyNot explains in one line why there is no answer, and what to do.
func (o Options) whyNot(res runner.Result) string {
	text := res.Reason
	if text == "" {
		text = "the run ended with status " + string(res.Status)
	}
	switch {
	case res.EndedBy == termination.ByEndpoint:
		check := ""
		switch res.ErrorKind {
		case string(llm.ErrAuth):
			check = fmt.Sprintf("check %s; ", o.Key())
		case string(llm.ErrBadRequest): // the model may not exist
			text += o.Meant()
		}
		text += fmt.Sprintf(" (%snothing is lost: %s)", check, o.Resume(res.RunID))
	case !res.HasAnswer && res.EndedBy != termination.ByError:
		text = "no answer: " + text
	}
	return text
}

func (o Options) interrupted(res runner.Result) {
	if res.RunID == "" {
		fmt.Fprintln(o.Err, "rlm: stopped")
		return
	}
	fmt.Fprintf(o.Err, "rlm: stopped; continue with: %s\n", o.Resume(res.RunID))
}
