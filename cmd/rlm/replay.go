package main

import (
	"fmt"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner"
	"github.com/spf13/cobra"
)

func (l *launcher) replayCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay ID",
		Short: "Rerun all cells of a run without a model, and compare what they print",
		Long: `Rerun all cells of a run, including those of child runs, with sub-calls answered from the log, and compare
what each prints with what it printed before. No model is called and the log is not changed. At the first
difference, which is shown, it exits with code 1.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := l.set.ready(); err != nil {
				return err
			}
			return l.replay(cmd, args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per cell")
	l.set.sandboxFlags(cmd.Flags())
	return cmd
}

func (l *launcher) replay(cmd *cobra.Command, id string, asJSON bool) error {
	id, err := runID(id)
	if err != nil {
		return err
	}
	start, err := lastStart(id)
	if err != nil {
		return err
	}
	r, err := runner.New(noModel("a replay"), l.options()...)
	if err != nil {
		return err
	}
	cells := 0
	for cell, err := range r.Replay(cmd.Context(), id, l.changedOptions(cmd, start)...) {
		if err != nil {
			return err
		}
		cells++
		if asJSON {
			if err := l.out.JSONLine(cell); err != nil {
				return fmt.Errorf("writing the comparison: %w", err)
			}
		} else {
			l.printReplayed(cell)
		}
		if !cell.Same && cell.Skipped == "" {
			return &exit{
				Code: exitcode.Failed,
				Err:  fmt.Errorf("cell %d%s differs from the recorded run", cell.Cell, ofChild(cell.Path)),
			}
		}
	}
	if !asJSON {
		fmt.Fprintf(l.out, "%s, all as recorded\n", units.Of(cells, "cell"))
	}
	return nil
}

func (std streams) printReplayed(c runner.ReplayedCell) {
	std.out.Wrap()
	name := fmt.Sprintf("cell %d%s", c.Cell, ofChild(c.Path))
	switch {
	case c.Skipped != "":
		fmt.Fprintf(std.out, "%s: not run again, %s\n", name, c.Skipped)
	case c.Same:
		fmt.Fprintf(std.out, "%s: same\n", name)
	default:
		fmt.Fprintf(std.out, "%s: DIFFERENT\n── before ──\n%s── now ──\n%s", name, screen.WithLineEnd(c.Before),
			screen.WithLineEnd(c.After))
	}
}

func ofChild(path string) string {
	if path == "" {
		return ""
	}
	return " of child run " + path
}
