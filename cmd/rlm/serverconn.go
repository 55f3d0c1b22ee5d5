package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/front/terminal"
	"github.com/gorlm/rlm/internal/front/terminal/chat"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ofServers are the commands that can use a server instead of the data folder.
var ofServers = []string{"run", "ls", "show", "export", "open"}

// serverConn is the server that --server names, if any.
type serverConn struct {
	address string
	err     io.Writer
}

// remoteFlag adds --server to all commands.
func (at *serverConn) remoteFlag(root *cobra.Command) {
	root.PersistentFlags().StringVar(&at.address, "server", "", strings.Join(ofServers, ", ")+
		": use the server at this URL ('rlm serve'); the token is part of the URL or in RLM_SERVER_TOKEN")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if at.address == "" || slices.Contains(ofServers, cmd.Name()) && cmd.Parent() == root {
			return nil
		}
		return wrongUsage("--server works with %s, not with %s", strings.Join(ofServers, ", "),
			cmd.CommandPath())
	}
}

// remote returns a client of the server that --server names; nil without the flag. The token is found automatically
// if the server is one of this data folder.
func (at *serverConn) remote(ctx context.Context) (*client.Client, error) {
	if at.address == "" {
		return nil, nil
	}
	token := ""
	if !strings.Contains(at.address, "token=") {
		token = os.Getenv("RLM_SERVER_TOKEN")
	}
	if data, err := trajectory.DataDir(); err == nil && token == "" {
		if own, kept, ok := api.Running(ctx, data); ok &&
			strings.TrimRight(at.address, "/") == strings.TrimRight(own, "/") {
			token = kept
		}
	}
	c, err := client.New(at.address, token)
	if err != nil {
		return nil, wrongUsage("--server: %w", err)
	}
	address, _, _ := strings.Cut(at.address, "?") // without the token
	said := map[string]bool{}                     // notices printed: a slow server may be suspended later
	var mu sync.Mutex
	c.Late = func() {
		why := suspended()
		mu.Lock()
		defer mu.Unlock()
		if !said[why] {
			said[why] = true
			fmt.Fprintf(at.err, "rlm: waiting for the server at %s%s\n", address, why)
		}
	}
	return c, nil
}

// suspended returns the end of a notice about a server that does not answer: whether the server of this data folder
// is suspended.
func suspended() string {
	data, err := trajectory.DataDir()
	if h := api.Holder(data); err == nil && h.Suspended() {
		return fmt.Sprintf("; that of %s is %s", data, h)
	}
	return ", which has not answered yet"
}

// told converts a refusal by a server to the error of a command.
func told(err error) error {
	var refused *client.Error
	if errors.As(err, &refused) &&
		(refused.Code == "not_found" || refused.Code == "bad_request" || refused.Code == "token") {
		return asUsage(err)
	}
	return err
}

// recorded lists the runs of the data folder or of a server.
func (at *serverConn) recorded(ctx context.Context) ([]trajectory.Summary, error) {
	c, err := at.remote(ctx)
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

// logOf returns the path of a run's log; "" for a run of a server.
func (at *serverConn) logOf(s trajectory.Summary) string {
	if at.address != "" {
		return ""
	}
	return logPath(s.Dir)
}

// sessionOf returns a session of a server by its id; "last" means the newest.
func sessionOf(ctx context.Context, c *client.Client, id string) (session.Summary, error) {
	if id == "last" {
		list, _, err := c.Sessions(ctx, "", 1)
		if err == nil && len(list) == 0 {
			err = wrongUsage("there is no run yet")
		}
		if err != nil {
			return session.Summary{}, told(err)
		}
		return list[0], nil
	}
	id, _, _ = strings.Cut(id, ".")
	s, err := c.Session(ctx, id)
	return s, told(err)
}

// recordedAt yields the events that a server's session has so far.
func recordedAt(ctx context.Context, c *client.Client, s session.Summary) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) {
		if s.Events == 0 {
			return
		}
		for h, err := range c.Events(ctx, s.ID, session.EventOptions{Texts: true}) {
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
func (std streams) openAt(ctx context.Context, at *serverConn, c *client.Client, id string) error {
	s, err := sessionOf(ctx, c, id)
	if err != nil {
		return err
	}
	opt := chat.JoinTarget{Client: c, ID: s.ID, Screen: std.screen(), Again: "rlm open"}
	if at.address != "" {
		address, _, _ := strings.Cut(at.address, "?") // without the token
		opt.Again = "rlm --server " + address + " open"
	}
	return told(chat.Join(ctx, opt))
}

// keeper returns a client of the server of this data folder, if that has the session open.
func keeper(ctx context.Context, id string) (*client.Client, bool) {
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, false
	}
	address, token, ok := api.Running(ctx, data)
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

// runAt asks a question on a server: it uploads the files, and shows the run as if it were local.
func (l *launcher) runAt(cmd *cobra.Command, c *client.Client, ask askFlags, question string, paths []string) error {
	if err := knownToServers(cmd.Flags()); err != nil {
		return err
	}
	choice := session.Choice{Mode: l.set.Mode}
	if cmd.Flags().Changed("model") {
		choice.Model = l.set.Model
	}
	if cmd.Flags().Changed("sub-model") {
		choice.SubModel = l.set.SubModel
	}
	if budgets := l.set.budgets(); slices.ContainsFunc(budgetFlags, cmd.Flags().Changed) {
		choice.Budgets = &budgets
	}
	paths, err := l.sent(paths, ask.questionFile == "-")
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	s, err := c.Create(ctx, client.NewKey())
	if err != nil {
		return told(err)
	}
	if err := l.send(ctx, c, s, paths); err != nil {
		return err
	}
	if s, err = c.Session(ctx, s.ID); err != nil {
		return told(err)
	}
	if _, err := c.Ask(ctx, s.ID, client.NewKey(), question, choice); err != nil {
		return told(err)
	}
	o := l.shown(ask.displayFlags, "")
	o.Resume = func(run string) string { return "rlm --server URL open " + run + ", then /retry" }
	return terminal.Follow(ctx, o, asked(ctx, c, s, ask.events))
}

var budgetFlags = []string{
	"max-iterations", "max-time", "max-errors", "max-sub-calls", "max-tokens", "max-cost", "max-depth",
}

// knownToServers returns an error for a flag that concerns what the owner of the server decides.
func knownToServers(flags *pflag.FlagSet) (err error) {
	known := append([]string{
		"server", "model", "sub-model", "mode", "question-file", "quiet", "verbose", "json", "events",
	}, budgetFlags...)
	flags.Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(known, f.Name) {
			err = wrongUsage("--%s cannot be set for a question to a server: it is set where the server is started", f.Name)
		}
	})
	return err
}

// asked yields the events of a question on a server. When ctx is done, it stops the run, and yields the last events
// before the error.
func asked(ctx context.Context, c *client.Client, s session.Summary, texts bool) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) {
		reading, enough := context.WithCancel(context.WithoutCancel(ctx))
		defer enough()
		defer context.AfterFunc(ctx, func() {
			err := c.Stop(reading, s.ID)
			if err != nil {
				enough()
			}
		})()
		for h, err := range c.Events(reading, s.ID, session.EventOptions{After: s.Events, Texts: texts}) {
			switch {
			case err != nil:
			case h.Failed != nil:
				err = errors.New(h.Failed.Message)
			case h.State != nil && h.State.Doing == "": // the session is idle without a RunEnded
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
				_ = c.Stop(reading, s.ID) // nobody reads the run any more
				return
			}
			if _, ended := h.Event.Data.(trajectory.RunEnded); ended && h.Event.Path == "" {
				return
			}
		}
		yield(trajectory.Event{}, ctx.Err())
	}
}

// sent returns the files and folders to upload to a server, and "-" for stdin.
func (std streams) sent(paths []string, stdinTaken bool) ([]string, error) {
	if len(paths) == 0 && !stdinTaken && !isTerminal(std.in) {
		return []string{"-"}, nil
	}
	for _, p := range paths {
		if isURL(p) || isPattern(p) {
			return nil, wrongUsage("%s: only files, folders and - can be sent to a server", p)
		}
		if p != "-" {
			if err := readable(p); err != nil {
				return nil, err
			}
		}
	}
	return paths, nil
}

// send uploads files, folders and stdin, and waits until they have become documents.
func (std streams) send(ctx context.Context, c *client.Client, s session.Summary, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	begun, err := c.Upload(ctx, s.ID, func(add func(string, io.Reader) error) error {
		names := files.ShortNames(paths)
		for i, p := range paths {
			if p == "-" {
				if err := add("stdin", std.stdin()); err != nil {
					return err
				}
				continue
			}
			if err := client.AddFiles(p, names[i], add); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return told(err)
	}
	added := false
	for h, err := range c.Events(ctx, begun.Session, session.EventOptions{After: s.Events, Brief: true}) {
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
