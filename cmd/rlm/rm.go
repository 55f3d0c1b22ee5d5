package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/cmd/rlm/internal/typed"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

func (a *app) rmCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm ID…",
		Short: "Delete runs",
		Long: `Delete runs and sessions with all that is kept of them. On a terminal it asks first; elsewhere it needs --yes. A run that a
process works on is not deleted.`,
		Args:              atLeast(1, "the id of a run"),
		ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			var list []trajectory.Summary
			for _, id := range args {
				dir, err := findRun(id)
				if err != nil {
					return err
				}
				sum, err := trajectory.Summarize(dir)
				if err != nil { // what cannot be read can be deleted all the same
					sum = unreadable(dir, err)
				}
				if !slices.ContainsFunc(list, func(s trajectory.Summary) bool { return s.Dir == dir }) {
					list = append(list, sum)
				}
			}
			return a.remove(cmd.Context(), list, yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (a *app) pruneCommand() *cobra.Command {
	var which filter
	var yes, dry bool
	var keep int
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete runs that are old, or hold nothing",
		Long: `Delete the runs that all given conditions name. Without a condition these are sessions that were closed without a question
or a cell. On a terminal it asks first; elsewhere it needs --yes. Runs that a process works on stay.`,
		Example: "  rlm prune                          sessions in which nothing was asked\n" +
			"  rlm prune --older-than 30d         all that ended more than 30 days ago\n" +
			"  rlm prune --status error --keep 5  failed runs but the newest five",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if keep < 0 { // elsewhere -1 means no bound, and here all would be deleted
				return wrongUsage("--keep is how many runs stay, 0 or more, not %d", keep)
			}
			list, err := listRuns()
			if err != nil {
				return err
			}
			if !which.given() && !cmd.Flags().Changed("keep") {
				which.empty = true
			}
			list, err = which.of(list)
			if err != nil {
				return err
			}
			list = slices.DeleteFunc(list, func(s trajectory.Summary) bool { return s.Status == trajectory.StatusRunning })
			list = list[min(keep, len(list)):]
			if dry || len(list) == 0 {
				a.listRemoval(list)
				return nil
			}
			return a.remove(cmd.Context(), list, yes)
		},
	}
	which.flags(cmd.Flags())
	cmd.Flags().Var(&which.olderThan, "older-than", "runs whose last event is older, such as 30d or 12h")
	cmd.Flags().BoolVar(&which.empty, "empty", false, "runs without a question and without a cell")
	cmd.Flags().IntVar(&keep, "keep", 0, "keep so many of them, the newest")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "list what would be deleted")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// remove deletes runs after asking.
func (a *app) remove(ctx context.Context, list []trajectory.Summary, yes bool) error {
	if !yes {
		if sure, err := a.sure(ctx, quantity.Of(len(list), "run"), func() { a.listRemoval(list) }); !sure {
			return err
		}
	}
	var errs []error
	deleted := 0
	for _, s := range list {
		if err := trajectory.Remove(s.Dir); err != nil {
			errs = append(errs, err)
			continue
		}
		deleted++
	}
	if deleted > 0 {
		fmt.Fprintf(a.err, "deleted %s\n", quantity.Of(deleted, "run"))
	}
	return errors.Join(errs...)
}

// sure asks whether what is listed is to be deleted.
func (a *app) sure(ctx context.Context, what string, list func()) (bool, error) {
	if !isTerminal(a.in) {
		return false, wrongUsage("deleting %s needs --yes where nobody can be asked", what)
	}
	list()
	fmt.Fprint(a.err, "delete? [y/N] ")
	answer, err := typed.Read(ctx, func() (string, error) { return bufio.NewReader(a.in).ReadString('\n') })
	if ctx.Err() != nil {
		fmt.Fprintln(a.err, "\nnothing was deleted")
		return false, &exit{code: termination.ExitInterrupted}
	}
	if err != nil || !strings.EqualFold(strings.TrimSpace(answer), "y") {
		fmt.Fprintln(a.err, "nothing was deleted")
		return false, nil
	}
	return true, nil
}

// listRemoval says which runs are meant.
func (a *app) listRemoval(list []trajectory.Summary) {
	for _, s := range list {
		fmt.Fprintf(a.err, "%s  %s  %s\n", s.ID, s.Last.Local().Format(time.DateTime), questionText(s))
	}
	if len(list) == 0 {
		fmt.Fprintln(a.err, "no run is like that")
	}
}
