// Package eval shows an evaluation to people: its worst-case cost, its progress, and the report.
package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// View configures where and how an evaluation is shown.
type View struct {
	Out, Err *screen.Output
	Name     string // name of the chosen items
	Page     string // file for the report as HTML, "-" for stdout; "": none
	Seed     uint64 // seed for the intervals in the report
	JSON     bool   // print the report as JSON
	Quiet    bool   // show no progress
	DryRun   bool   // run nothing, and show each arm's worst-case cost
}

// Worst shows the worst-case cost of an evaluation. It returns an error if the budget does not suffice for a single
// answer.
func (v View) Worst(e eval.Evaluation) error {
	total := 0.0
	most := e.Most()
	for i, arm := range e.Arms {
		total += most[i]
		if v.DryRun {
			answers := units.Of(e.Items.Len, "answer")
			fmt.Fprintf(v.Err, "%s: %s, at most %s (%s)\n", arm.Name, answers, mostDollars(most[i]), arm.Settings)
		}
	}
	if e.Budget > 0 {
		if one := e.Dearest(); one > e.Budget {
			return front.Fail(exitcode.Limit, "--budget %v is not enough for one answer, which can cost up to %s: "+
				"raise it, or lower --max-cost or --max-output-tokens", e.Budget, units.Dollars(one))
		} else if math.IsNaN(one) {
			return front.Fail(exitcode.Usage, "--budget needs the prices of all models (see 'rlm config --help')")
		}
	}
	if v.DryRun || !v.Quiet {
		bounded := ""
		if e.Budget > 0 {
			bounded = fmt.Sprintf(", limited to %s by --budget", units.Dollars(e.Budget))
		}
		answers := units.Of(e.Items.Len*len(e.Arms), "answer")
		fmt.Fprintf(v.Err, "%s: %s; worst case: %s%s\n", v.Name, answers, mostDollars(total), bounded)
	}
	return nil
}

// Progress shows a new answer.
func (v View) Progress(p eval.Progress) {
	r := p.Result
	if p.Kept || v.Quiet {
		return
	}
	spent := ""
	if r.Cost != nil {
		spent = fmt.Sprintf(", %s so far", units.Dollars(p.Spent))
	}
	fmt.Fprintf(v.Err, "%d of %d: %s %s %.2f (%s)%s\n", p.Done, p.Of, r.Arm, r.Item, r.Score.Value, r.Ended(), spent)
}

// End shows the results so far, even if err ended the evaluation early. It returns a *front.Exit if the budget did
// not suffice or nothing was answered.
func (v View) End(ctx context.Context, e eval.Evaluation, results []eval.Result, err error) error {
	if len(results) > 0 {
		if err := v.report(eval.NewReport(results, v.Seed), e.Results); err != nil {
			return err
		}
	}
	if err == nil {
		return unanswered(results)
	}
	all := units.Of(e.Items.Len*len(e.Arms), "answer")
	fmt.Fprintf(v.Err, "%d of %s are saved in %s; run the same command again to continue\n", len(results), all, e.Results)
	if short := (*eval.BudgetError)(nil); errors.As(err, &short) {
		return front.Fail(exitcode.Limit, "%w: raise --budget to continue", short)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// report shows a report in the requested formats.
func (v View) report(rep eval.Report, results string) error {
	if v.Page != "" {
		page := func(w io.Writer) error { return rep.WriteHTML(w, "rlm eval: "+v.Name, logAddress) }
		if err := front.WriteTo(v.Out, v.Page, page); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
		if v.Page == "-" {
			return nil
		}
	}
	if v.JSON {
		return v.Out.JSON(rep)
	}
	if err := rep.Write(v.Out); err != nil {
		return err
	}
	if !v.Quiet {
		fmt.Fprintf(v.Err, "results saved in %s\n", results)
	}
	return nil
}

// logAddress returns the URL of a run's log for a browser on this machine; "" if unknown.
func logAddress(run string) string {
	dir, err := trajectory.DataDir()
	if err != nil {
		return ""
	}
	return "file://" + filepath.ToSlash(filepath.Join(trajectory.RunsDir(dir), run))
}

// unanswered returns an error if an evaluation ended without a single answer.
func unanswered(results []eval.Result) error {
	why, code := "", exitcode.Endpoint
	for _, r := range results {
		if r.Answer != "" && r.Error == "" {
			return nil
		}
		why = cmp.Or(why, r.Error)
		if r.Error == "" {
			code = exitcode.Limit // the run ended without an error, but also without an answer
		}
	}
	return front.Fail(code, "no question was answered; --retry-failed asks again (the first error: %s)",
		cmp.Or(why, "none"))
}

func mostDollars(usd float64) string {
	switch {
	case math.IsNaN(usd):
		return "an unknown cost, because a price is missing"
	case math.IsInf(usd, 1):
		return "any cost"
	}
	return units.Dollars(usd)
}
