package main

import (
	"fmt"

	"github.com/gorlm/rlm/cmd/rlm/internal/footnotes"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

func (a *app) verifyCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify ID",
		Short: "Check the evidence of an answer again",
		Long: `Check the evidence of a run's last answer again: whether each passage that its marks stand for is still in its document, word for word,
and whether its quotations are. Documents that did not change are read as the run saw them, whatever a later version makes of them; those that
changed are named and read as they are now, and pages of the web are as they were fetched. The exit code is 1 if something does not
hold, or if the run was to give evidence (--require-evidence) and gave none.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := runID(args[0])
			if err != nil {
				return err
			}
			r, err := runner.New(noModel("checking evidence"), runner.WithVersion(version()))
			if err != nil {
				return err
			}
			v, err := r.Verify(cmd.Context(), id)
			if err != nil {
				return err
			}
			if asJSON {
				err = a.printJSON(v)
			} else {
				a.printVerification(v)
			}
			if err == nil && !v.Holds() {
				err = &exit{code: termination.ExitFailed}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) printVerification(v runner.Verification) {
	a.out.Wrap()
	holds := 0
	for _, p := range v.Passages {
		text := footnotes.Passage(p.Evidence) + " · " + string(p.State)
		if p.State == runner.PassageMoved {
			text = fmt.Sprintf("%s to line %d", text, p.Line)
		}
		if p.State == runner.PassageHolds || p.State == runner.PassageMoved {
			holds++
		}
		if p.Stood {
			text += ", but in the text that the run saw"
		}
		fmt.Fprintln(a.out, text)
	}
	for _, m := range v.UnknownMarks {
		fmt.Fprintf(a.out, "%s stands for no passage\n", m)
	}
	for _, q := range v.Unverified {
		fmt.Fprintln(a.out, footnotes.NotThere(q))
	}
	for _, d := range v.Changed {
		text := "has changed since the run"
		if d.State == runner.DocumentGone {
			text = "is gone"
		}
		fmt.Fprintf(a.out, "%s %s\n", d.Name, text)
	}
	if v.Unsupported != "" {
		fmt.Fprintf(a.out, "evidence was required: %s\n", v.Unsupported)
	}
	if len(v.Passages) == 0 {
		fmt.Fprintln(a.out, "no passage of the documents supports the answer")
		return
	}
	hold := "hold"
	if len(v.Passages) == 1 {
		hold = "holds"
	}
	fmt.Fprintf(a.out, "%d of %s %s\n", holds, quantity.Of(len(v.Passages), "passage"), hold)
}
