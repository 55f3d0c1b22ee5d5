package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The flags are bound to the settings that the configuration file and the environment have filled in, so that a
// flag wins by being given, and --help shows what is in force.

func (a *app) modelFlags(f *pflag.FlagSet) {
	s := &a.set
	inGroup(f, groupModel, func() {
		f.StringVarP(&s.Model, "model", "m", s.Model, "model that answers: PROVIDER/NAME, a profile, or a name (RLM_MODEL)")
		f.IntVar(&s.MaxOutputTokens, "max-output-tokens", s.MaxOutputTokens, "limit of one reply of the model (0: the endpoint's)")
		f.StringVar(&s.ReasoningEffort, "reasoning-effort", s.ReasoningEffort, "low, medium, high, … for models that reason")
		f.Int64Var(&s.Window, "window", s.Window, "context window of the model in tokens, if it is not well known")
	})
	a.subModelFlags(f)
}

// subModelFlags are those of sub-calls, and of the endpoint that all calls go to.
func (a *app) subModelFlags(f *pflag.FlagSet) {
	s := &a.set
	inGroup(f, groupModel, func() {
		f.StringVar(&s.SubModel, "sub-model", s.SubModel, "model for sub-calls (RLM_SUB_MODEL; default: the model)")
		f.Int64Var(&s.SubWindow, "sub-window", s.SubWindow, "context window of the sub-model in tokens, if it is not well known")
		f.StringVar(&s.BaseURL, "base-url", s.BaseURL, "OpenAI-compatible endpoint (OPENAI_BASE_URL)")
		f.Var(optionalFloat{&s.Temperature}, "temperature", "sampling temperature of model and sub-model (default: the endpoint's)")
		f.Var(&s.CallTimeout, "call-timeout", "deadline of one call with all its tries")
		f.IntVar(&s.Tries, "tries", s.Tries, "requests made for one call before it has failed")
		f.IntVar(&s.RequestsPerMinute, "requests-per-minute", s.RequestsPerMinute, "pace of the calls of a model (0: no limit)")
		f.IntVar(&s.TokensPerMinute, "tokens-per-minute", s.TokensPerMinute, "pace of the tokens of a model (0: no limit)")
	})
}

func (a *app) budgetFlags(f *pflag.FlagSet) {
	s := &a.set
	inGroup(f, groupBudgets, func() {
		f.IntVar(&s.MaxIterations, "max-iterations", s.MaxIterations, "turns of the run (-1, as with all budgets: no bound)")
		f.Var(&s.MaxTime, "max-time", "wall time of the run")
		f.IntVar(&s.MaxErrors, "max-errors", s.MaxErrors, "turns in a row whose cells failed")
	})
	a.spendingFlags(f)
}

// spendingFlags are the budgets of sub-calls.
func (a *app) spendingFlags(f *pflag.FlagSet) {
	s := &a.set
	inGroup(f, groupBudgets, func() {
		f.Int64Var(&s.MaxSubCalls, "max-sub-calls", s.MaxSubCalls, "calls of models by cells and child runs (-1: no bound)")
		f.Int64Var(&s.MaxTokens, "max-tokens", s.MaxTokens, "prompt and completion tokens in all")
		f.Float64Var(&s.MaxCost, "max-cost", s.MaxCost, "USD in all, as far as prices are known")
		f.IntVar(&s.MaxDepth, "max-depth", s.MaxDepth, "levels of child runs (0: none)")
		f.IntVar(&s.Concurrency, "concurrency", s.Concurrency, "sub-calls in flight")
		f.BoolVar(&s.Memo, "memo", s.Memo, "answer an identical sub-call from the earlier one")
	})
}

func (a *app) cellFlags(f *pflag.FlagSet) {
	s := &a.set
	a.sandboxFlags(f)
	a.documentFlags(f)
	inGroup(f, groupCells, func() {
		f.IntVar(&s.CellOutput, "cell-output", s.CellOutput, "bytes of a cell's output that are shown, head and tail (0: as the model's window allows, at most 20000)")
		f.Var(&s.CellSource, "cell-source", "size of a cell's source")
		f.IntVar(&s.CellCalls, "cell-calls", s.CellCalls, "calls of a cell in flight")
		f.Var(&s.PromptSize, "prompt-size", "size of one sub-call's prompt")
		f.Var(&s.AnswerSize, "answer-size", "size of the answer")
	})
}

// documentFlags are those of documents that are converted.
func (a *app) documentFlags(f *pflag.FlagSet) {
	s := &a.set
	inGroup(f, groupDocuments, func() {
		f.Var(&s.ConvertMemory, "convert-memory", "memory for the conversion of one document (PDF, Office, mail, …)")
		f.Var(&s.ConvertTimeout, "convert-timeout", "time for the conversion of one document")
		f.BoolVar(&s.AllowPrivateURLs, "allow-private-urls", s.AllowPrivateURLs, "let URLs lead to this machine and to private networks, at the host and port they name")
		f.Var(&s.ConvertCache, "convert-cache", "size of the cache of converted documents (0: none); see 'rlm cache'")
	})
}

// sandboxFlags are those that matter to cells that run again, too: what the others bound was decided the first time.
func (a *app) sandboxFlags(f *pflag.FlagSet) {
	s := &a.set
	inGroup(f, groupCells, func() {
		f.StringVar(&s.Sandbox, "sandbox", s.Sandbox, "how well cells and conversions must be locked in: strict, standard, best, or basic, which is no security boundary")
		f.StringVar(&s.Engine, "engine", s.Engine, "what runs the cells: yaegi, exact, or auto, which begins with yaegi and moves when a cell needs it")
		f.Var(&s.CellTimeout, "cell-timeout", "wall time of a cell, without waiting for sub-calls")
		f.Var(&s.CellCPU, "cell-cpu", "CPU time of a cell")
		f.Var(&s.CellMemory, "cell-memory", "memory of a cell beyond the context")
	})
}

// ready is the check before any command that uses the settings.
func (a *app) ready(cmd *cobra.Command) error {
	if a.setErr != nil {
		return &exit{termination.ExitUsage, a.setErr}
	}
	if err := a.set.check(); err != nil {
		return &exit{termination.ExitUsage, err}
	}
	return nil
}

func (s settings) check() error {
	for name, v := range map[string]float64{
		"max-iterations": float64(s.MaxIterations), "max-sub-calls": float64(s.MaxSubCalls), "max-tokens": float64(s.MaxTokens),
		"max-cost": s.MaxCost, "max-errors": float64(s.MaxErrors),
	} {
		if v == 0 {
			return fmt.Errorf("--%s 0 leaves nothing to do; -1 means no bound", name)
		}
	}
	switch {
	case !slices.Contains([]string{"best", "standard", "strict", "basic"}, s.Sandbox):
		return fmt.Errorf("--sandbox is strict, standard or best (or basic, which is no security boundary), not %q", s.Sandbox)
	case !slices.Contains([]string{"auto", "yaegi", "exact"}, s.Engine):
		return fmt.Errorf("--engine is auto, yaegi or exact, not %q", s.Engine)
	case !slices.Contains([]string{"response", "task"}, s.Mode):
		return fmt.Errorf("--mode is response or task, not %q", s.Mode)
	case s.Concurrency < 1, s.CellCalls < 1, s.Tries < 1:
		return errors.New("--concurrency, --cell-calls and --tries must be at least 1")
	case s.MaxOutputTokens < 0, s.CellOutput < 0, s.RequestsPerMinute < 0, s.TokensPerMinute < 0, s.Window < 0, s.SubWindow < 0:
		return errors.New("--max-output-tokens, --cell-output, --requests-per-minute, --tokens-per-minute, --window and --sub-window must not be negative")
	}
	return nil
}

func (s settings) budgets() runner.Budgets {
	b := runner.Budgets{
		Iterations: s.MaxIterations, SubCalls: s.MaxSubCalls, Tokens: s.MaxTokens, Cost: s.MaxCost,
		Time: time.Duration(s.MaxTime), Depth: s.MaxDepth, Errors: s.MaxErrors,
	}
	if b.Depth == 0 {
		b.Depth = -1
	}
	return b
}

func (s settings) limits() sandbox.Limits {
	return sandbox.Limits{
		CellTime: time.Duration(s.CellTimeout), CellCPU: time.Duration(s.CellCPU), CellMemory: int64(s.CellMemory),
		Output: s.CellOutput, Source: int(s.CellSource), InFlight: s.CellCalls, Prompt: int(s.PromptSize), Answer: int(s.AnswerSize),
	}
}

// callSettings are what is sent with the calls of the model and of the sub-model. An effort of reasoning and a limit of the reply are meant
// for the model that was named with them: another one may refuse them.
func (s settings) callSettings() (root, sub runner.CallSettings) {
	root = runner.CallSettings{Temperature: s.Temperature, MaxTokens: s.MaxOutputTokens, ReasoningEffort: s.ReasoningEffort}
	sub = root
	if s.SubModel != "" && s.SubModel != s.Model {
		sub = runner.CallSettings{Temperature: s.Temperature}
	}
	return root, sub
}

// conversion is how documents are converted. What is converted is kept below the data folder also by commands that keep nothing else.
func (s settings) conversion() runner.Conversion {
	c := runner.Conversion{Memory: int64(s.ConvertMemory), Timeout: time.Duration(s.ConvertTimeout), Cache: int64(s.ConvertCache)}
	if c.Cache == 0 {
		c.Cache = -1
	}
	if dir, err := trajectory.DataDir(); err == nil {
		c.Dir = runner.CacheDir(dir)
	}
	return c
}

// options are the runner's, as the settings have them.
func (s settings) options() []runner.Option {
	root, sub := s.callSettings()
	return []runner.Option{
		runner.WithBudgets(s.budgets()),
		runner.WithMode(termination.Mode(s.Mode)),
		runner.WithSandbox(sandbox.Level(s.Sandbox), s.limits()),
		runner.WithEngine(repl.Engine(s.Engine)),
		runner.WithConcurrency(s.Concurrency),
		runner.WithMemo(s.Memo),
		runner.WithPrices(s.Prices),
		runner.WithSystem(s.System),
		runner.WithCallSettings(root, sub),
		runner.WithWindows(s.Window, s.SubWindow),
		runner.WithConversion(s.conversion()),
		runner.WithPrivateURLs(s.AllowPrivateURLs),
		runner.WithVersion(version()),
	}
}
