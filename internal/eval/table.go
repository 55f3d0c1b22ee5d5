package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
)

// mostListed is how many failures a terminal shows.
const mostListed = 10

// Write writes the tables for a terminal: the scores, then the effort.
func (rep Report) Write(w io.Writer) error {
	rows := append(slices.Clone(rep.Parts), rep.All...)
	if err := columns(w, scoreHead, rows, Row.scoreCells); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := columns(w, effortHead, rows, Row.effortCells); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, line := range rep.notes() {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

var (
	scoreHead  = []string{"suite", "length", "arm", "n", "score", "95 %", "difference", "95 %"}
	effortHead = []string{
		"suite", "length", "arm", "cost", "tokens", "time", "in models", "turns", "cells ok", "calls",
		"wasted",
	}
)

func columns(w io.Writer, head []string, rows []Row, cells func(Row) []string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(head, "\t"))
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(cells(row), "\t"))
	}
	return t.Flush()
}

// notes describe how runs ended, and what else matters for the scores.
func (rep Report) notes() []string {
	var out []string
	for _, r := range rep.Rules {
		out = append(out, r.String())
	}
	for _, row := range rep.All {
		out = append(out, fmt.Sprintf("%s ended: %s", row.Arm, list(row.Statuses)))
		if len(row.Grounding) > 0 {
			out = append(out, fmt.Sprintf("%s: what answers rest on: %s", row.Arm, list(row.Grounding)))
		}
		if row.Guesses > 0 {
			out = append(out, fmt.Sprintf(
				"%s: guesses, before which nothing was looked at: %d", row.Arm, row.Guesses))
		}
		if row.Incomplete > 0 {
			out = append(out, fmt.Sprintf(
				"%s: %s with replies that were cut, filtered or refused", row.Arm, units.Of(row.Incomplete, "answer")))
		}
		if row.Cut > 0 {
			out = append(out, fmt.Sprintf(
				"%s: the text of %s was cut in the middle to fit", row.Arm, units.Of(row.Cut, "item")))
		}
	}
	if j := rep.Judge; j != nil {
		out = append(out, fmt.Sprintf("judge %s gave the same verdict in both orders for %s (%s) of %s, for %s", j.Model,
			percent(j.Agreed.Mean), bound(j.Agreed), units.Of(j.N, "answer"), dollars(j.Cost)))
	}
	if n := len(rep.Failures); n > 0 {
		out = append(out, fmt.Sprintf("%s without an answer, counted as 0:", units.Of(n, "item")))
		for _, r := range rep.Failures[:min(n, mostListed)] {
			line := fmt.Sprintf("  %s %s: %s", r.Arm, r.Item, r.Status)
			if r.Run != "" {
				line += ", run " + r.Run
			}
			if r.Error != "" {
				line += ", " + text.Line(r.Error, 100)
			}
			out = append(out, line)
		}
		if n > mostListed {
			out = append(out, fmt.Sprintf("  and %d more: see --json", n-mostListed))
		}
	}
	return out
}

// String describes the rule, and how many answers it scored.
func (r Rule) String() string {
	about := ""
	if r.About != "" {
		about = ": " + r.About
	}
	return fmt.Sprintf("%s scored by %s%s", units.Of(r.N, "answer"), r.Scorer, about)
}

func list(statuses []Status) string {
	var all []string
	for _, s := range statuses {
		all = append(all, fmt.Sprintf("%s %d (%s)", s.Status, s.N, percent(s.Share.Mean)))
	}
	return strings.Join(all, ", ")
}

// place is the suite, the length and the arm of a row.
func (r Row) place() []string {
	suite, length := r.Suite, ""
	if suite == "" {
		suite = "all"
	}
	if r.Length > 0 {
		length = units.Count(int64(r.Length))
	}
	return []string{suite, length, r.Arm}
}

func (r Row) scoreCells() []string {
	difference, bounds := "", ""
	if r.Against != nil {
		difference, bounds = fmt.Sprintf("%+.3f", r.Against.Mean),
			fmt.Sprintf("%+.3f to %+.3f", r.Against.Low, r.Against.High)
		if r.Against.Noise() {
			difference += " (noise?)"
		}
	}
	return append(r.place(), fmt.Sprint(r.N), fmt.Sprintf("%.3f", r.Score.Mean), bound(r.Score), difference, bounds)
}

func (r Row) effortCells() []string {
	first, turns := "", ""
	if r.FirstTry != nil {
		first = percent(r.FirstTry.Mean)
	}
	if r.Turns > 0 {
		turns = fmt.Sprintf("%.1f", r.Turns)
	}
	return append(r.place(), dollars(r.Cost), units.Count(r.Tokens), short(r.Wall), short(r.ModelTime), turns, first,
		fmt.Sprint(r.Calls), fmt.Sprint(r.Wasted))
}

func dollars(usd *float64) string {
	if usd == nil {
		return "?"
	}
	return units.Dollars(*usd)
}

// short formats a duration with as many digits as matter.
func short(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

func bound(e Estimate) string { return fmt.Sprintf("%.3f to %.3f", e.Low, e.High) }

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }
