package main

import (
	"context"
	"iter"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

func (l *launcher) forkCommand() *cobra.Command {
	var how displayFlags
	var turn int
	cmd := &cobra.Command{
		Use:   "fork ID --turn N",
		Short: "Continue from an earlier turn of a run, as a new run",
		Long: `Start a new run that shares its first N turns with run ID, at no cost, and continues live from there, for
example with another --model. With --turn 0 only the question and the context are shared. In a session, the
turns of its last question are counted; ID.2 means those of its second question, and leaves out what came
after it.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("turn") || turn < 0 {
				return wrongUsage("name the last turn to keep: --turn N, from 0")
			}
			return l.goOn(cmd, how, args[0], func(ctx context.Context, r *runner.Runner, id string,
				opts []runner.Option,
			) iter.Seq2[trajectory.Event, error] {
				return r.Fork(ctx, id, turn, opts...)
			})
		},
	}
	cmd.Flags().IntVar(&turn, "turn", 0, "last turn that the new run shares with the old one")
	l.set.continueFlags(cmd, &how)
	return cmd
}
