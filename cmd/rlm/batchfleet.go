package main

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/gorlm/rlm/runner/fleet"
	"github.com/spf13/cobra"
)

// fleetBatch submits a batch whose jobs are run by the nodes of a fleet, and writes their results. Nodes have the models and the keys: a job
// names a model only where the command line or its line does.
func (a *app) fleetBatch(cmd *cobra.Command, b batching, args []string) error {
	ctx := cmd.Context()
	jobs, named, err := a.jobs(ctx, b, nil, args)
	if err != nil {
		return err
	}
	if b.shared != "" {
		if b.shared, err = filepath.Abs(b.shared); err != nil {
			return wrongUsage("--shared-path: %w", err)
		}
	}
	for i := range jobs {
		if jobs[i].Model == "" && cmd.Flags().Changed("model") {
			jobs[i].Model = a.set.Model
		}
		if jobs[i].SubModel == "" && cmd.Flags().Changed("sub-model") {
			jobs[i].SubModel = a.set.SubModel
		}
		jobs[i].Budgets = jobs[i].Over(a.set.budgets())
	}
	if b.dryRun || !b.quiet {
		fmt.Fprintln(a.err, a.batchWorst(b, jobs))
	}
	if b.dryRun {
		return nil
	}
	batch := b.batch(named)
	return a.runBatch(ctx, b, func(ctx context.Context, q *fleet.Queue, v *batchView, since uint64) iter.Seq2[fleet.Result, error] {
		return fleet.Await(ctx, q, batch.ID, since, v.look)
	}, batch, jobs)
}
