package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/server"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

// showWeb opens a run in a browser.
func (a *app) showWeb(cmd *cobra.Command, id string) error {
	dir, err := findRun(id)
	if err != nil {
		return err
	}
	if err := a.ready(cmd); err != nil {
		return err
	}
	web, err := a.web(cmd.Context())
	if err != nil {
		return err
	}
	web.open(filepath.Base(dir))
	return web.wait()
}

// runWeb shows a run in a browser and here while it happens. A server of its own goes on until Ctrl-C, so that the run can be read.
func (a *app) runWeb(ctx context.Context, how showing, events iter.Seq2[trajectory.Event, error]) error {
	web, err := a.web(ctx)
	if err != nil {
		return err
	}
	opened := func(yield func(trajectory.Event, error) bool) {
		shown := false
		for ev, err := range events {
			if d, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" && !shown {
				id, _, _ := strings.Cut(d.Run, ".")
				web.open(id)
				shown = true
			}
			if !yield(ev, err) {
				return
			}
		}
	}
	err = a.follow(ctx, how, opened)
	return errors.Join(err, web.wait())
}

// web is a server that shows runs: one that runs already, or one of its own.
type web struct {
	a       *app
	address string
	token   string
	own     bool
	serving sync.WaitGroup
	failed  error
}

func (a *app) web(ctx context.Context) (*web, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, err
	}
	w := &web{a: a}
	var ok bool
	if w.address, w.token, ok = server.Running(ctx, data); ok {
		return w, nil
	}
	s, err := a.server(ctx, serving{maxRuns: 1}, nil, nil)
	if err != nil {
		return nil, err
	}
	w.address, w.token, w.own = s.URL(), s.Token(), true
	w.serving.Go(func() { w.failed = s.Serve(ctx) })
	return w, nil
}

// open opens a run's page, and says where it is for those who have no browser here.
func (w *web) open(id string) {
	address := w.address + "s/" + id + "?token=" + url.QueryEscape(w.token)
	fmt.Fprintln(w.a.err, "in the browser: "+address)
	if w.a.err.Terminal() {
		openBrowser(address)
	}
}

// wait returns when a server of its own ends.
func (w *web) wait() error {
	if w.own {
		fmt.Fprintln(w.a.err, "Ctrl-C ends the server")
	}
	w.serving.Wait()
	return w.failed
}
