package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Try to break out of the sandbox here, and look at the model's endpoint",
		Long: `Make the attacks that a cell could make, and worse ones in native code, from inside locked throw-away workers, and print what
was tried and what happened, the level that this machine reaches, and what would raise it. Then say which model would answer a run,
and whether its endpoint can be reached with the key there is; no model is called. The exit code is 1 if something worked that the
level promises to stop.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.ready(cmd); err != nil {
				return err
			}
			return a.doctor(cmd, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().StringVar(&a.set.Sandbox, "sandbox", a.set.Sandbox, "level to try: strict, standard or best")
	return cmd
}

func (a *app) doctor(cmd *cobra.Command, asJSON bool) error {
	report, err := sandbox.Probe(cmd.Context(), sandbox.Level(a.set.Sandbox))
	if err != nil {
		return err
	}
	facts := a.modelFacts(cmd.Context())
	if asJSON {
		err = a.printJSON(struct {
			OK bool `json:"ok"`
			sandbox.Report
			Model []sandbox.Fact `json:"model"`
		}{report.OK(), report, facts})
	} else if err = a.printReport(report); err == nil {
		err = a.printFacts(facts)
	}
	if err != nil {
		return err
	}
	if !report.OK() {
		return &exit{termination.ExitFailed, fmt.Errorf("the sandbox does not keep what level %s promises", report.Level)}
	}
	return nil
}

func (a *app) printFacts(facts []sandbox.Fact) error {
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w)
	for _, f := range facts {
		fmt.Fprintf(w, "%s\t%s\n", f.Name, screen.Line(f.Value))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func (a *app) printReport(r sandbox.Report) error {
	if err := a.printFacts(r.Facts); err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "\n \tPROBE\tTRIED\tOUTCOME\tEXPECTED")
	for _, p := range r.Probes {
		mark := "ok"
		if !p.OK {
			mark = "FAILED"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", mark, p.Name, p.Tried, p.Outcome, p.Expected)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	fmt.Fprintf(a.out, "\nlevel: %s (asked for %s)\n", r.Level, r.Wanted)
	for _, m := range r.Layers.Missing {
		fmt.Fprintf(a.out, "missing: %s\n", m)
	}
	for _, hint := range r.Raise {
		fmt.Fprintf(a.out, "to raise it: %s\n", strings.TrimSpace(hint))
	}
	return nil
}
