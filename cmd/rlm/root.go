package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/gorlm/rlm/cmd/rlm/internal/chat"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/names"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

// app is what every subcommand shares: where it reads and writes, and the settings in force.
type app struct {
	in          io.Reader
	out, err    *screen.Output
	set         settings
	read        reading
	outside     outside
	setErr      error // the configuration file could not be read
	names       *names.Resolver
	observation observation
	starter     *sandbox.Starter // of the workers of all runs
	// pace, of a node, holds the rates of models together with other nodes.
	pace    func(model string, requestsPerMinute, tokensPerMinute int) llm.Pacer
	address string // of the server that is asked; empty without one
	namesOf string // the endpoint of the settings that names were made from
}

// exit ends the program with a code; the message, if any, is for stderr.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// wrongUsage is an error in how the command was called.
func wrongUsage(format string, args ...any) error {
	return &exit{termination.ExitUsage, fmt.Errorf(format, args...)}
}

// execute runs the command line and returns the exit code. The first Ctrl-C cancels what runs; a second one ends the program at once.
func execute(ctx context.Context, args []string) int {
	if err := sandbox.Harden(); err != nil {
		fmt.Fprintf(os.Stderr, "rlm: warning: %v\n", err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)
	a := &app{in: os.Stdin, out: screen.NewOutput(os.Stdout), err: screen.NewOutput(os.Stderr), starter: sandbox.NewStarter()}
	a.err.Wrap()
	defer a.close()
	defer a.starter.Close()
	defer a.closeObserved()
	a.set, a.setErr = loadSettings()
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	return a.report(ctx, cmd, err)
}

// report says what went wrong, in one line where it can, and returns the exit code.
func (a *app) report(ctx context.Context, cmd *cobra.Command, err error) int {
	if err == nil {
		return termination.ExitAnswered
	}
	var (
		wanted *exit
		call   *llm.Error
		code   = termination.ExitFailed
	)
	switch {
	case errors.As(err, &wanted):
		code = wanted.code
	case ctx.Err() != nil:
		code = termination.ExitInterrupted
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
	case errors.As(err, &call):
		code = termination.ExitEndpoint
	case unknownCommand(err), errors.Is(err, runner.ErrNothingToRead):
		code = termination.ExitUsage
	}
	if text := fullDisk(err, "").Error(); text != "" {
		fmt.Fprintf(a.err, "rlm: %s\n", text)
	}
	if code == termination.ExitUsage && cmd != nil {
		fmt.Fprintf(a.err, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
	return code
}

// unknownCommand recognises the one usage error that cobra makes itself.
func unknownCommand(err error) bool { return strings.HasPrefix(err.Error(), "unknown command") }

func (a *app) root() *cobra.Command {
	var printVersion bool
	root := &cobra.Command{
		Use:   "rlm",
		Short: "Answer questions over contexts far larger than a model's window",
		Long: `rlm answers a question over files far larger than a model's window: a language model writes Go cells in a
notebook in which the context is a variable, asks sub-questions to a model, and gives its answer.

Start with 'rlm demo' (no key, no network), then 'rlm run QUESTION PATH…'. Without arguments it opens a session.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if printVersion {
				return a.printVersion()
			}
			return a.chat(cmd, chat.Options{}, "")
		},
	}
	root.Flags().BoolVar(&printVersion, "version", false, "print the version")
	a.remoteFlag(root)
	root.SetUsageFunc(a.usage)
	root.SetHelpFunc(a.help)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(&cobra.Group{ID: "ask", Title: "Ask:"}, &cobra.Group{ID: "runs", Title: "Runs:"}, &cobra.Group{ID: "look", Title: "Look:"})
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("ask", a.runCommand(), a.batchCommand(), a.nodeCommand(), a.hubCommand(), a.chatCommand(), a.openCommand(), a.serveCommand(), a.mcpCommand(), a.execCommand(), a.demoCommand())
	add("runs", a.lsCommand(), a.ofFleet(a.showCommand(), false), a.ofFleet(a.resumeCommand(), true), a.replayCommand(), a.ofFleet(a.forkCommand(), true), a.reviewCommand(), a.verifyCommand(), a.ofFleet(a.exportCommand(), true), a.repairCommand(), a.rmCommand(), a.pruneCommand())
	add("look", a.modelsCommand(), a.keysCommand(), a.promptCommand(), a.cacheCommand(), a.evalCommand(), a.doctorCommand(), a.configCommand(), a.versionCommand())
	helpOnlyForWhatThereIs(root)
	completionOnlyForKnownShells(root)
	a.completeValues(root)
	return root
}

// helpOnlyForWhatThereIs refuses "help" for a command that does not exist, for which cobra would print the root's help.
func helpOnlyForWhatThereIs(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.Args = func(_ *cobra.Command, args []string) error {
		if about, _, err := root.Find(args); len(args) > 0 && (err != nil || about == root) {
			return wrongUsage("there is no command %q", args[0])
		}
		return nil
	}
}

// completionOnlyForKnownShells refuses "completion" for a shell that cobra does not know, for which it would print help.
func completionOnlyForKnownShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	completion.Args = noArgs
	completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// noArgs, exactly and atLeast are cobra's checks with the exit code of wrong usage.
func noArgs(cmd *cobra.Command, args []string) error { return exactly(0)(cmd, args) }

func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > n && n == 0 && cmd.HasSubCommands():
			return wrongUsage("there is no command %q", args[0])
		case len(args) != n:
			return wrongUsage("%s takes %s, not %d: %s", cmd.Name(), quantity.Of(n, "argument"), len(args), cmd.UseLine())
		}
		return nil
	}
}

func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return wrongUsage("%s needs %s", cmd.CommandPath(), what)
		}
		return nil
	}
}
