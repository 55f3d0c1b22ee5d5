package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

func (a *app) lsCommand() *cobra.Command {
	var asJSON bool
	var most int
	var which filter
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list", "sessions"},
		Short:   "List runs and sessions: when, status, cost, question",
		Args:    noArgs,
		Example: "  rlm ls --status interrupted   what was cut off; 'rlm resume' goes on with it\n" +
			"  rlm ls --status stopped       what Ctrl-C ended; so it does with these\n" +
			"  rlm ls --kind session --since 7d --grep outage",
		RunE: func(*cobra.Command, []string) error { return a.ls(which, asJSON, most) },
	}
	which.flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	cmd.Flags().IntVarP(&most, "number", "n", 50, "list at most so many, the newest first (0: all)")
	return cmd
}

// listed is what --json prints of a run.
type listed struct {
	ID string `json:"id"`
	trajectory.Summary
	Trajectory string `json:"trajectory"`
}

func (a *app) ls(which filter, asJSON bool, most int) error {
	all, err := listRuns()
	if err != nil {
		return err
	}
	list, err := which.of(all)
	if err != nil {
		return err
	}
	left := 0
	if most > 0 && len(list) > most {
		left = len(list) - most
		list = list[:most]
	}
	if asJSON {
		out := []listed{}
		for _, s := range list {
			out = append(out, listed{ID: s.ID, Summary: s, Trajectory: logPath(s.Dir)})
		}
		return a.printJSON(out)
	}
	if len(list) == 0 && len(all) > 0 {
		fmt.Fprintf(a.err, "no run is like that (%d in all)\n", len(all))
		return nil
	}
	if len(list) == 0 {
		fmt.Fprintln(a.err, "no runs yet; try: rlm demo")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tKIND\tSTARTED\tSTATUS\tTURNS\tCOST\tQUESTION")
	for _, s := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", screen.Line(s.ID), s.Kind, s.Started.Local().Format(time.DateTime), screen.Line(s.Status), s.Turns, costText(s.Cost), questionText(s))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the list: %w", err)
	}
	if left > 0 {
		fmt.Fprintf(a.err, "and %d older (rlm ls -n 0)\n", left)
	}
	return nil
}

func costText(usd *float64) string {
	if usd == nil {
		return "?"
	}
	return quantity.Dollars(*usd)
}

// costWords is a cost in a sentence, where a question mark would not say what is asked.
func costWords(usd *float64) string {
	if usd == nil {
		return "cost unknown"
	}
	return quantity.Dollars(*usd)
}

func questionText(s trajectory.Summary) string {
	if s.Problem != "" {
		return screen.Line(s.Problem)
	}
	text := s.Question
	if s.Questions == 0 {
		text = "(no question, " + quantity.Of(s.Cells, "cell") + ")"
	}
	if s.Name != "" {
		text = s.Name + ": " + text
	}
	text = strings.Join(strings.Fields(text), " ")
	text = ansi.Truncate(screen.Line(text), 70, "…")
	if s.Questions > 1 {
		text += fmt.Sprintf(" (and %d more)", s.Questions-1)
	}
	return text
}
