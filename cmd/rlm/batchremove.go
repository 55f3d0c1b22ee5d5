package main

import (
	"context"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/fleet"
	"github.com/spf13/cobra"
)

func (a *app) batchRemoveCommand(at *elsewhere) *cobra.Command {
	var older age
	var yes bool
	cmd := &cobra.Command{
		Use: "rm [BATCH…]", Short: "Delete batches with their results; of a fleet also their runs and contexts",
		Long: "Delete batches: their jobs and results, and in a fleet the runs of their nodes and the contexts that no other batch uses. Runs of this\n" +
			"machine stay ('rlm rm'), and so do files of results. One whose jobs run is not deleted.",
		Example: "  rlm batch rm answers-1a2b3c4d\n  rlm batch rm --older-than 30d --nats URL --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) > 0) == (older > 0) {
				return wrongUsage("rlm batch rm needs either batches or --older-than")
			}
			return a.withQueue(cmd.Context(), *at, func(q *fleet.Queue) error {
				if older > 0 {
					return a.expireBatches(cmd.Context(), q, time.Duration(older), yes)
				}
				return a.removeBatches(cmd.Context(), q, args, yes)
			})
		},
	}
	cmd.Flags().Var(&older, "older-than", "batches for which nothing happened for so long, such as 30d or 12h")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (a *app) expireBatches(ctx context.Context, q *fleet.Queue, older time.Duration, yes bool) error {
	if !yes {
		what := "batches for which nothing happened for " + older.String()
		if sure, err := a.sure(ctx, what, func() { fmt.Fprintln(a.err, what) }); !sure {
			return err
		}
	}
	removed, err := fleet.Expire(ctx, q, older)
	fmt.Fprintf(a.err, "deleted %s\n", quantity.Of(len(removed), "batch"))
	return err
}

func (a *app) removeBatches(ctx context.Context, q *fleet.Queue, names []string, yes bool) error {
	var list []fleet.Batch
	for _, name := range names {
		b, err := a.findBatch(ctx, q, name)
		if err != nil {
			return err
		}
		list = append(list, b)
	}
	if !yes {
		sure, err := a.sure(ctx, quantity.Of(len(list), "batch"), func() {
			for _, b := range list {
				fmt.Fprintf(a.err, "%s  %s\n", b.ID, b.Name)
			}
		})
		if !sure {
			return err
		}
	}
	for _, b := range list {
		if err := fleet.Remove(ctx, q, b.ID); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.err, "deleted %s\n", quantity.Of(len(list), "batch"))
	return fleet.Sweep(ctx, q, fleet.UnusedObject)
}
