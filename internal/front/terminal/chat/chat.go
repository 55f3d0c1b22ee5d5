// Package chat is a session in the terminal: a notebook that a person and a model share. It holds a session.Service,
// in this process or in another one, and shows the events that it yields.
package chat

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/termination"
)

// Options say what to talk about and where.
type Options struct {
	Screen
	// Runner makes and opens sessions.
	Runner *runner.Runner
	// Inputs are the context of a new session. Open, if not empty, is the id of a session to go on with instead.
	Inputs []runner.Input
	Open   string
	// Changed is what flags change of the configuration that Open was begun with.
	Changed []runner.Option
	// Model makes a model by name, for /model and /sub-model.
	Model func(name string) (llm.Model, error)
	// NoModel, if not nil, says why no question can be asked until /model names a model: cells run all the same.
	NoModel error
	// AddServer starts an MCP server for /mcp add and returns what the session is to be set to.
	AddServer func(ctx context.Context, text string) ([]runner.Option, error)
	// Servers are the tools of all MCP servers, for /mcp alone.
	Servers runner.ToolLister
	// Share shares an open session with other terminals of the data folder until it is closed, at session.SocketOf;
	// nil: it is not shared.
	Share func(m *session.Manager, s *session.Session) (io.Closer, error)
	// Asker, if not nil, asks questions in the session on a terminal.
	Asker *Prompter
	// Reading, if not nil, is told while the context is read and the notebook comes up, about ten times a second, and
	// with 0 at the end.
	Reading func(since time.Duration)
	// Commands are typed besides those of the table.
	Commands []session.Command
	// Cells run first, as the person's own.
	Cells []string
}

// Screen is where a session is shown, and what its help and completion know.
type Screen struct {
	In  io.Reader
	Out io.Writer
	// Err takes what a terminal shows below an answer: its footnotes. Nil means nowhere.
	Err io.Writer
	// Terminal says that In and Out are a terminal. Without one, lines of In are questions, commands and cells, one after
	// another, and Out is plain text.
	Terminal bool
	// Width and Height of the screen in cells to begin with; 0 means 80 and 24.
	Width, Height int
	// Colour allows colours: the sixteen of the terminal itself, so that they fit its theme.
	Colour bool
	// History is the file that keeps what was typed; empty keeps nothing.
	History string
	// Builtins are the functions of a notebook in a mode with their documentation, the signature first; nil means none.
	Builtins func(mode termination.Mode) map[string]string
}

// Run holds a session until the person leaves, In ends, or ctx does. The session stays on disk. One that another terminal has open is
// followed: what happens there is shown, and what is typed is sent there. Without a terminal the error is a *front.Exit if something of
// In could not be done.
func Run(ctx context.Context, opt Options) (err error) {
	opt.Width, opt.Height = cmp.Or(opt.Width, 80), cmp.Or(opt.Height, 24)
	t, err := open(ctx, opt)
	if err != nil {
		return err
	}
	return t.hold(ctx, opt)
}

// JoinTarget says which session of a server to join, and where to.
type JoinTarget struct {
	Client *client.Client
	ID     string
	Again  string // the command that joins a session again, without its id
	Screen
}

// Join holds a session of a server in the terminal, beside all others who are in it: what they do is shown as it happens, with who does it. One
// writes at a time; what is typed meanwhile is kept and sent when the session is free. It returns when the person leaves, In ends, or ctx does.
// Without a terminal the error is a *front.Exit if something of In could not be done.
func Join(ctx context.Context, opt JoinTarget) error {
	s, err := opt.Client.Session(ctx, opt.ID)
	if err != nil {
		return err
	}
	return newJoined(ctx, opt, s).hold(ctx, Options{Screen: opt.Screen})
}

func newJoined(ctx context.Context, opt JoinTarget, s session.Summary) *terminal {
	return newTerminal(ctx, opt.Screen, sessionHandle{Service: opt.Client, where: atServer, id: s.ID, until: s.Events}, nil, opt.Again)
}

// hold holds the session on a terminal, or without one.
func (t *terminal) hold(ctx context.Context, opt Options) (err error) {
	defer func() {
		closing := t.close()
		if closing != nil && err != nil && session.ErrorOf(closing).Code == session.DiskFull {
			return // it was told
		}
		err = errors.Join(err, closing)
	}()
	if !opt.Terminal {
		return runPlain(ctx, t, opt)
	}
	h, err := openHistory(opt.History)
	if err != nil {
		t.warn(err)
	}
	err = runTUI(ctx, t, h, opt)
	return errors.Join(t.gone, err)
}

// open opens the session and says meanwhile that it does.
func open(ctx context.Context, opt Options) (*terminal, error) {
	if opt.Reading == nil {
		return newOpened(ctx, opt)
	}
	done := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		began, ticks := time.Now(), time.NewTicker(100*time.Millisecond)
		defer ticks.Stop()
		for {
			select {
			case <-done:
				opt.Reading(0)
				return
			case now := <-ticks.C:
				opt.Reading(now.Sub(began))
			}
		}
	})
	defer telling.Wait()
	defer close(done)
	return newOpened(ctx, opt)
}

func newOpened(ctx context.Context, opt Options) (*terminal, error) {
	o := newOwn(opt)
	at, err := o.begin(ctx)
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	return newTerminal(ctx, opt.Screen, at, o, "rlm open"), nil
}
