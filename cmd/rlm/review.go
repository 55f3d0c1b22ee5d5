package main

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

func (l *launcher) reviewCommand() *cobra.Command {
	var how displayFlags
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
				return wrongUsage("choose --approve or --reject \"what is missing\"")
			case rejected && reject == "":
				return wrongUsage("a rejection needs a note that says what is missing")
			case approve:
				return l.approve(cmd, args[0], note)
			}
			return l.goOn(cmd, how, args[0], func(ctx context.Context, r *runner.Runner, id string,
				_ []runner.Option,
			) iter.Seq2[trajectory.Event, error] {
				return r.Review(ctx, id, false, reject)
			})
		},
	}
	cmd.Flags().BoolVar(&approve, "approve", false, "accept the work")
	cmd.Flags().StringVar(&reject, "reject", "", "send the work back with this note")
	cmd.Flags().StringVar(&note, "note", "", "remark on an approval")
	how.flags(cmd.Flags())
	l.set.modelFlags(cmd.Flags())
	l.set.budgetFlags(cmd.Flags())
	return cmd
}

// approve records that a run was approved. It needs no model.
func (std streams) approve(cmd *cobra.Command, id, note string) error {
	dir, err := findRun(id)
	if err != nil {
		return err
	}
	r, err := runner.New(noModel("approving a run"), host.Version(version()))
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
	fmt.Fprintf(std.err, "run %s is approved\n", sum.ID)
	return nil
}

// noModel returns a model for runners that call none. what names the action in the error.
func noModel(what string) llm.Model {
	return llm.ScriptedFunc("none", func(context.Context, llm.Request, int) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Kind: llm.ErrBadRequest, Message: what + " calls no model"}
	})
}
