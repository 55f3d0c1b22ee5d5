package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/chat"
	"github.com/gorlm/rlm/internal/server"
	"github.com/gorlm/rlm/internal/server/client"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ofServers are the commands that can ask a server instead of working by themselves.
var ofServers = []string{"run", "ls", "show", "export", "open"}

// remoteFlag lets a command ask a server.
func (a *app) remoteFlag(root *cobra.Command) {
	root.PersistentFlags().StringVar(&a.address, "server", "", strings.Join(ofServers, ", ")+": ask the server at this URL ('rlm serve'), whose token is in it or in RLM_SERVER_TOKEN")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if a.address == "" || slices.Contains(ofServers, cmd.Name()) && cmd.Parent() == root {
			return nil
		}
		return wrongUsage("--server goes with %s; it does not go with %s", strings.Join(ofServers, ", "), cmd.CommandPath())
	}
}

// remote is the server that --server names; nil without it. The token of a server of this data folder need not be given.
func (a *app) remote(ctx context.Context) (*client.Client, error) {
	if a.address == "" {
		return nil, nil
	}
	token := ""
	if !strings.Contains(a.address, "token=") {
		token = os.Getenv("RLM_SERVER_TOKEN")
	}
	if data, err := trajectory.DataDir(); err == nil && token == "" {
		if own, kept, ok := server.Running(ctx, data); ok && strings.TrimRight(a.address, "/") == strings.TrimRight(own, "/") {
			token = kept
		}
	}
	c, err := client.New(a.address, token)
	if err != nil {
		return nil, wrongUsage("--server: %w", err)
	}
	return c, nil
}

// told makes a refusal of a server the error of a command.
func told(err error) error {
	var refused *client.Error
	if errors.As(err, &refused) && (refused.Code == "not_found" || refused.Code == "bad_request" || refused.Code == "token") {
		return &exit{termination.ExitUsage, err}
	}
	return err
}

// recorded lists the runs of the data folder, or those of a server.
func (a *app) recorded(ctx context.Context) ([]trajectory.Summary, error) {
	c, err := a.remote(ctx)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return listRuns()
	}
	list, _, err := c.Sessions(ctx, "", 0)
	var out []trajectory.Summary
	for _, s := range list {
		out = append(out, s.Summary)
	}
	return out, told(err)
}

// logOf is where a run is recorded, empty for one of a server.
func (a *app) logOf(s trajectory.Summary) string {
	if a.address != "" {
		return ""
	}
	return logPath(s.Dir)
}

// sessionOf is the session of a server that an id means; "last" is the newest.
func sessionOf(ctx context.Context, c *client.Client, id string) (client.Session, error) {
	if id == "last" {
		list, _, err := c.Sessions(ctx, "", 1)
		if err == nil && len(list) == 0 {
			err = wrongUsage("there is no run yet")
		}
		if err != nil {
			return client.Session{}, told(err)
		}
		return list[0], nil
	}
	id, _, _ = strings.Cut(id, ".")
	s, err := c.Session(ctx, id)
	return s, told(err)
}

// recordedAt are the events that a session of a server has so far.
func recordedAt(ctx context.Context, c *client.Client, s client.Session) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) {
		if s.Events == 0 {
			return
		}
		for h, err := range c.Events(ctx, s.ID, client.Following{Texts: true}) {
			if err != nil {
				yield(trajectory.Event{}, told(err))
				return
			}
			if h.Event.Data == nil || trajectory.Transient(h.Event.Data) {
				continue
			}
			if !yield(h.Event, nil) || h.Event.Seq >= s.Events {
				return
			}
		}
		yield(trajectory.Event{}, ctx.Err())
	}
}

// openAt joins a session of a server in the terminal.
func (a *app) openAt(ctx context.Context, c *client.Client, id string) error {
	s, err := sessionOf(ctx, c, id)
	if err != nil {
		return err
	}
	opt := chat.Joined{Client: c, ID: s.ID, In: a.in, Out: a.out, Err: a.err, Terminal: isTerminal(a.in) && a.out.Terminal(), Again: "rlm open"}
	if a.address != "" {
		address, _, _ := strings.Cut(a.address, "?") // the token is no part of it
		opt.Again = "rlm --server " + address + " open"
	}
	if opt.Terminal {
		opt.Out, opt.Colour = a.out.Program(), a.out.Colour()
		opt.Width, opt.Height = a.out.Size()
		if dir, err := runsDir(); err == nil {
			opt.History = filepath.Join(filepath.Dir(dir), "history")
		}
	}
	err = chat.Join(ctx, opt)
	if undone := (*chat.Unfinished)(nil); errors.As(err, &undone) {
		return &exit{undone.Code, err}
	}
	return told(err)
}

// keeper is the server of this data folder, if it is what has a session open.
func (a *app) keeper(ctx context.Context, id string) (*client.Client, bool) {
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, false
	}
	address, token, ok := server.Running(ctx, data)
	if !ok {
		return nil, false
	}
	c, err := client.New(address, token)
	if err != nil {
		return nil, false
	}
	s, err := c.Session(ctx, id)
	return c, err == nil && s.State.Open
}

// runAt asks a server: what is to be read is uploaded, the answer comes as from a run here.
func (a *app) runAt(cmd *cobra.Command, c *client.Client, ask asking, question string, paths []string) error {
	if err := knownToServers(cmd.Flags()); err != nil {
		return err
	}
	choice := client.Choice{Mode: a.set.Mode}
	if cmd.Flags().Changed("model") {
		choice.Model = a.set.Model
	}
	if cmd.Flags().Changed("sub-model") {
		choice.SubModel = a.set.SubModel
	}
	if budgets := a.set.budgets(); slices.ContainsFunc(budgetFlags, cmd.Flags().Changed) {
		choice.Budgets = &budgets
	}
	paths, err := a.sent(paths, ask.questionFile == "-")
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	s, err := c.Create(ctx, client.NewKey())
	if err != nil {
		return told(err)
	}
	if err := a.send(ctx, c, s, paths); err != nil {
		return err
	}
	if s, err = c.Session(ctx, s.ID); err != nil {
		return told(err)
	}
	if _, err := c.Ask(ctx, s.ID, client.NewKey(), question, choice); err != nil {
		return told(err)
	}
	return a.follow(ctx, ask.showing, asked(ctx, c, s, ask.events))
}

var budgetFlags = []string{"max-iterations", "max-time", "max-errors", "max-sub-calls", "max-tokens", "max-cost", "max-depth"}

// knownToServers refuses flags whose meaning is settled where the server was started.
func knownToServers(flags *pflag.FlagSet) (err error) {
	known := append([]string{"server", "model", "sub-model", "mode", "question-file", "quiet", "verbose", "json", "events"}, budgetFlags...)
	flags.Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(known, f.Name) {
			err = wrongUsage("--%s is not for a question to a server: who started the server chose that", f.Name)
		}
	})
	return err
}

// asked are the events of a question that was put to a server. When ctx is done the run is stopped, and its end comes before the error.
func asked(ctx context.Context, c *client.Client, s client.Session, texts bool) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) {
		reading, enough := context.WithCancel(context.WithoutCancel(ctx))
		defer enough()
		defer context.AfterFunc(ctx, func() {
			_, err := c.Do(reading, s.ID, "stop")
			if err != nil {
				enough()
			}
		})()
		for h, err := range c.Events(reading, s.ID, client.Following{After: s.Events, Texts: texts}) {
			switch {
			case err != nil:
			case h.Failed != nil:
				err = errors.New(h.Failed.Message)
			case h.State != nil && h.State.Doing == "": // before any end
				err = cmp.Or(ctx.Err(), errors.New("the server did not answer the question"))
			}
			if err != nil {
				yield(trajectory.Event{}, told(err))
				return
			}
			if h.Event.Data == nil {
				continue
			}
			if !yield(h.Event, nil) {
				_, _ = c.Do(reading, s.ID, "stop") // nobody reads it any more
				return
			}
			if _, ended := h.Event.Data.(trajectory.RunEnded); ended && h.Event.Path == "" {
				return
			}
		}
		yield(trajectory.Event{}, ctx.Err())
	}
}

// sent are the files, folders and stdin (-) that a server is to be sent.
func (a *app) sent(paths []string, stdinTaken bool) ([]string, error) {
	if len(paths) == 0 && !stdinTaken && !isTerminal(a.in) {
		return []string{"-"}, nil
	}
	for _, p := range paths {
		if isURL(p) || isPattern(p) {
			return nil, wrongUsage("%s: a server is sent files, folders and -", p)
		}
		if p != "-" {
			if err := readable(p); err != nil {
				return nil, err
			}
		}
	}
	return paths, nil
}

// send uploads files, folders and stdin, and returns when they are documents.
func (a *app) send(ctx context.Context, c *client.Client, s client.Session, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	begun, err := c.Upload(ctx, s.ID, func(add func(string, io.Reader) error) error {
		for _, p := range paths {
			if p == "-" {
				if err := add("stdin", a.in); err != nil {
					return err
				}
				continue
			}
			if err := client.AddFiles(p, add); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return told(err)
	}
	added := false
	for h, err := range c.Events(ctx, begun.Session, client.Following{After: s.Events, Brief: true}) {
		if err == nil && h.Failed != nil {
			err = errors.New(h.Failed.Message)
		}
		if err != nil {
			return told(err)
		}
		if _, ok := h.Event.Data.(trajectory.ContextAdded); ok {
			added = true
		}
		switch free := h.State != nil && h.State.Doing == ""; {
		case free && added:
			return nil
		case free:
			return errors.New("the server could not read what was sent")
		}
	}
	return ctx.Err()
}
