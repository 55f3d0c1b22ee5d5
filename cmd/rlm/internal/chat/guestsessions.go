package chat

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/server/client"
	"github.com/gorlm/rlm/runner/trajectory"
)

// here is the id of the session that the guest is in.
func (g *guest) here() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.id
}

// enter begins to look at the session that the guest is in; leave ends that.
func (g *guest) enter(leave func()) (id string, until int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leave = leave
	return g.id, g.until
}

// move goes on with another session of the server. The one there was stays there as it is.
func (g *guest) move(ctx context.Context, s client.Session, say string, out sink) {
	g.attached = map[string]bool{}
	out.show(say)
	g.mu.Lock()
	g.id, g.until, g.joined = s.ID, s.Events, g.told
	g.state, g.past = client.State{}, past{}
	g.leave()
	g.mu.Unlock()
	g.refresh(ctx)
}

func (g *guest) fork(ctx context.Context, args string, out sink) error {
	turn := -1
	if args != "" {
		var err error
		if turn, err = strconv.Atoi(args); err != nil || turn < 0 {
			return errors.New("say behind which turn of the last question, or nothing for all of the session: /fork TURN")
		}
	}
	key := client.NewKey()
	return g.begin(ctx, func(ctx context.Context) (client.Begun, error) {
		fork, err := g.opt.Client.Fork(ctx, g.here(), key, turn)
		if err != nil {
			return client.Begun{}, err
		}
		g.move(ctx, fork, "this is now session "+fork.ID+", a copy", out)
		return client.Begun{Session: fork.ID, State: fork.State}, nil
	})
}

func (g *guest) open(ctx context.Context, id string, out sink) error {
	if id == "" {
		return errors.New("say which session: /open ID; /sessions lists them")
	}
	if strings.HasPrefix(g.here(), id) {
		return errors.New("that is this session")
	}
	s, err := g.opt.Client.Session(ctx, id)
	if err != nil {
		return err
	}
	g.move(ctx, s, "this is now session "+s.ID, out)
	return nil
}

// sessionIDs are the ids that /open can take, the latest first.
func (g *guest) sessionIDs() []string { return g.look().known.sessions }

// export writes the session to a file of the guest's machine.
func (g *guest) export(ctx context.Context, path string, out sink) error {
	return exported(path, out, func(w io.Writer, format string) error { return g.opt.Client.Export(ctx, g.here(), format, w) })
}

func (g *guest) sessions(ctx context.Context, _ string, out sink) error {
	list, total, err := g.opt.Client.Sessions(ctx, "", sessionsShown)
	if err != nil {
		return err
	}
	var all []trajectory.Summary
	for _, s := range list {
		all = append(all, s.Summary)
	}
	out.show(g.sessionList(all, total))
	return nil
}

func (g *guest) rename(ctx context.Context, name string, out sink) error {
	if name == "" {
		return errors.New("say the name: /rename NAME")
	}
	if err := g.opt.Client.Rename(ctx, g.here(), name); err != nil {
		return err
	}
	out.show("named " + screen.Clean(name))
	return nil
}
