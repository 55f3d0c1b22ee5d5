package main

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/front/terminal"
	"github.com/gorlm/rlm/internal/session/client"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

type showFlags struct {
	all, json, sequence, web bool
	done                     []string
}

func (l *launcher) showCommand(at *serverConn) *cobra.Command {
	var flags showFlags
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print a run in readable form: replies, cells, answer",
		Long: `Print a run in readable form. ID may be a prefix of an id, at least three characters of its end, or "last".

--sequence prints the run's events as the letters of done sequences (T a reply that called a builtin, L a
reply that called none, A an observation, U a user's message, N an empty reply) and how far each sequence got:
those the run was started with, and those of --done.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := at.remote(cmd.Context())
			if err != nil {
				return err
			}
			if c != nil {
				return l.showAt(cmd.Context(), c, flags, args[0])
			}
			if flags.web {
				return l.showWeb(cmd, args[0])
			}
			return l.show(cmd.Context(), flags, args[0])
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&flags.all, "all", "a", false,
		"include the system prompt, reasoning, sub-calls, child runs and everything the model was told")
	f.BoolVar(&flags.json, "json", false, "print the events as JSON Lines, with every text in full")
	f.BoolVar(&flags.web, "web", false,
		"open the run in a browser: in a running 'rlm serve', or otherwise in a temporary server until Ctrl-C")
	f.BoolVar(&flags.sequence, "sequence", false, "print the events as letters, and how far each done sequence got")
	f.StringArrayVar(&flags.done, "done", nil, "with --sequence: also follow this sequence (repeatable)")
	return cmd
}

func (std streams) show(ctx context.Context, flags showFlags, id string) error {
	dir, err := findRun(id)
	if err != nil {
		return err
	}
	switch {
	case flags.json:
		return terminal.ShowEvents(std.out, eventsIn(ctx, dir))
	case flags.sequence:
		more, err := sequences(flags.done)
		if err != nil {
			return err
		}
		return terminal.ShowSequence(std.out, dir, more)
	}
	return terminal.Show(std.out, eventsIn(ctx, dir), flags.all, func() (trajectory.Summary, error) {
		return trajectory.Summarize(dir)
	})
}

// showAt shows a run of a server.
func (std streams) showAt(ctx context.Context, c *client.Client, flags showFlags, id string) error {
	if flags.web || flags.sequence {
		return wrongUsage("--web and --sequence do not work for a run on a server")
	}
	s, err := sessionOf(ctx, c, id)
	if err != nil {
		return err
	}
	if flags.json {
		return terminal.ShowEvents(std.out, recordedAt(ctx, c, s))
	}
	return terminal.Show(std.out, recordedAt(ctx, c, s), flags.all, func() (trajectory.Summary, error) {
		return s.Summary, nil
	})
}

// showWeb opens a run in a browser.
func (l *launcher) showWeb(cmd *cobra.Command, id string) error {
	dir, err := findRun(id)
	if err != nil {
		return err
	}
	if err := l.set.ready(); err != nil {
		return err
	}
	web, err := l.web(cmd.Context())
	if err != nil {
		return err
	}
	web.open(filepath.Base(dir))
	return web.wait()
}

// web is a server that shows runs. If own is set, it was started for that; otherwise it was already running.
type web struct {
	*launcher
	address string
	token   string
	own     bool
	serving sync.WaitGroup
	failed  error
}

func (l *launcher) web(ctx context.Context) (*web, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, err
	}
	w := &web{launcher: l}
	var ok bool
	if w.address, w.token, ok = api.Running(ctx, data); ok {
		return w, nil
	}
	s, err := l.server(ctx, serveFlags{maxRuns: 1}, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	w.address, w.token, w.own = s.URL(), s.Token(), true
	w.serving.Go(func() { w.failed = s.Serve(ctx) })
	return w, nil
}

// open opens the page of a run, and prints the address in case there is no browser.
func (w *web) open(id string) {
	address := w.address + "s/" + id + "?token=" + url.QueryEscape(w.token)
	fmt.Fprintln(w.err, "in the browser: "+address)
	if w.err.Terminal() {
		openBrowser(address)
	}
}

// wait waits until the server has ended, if it was started here.
func (w *web) wait() error {
	if w.own {
		fmt.Fprintln(w.err, "Ctrl-C ends the server")
	}
	w.serving.Wait()
	return w.failed
}
