package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"time"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

// The commands of this file go on from a run that is in the log, with the model and the endpoint that it was begun with
// unless flags say otherwise.

func (a *app) resumeCommand() *cobra.Command {
	var how showing
	cmd := &cobra.Command{
		Use:   "resume ID",
		Short: "Go on with a run that was interrupted, without paying for anything twice",
		Long: `Go on with a run that was interrupted, killed or whose endpoint failed. No call of a model that is in its log is made
again. Without flags it goes on as it was begun: same model, endpoint and budgets. ID may be the beginning of an id, or "last".`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.again(cmd, how, args[0], func(ctx context.Context, r *runner.Runner, id string, opts []runner.Option) iter.Seq2[trajectory.Event, error] {
				return r.Resume(ctx, id, opts...)
			})
		},
	}
	a.againFlags(cmd, &how)
	return cmd
}

func (a *app) forkCommand() *cobra.Command {
	var how showing
	var turn int
	cmd := &cobra.Command{
		Use:   "fork ID --turn N",
		Short: "Go on from an earlier turn of a run, as a new run",
		Long: `Make a new run that shares its first N turns with run ID, at no cost, and goes on live from there, for example with
another --model. With --turn 0 only the question and the context are shared.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("turn") || turn < 0 {
				return wrongUsage("name the last turn to keep: --turn N, from 0")
			}
			return a.again(cmd, how, args[0], func(ctx context.Context, r *runner.Runner, id string, opts []runner.Option) iter.Seq2[trajectory.Event, error] {
				return r.Fork(ctx, id, turn, opts...)
			})
		},
	}
	cmd.Flags().IntVar(&turn, "turn", 0, "last turn that the new run shares with the old one")
	a.againFlags(cmd, &how)
	return cmd
}

func (a *app) reviewCommand() *cobra.Command {
	var how showing
	var approve bool
	var reject, note string
	cmd := &cobra.Command{
		Use:   "review ID --approve | --reject NOTE",
		Short: "Approve the work of a run in task mode, or send it back",
		Long: `Record a person's decision on a run that is pending review. --approve closes it. --reject NOTE continues the run with
the note as the user's message.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			rejected := cmd.Flags().Changed("reject")
			switch {
			case approve == rejected:
				return wrongUsage("decide: --approve, or --reject \"what is missing\"")
			case rejected && reject == "":
				return wrongUsage("a rejection needs a note that says what is missing")
			case approve:
				return a.approve(cmd, args[0], note)
			}
			return a.again(cmd, how, args[0], func(ctx context.Context, r *runner.Runner, id string, _ []runner.Option) iter.Seq2[trajectory.Event, error] {
				return r.Review(ctx, id, false, reject)
			})
		},
	}
	cmd.Flags().BoolVar(&approve, "approve", false, "the work is accepted")
	cmd.Flags().StringVar(&reject, "reject", "", "the work is sent back with this note")
	cmd.Flags().StringVar(&note, "note", "", "a remark on an approval")
	how.flags(cmd.Flags())
	a.modelFlags(cmd.Flags())
	a.budgetFlags(cmd.Flags())
	return cmd
}

func (a *app) againFlags(cmd *cobra.Command, how *showing) {
	how.flags(cmd.Flags())
	a.modelFlags(cmd.Flags())
	a.budgetFlags(cmd.Flags())
	a.cellFlags(cmd.Flags())
}

// approve records the decision; it needs no model.
func (a *app) approve(cmd *cobra.Command, id, note string) error {
	dir, err := findRun(id)
	if err != nil {
		return err
	}
	r, err := runner.New(noModel("approving a run"), runner.WithVersion(version()))
	if err != nil {
		return err
	}
	for _, err := range r.Review(cmd.Context(), filepath.Base(dir), true, note) {
		if err != nil {
			return err
		}
	}
	sum, err := trajectory.Summarize(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "run %s is approved\n", sum.ID)
	return nil
}

// noModel is a model for what needs none.
func noModel(what string) llm.Model {
	return llm.ScriptedFunc("none", func(context.Context, llm.Request, int) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Kind: llm.ErrBadRequest, Message: what + " calls no model"}
	})
}

// again goes on from a run and shows what happens.
func (a *app) again(cmd *cobra.Command, how showing, id string, events func(context.Context, *runner.Runner, string, []runner.Option) iter.Seq2[trajectory.Event, error]) error {
	if err := a.ready(cmd); err != nil {
		return err
	}
	if err := how.check(); err != nil {
		return err
	}
	id, err := runID(id)
	if err != nil {
		return err
	}
	start, err := lastStart(id)
	if err != nil {
		return err
	}
	a.recall(cmd, start)
	m, err := a.models(cmd.Context())
	if err != nil {
		return err
	}
	a.tell(how, m.note)
	opts := []runner.Option{runner.WithSubModel(m.sub), runner.WithPrices(a.set.Prices), runner.WithVersion(version())}
	r, err := runner.New(m.root, opts...)
	if err != nil {
		return &exit{termination.ExitUsage, err}
	}
	return a.follow(cmd.Context(), how, events(cmd.Context(), r, id, a.changed(cmd, start)))
}

// lastStart is how the last run of a session was begun.
func lastStart(id string) (trajectory.RunStarted, error) {
	var start trajectory.RunStarted
	dir, err := findRun(id)
	if err != nil {
		return start, err
	}
	var events []trajectory.Event
	for ev, err := range trajectory.Skim(dir) {
		if err != nil {
			return start, err
		}
		events = append(events, ev)
	}
	for _, ev := range trajectory.Kept(events) {
		if d, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" {
			start = d
		}
	}
	if start.Model == "" {
		return start, fmt.Errorf("run %s stopped before its question was put: ask it anew", id)
	}
	return start, nil
}

// runMetadata is what the command keeps with a run besides the runner's own settings.
type runMetadata struct {
	BaseURL string `json:"base_url,omitempty"`
}

// endpoint is the metadata of a new run. User, password and keys in a URL are not kept.
func (a *app) endpoint() json.RawMessage {
	c, err := a.set.client(a.set.Model)
	if err != nil {
		return nil
	}
	text, err := json.Marshal(runMetadata{BaseURL: c.BaseURL()})
	if err != nil {
		return nil
	}
	return text
}

// recall sets model and endpoint as the run had them, where no flag says otherwise.
func (a *app) recall(cmd *cobra.Command, start trajectory.RunStarted) {
	flags := cmd.Flags()
	var meta runMetadata
	if len(start.Metadata) > 0 && decode(start.Metadata, &meta) == nil && meta.BaseURL != "" && !flags.Changed("base-url") && !flags.Changed("model") &&
		llm.PublicURL(a.set.BaseURL) != meta.BaseURL { // the same endpoint, perhaps with a password that is not recorded
		a.set.BaseURL = meta.BaseURL
	}
	if !flags.Changed("model") {
		a.set.Model = start.Model
	}
	if !flags.Changed("sub-model") {
		a.set.SubModel = start.SubModel
	}
}

// changed are the options for what flags change of a run that is recorded.
func (a *app) changed(cmd *cobra.Command, start trajectory.RunStarted) []runner.Option {
	flags := cmd.Flags()
	var was struct {
		Budgets runner.Budgets `json:"budgets"`
		Level   sandbox.Level  `json:"sandbox"`
		Limits  sandbox.Limits `json:"limits"`
	}
	if decode(start.Config, &was) != nil {
		return a.set.options()
	}
	var opts []runner.Option
	any := func(names ...string) bool {
		for _, n := range names {
			if flags.Changed(n) {
				return true
			}
		}
		return false
	}
	budgets, now := was.Budgets, a.set.budgets()
	for name, take := range map[string]func(){
		"max-iterations": func() { budgets.Iterations = now.Iterations },
		"max-sub-calls":  func() { budgets.SubCalls = now.SubCalls },
		"max-tokens":     func() { budgets.Tokens = now.Tokens },
		"max-cost":       func() { budgets.Cost = now.Cost },
		"max-time":       func() { budgets.Time = time.Duration(a.set.MaxTime) },
		"max-depth":      func() { budgets.Depth = now.Depth },
		"max-errors":     func() { budgets.Errors = now.Errors },
	} {
		if flags.Changed(name) {
			take()
		}
	}
	if budgets != was.Budgets {
		opts = append(opts, runner.WithBudgets(budgets))
	}
	if any("concurrency") {
		opts = append(opts, runner.WithConcurrency(a.set.Concurrency))
	}
	if any("memo") {
		opts = append(opts, runner.WithMemo(a.set.Memo))
	}
	if any("temperature", "max-output-tokens", "reasoning-effort") {
		opts = append(opts, runner.WithCallSettings(a.set.callSettings()))
	}
	if any("window", "sub-window") {
		opts = append(opts, runner.WithWindows(a.set.Window, a.set.SubWindow))
	}
	if any("sandbox") {
		opts = append(opts, runner.WithSandbox(sandbox.Level(a.set.Sandbox), was.Limits))
	}
	if any("cell-timeout", "cell-cpu", "cell-memory", "cell-output", "cell-source", "cell-calls", "prompt-size", "answer-size") {
		opts = append(opts, runner.WithSandbox(sandbox.Level(a.set.Sandbox), a.set.limits()))
	}
	return opts
}

// tell says something on stderr unless it shall be quiet.
func (a *app) tell(how showing, text string) {
	if text != "" && !how.quiet {
		fmt.Fprintln(a.err, text)
	}
}
