// Command rlm answers questions over contexts far larger than a model's window.
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
	"time"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front"
	"github.com/gorlm/rlm/internal/front/terminal/chat"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
	"github.com/spf13/cobra"
)

func main() {
	startup.GrowHeap()
	os.Exit(execute(context.Background(), os.Args[1:], 0))
}

// streams are the standard streams of a command.
type streams struct {
	in       io.Reader
	out, err *screen.Output
}

// exit is an error that ends the program with a code.
type exit = front.Exit

// wrongUsage returns an error about how the command was called.
func wrongUsage(format string, args ...any) error {
	return front.Fail(exitcode.Usage, format, args...)
}

// asUsage turns an error into one about how the command was called.
func asUsage(err error) error { return &exit{Code: exitcode.Usage, Err: err} }

// execute runs the command line and returns the exit code. The first Ctrl-C cancels the command; a second one ends
// the process immediately. silence is how long a node of a fleet may be silent; 0 means the default.
func execute(ctx context.Context, args []string, silence time.Duration) int {
	if err := sandbox.Harden(); err != nil {
		fmt.Fprintf(os.Stderr, "rlm: warning: %v\n", err)
	}
	ctx, stop := signal.NotifyContext(ctx, endings()...)
	defer stop()
	context.AfterFunc(ctx, stop)
	std := streams{in: os.Stdin, out: screen.NewOutput(os.Stdout), err: screen.NewOutput(os.Stderr)}
	std.err.Wrap()
	l := &launcher{streams: std, modelSet: &modelSet{set: loadSettings()}, starter: sandbox.NewStarter()}
	defer l.close()
	root := l.root(silence)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if lost := std.out.Err(); err == nil && lost != nil {
		err = fmt.Errorf("not all of the output could be written: %w", lost)
	}
	return std.report(ctx, cmd, err)
}

// endings returns the signals that end the program. SIGHUP, the end of the terminal, is not one of them if the
// program runs under nohup. Ctrl-\ also ends the program cleanly, so that the terminal is restored and runs can be
// resumed; a second one prints the stacks.
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// report prints an error, with an explanation if it concerns storage, and returns the exit code.
func (std streams) report(ctx context.Context, cmd *cobra.Command, err error) int {
	if err == nil {
		return exitcode.Answered
	}
	var (
		wanted *exit
		call   *llm.Error
		code   = exitcode.Failed
	)
	switch {
	case errors.As(err, &wanted):
		code = wanted.Code
	case ctx.Err() != nil:
		code = exitcode.Interrupted
		if errors.Is(err, context.Canceled) {
			err = errors.New("stopped")
		}
	case errors.As(err, &call):
		code = exitcode.Endpoint
	case unknownCommand(err), errors.Is(err, runner.ErrNothingToRead):
		code = exitcode.Usage
	}
	runs, _ := runsDir() // without the folder, errors of its storage are not explained
	if text := front.Storage(err, runs, "").Error(); text != "" {
		fmt.Fprintf(std.err, "rlm: %s\n", text)
	}
	if code == exitcode.Usage && cmd != nil {
		fmt.Fprintf(std.err, "Run '%s --help' for usage.\n", cmd.CommandPath())
	}
	return code
}

// unknownCommand recognises the only usage error that cobra itself returns.
func unknownCommand(err error) bool { return strings.HasPrefix(err.Error(), "unknown command") }

// root makes the command line, with all subcommands.
func (l *launcher) root(silence time.Duration) *cobra.Command {
	at := &serverConn{err: l.err}
	var printVersion bool
	root := &cobra.Command{
		Use:   "rlm",
		Short: "Answer questions over contexts far larger than a model's window",
		Long: `rlm answers questions about files far larger than a model's window: a language model writes Go cells in a
notebook where the files' text is a variable, asks a model sub-questions, and gives its answer.

Start with 'rlm demo' (no key, no network), then 'rlm run QUESTION PATH…'. Run rlm without arguments to open a
session.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if printVersion {
				return l.printVersion()
			}
			return l.chat(cmd, chat.Options{}, "")
		},
	}
	root.Flags().BoolVar(&printVersion, "version", false, "print the version")
	at.remoteFlag(root)
	root.SetUsageFunc(l.usage)
	root.SetHelpFunc(l.help)
	root.SetIn(l.in)
	root.SetOut(l.out)
	root.SetErr(l.err)
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(&cobra.Group{ID: "ask", Title: "Ask:"}, &cobra.Group{ID: "runs", Title: "Runs:"},
		&cobra.Group{ID: "look", Title: "Look:"})
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("ask", l.runCommand(at), l.batchCommand(), l.nodeCommand(silence), l.hubCommand(), l.chatCommand(),
		l.openCommand(at), l.serveCommand(), l.mcpCommand(), l.execCommand(), l.demoCommand())
	add("runs", l.lsCommand(at), ofFleet(l.showCommand(at), false), ofFleet(l.resumeCommand(), true), l.replayCommand(),
		ofFleet(l.forkCommand(), true), l.reviewCommand(), l.verifyCommand(), ofFleet(l.exportCommand(at), true),
		l.repairCommand(), l.rmCommand(), l.pruneCommand())
	add("look", l.modelsCommand(l.set), l.keysCommand(l.set), l.promptCommand(), l.cacheCommand(), l.evalCommand(),
		l.doctorCommand(l.modelSet), l.configCommand(l.set), l.versionCommand())
	helpOnlyForWhatThereIs(root)
	completionOnlyForKnownShells(root)
	l.set.completeValues(root)
	return root
}

// helpOnlyForWhatThereIs makes "help" refuse unknown commands, for which cobra would print the help of the root.
func helpOnlyForWhatThereIs(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.Args = func(_ *cobra.Command, args []string) error {
		if about, _, err := root.Find(args); len(args) > 0 && (err != nil || about == root) {
			return noCommand(root, args[0])
		}
		return nil
	}
}

// completionOnlyForKnownShells makes "completion" refuse unknown shells, for which cobra would print help.
func completionOnlyForKnownShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	completion.Args = noArgs
	completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// noArgs, exactly and atLeast are like cobra's checks, but have the exit code of wrong usage.
func noArgs(cmd *cobra.Command, args []string) error { return exactly(0)(cmd, args) }

func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > n && n == 0 && cmd.HasSubCommands():
			return noCommand(cmd, args[0])
		case len(args) != n:
			return wrongUsage("%s takes %s, not %d: %s", cmd.Name(), units.Of(n, "argument"), len(args), cmd.UseLine())
		}
		return nil
	}
}

// noCommand returns the error for a name that is not a subcommand of cmd.
func noCommand(cmd *cobra.Command, name string) error {
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(append(known, c.Name()), c.Aliases...)
		}
	}
	meant := screen.DidYouMean(name, known)
	if meant == "" && cmd.HasParent() {
		meant = fmt.Sprintf(": %s has %s", cmd.Name(), strings.Join(known, ", "))
	}
	return wrongUsage("there is no command %q%s", name, meant)
}

func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return wrongUsage("%s needs %s", cmd.CommandPath(), what)
		}
		return nil
	}
}
