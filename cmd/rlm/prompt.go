package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/scratch"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (l *launcher) promptCommand() *cobra.Command {
	var ask askFlags
	var write string
	cmd := &cobra.Command{
		Use:   "prompt [flags] [QUESTION [PATH…]]",
		Short: "Print what the model would be told",
		Long: `Print the first messages of a run as the model would get them. No model is called, and none needs to be named.

With --write, the templates of the prompt are written to a folder. Edit them there, look at the result with
'rlm prompt --prompt DIR', and measure it with 'rlm eval SUITE --prompt DIR'.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := l.set.ready(); err != nil {
				return err
			}
			if write != "" {
				return l.writePrompt(write)
			}
			question, paths := "(your question)", []string{}
			if len(args) > 0 {
				question, paths = args[0], args[1:]
			}
			inputs, err := l.inputs(paths, false)
			if err != nil {
				return err
			}
			messages, err := l.firstPrompt(cmd.Context(), ask, question, inputs)
			if err != nil {
				return err
			}
			l.printMessages(messages)
			return nil
		},
	}
	cmd.Flags().StringVar(&write, "write", "",
		"write the templates of the prompt to this folder, which must not contain any")
	l.set.modelFlags(cmd.Flags())
	l.set.policyFlags(cmd.Flags(), &ask)
	l.set.budgetFlags(cmd.Flags())
	l.set.cellFlags(cmd.Flags())
	l.set.mcpFlags(cmd.Flags())
	return cmd
}

// firstPrompt begins a run in a temporary folder, with a model that only records its prompt, and returns that
// prompt.
func (l *launcher) firstPrompt(
	ctx context.Context, ask askFlags, question string, inputs []runner.Input,
) (heard []llm.Message, err error) {
	ending, err := l.set.ending()
	if err != nil {
		return nil, err
	}
	dir, remove, err := scratch.Folder()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listener := func(name string) llm.Model {
		return llm.ScriptedFunc(name, func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
			heard = req.Messages
			cancel()
			return llm.Response{}, &llm.Error{
				Kind: llm.ErrCancelled, Message: "no model is called", Err: context.Canceled,
			}
		})
	}
	root := l.set.Model
	if root == "" {
		root = "model"
	}
	form, err := ask.form(ctx)
	if err != nil {
		return nil, err
	}
	tools, err := l.tools(ctx, true, nil)
	if err != nil {
		return nil, err
	}
	opts := append(l.set.options(), append(append(append(form, tools...), ending...), runner.WithDataDir(dir))...)
	if l.set.SubModel != "" {
		opts = append(opts, runner.WithSubModel(listener(l.set.SubModel)))
	}
	r, err := runner.New(listener(root), opts...)
	if err != nil {
		return nil, asUsage(err)
	}
	_, err = r.Answer(ctx, question, inputs...)
	if heard == nil {
		return nil, errors.Join(err, ctx.Err())
	}
	return heard, nil
}

func (std streams) printMessages(messages []llm.Message) {
	for i, m := range messages {
		if i > 0 {
			fmt.Fprintln(std.out)
		}
		_ = std.out.Styled(std.out.Prose(fmt.Sprintf("--- %s ---\n%s", m.Role, screen.WithLineEnd(m.Content))))
	}
}

// dryRun prints the first prompt on stdout, and its tokens and the run's worst-case cost on stderr.
func (l *launcher) dryRun(ctx context.Context, ask askFlags, question string, inputs []runner.Input) error {
	messages, err := l.firstPrompt(ctx, ask, question, inputs)
	if err != nil {
		return err
	}
	l.printMessages(messages)
	fmt.Fprintf(l.err, "first prompt: about %s tokens\n", units.Count(llm.EstimateMessages(messages)))
	fmt.Fprintln(l.err, l.set.worstCase())
	return nil
}

// worstCase describes the cost of a run that uses all of its budgets.
func (s *settings) worstCase() string {
	bounds := fmt.Sprintf("bounds: %s turns, %s sub-calls, %s tokens, %s, %v", bound(s.MaxIterations),
		bound(s.MaxSubCalls),
		bound(s.MaxTokens), dollarBound(s.MaxCost), s.MaxTime)
	worst, unknown := s.mostCost()
	switch {
	case s.Model == "":
		return "worst case: unknown, because no model is named; " + bounds
	case len(unknown) > 0:
		return fmt.Sprintf("worst case: unknown, because there is no price for %s (see 'rlm config --help'); %s",
			strings.Join(unknown, " and "), bounds)
	case math.IsInf(worst, 1):
		return "worst case: no limit; " + bounds
	}
	return fmt.Sprintf("worst case: %s, plus what is in flight when a limit is reached; %s", units.Dollars(worst),
		bounds)
}

// mostCost returns the cost in US dollars of a run that uses all of its budgets, and the models whose prices are
// unknown.
func (s *settings) mostCost() (usd float64, unpriced []string) {
	return s.mostCostOf(s.budgets(), s.Model, s.SubModel)
}

// mostCostOf is mostCost for the given budgets and models. It is +Inf if no budget bounds the cost.
func (s *settings) mostCostOf(b runner.Budgets, models ...string) (usd float64, unpriced []string) {
	prices := llm.KnownPrices().With(s.prices())
	var dearest float64
	for _, model := range models {
		if model == "" {
			continue
		}
		price, ok := prices.Lookup(model)
		if !ok {
			unpriced = append(unpriced, model)
		}
		dearest = max(dearest, price.Input, price.Output)
	}
	usd = math.Inf(1)
	if b.Cost >= 0 {
		usd = b.Cost
	}
	if b.Tokens > 0 {
		usd = min(usd, float64(b.Tokens)*dearest/1e6)
	}
	return usd, unpriced
}

func bound[N int | int64](n N) string {
	if n < 0 {
		return "any number of"
	}
	return units.Count(int64(n))
}

func dollarBound(usd float64) string {
	if usd < 0 {
		return "any cost"
	}
	return units.Dollars(usd)
}

// promptFlag adds the flag for the wording of prompts.
func (s *settings) promptFlag(f *pflag.FlagSet) {
	f.StringVar(&s.Prompt, "prompt", s.Prompt,
		"prompt wording: "+promptNames()+", or a folder of templates ('rlm prompt --write')")
}

// promptNames lists the shipped prompts.
func promptNames() string {
	names, err := prompts.Variants()
	if err != nil {
		return prompts.Shipped
	}
	return strings.Join(names, ", ")
}

// prompt returns the prompt variant named by --prompt, a shipped one or a folder; nil without the flag.
func (s *settings) prompt() (prompts.Variant, error) {
	if s.Prompt == "" {
		return nil, nil
	}
	v, err := prompts.Named(s.Prompt)
	if err == nil {
		return v, nil
	}
	info, statErr := os.Stat(s.Prompt)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return nil, wrongUsage("%w", err)
	case statErr != nil:
		return nil, wrongUsage("--prompt: %w", statErr)
	case !info.IsDir():
		return nil, wrongUsage("--prompt %s is a file; name the folder that contains the templates", s.Prompt)
	}
	if v, err = prompts.Read(os.DirFS(s.Prompt)); err != nil {
		return nil, wrongUsage("--prompt %s: %w", s.Prompt, err)
	}
	return v, nil
}

// ending returns the options that determine when a run ends, and how prompts are worded.
func (s *settings) ending() ([]runner.Option, error) {
	policy, err := s.stopPolicy()
	if err != nil {
		return nil, err
	}
	words, err := s.prompt()
	if err != nil {
		return nil, err
	}
	return []runner.Option{runner.WithPolicy(policy), runner.WithPrompts(words)}, nil
}

// writePrompt writes the templates to a folder.
func (l *launcher) writePrompt(dir string) error {
	words, err := l.set.prompt()
	if err != nil {
		return err
	}
	files, err := words.Files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return wrongUsage("--write: %w", err)
	}
	for name := range files {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return wrongUsage("--write %s: it already contains a %s", dir, name)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing the templates: %w", err)
		}
	}
	fmt.Fprintf(l.err, "wrote %d templates into %s\n", len(files), dir)
	return nil
}
