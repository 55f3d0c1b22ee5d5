package main

import (
	"encoding/json"
	"fmt"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

func (a *app) replayCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay ID",
		Short: "Run all cells of a run again, without any model, and compare",
		Long: `Run all cells of a run again, those of child runs too, with sub-calls answered from the log, and compare what each prints
with what it printed before. No model is called and the log is not changed. The exit code is 1 at the first difference, which is shown.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.ready(cmd); err != nil {
				return err
			}
			return a.replay(cmd, args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a cell")
	a.sandboxFlags(cmd.Flags())
	return cmd
}

func (a *app) replay(cmd *cobra.Command, id string, asJSON bool) error {
	id, err := runID(id)
	if err != nil {
		return err
	}
	start, err := lastStart(id)
	if err != nil {
		return err
	}
	r, err := runner.New(noModel("a replay"), a.options()...)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	cells := 0
	for cell, err := range r.Replay(cmd.Context(), id, a.changedOptions(cmd, start)...) {
		if err != nil {
			return err
		}
		cells++
		if asJSON {
			if err := enc.Encode(cell); err != nil {
				return fmt.Errorf("writing the comparison: %w", err)
			}
		} else {
			a.printReplayed(cell)
		}
		if !cell.Same && cell.Skipped == "" {
			return &exit{termination.ExitFailed, fmt.Errorf("cell %d%s differs from what it did before", cell.Cell, ofChild(cell.Path))}
		}
	}
	if !asJSON {
		fmt.Fprintf(a.out, "%s, all as before\n", quantity.Of(cells, "cell"))
	}
	return nil
}

func (a *app) printReplayed(c runner.Replayed) {
	a.out.Wrap()
	name := fmt.Sprintf("cell %d%s", c.Cell, ofChild(c.Path))
	switch {
	case c.Skipped != "":
		fmt.Fprintf(a.out, "%s: not run again, %s\n", name, c.Skipped)
	case c.Same:
		fmt.Fprintf(a.out, "%s: same\n", name)
	default:
		fmt.Fprintf(a.out, "%s: DIFFERENT\n── before ──\n%s── now ──\n%s", name, withLineEnd(c.Before), withLineEnd(c.After))
	}
}

func ofChild(path string) string {
	if path == "" {
		return ""
	}
	return " of child run " + path
}
