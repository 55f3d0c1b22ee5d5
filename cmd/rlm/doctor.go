package main

import (
	"fmt"
	"io"
	"slices"
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
	return a.printTable(func(w io.Writer) {
		fmt.Fprintln(w)
		for _, f := range facts {
			fmt.Fprintf(w, "%s\t%s\n", f.Name, screen.Line(f.Value))
		}
	})
}

func (a *app) printReport(r sandbox.Report) error {
	if err := a.printFacts(r.Facts); err != nil {
		return err
	}
	err := a.printTable(func(w io.Writer) {
		fmt.Fprintln(w, "\n \tPROBE\tTRIED\tOUTCOME\tEXPECTED")
		for _, p := range r.Probes {
			mark := "ok"
			if !p.OK {
				mark = "FAILED"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", mark, p.Name, p.Tried, p.Outcome, p.Expected)
		}
	})
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nlevel: %s (asked for %s)\n", r.Level, r.Wanted)
	for _, m := range r.Layers.Missing {
		fmt.Fprintf(&b, "missing: %s\n", m)
	}
	for _, hint := range r.Raise {
		fmt.Fprintf(&b, "to raise it: %s\n", strings.TrimSpace(hint))
	}
	return a.out.Styled(a.out.Fit(b.String()))
}

// printTable prints lines of cells that tabs end, aligned; on a terminal that is too narrow for that, side by side and
// broken between words.
func (a *app) printTable(lines func(w io.Writer)) error {
	var raw, b strings.Builder
	lines(&raw)
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	io.WriteString(w, raw.String())
	w.Flush() // into memory
	text := b.String()
	if a.out.Fit(text) != screen.Clean(text) {
		text = narrowed(raw.String())
	}
	if err := a.out.Styled(a.out.Fit(text)); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// narrowed are lines of cells with no more than a dot between them. Cells that are empty are left out.
func narrowed(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		cells := slices.DeleteFunc(strings.Split(strings.TrimRight(line, "\n"), "\t"), func(s string) bool { return strings.TrimSpace(s) == "" })
		b.WriteString(strings.Join(cells, " · ") + "\n")
	}
	return b.String()
}
