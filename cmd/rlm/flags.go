package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents/cache"
	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flags are bound to settings that already have their values from the configuration file and the environment, so
// that flags override these, and --help shows the effective values.

func (s *settings) modelFlags(f *pflag.FlagSet) {
	inGroup(f, groupModel, func() {
		f.StringVarP(&s.Model, "model", "m", s.Model,
			"model that answers: PROVIDER/NAME, a profile, or a name (RLM_MODEL)")
		f.IntVar(&s.MaxOutputTokens, "max-output-tokens", s.MaxOutputTokens,
			"token limit of one reply of the model (0: the endpoint's)")
		f.StringVar(&s.ReasoningEffort, "reasoning-effort", s.ReasoningEffort,
			"low, medium, high, … for reasoning models")
		f.Int64Var(&s.Window, "window", s.Window, "context window of the model in tokens, if rlm does not know it")
	})
	s.subModelFlags(f)
}

// subModelFlags are the flags of sub-calls, and those of the endpoint, which apply to all calls.
func (s *settings) subModelFlags(f *pflag.FlagSet) {
	inGroup(f, groupModel, func() {
		f.StringVar(&s.SubModel, "sub-model", s.SubModel, "model for sub-calls (RLM_SUB_MODEL; default: the model)")
		f.Int64Var(&s.SubWindow, "sub-window", s.SubWindow,
			"context window of the sub-model in tokens, if rlm does not know it")
		f.StringVar(&s.BaseURL, "base-url", s.BaseURL, "OpenAI-compatible endpoint (OPENAI_BASE_URL)")
		f.Var(optionalFloat{&s.Temperature}, "temperature",
			"sampling temperature of model and sub-model (default: the endpoint's)")
		f.Var(&s.CallTimeout, "call-timeout", "time limit for one call, including retries")
		f.IntVar(&s.Tries, "tries", s.Tries, "attempts per call before it fails")
		f.IntVar(&s.RequestsPerMinute, "requests-per-minute", s.RequestsPerMinute,
			"rate limit in requests per minute, per model (0: no limit)")
		f.IntVar(&s.TokensPerMinute, "tokens-per-minute", s.TokensPerMinute,
			"rate limit in tokens per minute, per model (0: no limit)")
	})
}

func (s *settings) budgetFlags(f *pflag.FlagSet) {
	inGroup(f, groupBudgets, func() {
		f.IntVar(&s.MaxIterations, "max-iterations", s.MaxIterations,
			"turns of the run (-1: no limit, as for all budgets)")
		f.Var(&s.MaxTime, "max-time", "wall time of the run")
		f.IntVar(&s.MaxErrors, "max-errors", s.MaxErrors, "consecutive turns whose cells failed")
	})
	s.spendingFlags(f)
}

// spendingFlags are the flags of the budgets of sub-calls.
func (s *settings) spendingFlags(f *pflag.FlagSet) {
	inGroup(f, groupBudgets, func() {
		f.Int64Var(&s.MaxSubCalls, "max-sub-calls", s.MaxSubCalls,
			"model calls by cells and child runs (-1: no limit)")
		f.Int64Var(&s.MaxTokens, "max-tokens", s.MaxTokens, "total prompt and completion tokens")
		f.Float64Var(&s.MaxCost, "max-cost", s.MaxCost, "total cost in USD, where prices are known")
		f.IntVar(&s.MaxDepth, "max-depth", s.MaxDepth, "levels of child runs (0: none)")
		f.IntVar(&s.Concurrency, "concurrency", s.Concurrency, "sub-calls at once")
		f.BoolVar(&s.Memo, "memo", s.Memo, "reuse the reply of an earlier identical sub-call")
	})
}

func (s *settings) cellFlags(f *pflag.FlagSet) {
	s.sandboxFlags(f)
	s.documentFlags(f)
	inGroup(f, groupCells, func() {
		f.IntVar(&s.CellOutput, "cell-output", s.CellOutput,
			"bytes of a cell's output to show, head and tail (0: as the model's window allows, at most 20000)")
		f.Var(&s.CellSource, "cell-source", "maximum size of a cell's source")
		f.IntVar(&s.CellCalls, "cell-calls", s.CellCalls, "concurrent calls per cell")
		f.Var(&s.PromptSize, "prompt-size", "maximum size of one sub-call's prompt")
		f.Var(&s.AnswerSize, "answer-size", "maximum size of the answer")
	})
}

// documentFlags are the flags of document conversion.
func (s *settings) documentFlags(f *pflag.FlagSet) {
	inGroup(f, groupDocuments, func() {
		f.Var(&s.ConvertMemory, "convert-memory", "memory limit for converting one document (PDF, Office, mail, …)")
		f.Var(&s.ConvertTimeout, "convert-timeout", "time limit for converting one document")
		f.BoolVar(&s.AllowPrivateURLs, "allow-private-urls", s.AllowPrivateURLs,
			"allow URLs that point to this machine or private networks, at the host and port they name")
		f.Var(&s.ConvertCache, "convert-cache", "maximum size of the cache of converted documents (0: none); see 'rlm cache'")
	})
}

// sandboxFlags are the flags that also apply when recorded cells run again. The other settings are in the log.
func (s *settings) sandboxFlags(f *pflag.FlagSet) {
	inGroup(f, groupCells, func() {
		f.StringVar(&s.Sandbox, "sandbox", s.Sandbox,
			"how strictly cells and conversions are sandboxed: strict, standard, best, or basic, which is no security boundary")
		f.StringVar(&s.Engine, "engine", s.Engine,
			"what runs the cells: yaegi, exact, or auto, which starts with yaegi and switches to exact when a cell needs it")
		f.Var(&s.CellTimeout, "cell-timeout", "wall time of a cell, not counting time spent waiting for sub-calls")
		f.Var(&s.CellCPU, "cell-cpu", "CPU time of a cell")
		f.Var(&s.CellMemory, "cell-memory", "memory of a cell, in addition to the context")
	})
}

// ready returns an error if the settings are invalid. Commands that use settings call it first.
func (s *settings) ready() error {
	if s.broken != nil {
		return asUsage(s.broken)
	}
	if err := s.check(); err != nil {
		return asUsage(err)
	}
	return nil
}

// settingError reports an invalid value of a setting.
type settingError struct {
	key  []string // key in a configuration file; if it has one part, the flag has the same name
	says string
}

func (e settingError) Error() string {
	if len(e.key) == 1 {
		return "--" + strings.ReplaceAll(e.key[0], "_", "-") + " " + e.says
	}
	return e.inFile()
}

// inFile returns the message for a value in a configuration file.
func (e settingError) inFile() string {
	if len(e.key) == 1 {
		return e.key[0] + " " + e.says
	}
	return strings.Join(e.key, ".") + ": " + e.says
}

func (s *settings) check() error {
	wrong := func(key, format string, args ...any) error {
		return settingError{[]string{key}, fmt.Sprintf(format, args...)}
	}
	for _, n := range []struct {
		key   string
		value float64
	}{
		{"max_iterations", float64(s.MaxIterations)},
		{"max_sub_calls", float64(s.MaxSubCalls)},
		{"max_tokens", float64(s.MaxTokens)},
		{"max_cost", s.MaxCost},
		{"max_errors", float64(s.MaxErrors)},
	} {
		switch {
		case n.value == 0:
			return wrong(n.key, "must not be 0, which leaves nothing to do; -1 means no limit")
		case !(n.value > 0) && n.value != -1 || math.IsInf(n.value, 0):
			return wrong(n.key, "must be a number above 0, or -1 for no limit, not %v", n.value)
		}
	}
	for model, p := range s.Prices {
		if err := p.Check(); err != nil {
			return settingError{[]string{"prices", model}, err.Error()}
		}
	}
	for name, p := range s.Models {
		if p.Price != nil && p.Price.Check() != nil {
			return settingError{[]string{"models", name, "price"}, p.Price.Check().Error()}
		}
		if min(p.Window, p.Output, int64(p.RequestsPerMinute), int64(p.TokensPerMinute), int64(p.CallsAtOnce)) < 0 {
			return settingError{[]string{"models", name}, "the numbers of a profile must not be negative"}
		}
	}
	for _, one := range []struct {
		key, value, says string
		of               []string
	}{
		{
			"sandbox", s.Sandbox, "strict, standard or best (or basic, which is no security boundary)",
			[]string{"best", "standard", "strict", "basic"},
		},
		{"engine", s.Engine, "auto, yaegi or exact", []string{"auto", "yaegi", "exact"}},
		{"mode", s.Mode, "response or task", []string{"response", "task"}},
	} {
		if !slices.Contains(one.of, one.value) {
			return wrong(one.key, "must be %s, not %q", one.says, one.value)
		}
	}
	if t := s.Temperature; t != nil && !(*t >= 0 && *t <= 2) {
		return wrong("temperature", "must be a number from 0 to 2, not %v", *t)
	}
	if s.MaxDepth < -1 {
		return wrong("max_depth", "must be 0 or more, or -1 for no limit, not %d", s.MaxDepth)
	}
	for _, n := range []struct {
		key          string
		value, least int64
	}{
		{"concurrency", int64(s.Concurrency), 1},
		{"cell_calls", int64(s.CellCalls), 1},
		{"tries", int64(s.Tries), 1},
		{"max_output_tokens", int64(s.MaxOutputTokens), 0},
		{"cell_output", int64(s.CellOutput), 0},
		{"requests_per_minute", int64(s.RequestsPerMinute), 0},
		{"tokens_per_minute", int64(s.TokensPerMinute), 0},
		{"window", s.Window, 0},
		{"sub_window", s.SubWindow, 0},
	} {
		if n.value < n.least {
			return wrong(n.key, "must be %d or more, not %d", n.least, n.value)
		}
	}
	return nil
}

func (s *settings) budgets() runner.Budgets {
	b := runner.Budgets{
		Iterations: s.MaxIterations, SubCalls: s.MaxSubCalls, Tokens: s.MaxTokens, Cost: s.MaxCost,
		Time: time.Duration(s.MaxTime), Depth: s.MaxDepth, Errors: s.MaxErrors,
	}
	if b.Depth == 0 {
		b.Depth = -1
	}
	return b
}

func (s *settings) limits() sandbox.Limits {
	return sandbox.Limits{
		CellTime: time.Duration(s.CellTimeout), CellCPU: time.Duration(s.CellCPU), CellMemory: int64(s.CellMemory),
		Output: s.CellOutput, Source: int(s.CellSource), InFlight: s.CellCalls, Prompt: int(s.PromptSize),
		Answer: int(s.AnswerSize),
	}
}

// callSettings returns the settings for calls of the model and of the sub-model. A reasoning effort and a reply
// limit are for the model: a different sub-model may reject them.
func (s *settings) callSettings() (root, sub runner.CallSettings) {
	root = runner.CallSettings{
		Temperature: s.Temperature, MaxTokens: s.MaxOutputTokens, ReasoningEffort: s.ReasoningEffort,
	}
	sub = root
	if s.SubModel != "" && s.SubModel != s.Model {
		sub = runner.CallSettings{Temperature: s.Temperature}
	}
	return root, sub
}

// conversion returns how documents are converted. Even for commands that store nothing else, the cache is in the
// data folder.
func (s *settings) conversion() runner.Conversion {
	c := runner.Conversion{
		Memory: int64(s.ConvertMemory), Timeout: time.Duration(s.ConvertTimeout),
		Cache: int64(s.ConvertCache),
	}
	if c.Cache == 0 {
		c.Cache = -1
	}
	if dir, err := trajectory.DataDir(); err == nil {
		c.Dir = cache.Dir(dir)
	}
	return c
}

// options returns the runner's options for the settings.
func (s *settings) options() []runner.Option {
	root, sub := s.callSettings()
	return []runner.Option{
		runner.WithBudgets(s.budgets()),
		runner.WithMode(termination.Mode(s.Mode)),
		runner.WithSandbox(sandbox.Level(s.Sandbox), s.limits()),
		runner.WithEngine(repl.Engine(s.Engine)),
		runner.WithConcurrency(s.Concurrency),
		runner.WithMemo(s.Memo),
		runner.WithPrices(s.prices()),
		runner.WithSystem(s.System),
		runner.WithCallSettings(root, sub),
		runner.WithWindows(s.Window, s.SubWindow),
		runner.WithConversion(s.conversion()),
		runner.WithPrivateURLs(s.AllowPrivateURLs),
		host.Version(version()),
	}
}

// completeValues registers shell completions for flags that have only a few possible values.
func (s *settings) completeValues(c *cobra.Command) {
	for flag, values := range map[string][]string{
		"mode":             {"response\tan answer ends the run", "task\ta person reviews the work"},
		"sandbox":          {"best\twhat the machine offers", "standard", "strict", "basic\tno security boundary"},
		"engine":           {"auto\tyaegi, until a cell needs more", "yaegi", "exact"},
		"reasoning-effort": {"minimal", "low", "medium", "high"},
		"format":           exportFormats(),
		"status":           statuses(),
		"kind":             kinds(),
	} {
		if c.Flags().Lookup(flag) != nil {
			// An error means that the flag already has completions.
			_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	for _, flag := range []string{"model", "sub-model"} {
		if c.Flags().Lookup(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, s.completeModels)
		}
	}
	for _, sub := range c.Commands() {
		s.completeValues(sub)
	}
}

// completeModels completes the names of models: configured ones, those of a local Ollama, and those with known
// prices.
func (s *settings) completeModels(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, name := range []string{s.Model, s.SubModel} {
		if name != "" {
			names = append(names, name)
		}
	}
	names = append(names, slices.Sorted(maps.Keys(s.Models))...)
	names = append(names, slices.Sorted(maps.Keys(s.Prices))...)
	if s.BaseURL == "" && s.APIKey.Empty() {
		if found, err := llm.FindOllama(c.Context(), os.Getenv("OLLAMA_HOST")); err == nil {
			names = append(names, found.Models...)
		}
	} else {
		names = append(names, slices.Sorted(maps.Keys(llm.KnownPrices()))...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(n string) bool {
		again := seen[n]
		seen[n] = true
		return again
	}), cobra.ShellCompDirectiveNoFileComp
}

// stopFlags are the flags of further conditions that end a run.
func (s *settings) stopFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&s.Done, "done", s.Done,
		"end the run after this sequence of events, such as 'T[llm_query_batched], A' (repeatable)")
	f.BoolVar(&s.RequireEvidence, "require-evidence", s.RequireEvidence,
		"send an answer back once if it cites no evidence, or quotes text that is not in the documents; then end with status evidence_missing and exit code 3")
	f.BoolVar(&s.RequireGrounded, "require-grounded", s.RequireGrounded,
		"end with status not_grounded and exit code 3 if values in the answer come from nothing that the run saw or computed")
	f.BoolVar(&s.SingleRound, "single-round", s.SingleRound, "end the run after the first turn")
	f.BoolVar(&s.DoneIfTool, "done-if-tool", s.DoneIfTool,
		"end the run after a turn whose cells called a function of the notebook or a tool")
	f.StringSliceVar(&s.DoneIfResponse, "done-if-response", s.DoneIfResponse,
		"end the run when the llm (its reply) or the agent (the notebook) responds")
	f.StringSliceVar(&s.DoneIfNoResponse, "done-if-no-response", s.DoneIfNoResponse,
		"end the run when the llm or the agent returns nothing")
	f.StringArrayVar(&s.StringSignals, "string-signal", s.StringSignals,
		"end the run when a line of the reply begins or ends with this word, such as DONE (repeatable)")
}

// stopPolicy returns the default policy, changed by the settings.
func (s *settings) stopPolicy() (termination.Policy, error) {
	p := termination.DefaultPolicy(termination.Mode(s.Mode))
	p.RequireEvidence, p.RequireGrounded = s.RequireEvidence, s.RequireGrounded
	p.SingleRound, p.DoneIfTool, p.StringSignals = s.SingleRound, s.DoneIfTool, s.StringSignals
	var err error
	if p.Sequences, err = sequences(s.Done); err != nil {
		return p, err
	}
	if p.DoneIfResponse, err = entities("--done-if-response", s.DoneIfResponse); err != nil {
		return p, err
	}
	p.DoneIfNoResponse, err = entities("--done-if-no-response", s.DoneIfNoResponse)
	return p, err
}

// requirements returns what the answers of a batch's jobs must have.
func (s *settings) requirements() fleet.Requirements {
	return fleet.Requirements{Evidence: s.RequireEvidence, Grounded: s.RequireGrounded}
}

// sequences parses done sequences.
func sequences(texts []string) (out []termination.Sequence, err error) {
	for _, text := range texts {
		seq, err := termination.ParseSequence(text)
		if err != nil {
			return nil, wrongUsage("--done: %v", err)
		}
		out = append(out, seq)
	}
	return out, nil
}

// entities parses the entities whose response, or lack of one, ends a run. The user is not one of them: a user's
// message begins a run and never occurs within it.
func entities(flag string, names []string) ([]termination.Entity, error) {
	var out []termination.Entity
	for _, name := range names {
		switch e := termination.Entity(strings.ToLower(strings.TrimSpace(name))); e {
		case termination.LLM, termination.Agent:
			out = append(out, e)
		default:
			return nil, wrongUsage("%s must be llm (the model's replies) or agent (the notebook), not %q", flag,
				name)
		}
	}
	return out, nil
}

// flagError improves the parser's errors: for an invalid value it describes a valid one, and for an unknown flag it
// names the one that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		err = unknownFlag(cmd, unknown)
	}
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		wanted := map[string]string{
			"int": "a whole number", "int64": "a whole number", "uint": "a whole number of 0 or more",
			"float64": "a number",
			"bool":    "true or false", "duration": "a duration such as 90s, 10m or 2h",
		}
		if want := wanted[bad.GetFlag().Value.Type()]; want != "" {
			err = fmt.Errorf("--%s takes %s, not %q", bad.GetFlag().Name, want, bad.GetValue())
		}
	}
	return asUsage(err)
}

// unknownFlag returns an error that names the flag that was probably meant, or the commands that have a flag of
// this name.
func unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	name, short := unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames() != ""
	flag := "--" + name
	if short {
		flag = "-" + name
	}
	var known, elsewhere, others []string
	list := func(of *[]string) func(*pflag.Flag) {
		return func(f *pflag.Flag) { *of = append(*of, "--"+f.Name) }
	}
	cmd.Flags().VisitAll(list(&known))
	for _, c := range cmd.Root().Commands() {
		c.Flags().VisitAll(list(&elsewhere))
		has := c.Flags().Lookup(name) != nil || short && c.Flags().ShorthandLookup(name) != nil
		if has && c.IsAvailableCommand() {
			others = append(others, c.Name())
		}
	}
	switch meant := screen.DidYouMean(flag, known); {
	case meant != "":
		return fmt.Errorf("there is no flag %s%s", flag, meant)
	case len(others) == 0 && !cmd.HasParent():
		return fmt.Errorf("there is no flag %s%s", flag, screen.DidYouMean(flag, elsewhere))
	case len(others) == 0:
		return fmt.Errorf("there is no flag %s", flag)
	case cmd.HasParent():
		return fmt.Errorf("%s has no flag %s: it belongs to %s", cmd.Name(), flag, strings.Join(others, ", "))
	case slices.Contains(others, "chat"): // a session, as for rlm alone
		return fmt.Errorf("rlm alone takes no %s: put it after a command, as in 'rlm chat %s'", flag, flag)
	}
	return fmt.Errorf("rlm alone takes no %s: put it after a command, as in 'rlm %s %s'", flag, others[0], flag)
}
