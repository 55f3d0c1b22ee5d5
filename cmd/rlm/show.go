package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/gorlm/rlm/cmd/rlm/internal/footnotes"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/brief"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/internal/server/client"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

type showFlags struct {
	all, json, sequence, web bool
	done                     []string
}

func (a *app) showCommand() *cobra.Command {
	var flags showFlags
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print a run readably: replies, observations, answer",
		Long: `Print a run readably. ID may be the beginning of an id, at least three characters of its end, or "last".

--sequence prints the run's events as the letters of done sequences (T a reply that called a builtin, L a reply that called
none, A an observation, U a user's message, N an empty reply) and how far each sequence got: those that the run was begun with,
and those of --done.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.remote(cmd.Context())
			if err != nil {
				return err
			}
			if c != nil {
				return a.showAt(cmd.Context(), c, flags, args[0])
			}
			if flags.web {
				return a.showWeb(cmd, args[0])
			}
			return a.show(cmd.Context(), flags, args[0])
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&flags.all, "all", "a", false, "with system prompt, reasoning, sub-calls and child runs")
	f.BoolVar(&flags.json, "json", false, "print the events as JSON Lines, with every text in full")
	f.BoolVar(&flags.web, "web", false, "open the run in a browser: in the server that runs ('rlm serve'), or in one of its own until Ctrl-C")
	f.BoolVar(&flags.sequence, "sequence", false, "print the events as letters, and how far done sequences got")
	f.StringArrayVar(&flags.done, "done", nil, "with --sequence: also follow this sequence (repeatable)")
	return cmd
}

func (a *app) show(ctx context.Context, flags showFlags, id string) error {
	dir, err := findRun(id)
	if err != nil {
		return err
	}
	switch {
	case flags.json:
		return a.printEvents(until(ctx, trajectory.Salvage(dir)))
	case flags.sequence:
		return a.showSequence(dir, flags.done)
	}
	return a.print(flags, until(ctx, trajectory.Salvage(dir)), func() (trajectory.Summary, error) { return trajectory.Summarize(dir) })
}

// showAt is show for a run of a server.
func (a *app) showAt(ctx context.Context, c *client.Client, flags showFlags, id string) error {
	if flags.web || flags.sequence {
		return wrongUsage("--web and --sequence are not for a run of a server")
	}
	s, err := sessionOf(ctx, c, id)
	if err != nil {
		return err
	}
	if flags.json {
		return a.printEvents(recordedAt(ctx, c, s))
	}
	return a.print(flags, recordedAt(ctx, c, s), func() (trajectory.Summary, error) { return s.Summary, nil })
}

// print prints a run; what says what became of one that has no end.
func (a *app) print(flags showFlags, events iter.Seq2[trajectory.Event, error], what func() (trajectory.Summary, error)) error {
	p := &printer{out: a.out, all: flags.all}
	for ev, err := range events {
		if err != nil {
			return err
		}
		p.event(ev)
	}
	if err := p.end(what); err != nil {
		return err
	}
	if p.failed != nil {
		return fmt.Errorf("printing the run: %w", p.failed)
	}
	return nil
}

func (a *app) printEvents(events iter.Seq2[trajectory.Event, error]) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	for ev, err := range events {
		if err != nil {
			return err
		}
		if err := enc.Encode(ev); err != nil {
			return fmt.Errorf("writing events: %w", err)
		}
	}
	return nil
}

// printer writes a run for people.
type printer struct {
	out    *screen.Output
	all    bool
	res    runner.Result
	subs   int // sub-calls since the last observation
	fail   int
	failed error // the first one of writing
}

func (p *printer) event(ev trajectory.Event) {
	if ev.Path != "" {
		p.child(ev)
		return
	}
	p.res.Add(ev)
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		p.say("run %s · %s · %s · sandbox %s", d.Run, ev.Time.Local().Format(time.DateTime), modelsLine(d), d.Sandbox)
		p.block("question", d.Question)
	case trajectory.ContextAdded:
		p.say("context: %s, %s", quantity.Of(d.Documents, "document"), quantity.Bytes(d.Size))
	case trajectory.MessageAdded:
		if d.Kind != "question" && (p.all || d.Kind != "system") {
			p.subCalls()
			p.block(d.Kind, d.Content.String())
		} else if p.all {
			p.block(d.Kind+" as the model sees it", d.Content.String())
		}
	case trajectory.ReplyReceived:
		if p.all && d.Reasoning.String() != "" {
			p.block(fmt.Sprintf("turn %d · reasoning", ev.Turn), d.Reasoning.String())
		}
		p.block(fmt.Sprintf("turn %d · reply of %s, %s in %s", ev.Turn, d.Model, quantity.About(d.Usage.Completion, "token"), short(d.Duration)), d.Content.String())
	case trajectory.SubCallStarted:
		if p.all {
			p.block(fmt.Sprintf("cell %d · %s", d.Cell, d.Impl), d.Prompt.String())
		}
	case trajectory.SubCallEnded:
		p.subs++
		if d.Error != "" {
			p.fail++
		}
		if p.all {
			p.block(fmt.Sprintf("cell %d · answer of %s", d.Cell, d.Model), d.Reply.String()+d.Error)
		}
	case trajectory.Warned:
		p.say("warning: %s", d.Text)
	case trajectory.EngineMoved:
		p.say("cell %d · goes on in the %s engine: %s", d.Cell, d.To, d.Why)
	case trajectory.SignalIgnored:
		p.say("%s was not counted: %s", d.Signal, d.Reason)
	case trajectory.LimitReached:
		p.say("limit reached: %s, %s of %s", d.Limit, d.Used, d.Bound)
	case trajectory.Compacted:
		p.say("%s summarised (%s)", quantity.Of(d.Messages, "older message"), d.How)
	case trajectory.RunEnded:
		p.subCalls()
		p.ended(d)
	case trajectory.Reviewed:
		verdict := "sent back"
		if d.Approved {
			verdict = "approved"
		}
		p.say("review: %s %s", verdict, d.Note)
	}
}

// child shows of child runs how they went, unless all is wanted.
func (p *printer) child(ev trajectory.Event) {
	switch d := ev.Data.(type) {
	case trajectory.ReplyReceived:
		if p.all {
			p.block(fmt.Sprintf("child %s · turn %d · reply of %s", ev.Path, ev.Turn, d.Model), d.Content.String())
		}
	case trajectory.MessageAdded:
		if p.all && d.Kind != "system" {
			p.block("child "+ev.Path+" · "+d.Kind, d.Content.String())
		}
	case trajectory.RunEnded:
		p.say("child %s · %s after %s: %s", ev.Path, d.Status, quantity.Of(d.Turns, "turn"), brief.First(d.Answer))
	}
}

func (p *printer) subCalls() {
	if p.subs > 0 && !p.all {
		failed := ""
		if p.fail > 0 {
			failed = fmt.Sprintf(", %d failed", p.fail)
		}
		p.say("%s%s (rlm show --all shows them)", quantity.Of(p.subs, "sub-call"), failed)
	}
	p.subs, p.fail = 0, 0
}

func (p *printer) ended(d trajectory.RunEnded) {
	if d.HasAnswer {
		p.block("answer", d.Answer)
		for _, line := range footnotes.Lines(d) {
			p.say("%s", line)
		}
	}
	var tokens int64
	for _, u := range d.Usage {
		tokens += u.Prompt + u.Completion
	}
	p.say("%s · %s, %s, %s · %s, %s · %s", statusLine(p.res), quantity.Of(d.Turns, "turn"), quantity.Of(d.Cells, "cell"),
		quantity.Of(d.SubCalls, "sub-call"), quantity.About(tokens, "token"), costWords(d.Cost), short(d.Duration))
	if d.Reason != "" {
		p.say("%s", d.Reason)
	}
}

// end says what a log that has no end is.
func (p *printer) end(what func() (trajectory.Summary, error)) error {
	if p.res.Ended {
		return nil
	}
	if p.res.RunID == "" {
		p.say("nothing is recorded: the run stopped before its question was put")
		return nil
	}
	sum, err := what()
	if err != nil {
		return err
	}
	if sum.Status == trajectory.StatusRunning {
		p.say("running: a process works on it")
		return nil
	}
	p.say("%s (rlm resume %s goes on)", sum.Status, sum.ID)
	return nil
}

func (p *printer) say(format string, args ...any) {
	p.print(p.out.Fit(screen.Line(fmt.Sprintf(format, args...))) + "\n")
}

func (p *printer) print(text string) {
	if p.failed == nil {
		p.failed = p.out.Styled(text)
	}
}

func (p *printer) block(title, text string) {
	p.print("\n" + p.out.Fit("── "+title+" ──") + "\n" + p.out.Prose(withLineEnd(text)))
}
