package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/front/batch"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/spf13/cobra"
)

// withQueue calls do with the queue of a fleet or of the data folder. If another process owns the latter, it is
// used through that process.
func (at *fleetConn) withQueue(ctx context.Context, do func(*fleet.Queue) error) (err error) {
	q, err := at.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	return do(q)
}

// withBatch calls do with a batch named by its id, a prefix of its id, or its output.
func (at *fleetConn) withBatch(ctx context.Context, typed string, do func(*fleet.Queue, fleet.Batch) error) error {
	return at.withQueue(ctx, func(q *fleet.Queue) error {
		b, err := findBatch(ctx, q, typed)
		if err != nil {
			return err
		}
		return do(q, b)
	})
}

// findBatch finds a batch by its id, a prefix of its id, or its output.
func findBatch(ctx context.Context, q *fleet.Queue, typed string) (fleet.Batch, error) {
	b, err := q.Find(ctx, typed)
	var missing *fleet.NotFoundError
	if abs, absErr := filepath.Abs(typed); errors.As(err, &missing) && len(missing.Matches) == 0 && absErr == nil {
		if named, nameErr := q.Find(ctx, realPath(abs)); nameErr == nil {
			b, err = named, nil
		}
	}
	if errors.As(err, &missing) {
		err = asUsage(fmt.Errorf("%w; 'rlm batch ls' lists the batches", err))
	}
	return b, err
}

func (std streams) batchListCommand(at *fleetConn) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List batches, newest first", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return at.withQueue(cmd.Context(), func(q *fleet.Queue) error {
				list, err := q.List(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					if list == nil {
						list = []fleet.Status{}
					}
					return std.out.JSON(list)
				}
				return batch.WriteList(std.out, list)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

func (std streams) batchStatusCommand(at *fleetConn) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status BATCH", Short: "Show a batch's progress", Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return at.withBatch(cmd.Context(), args[0], func(q *fleet.Queue, b fleet.Batch) error {
				s, err := q.Status(cmd.Context(), b.ID)
				if err != nil {
					return err
				}
				if asJSON {
					return std.out.JSON(s)
				}
				batch.Write(std.out, s)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (std streams) batchResultsCommand(at *fleetConn) *cobra.Command {
	var output, format string
	cmd := &cobra.Command{
		Use: "results BATCH", Short: "Write a batch's results so far, in job order",
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b := batchFlags{output: output, format: format, parallel: 1}
			if err := b.check(); err != nil {
				return err
			}
			return at.withBatch(cmd.Context(), args[0], func(q *fleet.Queue, found fleet.Batch) (err error) {
				ctx := cmd.Context()
				runs, err := runsDir()
				if err != nil {
					return err
				}
				index := q.Index(found.ID)
				fields, err := index.Columns(ctx)
				if err != nil {
					return err
				}
				out, err := batch.Output(ctx, q, found.ID, std.batchOptions(b, runs), fields, nil)
				if err != nil {
					return err
				}
				defer func() { err = errors.Join(err, out.Close()) }()
				return index.Write(ctx, out)
			})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to append results to (default: stdout)")
	cmd.Flags().StringVar(&format, "format", "", "jsonl or csv (default: from the extension of --output, else jsonl)")
	return cmd
}

func (std streams) batchCancelCommand(at *fleetConn) *cobra.Command {
	return &cobra.Command{
		Use: "cancel BATCH", Short: "Stop a batch; run its command again or 'rlm batch retry' to resume", Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return at.withBatch(cmd.Context(), args[0], func(q *fleet.Queue, b fleet.Batch) error {
				return fleet.Cancel(cmd.Context(), q, b.ID)
			})
		},
	}
}

func (std streams) batchRetryCommand(at *fleetConn) *cobra.Command {
	return &cobra.Command{
		Use: "retry BATCH [JOB…]", Short: "Put dead jobs back into the queue", Args: atLeast(1, "a batch"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return at.withBatch(cmd.Context(), args[0], func(q *fleet.Queue, b fleet.Batch) error {
				runs, err := runsDir()
				if err != nil {
					return err
				}
				n, err := fleet.Retry(underSpan(cmd.Context()), q, b.ID, runs, args[1:]...)
				if err != nil {
					return err
				}
				s, err := q.Status(cmd.Context(), b.ID)
				if err != nil {
					return err
				}
				fmt.Fprintf(std.out, "%s back in the queue\n", batch.JobsAre(n))
				batch.Write(std.out, s)
				return nil
			})
		},
	}
}

func (std streams) batchRemoveCommand(at *fleetConn) *cobra.Command {
	var older age
	var yes bool
	cmd := &cobra.Command{
		Use: "rm [BATCH…]", Short: "Delete batches with their results; for a fleet, also their runs and contexts",
		Long: "Delete batches: their jobs and results, and in a fleet the runs of their nodes and the contexts that no other batch uses. Runs of this\n" +
			"machine stay ('rlm rm'), and so do files of results. One whose jobs run is not deleted.",
		Example: "  rlm batch rm answers-1a2b3c4d\n  rlm batch rm --older-than 30d --nats URL --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) > 0) == (older > 0) {
				return wrongUsage("rlm batch rm needs either batches or --older-than")
			}
			return at.withQueue(cmd.Context(), func(q *fleet.Queue) error {
				if older > 0 {
					return std.expireBatches(cmd.Context(), q, time.Duration(older), yes)
				}
				return std.removeBatches(cmd.Context(), q, args, yes)
			})
		},
	}
	cmd.Flags().Var(&older, "older-than", "batches that have been inactive for this long, such as 30d or 12h")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (std streams) expireBatches(ctx context.Context, q *fleet.Queue, older time.Duration, yes bool) error {
	if !yes {
		what := "batches that have been inactive for " + older.String()
		if sure, err := std.sure(ctx, what, func() { fmt.Fprintln(std.err, what) }); !sure {
			return err
		}
	}
	removed, err := fleet.Expire(ctx, q, older)
	fmt.Fprintf(std.err, "deleted %s\n", units.Of(len(removed), "batch"))
	return err
}

func (std streams) removeBatches(ctx context.Context, q *fleet.Queue, names []string, yes bool) error {
	var list []fleet.Batch
	for _, name := range names {
		b, err := findBatch(ctx, q, name)
		if err != nil {
			return err
		}
		list = append(list, b)
	}
	if !yes {
		sure, err := std.sure(ctx, units.Of(len(list), "batch"), func() {
			for _, b := range list {
				fmt.Fprintf(std.err, "%s  %s\n", b.ID, b.Name)
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
	fmt.Fprintf(std.err, "deleted %s\n", units.Of(len(list), "batch"))
	return fleet.Sweep(ctx, q, fleet.UnusedObject)
}
