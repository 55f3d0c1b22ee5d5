package chat

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"strings"
	"sync"
	"syscall"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// core is a session that is open here, and what a person can do with it, whatever the screen looks like. What it does comes out through
// a sink; it is used by one goroutine at a time, but for what its mutex guards.
type core struct {
	board
	opt      Options
	attached map[string]bool // files that questions named, by full path

	// The board's mutex guards what follows.
	session *runner.Session
	noModel error
	told    int64 // number of the last event that was told outside of a question
	full    bool  // it was told that the disk is full
	code    int   // exit code of the last question that got no answer
}

// newCore opens the session.
func newCore(ctx context.Context, opt Options) (*core, error) {
	c := &core{opt: opt, attached: map[string]bool{}, noModel: opt.NoModel}
	c.setUp(opt.Width, opt.Colour, !opt.Terminal)
	c.commands, c.ids = c.list(), c.sessionIDs
	var err error
	if opt.Open != "" {
		c.session, err = opt.Runner.OpenSession(ctx, opt.Open, opt.Changed...)
	} else {
		c.session, err = opt.Runner.NewSession(ctx, opt.Inputs...)
	}
	if err != nil {
		return nil, err
	}
	c.refresh(ctx)
	return c, nil
}

func (c *core) close() error { return c.current().Close() }

func (c *core) current() *runner.Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

func (c *core) modeNow() termination.Mode { return c.current().Mode() }

func (c *core) submit(ctx context.Context, text string, out sink) (quit bool, err error) {
	return c.take(ctx, c, text, out)
}

// beside is for those who share a session with others: here nobody else does anything.
func (*core) beside(string) bool { return false }

func (*core) attend(context.Context, lobby) {}

// ask puts a question to the model and hands on what happens. A question that cannot be sent goes back to be edited.
func (c *core) ask(ctx context.Context, question string, out sink) error {
	out.show(c.log.Question(question))
	if err := c.modelMissing(); err != nil {
		out.fill(question)
		c.fail(termination.ExitUsage)
		return err
	}
	if err := c.attach(ctx, question, out); err != nil {
		out.fill(question)
		return err
	}
	return c.follow(ctx, c.current().Ask(ctx, question), out)
}

// modelMissing says why no question can be asked, nil if one can.
func (c *core) modelMissing() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.noModel
}

// follow hands on what happens until it ends.
func (c *core) follow(ctx context.Context, events iter.Seq2[trajectory.Event, error], out sink) error {
	var result runner.Result
	for ev, err := range events {
		if err != nil && ctx.Err() != nil {
			return nil // stopping was asked for; the end event says so
		}
		if err != nil {
			return err
		}
		result.Add(ev)
		if isNews(ev) && !c.tell(ev) {
			continue // it was shown when it happened
		}
		out.event(ev)
	}
	if code := result.ExitCode(); result.Ended && code != termination.ExitAnswered {
		c.fail(code)
	}
	return nil
}

// fail keeps what a command should exit with.
func (c *core) fail(code int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.code = code
}

// failed is the exit code of the last question that got no answer, 0 if all did.
func (c *core) failed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code
}

// exec runs a person's own cell and hands on its events.
func (c *core) exec(ctx context.Context, source string, out sink) error {
	return c.watch(out, isCellEnded, func() error {
		_, err := c.current().Exec(ctx, source)
		return err
	})
}

// watch hands on the events that the session records while it does something, up to the one that ends it.
func (c *core) watch(out sink, ends func(trajectory.Data) bool, do func() error) error {
	events, stop := c.current().Subscribe()
	defer stop()
	var forward sync.WaitGroup
	forward.Go(func() {
		for ev := range events {
			c.tell(ev)
			out.event(ev)
			if ev.Path == "" && ends(ev.Data) {
				return
			}
		}
	})
	err := do()
	if err != nil {
		stop() // there may be no end to wait for
	}
	forward.Wait()
	return err
}

func isCellEnded(d trajectory.Data) bool { _, ok := d.(trajectory.CellEnded); return ok }

func isContextAdded(d trajectory.Data) bool { _, ok := d.(trajectory.ContextAdded); return ok }

// isFull reports whether the session's own disk is full.
func (c *core) isFull(err error) bool {
	var at *fs.PathError
	return errors.Is(err, syscall.ENOSPC) && errors.As(err, &at) && strings.HasPrefix(at.Path, c.current().Dir())
}

// diskFull words that the session's disk is full: in full when that happens, and as a reminder while it stays so.
func (c *core) diskFull() string {
	c.mu.Lock()
	told := c.full
	c.full = true
	c.mu.Unlock()
	if told {
		return "not done: the disk is full"
	}
	return "the disk is full: nothing more can be recorded in " + c.current().Dir() + "; free some space, then " + c.goOn()
}

// failure words an error for the person.
func (c *core) failure(err error) string {
	if c.isFull(err) {
		err = errors.New(c.diskFull())
	}
	if errors.Is(err, context.Canceled) {
		return c.render.paint(faint, "stopped; the session is kept")
	}
	return c.render.paint(red, "error: ") + c.render.wrap(err.Error(), 7)
}
