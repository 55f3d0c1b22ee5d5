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

// core is a session and what a person can do with it, whatever the screen looks like. What it does comes out through
// a sink; it is used by one goroutine at a time, but for what its mutex guards.
type core struct {
	opt      Options
	render   *renderer
	log      *transcript
	commands []command
	attached map[string]bool // files that questions named, by full path
	work     sync.WaitGroup

	using sync.Mutex // held while something is done with the session, which does one thing at a time

	mu       sync.Mutex // guards what follows
	session  *runner.Session
	seen     snapshot
	warnings []string
	pastes   int
	goMode   bool // what is typed is a cell, not a question
	noModel  error
	told     int64 // number of the last event that was told outside of a question
	full     bool  // it was told that the disk is full
	code     int   // exit code of the last question that got no answer
}

// sink takes what submitted text brings.
type sink struct {
	show  func(text string)         // stays on the screen
	event func(ev trajectory.Event) // happens
	fill  func(text string)         // to be edited and sent
	edit  func(text string)         // to be edited in the person's editor; nil where there is none
}

// newCore opens the session.
func newCore(ctx context.Context, opt Options) (*core, error) {
	r := newRenderer(opt.Width, opt.Colour)
	if !opt.Terminal {
		r = plainRenderer()
	}
	c := &core{
		opt: opt, render: r, log: &transcript{r: r}, commands: commands(), attached: map[string]bool{}, noModel: opt.NoModel,
	}
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

// spawn runs f in a goroutine that wait waits for.
func (c *core) spawn(f func()) { c.work.Go(f) }

func (c *core) wait() { c.work.Wait() }

func (c *core) current() *runner.Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

func (c *core) modeNow() termination.Mode { return c.current().Mode() }

// typesCells reports whether what is typed is a cell, until a > alone says otherwise.
func (c *core) typesCells() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.goMode
}

// toggle changes between questions and cells.
func (c *core) toggle() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.goMode = !c.goMode; c.goMode {
		return "what you type now is Go and runs in the notebook; > goes back to questions"
	}
	return "what you type now is a question to the model; > goes back to cells"
}

// warn keeps a warning until it can be shown.
func (c *core) warn(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warnings = append(c.warnings, err.Error())
}

func (c *core) takeWarnings() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.warnings
	c.warnings = nil
	return w
}

// submit does what a person typed and returns when it is done. quit says that the person wants to leave.
func (c *core) submit(ctx context.Context, text string, out sink) (quit bool, err error) {
	in, err := parseEntry(text, c.typesCells())
	if err != nil {
		return false, err
	}
	switch in.kind {
	case entryCommand:
		return c.command(ctx, in.text, out)
	case entryCell:
		for _, cell := range in.cells {
			if err := c.exec(ctx, cell, out); err != nil {
				return false, err
			}
		}
	case entryToggle:
		out.show(c.toggle())
	case entryHelp:
		if help, ok := c.helpFor(in.text); ok {
			out.show(help)
			return false, nil
		}
		if c.typesCells() {
			return false, errors.New("nothing is known about " + in.text)
		}
		return false, c.ask(ctx, strings.TrimSpace(text), out)
	case entryQuestion:
		return false, c.ask(ctx, in.text, out)
	}
	return false, nil
}

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
