package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/gorlm/rlm/internal/brief"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/fleet"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

// withQueue does something with the queue of a fleet, or that of the data folder. If another process owns that one, it is asked.
func (a *app) withQueue(ctx context.Context, at elsewhere, do func(*fleet.Queue) error) (err error) {
	q, err := at.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	return do(q)
}

// withBatch does something with a batch that is named by its id, the beginning of it, or its output.
func (a *app) withBatch(ctx context.Context, at elsewhere, typed string, do func(*fleet.Queue, fleet.Batch) error) error {
	return a.withQueue(ctx, at, func(q *fleet.Queue) error {
		b, err := a.findBatch(ctx, q, typed)
		if err != nil {
			return err
		}
		return do(q, b)
	})
}

// findBatch finds a batch by its id, the beginning of it, or its output.
func (a *app) findBatch(ctx context.Context, q *fleet.Queue, typed string) (fleet.Batch, error) {
	b, err := q.Find(ctx, typed)
	var missing *fleet.NotFoundError
	if abs, absErr := filepath.Abs(typed); errors.As(err, &missing) && len(missing.Matches) == 0 && absErr == nil {
		if named, nameErr := q.Find(ctx, abs); nameErr == nil {
			b, err = named, nil
		}
	}
	if errors.As(err, &missing) {
		err = &exit{termination.ExitUsage, fmt.Errorf("%w; 'rlm batch ls' lists the batches", err)}
	}
	return b, err
}

func (a *app) batchListCommand(at *elsewhere) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "ls", Short: "List the batches, the newest first", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withQueue(cmd.Context(), *at, func(q *fleet.Queue) error {
				list, err := q.List(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					if list == nil {
						list = []fleet.Status{}
					}
					return a.printJSON(list)
				}
				w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "BATCH\tSTATE\tDONE\tDEAD\tJOBS\tCOST\tBEGUN")
				for _, s := range list {
					fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%s\t%s\n", s.ID, batchState(s), s.Done, s.Dead, s.Jobs, quantity.Dollars(s.Cost), s.Created.Local().Format(time.DateTime))
				}
				return w.Flush()
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

// batchState is what a batch does, in a word.
func batchState(s fleet.Status) string {
	switch {
	case s.Cancelled:
		return "cancelled"
	case s.Done+s.Dead >= s.Jobs:
		return "complete"
	case s.Stopped != "":
		return "stopped"
	case s.Nodes > 0:
		return "running"
	}
	return "waiting" // nobody runs it
}

func (a *app) batchStatusCommand(at *elsewhere) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status BATCH", Short: "Say how far a batch is", Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withBatch(cmd.Context(), *at, args[0], func(q *fleet.Queue, b fleet.Batch) error {
				s, err := q.Status(cmd.Context(), b.ID)
				if err != nil {
					return err
				}
				if asJSON {
					return a.printJSON(s)
				}
				a.printBatch(s)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// waitsFor says why jobs wait that no node can run.
func waitsFor(l fleet.Lack) string {
	return fmt.Sprintf("jobs wait: %s; at %s they are set aside", l, l.Until.Local().Format(time.TimeOnly))
}

func (a *app) printBatch(s fleet.Status) {
	fmt.Fprintf(a.out, "%s: %s\n%s\n", s.ID, batchState(s), batchSummary(s))
	if s.Stopped != "" {
		fmt.Fprintf(a.out, "stopped: %s\n", s.Stopped)
	}
	for _, l := range s.Lacks {
		fmt.Fprintln(a.out, waitsFor(l))
	}
	const most = 10
	for i, r := range s.Running {
		if i == most {
			fmt.Fprintf(a.out, "  and %d more\n", len(s.Running)-most)
			break
		}
		what := fmt.Sprintf("turn %d", r.Turn)
		if r.Waits {
			what = "waits to be tried again"
		}
		fmt.Fprintf(a.out, "  %s · %s · %s · run %s\n", brief.Line(r.ID, 60), what, time.Since(r.Since).Round(time.Second), r.Run)
	}
	var p batchPlace
	if json.Unmarshal(s.Metadata, &p) == nil && p.Command != "" && s.Nodes == 0 && s.Queued > 0 {
		fmt.Fprintf(a.out, "go on in %s with: %s\n", p.Dir, p.Command)
	}
}

func (a *app) batchResultsCommand(at *elsewhere) *cobra.Command {
	var output, format string
	cmd := &cobra.Command{
		Use: "results BATCH", Short: "Write the results that a batch has so far, in the order of its jobs", Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b := batching{output: output, format: format, parallel: 1}
			if err := b.check(); err != nil {
				return err
			}
			return a.withBatch(cmd.Context(), *at, args[0], func(q *fleet.Queue, batch fleet.Batch) (err error) {
				ctx := cmd.Context()
				runs, err := runsDir()
				if err != nil {
					return err
				}
				index := q.Index(batch.ID)
				fields, err := index.Columns(ctx)
				if err != nil {
					return err
				}
				out, err := a.batchOutput(ctx, q, batch.ID, output, fleet.Form{Format: fleet.Format(b.format), RunsDir: runs, Fields: fields})
				if err != nil {
					return err
				}
				defer func() { err = errors.Join(err, out.Close()) }()
				return index.Write(ctx, out)
			})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the file that results are added to (default: stdout)")
	cmd.Flags().StringVar(&format, "format", "", "jsonl or csv (default: as the name of the output ends, else jsonl)")
	return cmd
}

func (a *app) batchCancelCommand(at *elsewhere) *cobra.Command {
	return &cobra.Command{
		Use: "cancel BATCH", Short: "Stop a batch; its command or 'rlm batch retry' lets it go on", Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withBatch(cmd.Context(), *at, args[0], func(q *fleet.Queue, b fleet.Batch) error {
				return fleet.Cancel(cmd.Context(), q, b.ID)
			})
		},
	}
}

func (a *app) batchRetryCommand(at *elsewhere) *cobra.Command {
	return &cobra.Command{
		Use: "retry BATCH [JOB…]", Short: "Put dead jobs back into the queue", Args: atLeast(1, "a batch"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withBatch(cmd.Context(), *at, args[0], func(q *fleet.Queue, b fleet.Batch) error {
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
				fmt.Fprintf(a.out, "%s back in the queue\n", jobsAre(n))
				a.printBatch(s)
				return nil
			})
		},
	}
}
