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
		Short: "Recheck an answer's evidence and grounding",
		Long: `Recheck the evidence of a run's last answer: whether each passage that it cites is still in its document, word
for word, and whether its quotations are. Unchanged documents are read as the run saw them, even if a newer
version of rlm would convert them differently; changed ones are named and read as they are now, and web pages
as they were fetched. The exit code is 1 if a check fails, or if the run had to give evidence
(--require-evidence) and gave none. Each value in the answer is listed with its place in the run, as are
values that come from nothing there; these do not affect the exit code.`,
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
