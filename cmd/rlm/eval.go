package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

const evalHelp = `Measure how well questions over long texts are answered, and at what price: by the notebook (rlm), by putting the text into the prompt
(direct), by the passages that match the question best (rag), or from notes on all parts (summary). All arms answer the same items in
the same order, with the same model, temperature and limit of a reply; a failure counts as 0 and is listed.

Items come from suites ('rlm eval ls'), which make them from a seed at any length with answers that are right by construction, or from a file of your
own (--data; see 'rlm eval make --help' for its form; files of OOLONG, LongBench-v2 and RULER are read as they are).

An arm can have settings of its own, which are flags without their dashes, so that one thing differs:

  --arms rlm,rlm:depth=2,rlm:sub-model=small,prompt=./mine,direct

Differences are to the first arm, over the same items. "rlm eval compare A B" compares two evaluations.

Results are kept as they come. The same command goes on where it was interrupted and pays for nothing twice. What it can cost at most is
said before anything is asked: --dry-run says only that, and --budget bounds the whole evaluation, where the budgets below bound each run.

With --nats the rlm arms run on the nodes of a fleet ('rlm batch --help'), with the models and keys that the nodes have; raise --parallel to
what they can do at once. All other arms run here.

Exit codes: 0 done, 2 wrong usage, 3 the budget does not suffice, 130 interrupted; 1 anything else.`

// evaluating are the flags of an evaluation.
type evaluating struct {
	choice   choosing
	arms     []string
	prompts  []string
	judge    string
	results  string
	out      string
	fleet    elsewhere
	parallel int
	budget   float64
	dryRun   bool
	retry    bool
	asJSON   bool
	quiet    bool
}

func (a *app) evalCommand() *cobra.Command {
	var ev evaluating
	cmd := &cobra.Command{
		Use: "eval [flags] [SUITE…]", Short: "Measure answers over long texts: score and price, against a plain call",
		Long: evalHelp,
		Example: "  rlm eval s-niah oolong --n 50 --length 32k,256k --arms rlm,direct -o report.html\n" +
			"  rlm eval --data questions.jsonl --arms rlm,rag --scorer judge --judge gpt-5",
		RunE: func(cmd *cobra.Command, args []string) error { return a.eval(cmd, ev, args) },
	}
	f := cmd.Flags()
	ev.choice.flags(f)
	f.StringVar(&ev.choice.data, "data", "", "a file of items, instead of suites")
	f.StringVar(&ev.choice.scorer, "scorer", "exact", "scorer of items in --data that name none: a name ('rlm eval make --help'), or a file of Go with func Score")
	f.StringVar(&ev.judge, "judge", "", "model that scores items whose scorer is judge")
	f.StringSliceVar(&ev.arms, "arms", []string{"rlm", "direct"}, "ways to answer: rlm, direct, rag, summary, each with settings such as rlm:depth=2")
	f.StringSliceVar(&ev.prompts, "prompt", nil, "an rlm arm more with this prompt: "+promptNames()+", or a folder of templates ('rlm prompt --write')")
	f.StringVar(&ev.results, "results", "", "the file that keeps the results (default: below the data folder, one for each choice of items)")
	f.StringVarP(&ev.out, "output", "o", "", "write the report as one HTML page")
	ev.fleet.flags(f)
	f.IntVar(&ev.parallel, "parallel", 4, "answers that are made at once")
	f.Float64Var(&ev.budget, "budget", 0, "USD that all answers together may cost, those that are kept included (0: no bound)")
	f.BoolVar(&ev.dryRun, "dry-run", false, "say what would be asked and the price of the worst case; call no model")
	f.BoolVar(&ev.retry, "retry-failed", false, "ask again where an answer failed")
	f.BoolVar(&ev.asJSON, "json", false, "print the report as JSON")
	f.BoolVarP(&ev.quiet, "quiet", "q", false, "no progress on stderr")
	a.armFlags(f)
	cmd.AddCommand(a.evalListCommand(), a.evalMakeCommand(), a.evalCompareCommand())
	return cmd
}

func (a *app) eval(cmd *cobra.Command, ev evaluating, args []string) (err error) {
	if err := a.ready(cmd); err != nil {
		return err
	}
	if ev.parallel < 1 || ev.budget < 0 || math.IsNaN(ev.budget) {
		return wrongUsage("--parallel is at least 1, and --budget is not negative")
	}
	if dir := filepath.Dir(ev.out); ev.out != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return wrongUsage("-o %s: there is no folder %s", ev.out, dir)
		}
	}
	items, name, err := ev.choice.items(args)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	nodes, err := a.openFleet(cmd, ev)
	if err != nil {
		return err
	}
	if nodes != nil {
		defer func() { err = errors.Join(err, nodes.queue.Close()) }()
	}
	arms, err := a.arms(ctx, ev, nodes)
	if err != nil {
		return err
	}
	scorers, cleanUp, err := a.scorers(ctx, ev)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cleanUp()) }()
	if ev.results == "" {
		if ev.results, err = resultsFile(name); err != nil {
			return err
		}
	}
	e := eval.Evaluation{
		Items: items, Arms: arms, Scorers: scorers, Results: ev.results, Retry: ev.retry, Parallel: ev.parallel, Budget: ev.budget,
	}
	if err := a.tellMost(ev, e, name); err != nil || ev.dryRun {
		return err
	}
	if !ev.quiet {
		e.Progress = func(p eval.Progress) {
			if r := p.Result; !p.Kept {
				spent := ""
				if r.Cost != nil {
					spent = fmt.Sprintf(", %s so far", quantity.Dollars(p.Spent))
				}
				fmt.Fprintf(a.err, "%d of %d: %s %s %.2f (%s)%s\n", p.Done, p.Of, r.Arm, r.Item, r.Score.Value, r.Status, spent)
			}
		}
	}
	results, err := e.Run(ctx)
	return a.evalEnd(ctx, ev, name, e, results, err)
}

// evalEnd shows what there is, also of an evaluation that did not come to its end.
func (a *app) evalEnd(ctx context.Context, ev evaluating, name string, e eval.Evaluation, results []eval.Result, err error) error {
	if len(results) > 0 {
		if err := a.evalReport(ev, name, eval.NewReport(results, ev.choice.seed)); err != nil {
			return err
		}
	}
	if err == nil {
		return nil
	}
	fmt.Fprintf(a.err, "%d of %s are there, in %s; the same command goes on from there\n", len(results), quantity.Of(e.Items.Len*len(e.Arms), "answer"), ev.results)
	if short := (*eval.BudgetError)(nil); errors.As(err, &short) {
		return &exit{termination.ExitLimit, fmt.Errorf("%w: raise --budget to go on", short)}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// tellMost says what an evaluation can cost at most, and refuses one whose budget does not suffice for a single answer.
func (a *app) tellMost(ev evaluating, e eval.Evaluation, name string) error {
	total := 0.0
	most := e.Most()
	for i, arm := range e.Arms {
		total += most[i]
		if ev.dryRun {
			fmt.Fprintf(a.err, "%s: %s, at most %s (%s)\n", arm.Name, quantity.Of(e.Items.Len, "answer"), mostDollars(most[i]), arm.Settings)
		}
	}
	if ev.budget > 0 {
		if one := e.Dearest(); one > ev.budget {
			return wrongUsage("--budget %s does not suffice for one answer, which can cost up to %s: lower --max-cost or --max-output-tokens, or raise it", quantity.Dollars(ev.budget), quantity.Dollars(one))
		} else if math.IsNaN(one) {
			return wrongUsage("--budget needs the prices of all models (see 'rlm config --help')")
		}
	}
	if ev.dryRun || !ev.quiet {
		bounded := ""
		if ev.budget > 0 {
			bounded = fmt.Sprintf(", bounded to %s by --budget", quantity.Dollars(ev.budget))
		}
		fmt.Fprintf(a.err, "%s: %s; worst case: %s%s\n", name, quantity.Of(e.Items.Len*len(e.Arms), "answer"), mostDollars(total), bounded)
	}
	return nil
}

func mostDollars(usd float64) string {
	switch {
	case math.IsNaN(usd):
		return "a cost that is not known, as there is no price"
	case math.IsInf(usd, 1):
		return "any cost"
	}
	return quantity.Dollars(usd)
}

// resultsFile is where the results of a choice of items are kept.
func resultsFile(name string) (string, error) {
	dir, err := trajectory.DataDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "rlm", "evals")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("keeping the results: %w", err)
	}
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(dir, hex.EncodeToString(sum[:6])+".jsonl"), nil
}
