package main

import (
	"errors"
	"fmt"

	"github.com/gorlm/rlm/examples/recorded"
	"github.com/gorlm/rlm/runner"
	"github.com/spf13/cobra"
)

func (l *launcher) demoCommand() *cobra.Command {
	var how displayFlags
	cmd := &cobra.Command{
		Use:   "demo [incidents|oolong|compare]",
		Short: "Answer a real question with recorded replies: no key, no network",
		Long: `Answer a real question about a corpus of several MB, with no key and no network. The replies of the model and
of its sub-calls are recorded; everything else happens now: the corpus is generated, cells run in the sandbox,
and the answer is computed from it.`,
		ValidArgs: recorded.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			ex, err := recorded.Named(args)
			if err != nil {
				return asUsage(err)
			}
			return l.demo(cmd, how, ex)
		},
	}
	how.flags(cmd.Flags())
	l.set.cellFlags(cmd.Flags())
	return cmd
}

func (l *launcher) demo(cmd *cobra.Command, how displayFlags, ex recorded.Example) error {
	if err := errors.Join(l.set.ready(), how.check()); err != nil {
		return err
	}
	l.tell(how, ex.Before())
	r, err := l.demoRunner(ex)
	if err != nil {
		return err
	}
	if err := l.follow(cmd.Context(), how, r.Run(cmd.Context(), ex.Question, ex.Inputs()...)); err != nil {
		return err
	}
	if !how.quiet && !how.json && !how.events {
		fmt.Fprintln(l.err, recorded.After)
	}
	return nil
}

// demoRunner makes a runner with the settings that answers an example's question from the recording.
func (l *launcher) demoRunner(ex recorded.Example) (*runner.Runner, error) {
	return ex.Runner(l.options()...)
}
