// Package chat shows a session in the terminal: a notebook that a person and a model share. It uses a
// session.Service, in this process or in another one, and shows the events of the session.
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

// Options configure a session in the terminal.
type Options struct {
	Screen
	// Runner makes and opens sessions.
	Runner *runner.Runner
	// Inputs are the documents of a new session. Open, if not empty, is the id of an existing session to open
	// instead.
	Inputs []runner.Input
	Open   string
	// Changed are the options from command-line flags, which override those recorded in the session Open.
	Changed []runner.Option
	// Model makes a model by name, for /model and /sub-model.
	Model func(name string) (llm.Model, error)
	// NoModel, if not nil, is why no question can be asked until /model names a model. Cells can run without one.
	NoModel error
	// AddServer starts an MCP server for /mcp add, and returns the options that add its tools to the session.
	AddServer func(ctx context.Context, text string) ([]runner.Option, error)
	// Share shares an open session with other terminals of the data folder, on the socket session.SocketOf, until
	// the result is closed; nil: sessions are not shared.
	Share func(m *session.Manager, s *session.Session) (io.Closer, error)
	// Asker, if not nil, asks the person questions while a task runs.
	Asker *Prompter
	// Reading, if not nil, is called about ten times a second while the context is read and the notebook starts,
	// and with 0 at the end.
	Reading func(since time.Duration)
	// Commands can be typed in addition to those of the table.
	Commands []session.Command
	// Cells are the person's cells to run at the start.
	Cells []string
}

// Screen is where a session is shown, and what help and completion offer there.
type Screen struct {
	In  io.Reader
	Out io.Writer
	// Err receives the footnotes of answers when there is no terminal, and notices of waiting before the session is
	// shown; nil discards both.
	Err io.Writer
	// Terminal means that In and Out are a terminal. Without one, the lines of In are questions, commands and
	// cells, handled one after another, and Out is plain text.
	Terminal bool
	// Width and Height are the initial size of the screen in cells; 0 means 80 and 24.
	Width, Height int
	// Colour allows colours: the terminal's own sixteen, so that they fit its theme.
	Colour bool
	// History is the file that stores what was typed; empty stores nothing.
	History string
	// Builtins returns the documentation of a notebook's functions in a mode, signature first; nil means none.
	Builtins func(mode termination.Mode) map[string]string
}

// Run shows a session until the person leaves, In ends, or ctx is done. The session stays on disk. If another
// terminal has it open, this one follows: it shows what happens there, and sends what is typed here. Without a
// terminal, Run returns a *front.Exit if something in In could not be done.
func Run(ctx context.Context, opt Options) (err error) {
	opt.Width, opt.Height = cmp.Or(opt.Width, 80), cmp.Or(opt.Height, 24)
	t, err := open(ctx, opt)
	if err != nil {
		return err
	}
	return t.hold(ctx, opt)
}

// JoinTarget is a session of a server to join, and the screen to show it on.
type JoinTarget struct {
	Client *client.Client
	ID     string
	Again  string // the command that rejoins a session, without its id
	Screen
}

// Join shows a session of a server in the terminal. What other people in it do is shown as it happens, with their
// names. The session does one thing at a time; what is typed meanwhile is queued and sent once the session is free.
// Join returns when the person leaves, In ends, or ctx is done. Without a terminal it returns a *front.Exit if
// something in In could not be done.
func Join(ctx context.Context, opt JoinTarget) error {
	s, err := opt.Client.Session(ctx, opt.ID)
	if err != nil {
		return err
	}
	return newJoined(ctx, opt, s).hold(ctx, Options{Screen: opt.Screen})
}

func newJoined(ctx context.Context, opt JoinTarget, s session.Summary) *terminal {
	return newTerminal(ctx, opt.Screen, sessionHandle{Service: opt.Client, where: atServer, id: s.ID, until: s.Events},
		nil, opt.Again)
}

// hold shows the session on a terminal, or as plain lines.
func (t *terminal) hold(ctx context.Context, opt Options) (err error) {
	defer func() {
		closing := t.close()
		if closing != nil && err != nil && session.ErrorOf(closing).Code == session.DiskFull {
			return // it has already been reported
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

// open opens the session and reports progress meanwhile.
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
