package main

import (
	"context"
	"fmt"
	"iter"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

func (a *app) resumeCommand() *cobra.Command {
	var how showing
	cmd := &cobra.Command{
		Use:   "resume ID",
		Short: "Go on with a run that was interrupted, without paying for anything twice",
		Long: `Go on with a run that was interrupted, killed or whose endpoint failed. No call of a model that is in its log is made
again. Without flags it goes on as it was begun: same model, endpoint and budgets. ID may be the beginning of an id, or "last".`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.goOn(cmd, how, args[0], func(ctx context.Context, r *runner.Runner, id string, opts []runner.Option) iter.Seq2[trajectory.Event, error] {
				return r.Resume(ctx, id, opts...)
			})
		},
	}
	a.continueFlags(cmd, &how)
	return cmd
}

// continueFlags are the flags of commands that go on from a recorded run. What they do not set is as the run was begun.
func (a *app) continueFlags(cmd *cobra.Command, how *showing) {
	how.flags(cmd.Flags())
	a.modelFlags(cmd.Flags())
	a.budgetFlags(cmd.Flags())
	a.cellFlags(cmd.Flags())
	a.mcpFlags(cmd.Flags())
}

// goOn continues a run and shows what happens.
func (a *app) goOn(cmd *cobra.Command, how showing, id string, events func(context.Context, *runner.Runner, string, []runner.Option) iter.Seq2[trajectory.Event, error]) error {
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
	a.keepModel(cmd, start)
	m, err := a.models(cmd.Context())
	if err != nil {
		return err
	}
	a.tell(how, m.note)
	opts := []runner.Option{runner.WithSubModel(m.sub), runner.WithPrices(a.set.Prices), runner.WithVersion(version())}
	tools, err := a.tools(cmd.Context(), true, a.asker())
	if err != nil {
		return err
	}
	r, err := runner.New(m.root, append(opts, tools...)...)
	if err != nil {
		return &exit{termination.ExitUsage, err}
	}
	return a.follow(cmd.Context(), how, events(cmd.Context(), r, id, a.changedOptions(cmd, start)))
}

// tell prints a line on stderr, unless it is to be quiet.
func (a *app) tell(how showing, text string) {
	if text != "" && !how.quiet {
		fmt.Fprintln(a.err, text)
	}
}
