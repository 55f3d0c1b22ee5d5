package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/front/terminal/chat"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/names"
	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/mcp"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

const chatHelp = `Open a session: one Go notebook, one conversation and one context that a person and a model share.

A line is a question to the model; @PATH in it adds a file or folder to the context. A line that starts with
>, or a fenced block, is a cell of your own, which runs at once without the model; > alone switches between
questions and cells. A line that starts with / is a command (/help lists them). Everything is saved as it
happens: 'rlm open ID' continues with the same variables and the same conversation. Without a model, cells
still run, and /model NAME selects one.

The passages that an answer cites are listed below it on a terminal, otherwise on stderr.

Without a terminal, lines of stdin are processed one after another and everything is printed as plain text.
The exit code is that of the last question without an answer (see 'rlm help run'), or 1 if anything else
failed.`

func (l *launcher) chatCommand() *cobra.Command {
	var cells string
	cmd := &cobra.Command{
		Use:     "chat [PATH…]",
		Short:   "Work with a model in a shared notebook (also: rlm without arguments)",
		Long:    chatHelp,
		Example: "  rlm chat logs/\n  echo 'how many errors are there?' | rlm chat app.log",
		RunE: func(cmd *cobra.Command, args []string) error {
			inputs, err := sessionInputs(args)
			if err != nil {
				return err
			}
			return l.chat(cmd, chat.Options{Inputs: inputs}, cells)
		},
	}
	cmd.Flags().StringVar(&cells, "cells", "", "run the Go cells of this Markdown file first")
	l.set.sessionFlags(cmd)
	return cmd
}

func (l *launcher) openCommand(at *serverConn) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "open ID",
		Short: "Continue a session",
		Long:  "Continue a session that was closed or killed, with the same variables, conversation and cost total. ID may be any unique prefix of an id, or last ('rlm sessions' lists them). A session that a server has open ('rlm serve', --server URL) is joined there, with everyone who is in it.",
		Args:  exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := at.remote(cmd.Context())
			if err != nil {
				return err
			}
			if c != nil {
				return l.openAt(cmd.Context(), at, c, args[0])
			}
			dir, err := findRun(args[0])
			if err != nil {
				return err
			}
			if c, ok := keeper(cmd.Context(), filepath.Base(dir)); ok {
				return l.openAt(cmd.Context(), at, c, filepath.Base(dir))
			}
			return l.chat(cmd, chat.Options{Open: filepath.Base(dir)}, "")
		},
	}
	l.set.sessionFlags(cmd)
	return cmd
}

func (s *settings) sessionFlags(cmd *cobra.Command) {
	s.modelFlags(cmd.Flags())
	s.budgetFlags(cmd.Flags())
	s.cellFlags(cmd.Flags())
	s.mcpFlags(cmd.Flags())
	cmd.Flags().StringVar(&s.System, "system", s.System, "text added to the system prompt")
}

// sessionInputs returns the sources of a session's context. Stdin cannot be one of them, because questions and
// cells are read from it.
func sessionInputs(paths []string) ([]runner.Input, error) {
	if slices.Contains(paths, "-") {
		return nil, wrongUsage("stdin contains the questions and cells of a session; it cannot also be the context")
	}
	paths, err := expanded(paths)
	if err != nil {
		return nil, err
	}
	inputs := make([]runner.Input, len(paths))
	names := files.ShortNames(paths)
	for i, p := range paths {
		inputs[i] = inputAt(p, names[i])
	}
	return inputs, nil
}

func (l *launcher) chat(cmd *cobra.Command, opt chat.Options, cells string) error {
	if err := l.set.ready(); err != nil {
		return err
	}
	if cells != "" {
		text, err := l.readCells(cmd.Context(), []string{cells})
		if err != nil {
			return err
		}
		for _, c := range reply.Parse(text, reply.Names{}, false).Cells {
			opt.Cells = append(opt.Cells, c.Source)
		}
	}
	if opt.Open != "" {
		if start, err := lastStart(opt.Open); err == nil { // a session without questions has no settings to keep
			l.set.keepModel(cmd, start)
			opt.Changed = l.changedOptions(cmd, start)
		}
	}
	opt.Screen = l.screen()
	consent := asksInSession(&opt)
	r, err := l.runner(cmd.Context(), askFlags{consent: consent})
	missing := (*noModelError)(nil)
	if errors.As(err, &missing) && opt.Terminal {
		var done bool
		if done, err = l.setUp(cmd.Context()); done {
			r, err = l.runner(cmd.Context(), askFlags{consent: consent})
		} else if err == nil {
			err = missing
		}
	}
	if errors.As(err, &missing) {
		opt.NoModel = missing.inSession()
		r, err = l.modelless(cmd.Context(), consent)
	}
	if err != nil {
		return err
	}
	opt.Runner = r
	opt.Model = func(name string) (llm.Model, error) { return l.otherModel(cmd.Context(), name) }
	opt.AddServer = func(ctx context.Context, text string) ([]runner.Option, error) {
		return l.addServer(ctx, text, consent)
	}
	opt.Share = api.Share
	opt.Reading = l.showReading
	err = chat.Run(cmd.Context(), opt)
	if undone := (*exit)(nil); err != nil && cmd.Context().Err() == nil && !errors.As(err, &undone) {
		err = fmt.Errorf("in the session: %w", err)
	}
	return err
}

// screen returns the screen for a session.
func (std streams) screen() chat.Screen {
	s := chat.Screen{
		In: std.in, Out: std.out, Err: std.err, Terminal: isTerminal(std.in) && std.out.Terminal(),
		Builtins: documented,
	}
	if !s.Terminal {
		return s
	}
	s.Out, s.Colour = std.out.Program(), std.out.Colour()
	s.Width, s.Height = std.out.Size()
	if dir, err := runsDir(); err == nil {
		s.History = filepath.Join(filepath.Dir(dir), "history")
	}
	return s
}

// documented returns the documentation of a notebook's functions by name.
func documented(mode termination.Mode) map[string]string {
	docs, all := map[string]string{}, builtins.Standard(mode, 0)
	for _, f := range all {
		docs[f.Name] = ""
	}
	for _, f := range builtins.Docs(all) {
		docs[f.Name] = f.Text
	}
	return docs
}

// showReading shows how long a session has been opening, because reading a large context takes time.
func (l *launcher) showReading(since time.Duration) {
	if since == 0 {
		l.err.Status("")
		return
	}
	l.err.Status(l.read.Status(since))
}

// otherModel returns a model for /model.
func (ms *modelSet) otherModel(ctx context.Context, name string) (llm.Model, error) {
	m, err := ms.namedModel(ctx, name)
	if err != nil {
		ms.names = nil // so that a key stored meanwhile is found
	}
	if nobody := (*names.UnconfiguredError)(nil); errors.As(err, &nobody) {
		named := ms.set
		named.Model = name
		return nil, named.noModel(nil).inSession()
	}
	return m, err
}

// modelless makes a runner for sessions without a model, which can only run cells.
func (l *launcher) modelless(
	ctx context.Context, consent func(context.Context, mcp.Question) (mcp.Consent, error),
) (*runner.Runner, error) {
	tools, err := l.tools(ctx, true, consent)
	if err != nil {
		return nil, err
	}
	r, err := runner.New(noModel("a session without a model"),
		append(append(l.options(), l.tellReading(false)), tools...)...)
	if err != nil {
		return nil, asUsage(err)
	}
	return r, nil
}

// tellReading returns the option to show the progress of reading. If stderr is not a terminal, a line is printed
// every few seconds.
func (l *launcher) tellReading(quiet bool) runner.Option {
	if !quiet && !l.err.Terminal() {
		l.read.Lines(l.err)
	}
	return host.Reading(l.read.Hear)
}
