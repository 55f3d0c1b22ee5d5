package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front/terminal/input"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

func (std streams) rmCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm ID…",
		Short: "Delete runs",
		Long: `Delete runs and sessions with everything stored for them. On a terminal it asks first; elsewhere it needs
--yes. A run that a process is working on is not deleted.`,
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
				if err != nil { // even an unreadable run can be deleted
					sum = unreadable(dir, err)
				}
				if !slices.ContainsFunc(list, func(s trajectory.Summary) bool { return s.Dir == dir }) {
					list = append(list, sum)
				}
			}
			return std.remove(cmd.Context(), list, yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (std streams) pruneCommand() *cobra.Command {
	var which filter
	var yes, dry bool
	var keep int
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete old or empty runs",
		Long: `Delete the runs that match all given conditions. Without conditions, delete sessions that were closed without
a question or a cell. On a terminal it asks first; elsewhere it needs --yes. Runs that a process is working on
are kept.`,
		Example: "  rlm prune                          sessions in which nothing was asked\n" +
			"  rlm prune --older-than 30d         runs that ended more than 30 days ago\n" +
			"  rlm prune --status error --keep 5  failed runs except the newest five",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if keep < 0 { // elsewhere -1 means no bound, but here it would delete all
				return wrongUsage("--keep must be 0 or more, not %d", keep)
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
			list = slices.DeleteFunc(list, func(s trajectory.Summary) bool {
				return s.Status == trajectory.StatusRunning || s.Status == trajectory.StatusOpen
			})
			list = list[min(keep, len(list)):]
			if dry || len(list) == 0 {
				std.listRemoval(list)
				return nil
			}
			return std.remove(cmd.Context(), list, yes)
		},
	}
	which.flags(cmd.Flags())
	cmd.Flags().Var(&which.olderThan, "older-than", "runs whose last event is older than this, such as 30d or 12h")
	cmd.Flags().BoolVar(&which.empty, "empty", false, "runs without any question or cell")
	cmd.Flags().IntVar(&keep, "keep", 0, "keep this many of them, the newest")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "list what would be deleted")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// remove deletes runs, after asking unless yes is set.
func (std streams) remove(ctx context.Context, list []trajectory.Summary, yes bool) error {
	if !yes {
		if sure, err := std.sure(ctx, units.Of(len(list), "run"), func() { std.listRemoval(list) }); !sure {
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
		fmt.Fprintf(std.err, "deleted %s\n", units.Of(deleted, "run"))
	}
	return errors.Join(errs...)
}

// sure lists what would be deleted and asks whether to delete it.
func (std streams) sure(ctx context.Context, what string, list func()) (bool, error) {
	if !isTerminal(std.in) {
		return false, wrongUsage("deleting %s needs --yes where there is no terminal to ask on", what)
	}
	list()
	fmt.Fprint(std.err, "delete? [y/N] ")
	answer, err := input.Read(ctx, func() (string, error) { return bufio.NewReader(std.in).ReadString('\n') })
	if ctx.Err() != nil {
		fmt.Fprintln(std.err, "\nnothing was deleted")
		return false, &exit{Code: exitcode.Interrupted}
	}
	if err != nil || !strings.EqualFold(strings.TrimSpace(answer), "y") {
		fmt.Fprintln(std.err, "nothing was deleted")
		return false, nil
	}
	return true, nil
}

// listRemoval lists the runs to delete.
func (std streams) listRemoval(list []trajectory.Summary) {
	for _, s := range list {
		fmt.Fprintf(std.err, "%s  %s  %s\n", s.ID, s.Last.Local().Format(time.DateTime), questionText(s))
	}
	if len(list) == 0 {
		fmt.Fprintln(std.err, "no run matches")
	}
}
