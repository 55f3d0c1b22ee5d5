package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/fleet"
	evalfront "github.com/gorlm/rlm/internal/front/eval"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const evalHelp = `Measure how well questions about long texts are answered, and at what price: by the notebook (rlm), by putting
the text into the prompt (direct), by the passages that match the question best (rag), or from notes on all
parts (summary). All arms answer the same items in the same order, with the same model, temperature and reply
limit; a failure counts as 0 and is listed.

Items come from suites ('rlm eval ls'), which generate them from a seed at any length, with answers that are
right by construction, or from a file of your own (--data; 'rlm eval make --help' describes its format; files
of OOLONG, LongBench-v2 and RULER are read and scored as they are). --where, --length and --n choose among the
items of a file; --n picks by --seed, and a larger --n only adds items.

An arm can have settings of its own, written as flags without their dashes, so that arms differ in one thing:

  --arms rlm,rlm:depth=2,rlm:sub-model=small,prompt=./mine,direct

Differences are measured against the first arm, over the same items. "rlm eval compare A B" compares two
evaluations.

Results are saved as they arrive. Running the same command again resumes where it was interrupted and never
pays twice. The maximum cost is printed before anything is asked: --dry-run stops after that, and --budget
limits the whole evaluation, while the budgets below limit each run.

With --nats the rlm arms run on the nodes of a fleet ('rlm batch --help'), with the nodes' models and keys;
raise --parallel to what they can do at once. All other arms run here.

Exit codes: 0 done, 1 other failures, 2 wrong usage, 3 the budget is too small or nothing was answered, 4 the
model could not be reached or refused the key, 130 stopped. A refused key ends the evaluation at the first
answer.`

// evalFlags are the flags of an evaluation.
type evalFlags struct {
	choice   itemFlags
	arms     []string
	prompts  []string
	judge    string
	results  string
	out      string
	fleet    fleetConn
	parallel int
	budget   float64
	dryRun   bool
	retry    bool
	asJSON   bool
	quiet    bool
}

func (l *launcher) evalCommand() *cobra.Command {
	var ev evalFlags
	cmd := &cobra.Command{
		Use: "eval [flags] [SUITE…]", Short: "Measure answers about long texts: score and price, against a plain call",
		Long: evalHelp,
		Example: "  rlm eval s-niah oolong --n 50 --length 32k,256k --arms rlm,direct -o report.html\n" +
			"  rlm eval --data questions.jsonl --arms rlm,rag --scorer judge --judge gpt-5",
		RunE: func(cmd *cobra.Command, args []string) error { return l.eval(cmd, ev, args) },
	}
	f := cmd.Flags()
	ev.choice.flags(f)
	f.StringVar(&ev.choice.data, "data", "", "file of items (JSON Lines, a JSON array, Parquet), instead of suites")
	f.StringVar(&ev.choice.where, "where", "",
		"only items of --data whose fields match, as in 'dataset=trec_coarse,context_len<=131072'")
	f.StringVar(&ev.choice.scorer, "scorer", "exact",
		"scorer for items in --data that name none: a name ('rlm eval make --help'), or a Go file with func Score")
	f.StringVar(&ev.judge, "judge", "", "model that scores items whose scorer is judge")
	f.StringSliceVar(&ev.arms, "arms", []string{"rlm", "direct"},
		"ways to answer: rlm, direct, rag, summary, each with settings such as rlm:depth=2")
	f.StringSliceVar(&ev.prompts, "prompt", nil,
		"add an rlm arm with this prompt: "+promptNames()+", or a folder of templates ('rlm prompt --write')")
	f.StringVar(&ev.results, "results", "",
		"file to keep results in (default: in the data folder, one for each choice of items)")
	f.StringVarP(&ev.out, "output", "o", "", "write the report as one HTML page")
	ev.fleet.flags(f)
	f.IntVar(&ev.parallel, "parallel", 4, "number of answers to make at once")
	f.Float64Var(&ev.budget, "budget", 0,
		"USD that all answers together may cost, including kept ones (0: no limit)")
	f.BoolVar(&ev.dryRun, "dry-run", false, "print what would be asked and the price of the worst case; call no model")
	f.BoolVar(&ev.retry, "retry-failed", false, "ask again where an answer failed")
	f.BoolVar(&ev.asJSON, "json", false, "print the report as JSON")
	f.BoolVarP(&ev.quiet, "quiet", "q", false, "no progress on stderr")
	l.set.armFlags(f)
	cmd.AddCommand(l.evalListCommand(), l.evalMakeCommand(), l.evalCompareCommand())
	return cmd
}

func (l *launcher) eval(cmd *cobra.Command, ev evalFlags, args []string) (err error) {
	if err := l.set.ready(); err != nil {
		return err
	}
	if ev.parallel < 1 || ev.budget < 0 || math.IsNaN(ev.budget) {
		return wrongUsage("--parallel must be at least 1, and --budget must not be negative")
	}
	if dir := filepath.Dir(ev.out); ev.out != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return wrongUsage("-o %s: there is no folder %s", ev.out, dir)
		}
	}
	ctx := cmd.Context()
	ev.choice.named = cmd.Flags().Changed
	ev.choice.convert = func(ctx context.Context, path string, read func(*io.SectionReader) error) error {
		return runner.ConvertFile(ctx, path, read, l.set.options()...)
	}
	items, name, err := ev.choice.items(ctx, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ev.choice.close()) }()
	nodes, err := l.set.openFleet(cmd, ev)
	if err != nil {
		return err
	}
	if nodes != nil {
		defer func() { err = errors.Join(err, nodes.Queue.Close()) }()
	}
	arms, err := l.arms(ctx, ev, nodes)
	if err != nil {
		return err
	}
	scorers, cleanUp, err := l.scorers(ctx, ev)
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
		Items: items, Arms: arms, Scorers: scorers, Results: ev.results, Retry: ev.retry, Parallel: ev.parallel,
		Budget: ev.budget,
	}
	v := l.evalView(ev, name)
	if err := v.Worst(e); err != nil || ev.dryRun {
		return err
	}
	e.Progress = v.Progress
	results, err := e.Run(ctx)
	return v.End(ctx, e, results, err)
}

func (std streams) evalView(ev evalFlags, name string) evalfront.View {
	return evalfront.View{
		Out: std.out, Err: std.err, Name: name, Page: ev.out, Seed: ev.choice.seed, JSON: ev.asJSON,
		Quiet: ev.quiet, DryRun: ev.dryRun,
	}
}

// resultsFile returns the default file for the results of an evaluation of the named items.
func resultsFile(name string) (string, error) {
	dir, err := trajectory.DataDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "rlm", "evals")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("saving the results: %w", err)
	}
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(dir, hex.EncodeToString(sum[:6])+".jsonl"), nil
}

// evalFleet is the fleet whose nodes run the rlm arms of an evaluation. Nodes have their own models, keys and
// settings.
type evalFleet struct {
	evalfront.Fleet
	named func(flag string) bool // reports whether the command line has a flag
}

// openFleet opens the fleet named by the flags; nil if none is named or no model is called.
func (s *settings) openFleet(cmd *cobra.Command, ev evalFlags) (*evalFleet, error) {
	if ev.fleet.address() == "" || ev.dryRun {
		return nil, nil
	}
	specs, err := armSpecs(ev.arms, ev.prompts)
	if err != nil {
		return nil, err
	}
	for _, s := range specs {
		for _, setting := range s.settings {
			name, _, _ := strings.Cut(setting, "=")
			if s.way == "rlm" && withoutCalls(setting) {
				return nil, wrongUsage("%s: fleet nodes offer all functions; run this arm here, without --nats",
					setting)
			}
			if s.way == "rlm" && !slices.Contains(fleetSettings, name) && !slices.Contains(fleetSettings, "max-"+name) {
				return nil, wrongUsage("%s of an rlm arm: fleet nodes have settings of their own; a job can set %s", setting, strings.Join(fleetSettings, ", "))
			}
		}
	}
	if err := s.checkFleetFlags(cmd.Flags(), fleetSettings, localSettings); err != nil {
		return nil, err
	}
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, err
	}
	q, err := ev.fleet.open(cmd.Context())
	if err != nil {
		return nil, err
	}
	return &evalFleet{Fleet: evalfront.Fleet{Queue: q, DataDir: data, Retry: ev.retry}, named: cmd.Flags().Changed}, nil
}

// fleetSettings are the settings that a job can pass to a node.
var fleetSettings = []string{
	"model", "sub-model", "max-cost", "max-depth", "max-errors", "max-iterations",
	"max-sub-calls", "max-time", "max-tokens",
}

// localSettings are the settings of how arms that run here reach their models. Settings of calls, such as the
// temperature, are not among them: they must be the same in all arms, and nodes have their own.
var localSettings = []string{"base-url", "window", "call-timeout", "tries", "requests-per-minute", "tokens-per-minute"}

// checkFleetFlags returns an error if a flag affects answers that fleet nodes give, and is neither one of passed, which
// a job passes to its node, nor one of unused, which have another purpose.
func (s *settings) checkFleetFlags(flags *pflag.FlagSet, passed, unused []string) (wrong error) {
	flags.Visit(func(f *pflag.Flag) {
		if s.isArmFlag(f.Name) && !slices.Contains(passed, f.Name) && !slices.Contains(unused, f.Name) {
			wrong = wrongUsage("--%s: fleet nodes have settings of their own; a job can set %s", f.Name,
				strings.Join(passed, ", "))
		}
	})
	return wrong
}

// isArmFlag reports whether a flag affects the answers of an arm.
func (s *settings) isArmFlag(name string) bool {
	set := *s
	f := pflag.NewFlagSet("arm", pflag.ContinueOnError)
	set.armFlags(f)
	return f.Lookup(name) != nil
}

// arm makes an arm that runs on the fleet. Each answer is a job that is submitted only when the evaluation needs
// it, so that the evaluation's budget holds.
func (e *evalFleet) arm(set *settings, s armSpec) (eval.Arm, error) {
	job := fleet.Job{Budgets: set.budgets()}
	if e.named("model") || s.sets("model") {
		job.Model = set.Model
	}
	if e.named("sub-model") || s.sets("sub-model") {
		job.SubModel = set.SubModel
	}
	told, err := digest(job.Budgets)
	if err != nil {
		return eval.Arm{}, err
	}
	settings := fmt.Sprintf("on a fleet: model %s, sub-model %s, budgets (%s)", cmp.Or(job.Model, "of the node"),
		cmp.Or(job.SubModel, "of the node"), told)
	return eval.Elsewhere(s.name(), settings,
		func(ctx context.Context, item suite.Item, at *eval.Attempt) (string, error) {
			return e.Run(underSpan(ctx), job, item, at)
		}, func(int) (float64, bool) {
			usd, unknown := set.mostCost()
			return usd, len(unknown) == 0
		}), nil
}
