package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/progress"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/pflag"
)

// showing is how a run is shown.
type showing struct {
	quiet, verbose, json, events bool
}

func (s *showing) flags(f *pflag.FlagSet) {
	inGroup(f, groupShow, func() {
		f.BoolVarP(&s.quiet, "quiet", "q", false, "no progress on stderr")
		f.BoolVarP(&s.verbose, "verbose", "v", false, "show the model's cells and what they print on stderr, as they run")
		f.BoolVar(&s.json, "json", false, "print one JSON object with the result instead of the answer")
		f.BoolVar(&s.events, "events", false, "print every event as a line of JSON, as it happens, instead of the answer")
	})
}

func (s showing) check() error {
	switch {
	case s.quiet && s.verbose:
		return wrongUsage("--quiet and --verbose contradict each other")
	case s.json && s.events:
		return wrongUsage("--json prints one object and --events one for each event: choose one")
	}
	return nil
}

// follow shows a run while it happens, prints its result and returns how the program should exit.
func (a *app) follow(ctx context.Context, how showing, events iter.Seq2[trajectory.Event, error]) error {
	v := newView(a.err, how, &a.read)
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	var res runner.Result
	var failed error
	for ev, err := range events {
		if err != nil {
			failed = err
			break
		}
		res.Add(ev)
		v.add(ev)
		if how.events {
			if err := enc.Encode(ev); err != nil { // leaving the loop cancels the run: nobody reads it any more
				failed = fmt.Errorf("writing events: %w", err)
				break
			}
		}
	}
	v.close()
	if dir, err := runsDir(); err == nil && res.RunID != "" && a.address == "" {
		session, _, _ := strings.Cut(res.RunID, ".")
		res.Trajectory = logPath(filepath.Join(dir, session))
	}
	if failed != nil && !res.Ended {
		if ctx.Err() != nil {
			a.interrupted(res)
			return &exit{code: termination.ExitInterrupted}
		}
		return fullDisk(failed, res.RunID)
	}
	if err := a.conclude(how, res, &v.p); err != nil {
		return err
	}
	return fullDisk(failed, res.RunID) // after the end: the log could not be closed in good order
}

// conclude prints the answer, and only it, on stdout.
func (a *app) conclude(how showing, res runner.Result, p *progress.Progress) error {
	code := res.ExitCode()
	switch {
	case how.events:
	case how.json:
		if err := a.printJSON(resultOf(res)); err != nil {
			return err
		}
	case res.HasAnswer:
		answer := withLineEnd(res.Answer)
		if !res.Typed { // JSON is no Markdown
			answer = withLineEnd(a.out.Markdown(res.Answer))
		}
		if err := a.out.Styled(answer); err != nil {
			return fmt.Errorf("writing the answer: %w (it is kept: rlm show %s)", err, res.RunID)
		}
		a.printFootnotes(how, res)
	}
	if code == termination.ExitInterrupted {
		a.interrupted(res)
		return &exit{code: code}
	}
	if !how.quiet {
		fmt.Fprintf(a.err, "%s · %s · %s · %s\n", statusLine(res), quantity.Of(res.Turns, "turn"), p.Spent(), short(res.Duration))
	}
	if res.NeedsReview && !how.quiet {
		fmt.Fprintf(a.err, "review it: rlm review %s --approve, or --reject \"what is missing\"\n", res.RunID)
	}
	if code == termination.ExitAnswered {
		return nil
	}
	return &exit{code: code, err: fmt.Errorf("%s", a.whyNot(res))}
}

// whyNot says in one line why there is no answer, and what can be done.
func (a *app) whyNot(res runner.Result) string {
	text := res.Reason
	if text == "" {
		text = "the run ended with status " + string(res.Status)
	}
	switch res.ExitCode() {
	case termination.ExitEndpoint:
		check := ""
		if res.ErrorKind == string(llm.ErrAuth) {
			check = "check OPENAI_API_KEY and --base-url; "
		}
		text += fmt.Sprintf(" (%snothing is lost: %s)", check, a.howToGoOn(res.RunID))
	case termination.ExitLimit:
		text = "no answer: " + text
	case termination.ExitFailed:
		if res.Status == termination.Completed { // by a sequence or a switch, before any answer
			text = "no answer: " + text
		}
	}
	return text
}

func (a *app) interrupted(res runner.Result) {
	if res.RunID == "" {
		fmt.Fprintln(a.err, "rlm: interrupted")
		return
	}
	fmt.Fprintf(a.err, "rlm: interrupted; go on with: %s\n", a.howToGoOn(res.RunID))
}

// howToGoOn is the command that goes on with a run.
func (a *app) howToGoOn(id string) string {
	if a.address != "" {
		return "rlm --server URL open " + id + ", then /retry"
	}
	return "rlm resume " + id
}

func statusLine(res runner.Result) string {
	parts := []string{string(res.Status)}
	if res.Name != "" && res.Name != string(res.Status) {
		parts = append(parts, "by "+res.Name)
	}
	if res.FinishStatus != "" {
		parts = append(parts, "("+string(res.FinishStatus)+")")
	}
	return strings.Join(parts, " ")
}

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

func withLineEnd(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

func decode(data json.RawMessage, v any) error { return json.Unmarshal(data, v) }
