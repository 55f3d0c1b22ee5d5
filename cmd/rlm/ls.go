package main

import (
	"context"
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
		RunE: func(cmd *cobra.Command, _ []string) error { return a.ls(cmd.Context(), which, asJSON, most) },
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
	Trajectory string `json:"trajectory,omitempty"` // a server does not say
}

func (a *app) ls(ctx context.Context, which filter, asJSON bool, most int) error {
	all, err := a.recorded(ctx)
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
			out = append(out, listed{ID: s.ID, Summary: s, Trajectory: a.logOf(s)})
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
	if err := a.out.Styled(a.out.Cut(table(list, a.narrow()))); err != nil {
		return fmt.Errorf("writing the list: %w", err)
	}
	if left > 0 {
		fmt.Fprintf(a.err, "and %d older (rlm ls -n 0)\n", left)
	}
	return nil
}

// narrow reports whether stdout is a terminal on which a question has no room beside the rest.
func (a *app) narrow() bool {
	columns, _ := a.out.Size()
	return a.out.Terminal() && columns < 110
}

// table lists runs, a line each; where that is too narrow, each question stands in a line of its own.
func table(list []trajectory.Summary, narrow bool) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	head, started := "ID\tKIND\tSTARTED\tSTATUS\tTURNS\tCOST\tQUESTION", time.DateTime
	if narrow {
		head, started = strings.TrimSuffix(head, "\tQUESTION"), "01-02 15:04"
	}
	fmt.Fprintln(w, head)
	for _, s := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s", screen.Line(s.ID), s.Kind, s.Started.Local().Format(started), screen.Line(s.Status), s.Turns, costText(s.Cost))
		if !narrow {
			fmt.Fprintf(w, "\t%s", questionText(s))
		}
		fmt.Fprintln(w)
	}
	w.Flush() // into memory
	if !narrow {
		return b.String()
	}
	rows := strings.SplitAfter(b.String(), "\n")
	for i, s := range list {
		rows[i+1] += "  " + questionText(s) + "\n"
	}
	return strings.Join(rows, "")
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
