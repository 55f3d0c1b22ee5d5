package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

func (a *app) promptCommand() *cobra.Command {
	var ask asking
	var write string
	cmd := &cobra.Command{
		Use:   "prompt [flags] [QUESTION [PATH…]]",
		Short: "Print what a model would be told",
		Long: `Print the first messages of a run, as the model would get them. No model is called and none need be named.

With --write, the templates of the prompt go into a folder. Change them there, look at them with 'rlm prompt --prompt DIR', and measure them
with 'rlm eval SUITE --prompt DIR'.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.ready(cmd); err != nil {
				return err
			}
			if write != "" {
				return a.writePrompt(write)
			}
			question, paths := "(your question)", []string{}
			if len(args) > 0 {
				question, paths = args[0], args[1:]
			}
			inputs, err := a.inputs(paths, false)
			if err != nil {
				return err
			}
			messages, err := a.firstPrompt(cmd.Context(), ask, question, inputs)
			if err != nil {
				return err
			}
			a.printMessages(messages)
			return nil
		},
	}
	cmd.Flags().StringVar(&write, "write", "", "write the templates of the prompt into this folder, which must not have any")
	a.modelFlags(cmd.Flags())
	a.policyFlags(cmd.Flags(), &ask)
	a.budgetFlags(cmd.Flags())
	a.cellFlags(cmd.Flags())
	a.mcpFlags(cmd.Flags())
	return cmd
}

// firstPrompt runs the beginning of a run with a model that only listens, in a folder that does not stay.
func (a *app) firstPrompt(ctx context.Context, ask asking, question string, inputs []runner.Input) (heard []llm.Message, err error) {
	ending, err := a.set.ending()
	if err != nil {
		return nil, err
	}
	dir, remove, err := scratch()
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
			return llm.Response{}, &llm.Error{Kind: llm.ErrCancelled, Message: "no model is called", Err: context.Canceled}
		})
	}
	root := a.set.Model
	if root == "" {
		root = "model"
	}
	form, err := ask.form()
	if err != nil {
		return nil, err
	}
	tools, err := a.tools(ctx, true, nil)
	if err != nil {
		return nil, err
	}
	opts := append(a.set.options(), append(append(append(form, tools...), ending...), runner.WithDataDir(dir))...)
	if a.set.SubModel != "" {
		opts = append(opts, runner.WithSubModel(listener(a.set.SubModel)))
	}
	r, err := runner.New(listener(root), opts...)
	if err != nil {
		return nil, &exit{termination.ExitUsage, err}
	}
	_, err = r.Answer(ctx, question, inputs...)
	if heard == nil {
		return nil, errors.Join(err, ctx.Err())
	}
	return heard, nil
}

func (a *app) printMessages(messages []llm.Message) {
	for i, m := range messages {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		_ = a.out.Styled(a.out.Prose(fmt.Sprintf("--- %s ---\n%s", m.Role, withLineEnd(m.Content))))
	}
}

// dryRun prints the first prompt on stdout, its tokens and what the run could cost at most on stderr.
func (a *app) dryRun(ctx context.Context, ask asking, question string, inputs []runner.Input) error {
	messages, err := a.firstPrompt(ctx, ask, question, inputs)
	if err != nil {
		return err
	}
	a.printMessages(messages)
	fmt.Fprintf(a.err, "first prompt: about %s tokens\n", quantity.Count(llm.EstimateMessages(messages)))
	fmt.Fprintln(a.err, a.worstCase())
	return nil
}

// worstCase is the price of a run that uses all of its budgets.
func (a *app) worstCase() string {
	s := a.set
	bounds := fmt.Sprintf("bounds: %s turns, %s sub-calls, %s tokens, %s, %v", bound(s.MaxIterations), bound(s.MaxSubCalls),
		bound(s.MaxTokens), dollarBound(s.MaxCost), s.MaxTime)
	worst, unknown := s.mostCost()
	switch {
	case s.Model == "":
		return "worst case: not known, no model is named; " + bounds
	case len(unknown) > 0:
		return fmt.Sprintf("worst case: not known, there is no price for %s (see 'rlm config --help'); %s", strings.Join(unknown, " and "), bounds)
	case math.IsInf(worst, 1):
		return "worst case: no bound; " + bounds
	}
	return fmt.Sprintf("worst case: %s, and what is in flight when a bound is reached; %s", quantity.Dollars(worst), bounds)
}

// mostCost is the price in US dollars of a run that uses all of its budgets, +Inf where nothing bounds it, and the models whose
// prices are not known.
func (s settings) mostCost() (usd float64, unknown []string) {
	prices := llm.KnownPrices().With(s.Prices)
	var dearest float64
	for _, model := range []string{s.Model, s.SubModel} {
		if model == "" {
			continue
		}
		price, ok := prices.Lookup(model)
		if !ok {
			unknown = append(unknown, model)
			continue
		}
		dearest = max(dearest, price.Input, price.Output)
	}
	usd = math.Inf(1)
	if s.MaxCost >= 0 {
		usd = s.MaxCost
	}
	if s.MaxTokens > 0 {
		usd = min(usd, float64(s.MaxTokens)*dearest/1e6)
	}
	return usd, unknown
}

func bound[N int | int64](n N) string {
	if n < 0 {
		return "any number of"
	}
	return quantity.Count(int64(n))
}

func dollarBound(usd float64) string {
	if usd < 0 {
		return "any cost"
	}
	return quantity.Dollars(usd)
}
