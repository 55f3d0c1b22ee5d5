package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/server/client"
)

// errStopped is the cause of a context that a person ended; that of one who left has none, and what runs goes on at the server.
var errStopped = fmt.Errorf("stopped: %w", context.Canceled)

// Times of a guest's waiting.
const (
	askAgain = time.Second      // when the session was busy though it was said to be free
	stopTime = 10 * time.Second // for the server to hear that something is to stop
)

func (g *guest) ask(ctx context.Context, question string, out sink) error {
	out.show(g.log.Question(question))
	key := client.NewKey()
	err := g.attach(ctx, question)
	if err == nil {
		err = g.begin(ctx, func(ctx context.Context) (client.Begun, error) {
			return g.opt.Client.Ask(ctx, g.here(), key, question, client.Choice{})
		})
	}
	if err != nil {
		out.fill(question)
	}
	return err
}

func (g *guest) exec(ctx context.Context, source string, out sink) error {
	key := client.NewKey()
	err := g.begin(ctx, func(ctx context.Context) (client.Begun, error) { return g.opt.Client.Cell(ctx, g.here(), key, source) })
	if err != nil {
		out.fill(fenced(source))
	}
	return err
}

// begin begins something once the session is free, and returns when it has ended: what came of it is on the screen then. The error says
// that it was not begun.
func (g *guest) begin(ctx context.Context, do func(context.Context) (client.Begun, error)) error {
	for {
		seen, err := g.free(ctx)
		if err != nil {
			return err
		}
		begun, err := do(ctx)
		var refused *client.Error
		switch {
		case errors.As(err, &refused) && refused.Code == "busy": // somebody was first
			if _, err := g.next(ctx, seen, askAgain); err != nil {
				return err
			}
		case err != nil && ctx.Err() != nil: // it may have arrived all the same
			g.stopped(ctx)
			return err
		case err != nil:
			return err
		case begun.Again:
			return nil
		default:
			return g.ended(ctx, seen)
		}
	}
}

// free waits until nobody does anything, and returns how many states were told by then.
func (g *guest) free(ctx context.Context) (seen int, err error) {
	for {
		g.mu.Lock()
		seen, free := g.told, g.told > g.joined && g.state.Doing == ""
		g.mu.Unlock()
		if free {
			return seen, ctx.Err()
		}
		if _, err := g.next(ctx, seen, 0); err != nil {
			return seen, err
		}
	}
}

// next waits until more than seen states were told, or for as long as most says, if it says something.
func (g *guest) next(ctx context.Context, seen int, most time.Duration) (told int, err error) {
	g.mu.Lock()
	told, changed := g.told, g.changed
	g.mu.Unlock()
	if told > seen {
		return told, ctx.Err()
	}
	var late <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-changed:
		return told + 1, nil
	case <-late:
		return told, nil
	case <-ctx.Done():
		return told, ctx.Err()
	}
}

// ended waits until what was begun after seen states has ended. A person who stops it waits for that as well; one who leaves does not.
func (g *guest) ended(ctx context.Context, seen int) error {
	waits := ctx
	for at := seen; ; {
		told, err := g.next(waits, at, 0)
		if err != nil && !g.stopped(ctx) {
			return nil
		}
		if err != nil {
			var enough context.CancelFunc
			waits, enough = context.WithTimeout(context.WithoutCancel(ctx), stopTime)
			defer enough()
			if ctx = context.WithoutCancel(ctx); told == at {
				continue
			}
		}
		at = told
		g.mu.Lock()
		mine, began := g.does(g.state), g.mine > seen
		g.mu.Unlock()
		if mine {
			continue
		}
		if !began { // the news may be older than what was begun, or the beginning was missed
			s, err := g.opt.Client.Session(waits, g.here())
			if err == nil && g.does(s.State) {
				continue
			}
		}
		return nil
	}
}

// stopped stops what runs at the server if a person wants that.
func (g *guest) stopped(ctx context.Context) bool {
	if !errors.Is(context.Cause(ctx), errStopped) {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	_, err := g.opt.Client.Do(ctx, g.here(), "stop")
	return err == nil
}

// attach sends the files that a question mentions, each once.
func (g *guest) attach(ctx context.Context, question string) error {
	found, err := mentions(question)
	if err != nil {
		return err
	}
	for _, m := range found {
		if isURL(m.path) {
			return fmt.Errorf("%s: a server is sent files, not pages of the web; the question is not sent", m.text)
		}
		if g.attached[m.path] || slices.Contains(g.look().known.docs, filepath.ToSlash(m.path)) {
			continue
		}
		if err := g.send(ctx, m.path); err != nil {
			return fmt.Errorf("attaching %s: %w; the question is not sent", m.text, err)
		}
		g.attached[m.path] = true
	}
	return nil
}

// send makes documents of a file or a folder.
func (g *guest) send(ctx context.Context, path string) error {
	return g.upload(ctx, func(add func(string, io.Reader) error) error { return client.AddFiles(expandHome(path), add) })
}

func (g *guest) addPaste(ctx context.Context, name, text string, _ sink) error {
	return g.upload(ctx, func(add func(string, io.Reader) error) error { return add(name, strings.NewReader(text)) })
}

func (g *guest) upload(ctx context.Context, files func(add func(string, io.Reader) error) error) error {
	err := g.begin(ctx, func(ctx context.Context) (client.Begun, error) { return g.opt.Client.Upload(ctx, g.here(), files) })
	if err == nil {
		g.refresh(ctx)
	}
	return err
}

func (g *guest) members(ctx context.Context, operand string) []string {
	names, err := g.opt.Client.Members(ctx, g.here(), operand)
	if err != nil {
		return nil // it is busy, or cannot be asked: nothing is offered
	}
	return identifiers(names)
}
