package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

func (l *launcher) resumeCommand() *cobra.Command {
	var how displayFlags
	cmd := &cobra.Command{
		Use:   "resume ID",
		Short: "Resume an interrupted run without paying twice",
		Long: `Resume a run that was interrupted or killed, or whose endpoint failed. Model calls that are in its log are not
made again. Without flags it continues as it began: same model, endpoint and budgets. ID may be a prefix of an
id, or "last": the newest run that stopped before its end.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := lastStopped(args[0])
			if err != nil {
				return err
			}
			return l.goOn(cmd, how, id, func(ctx context.Context, r *runner.Runner, id string,
				opts []runner.Option,
			) iter.Seq2[trajectory.Event, error] {
				return r.Resume(ctx, id, opts...)
			})
		},
	}
	l.set.continueFlags(cmd, &how)
	return cmd
}

// lastStopped replaces "last" by the newest run that did not finish, if there is one: finished runs, even newer
// ones, need no resuming.
func lastStopped(id string) (string, error) {
	if id != "last" {
		return id, nil
	}
	list, err := listRuns()
	if err != nil {
		return "", err
	}
	for _, s := range list {
		switch s.Status {
		case trajectory.StatusInterrupted, string(termination.Failed), string(termination.Stopped):
			if s.Kind != trajectory.KindJob { // a job is resumed with its batch
				return s.ID, nil
			}
		}
	}
	return id, nil
}

// continueFlags are the flags of commands that continue a recorded run. All other settings are those with which the
// run started.
func (s *settings) continueFlags(cmd *cobra.Command, how *displayFlags) {
	how.flags(cmd.Flags())
	s.modelFlags(cmd.Flags())
	s.budgetFlags(cmd.Flags())
	s.cellFlags(cmd.Flags())
	s.mcpFlags(cmd.Flags())
}

// goOn continues a run and shows its events.
func (l *launcher) goOn(
	cmd *cobra.Command, how displayFlags, id string, events func(
		context.Context, *runner.Runner, string, []runner.Option) iter.Seq2[trajectory.Event, error],
) error {
	if err := l.set.ready(); err != nil {
		return err
	}
	if err := how.check(); err != nil {
		return err
	}
	_, question, _ := strings.Cut(id, ".")
	id, err := runID(id)
	if err != nil {
		return err
	}
	start, err := lastStart(id)
	if err != nil {
		return err
	}
	l.set.keepModel(cmd, start)
	m, err := l.models(cmd.Context())
	if err != nil {
		return err
	}
	l.tell(how, m.note)
	opts := []runner.Option{runner.WithSubModel(m.sub), runner.WithPrices(l.set.prices()), host.Version(version())}
	tools, err := l.tools(cmd.Context(), true, l.asker())
	if err != nil {
		return err
	}
	r, err := runner.New(m.root, append(opts, tools...)...)
	if err != nil {
		return asUsage(err)
	}
	return l.follow(cmd.Context(), how,
		events(cmd.Context(), r, strings.TrimSuffix(id+"."+question, "."), l.changedOptions(cmd, start)))
}

// tell prints a line on stderr, unless --quiet is set.
func (std streams) tell(how displayFlags, text string) {
	if text != "" && !how.quiet {
		fmt.Fprintln(std.err, text)
	}
}

// lastStart returns the start event of the last run of a session.
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
		return start, fmt.Errorf("run %s stopped before its question was asked: ask it again with rlm run", id)
	}
	return start, nil
}

// runMetadata is what the command records with a run in addition to the runner's settings.
type runMetadata struct {
	BaseURL string `json:"base_url,omitempty"`
}

// placeOf returns the metadata of a new run: the model's endpoint, unless the model's provider implies it. User,
// password and keys in the URL are not recorded.
func placeOf(m llm.Model) json.RawMessage {
	if all, ok := m.(*llm.Fallback); ok {
		m = all.Models()[0]
	}
	c, ok := m.(*llm.Client)
	if !ok || c.Provider().Name != "openai" {
		return nil
	}
	text, err := json.Marshal(runMetadata{BaseURL: c.BaseURL()})
	if err != nil {
		return nil
	}
	return text
}

// keepModel sets the model and endpoint of a recorded run, unless flags override them. A session of the recorded
// demo continues with the user's model instead.
func (s *settings) keepModel(cmd *cobra.Command, start trajectory.RunStarted) {
	if start.Model == demo.ModelName {
		return
	}
	flags := cmd.Flags()
	var meta runMetadata
	if len(start.Metadata) > 0 && json.Unmarshal(start.Metadata, &meta) == nil && meta.BaseURL != "" &&
		!flags.Changed("base-url") && !flags.Changed("model") &&
		llm.PublicURL(s.BaseURL) != meta.BaseURL { // otherwise the settings' URL, which may have a password, is kept
		s.BaseURL = meta.BaseURL
	}
	if !flags.Changed("model") {
		s.Model = start.Model
	}
	if !flags.Changed("sub-model") {
		s.SubModel = start.SubModel
	}
}

// changedOptions returns the options that flags change for a recorded run.
func (l *launcher) changedOptions(cmd *cobra.Command, start trajectory.RunStarted) []runner.Option {
	flags := cmd.Flags()
	var was struct {
		Budgets runner.Budgets `json:"budgets"`
		Level   sandbox.Level  `json:"sandbox"`
		Limits  sandbox.Limits `json:"limits"`
	}
	if json.Unmarshal(start.Config, &was) != nil {
		return l.options()
	}
	opts := l.observing()
	any := func(names ...string) bool {
		for _, n := range names {
			if flags.Changed(n) {
				return true
			}
		}
		return false
	}
	budgets, now := was.Budgets, l.set.budgets()
	for name, take := range map[string]func(){
		"max-iterations": func() { budgets.Iterations = now.Iterations },
		"max-sub-calls":  func() { budgets.SubCalls = now.SubCalls },
		"max-tokens":     func() { budgets.Tokens = now.Tokens },
		"max-cost":       func() { budgets.Cost = now.Cost },
		"max-time":       func() { budgets.Time = time.Duration(l.set.MaxTime) },
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
	if any("engine") {
		opts = append(opts, runner.WithEngine(repl.Engine(l.set.Engine)))
	}
	if any("concurrency") {
		opts = append(opts, runner.WithConcurrency(l.set.Concurrency))
	}
	if any("memo") {
		opts = append(opts, runner.WithMemo(l.set.Memo))
	}
	if any("temperature", "max-output-tokens", "reasoning-effort") {
		opts = append(opts, runner.WithCallSettings(l.set.callSettings()))
	}
	if any("window", "sub-window") {
		opts = append(opts, runner.WithWindows(l.set.Window, l.set.SubWindow))
	}
	if any("sandbox") {
		opts = append(opts, runner.WithSandbox(sandbox.Level(l.set.Sandbox), was.Limits))
	}
	if any("convert-memory", "convert-timeout", "convert-cache") {
		opts = append(opts, runner.WithConversion(l.set.conversion()))
	}
	if any("cell-timeout", "cell-cpu", "cell-memory", "cell-output", "cell-source", "cell-calls", "prompt-size",
		"answer-size") {
		opts = append(opts, runner.WithSandbox(sandbox.Level(l.set.Sandbox), l.set.limits()))
	}
	return opts
}
