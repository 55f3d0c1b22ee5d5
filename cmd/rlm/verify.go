package main

import (
	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front/terminal"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/spf13/cobra"
)

func (std streams) verifyCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify ID",
		Short: "Check the evidence of an answer again, and what it rests on",
		Long: `Check the evidence of a run's last answer again: whether each passage that its marks stand for is still in its document, word for word,
and whether its quotations are. Documents that did not change are read as the run saw them, whatever a later version makes of them; those that
changed are named and read as they are now, and pages of the web are as they were fetched. The exit code is 1 if something does not
hold, or if the run was to give evidence (--require-evidence) and gave none. Each value of the answer is
listed with its place in the run, and those that rest on nothing there; they change nothing about the exit code.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := runID(args[0])
			if err != nil {
				return err
			}
			r, err := runner.New(noModel("checking evidence"), host.Version(version()))
			if err != nil {
				return err
			}
			v, err := r.Verify(cmd.Context(), id)
			if err != nil {
				return err
			}
			if asJSON {
				err = std.out.JSON(v)
			} else {
				terminal.ShowVerification(std.out, v)
			}
			if err == nil && !v.Holds() {
				err = &exit{Code: exitcode.Failed}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
