package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gorlm/rlm/cmd/rlm/internal/chat"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/names"
	"github.com/gorlm/rlm/runner/mcp"
	"github.com/gorlm/rlm/termination"
	"github.com/gorlm/rlm/termination/reply"
	"github.com/spf13/cobra"
)

const chatHelp = `Open a session: one Go notebook, one conversation and one context that a person and a model share.

A line is a question to the model; @PATH in it adds a file or a folder to the context. A line that starts with > or a
fenced block is a cell of your own, which runs at once without the model; > alone changes to cells and back. A line
that starts with / is a command (/help lists them). Everything is kept as it happens: 'rlm open ID' goes on with the
same variables and the same conversation. Without a model cells run, and /model NAME names one.

Passages that an answer's marks of evidence stand for are listed below it on a terminal, else on stderr.

Without a terminal, lines of stdin are done one after another and everything is printed as plain text. The exit code is
that of the last question without an answer, as 'rlm help run' lists them; 1 if something else could not be done.`

func (a *app) chatCommand() *cobra.Command {
	var cells string
	cmd := &cobra.Command{
		Use:     "chat [PATH…]",
		Short:   "Share a notebook with a model (also: rlm without arguments)",
		Long:    chatHelp,
		Example: "  rlm chat logs/\n  echo 'how many errors are there?' | rlm chat app.log",
		RunE: func(cmd *cobra.Command, args []string) error {
			inputs, err := sessionInputs(args)
			if err != nil {
				return err
			}
			return a.chat(cmd, chat.Options{Inputs: inputs}, cells)
		},
	}
	cmd.Flags().StringVar(&cells, "cells", "", "run the Go cells of this Markdown file first")
	a.sessionFlags(cmd)
	return cmd
}

func (a *app) openCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "open ID",
		Short: "Go on with a session",
		Long:  "Go on with a session that was closed or killed: the same variables, the same conversation, the same cost total. ID may be any unique beginning of one, or last ('rlm sessions' lists them). A session that a server has open ('rlm serve', --server URL) is joined there, beside all who are in it.",
		Args:  exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.remote(cmd.Context())
			if err != nil {
				return err
			}
			if c != nil {
				return a.openAt(cmd.Context(), c, args[0])
			}
			dir, err := findRun(args[0])
			if err != nil {
				return err
			}
			if c, ok := a.keeper(cmd.Context(), filepath.Base(dir)); ok {
				return a.openAt(cmd.Context(), c, filepath.Base(dir))
			}
			return a.chat(cmd, chat.Options{Open: filepath.Base(dir)}, "")
		},
	}
	a.sessionFlags(cmd)
	return cmd
}

func (a *app) sessionFlags(cmd *cobra.Command) {
	a.modelFlags(cmd.Flags())
	a.budgetFlags(cmd.Flags())
	a.cellFlags(cmd.Flags())
	a.mcpFlags(cmd.Flags())
	cmd.Flags().StringVar(&a.set.System, "system", a.set.System, "text added to the system prompt")
}

// sessionInputs are what the context of a session is made from. Stdin holds what is typed.
func sessionInputs(paths []string) ([]runner.Input, error) {
	var inputs []runner.Input
	for _, p := range paths {
		if p == "-" {
			return nil, wrongUsage("stdin holds the questions and cells of a session; it cannot be the context as well")
		}
		more, err := files(p)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, more...)
	}
	return inputs, nil
}

func (a *app) chat(cmd *cobra.Command, opt chat.Options, cells string) error {
	if err := a.ready(cmd); err != nil {
		return err
	}
	if cells != "" {
		text, err := a.readCells(cmd.Context(), []string{cells})
		if err != nil {
			return err
		}
		for _, c := range reply.Parse(text, reply.Names{}, false).Cells {
			opt.Cells = append(opt.Cells, c.Source)
		}
	}
	if opt.Open != "" {
		if start, err := lastStart(opt.Open); err == nil { // one without a question has nothing to go by
			a.keepModel(cmd, start)
			opt.Changed = a.changedOptions(cmd, start)
		}
	}
	opt.Terminal = isTerminal(a.in) && a.out.Terminal()
	consent := a.asksInSession(&opt)
	r, err := a.runner(cmd.Context(), asking{consent: consent})
	if missing := (*noModelError)(nil); errors.As(err, &missing) {
		opt.NoModel = missing.inSession()
		r, err = a.modelless(cmd.Context(), consent)
	}
	if err != nil {
		return err
	}
	opt.Runner = r
	opt.Model = func(name string) (llm.Model, error) { return a.otherModel(cmd.Context(), name) }
	opt.In, opt.Out, opt.Err = a.in, a.out, a.err
	opt.AddServer = func(ctx context.Context, text string) ([]runner.Option, error) {
		return a.addServer(ctx, text, consent)
	}
	if opt.Terminal {
		opt.Out, opt.Colour = a.out.Program(), a.out.Colour()
		opt.Width, opt.Height = a.out.Size()
	}
	opt.Reading = a.showReading
	if dir, err := runsDir(); err == nil {
		opt.History = filepath.Join(filepath.Dir(dir), "history")
	}
	err = chat.Run(cmd.Context(), opt)
	if undone := (*chat.Unfinished)(nil); errors.As(err, &undone) {
		return &exit{undone.Code, err}
	}
	if err != nil && cmd.Context().Err() == nil {
		err = fmt.Errorf("in the session: %w", err)
	}
	return err
}

// showReading shows that a session is being opened: a context can be large.
func (a *app) showReading(since time.Duration) {
	if since == 0 {
		a.err.Status("")
		return
	}
	a.err.Status(a.read.status(since))
}

// otherModel is a model for /model.
func (a *app) otherModel(ctx context.Context, name string) (llm.Model, error) {
	m, err := a.namedModel(ctx, name)
	if err != nil {
		a.names = nil // a key that is stored meanwhile counts
	}
	if nobody := (*names.UnconfiguredError)(nil); errors.As(err, &nobody) {
		named := a.set
		named.Model = name
		return nil, named.noModel(nil).inSession()
	}
	return m, err
}

// modelless is a runner for a session in which only cells run.
func (a *app) modelless(ctx context.Context, consent func(context.Context, mcp.Question) (mcp.Consent, error)) (*runner.Runner, error) {
	tools, err := a.tools(ctx, true, consent)
	if err != nil {
		return nil, err
	}
	r, err := runner.New(noModel("a session without a model"), append(append(a.options(), a.tellReading(false)), tools...)...)
	if err != nil {
		return nil, &exit{termination.ExitUsage, err}
	}
	return r, nil
}
