package chat

import (
	"context"
	"errors"
	"io"

	"github.com/gorlm/rlm/internal/server/client"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Joined says which session of a server to join, and where to.
type Joined struct {
	Client *client.Client
	ID     string
	In     io.Reader
	Out    io.Writer
	Err    io.Writer // takes the footnotes of answers where there is no terminal; nil means nowhere
	// Terminal says that In and Out are a terminal, as in Options. Without one, each line of In is done before the next is read.
	Terminal      bool
	Width, Height int
	Colour        bool
	History       string // the file that keeps what was typed; empty keeps nothing
	Again         string // the command that joins a session again, without its id
}

// Join holds a session of a server in the terminal, beside all others who are in it: what they do is shown as it happens, with who does it. One
// writes at a time; what is typed meanwhile is kept and sent when the session is free. It returns when the person leaves, In ends, or ctx does.
// Without a terminal the error is an *Unfinished if something of In could not be done.
func Join(ctx context.Context, opt Joined) error {
	s, err := opt.Client.Session(ctx, opt.ID)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g := newGuest(ctx, opt, s)
	if opt.Terminal {
		return joinOnScreen(ctx, g)
	}
	return joinPlainly(ctx, cancel, g)
}

// joinOnScreen holds it on a terminal: the same screen as that of a session that is open here.
func joinOnScreen(ctx context.Context, g *guest) error {
	h, err := openHistory(g.opt.History)
	if err != nil {
		g.warn(err)
	}
	err = runTUI(ctx, g, &g.board, h, Options{In: g.opt.In, Out: g.opt.Out, Width: g.opt.Width, Height: g.opt.Height})
	return errors.Join(g.gone, err)
}

// joinPlainly holds it without one. At the end of the input what others have begun is seen to its end.
func joinPlainly(ctx context.Context, leave func(), g *guest) error {
	code := 0
	p := newPlain(g, &g.board, g.opt.Out, g.opt.Err)
	p.code, p.arrived = func() int { return code }, g.arrived
	on := lobby{
		sink:   p.sink(),
		failed: p.refused,
		state:  func(s shared) { p.others(s.others) },
		gone:   leave,
	}
	on.event = func(ev trajectory.Event) {
		p.event(ev)
		if _, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path == "" && g.isMine() {
			var r runner.Result
			r.Add(ev)
			code = max(code, r.ExitCode())
		}
	}
	g.greeting(on.sink)
	g.spawn(func() { g.attend(ctx, on) })
	quit, err := p.hold(ctx, g.opt.In)
	if err == nil && !quit {
		_, _ = g.free(ctx) // what ends that ends this as well
	}
	leave()
	g.wait()
	switch {
	case g.gone != nil && !errors.Is(g.gone, context.Canceled):
		return g.gone
	case err != nil:
		return err
	}
	return p.unfinished()
}

// arrived waits until the session that the guest is in has told all that happened in it.
func (g *guest) arrived(ctx context.Context) error {
	for {
		g.mu.Lock()
		told, joined := g.told, g.joined
		g.mu.Unlock()
		if told > joined {
			return nil
		}
		if _, err := g.next(ctx, told, 0); err != nil {
			return err
		}
	}
}
