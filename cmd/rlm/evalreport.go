package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

// evalReport shows a report in the ways that were asked for.
func (a *app) evalReport(ev evaluating, name string, rep eval.Report) error {
	if ev.out != "" {
		page := func(w io.Writer) error { return rep.WriteHTML(w, "rlm eval: "+name, logAddress) }
		if err := a.writeTo(ev.out, page); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
		if ev.out == "-" {
			return nil
		}
	}
	if ev.asJSON {
		return a.printJSON(rep)
	}
	if err := rep.Write(a.out); err != nil {
		return err
	}
	if !ev.quiet {
		fmt.Fprintf(a.err, "the results are in %s\n", ev.results)
	}
	return nil
}

// logAddress is where a browser on this machine finds the log of a run; "" if that is not known.
func logAddress(run string) string {
	dir, err := trajectory.DataDir()
	if err != nil {
		return ""
	}
	return "file://" + filepath.ToSlash(filepath.Join(trajectory.RunsDir(dir), run))
}

func (a *app) evalCompareCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "compare A B", Short: "Say what changed from one evaluation's results to another's, and whether it is more than noise",
		Args: exactly(2),
		RunE: func(_ *cobra.Command, args []string) error {
			var of [2][]eval.Result
			for i, path := range args {
				list, err := eval.ReadResults(path)
				if err != nil {
					return wrongUsage("%w", err)
				}
				of[i] = list
			}
			c, err := eval.Compare(of[0], of[1], 1)
			if err != nil {
				return wrongUsage("%w", err)
			}
			if asJSON {
				return a.printJSON(c)
			}
			return c.Write(a.out)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
