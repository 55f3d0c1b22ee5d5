package chat

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"

	"github.com/gorlm/rlm/cmd/rlm/internal/progress"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// core is a session and what a person can do with it, whatever the screen looks like.
type core struct {
	opt      Options
	render   *renderer
	commands []command
	work     sync.WaitGroup

	mu       sync.Mutex // guards what follows
	session  *runner.Session
	seen     snapshot
	warnings []string
	pastes   int
}

// sink takes what submitted text brings.
type sink struct {
	show  func(text string)         // stays on the screen
	event func(ev trajectory.Event) // happens
	fill  func(text string)         // to be edited and sent
}

// newCore opens the session.
func newCore(ctx context.Context, opt Options) (*core, error) {
	c := &core{opt: opt, render: newRenderer(opt.Width, opt.Colour), commands: commands()}
	var err error
	if opt.Open != "" {
		c.session, err = opt.Runner.OpenSession(ctx, opt.Open)
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
	in, err := parseInput(text)
	if err != nil {
		return false, err
	}
	switch in.kind {
	case inputCommand:
		return c.command(ctx, in.text, out)
	case inputCell:
		for _, cell := range in.cells {
			if err := c.exec(ctx, cell, out); err != nil {
				return false, err
			}
		}
	case inputQuestion:
		return false, c.ask(ctx, in.text, out)
	}
	return false, nil
}

// ask puts a question to the model and hands on what happens.
func (c *core) ask(ctx context.Context, question string, out sink) error {
	t := transcript{r: c.render}
	out.show(t.Question(question))
	return c.follow(ctx, c.current().Ask(ctx, question), out)
}

// follow hands on what happens until it ends.
func (c *core) follow(ctx context.Context, events iter.Seq2[trajectory.Event, error], out sink) error {
	for ev, err := range events {
		if err != nil && ctx.Err() != nil {
			return nil // stopping was asked for; the end event says so
		}
		if err != nil {
			return err
		}
		out.event(ev)
	}
	return nil
}

// exec runs a person's own cell and hands on its events up to its end.
func (c *core) exec(ctx context.Context, source string, out sink) error {
	s := c.current()
	events, stop := s.Subscribe()
	defer stop()
	var forward sync.WaitGroup
	forward.Go(func() {
		for ev := range events {
			out.event(ev)
			if _, ended := ev.Data.(trajectory.CellEnded); ended && ev.Path == "" {
				return
			}
		}
	})
	_, err := s.Exec(ctx, source)
	if err != nil {
		stop() // there may be no end to wait for
	}
	forward.Wait()
	return err
}

// snapshot is what a session was like the last time nothing ran: a session that is busy cannot be asked, and the
// screen never waits for it.
type snapshot struct {
	known  words
	totals runner.Totals
	model  string
	level  string
	text   string // of the context, in a few words
}

// refresh looks at the session anew. Whoever did something with it calls this once, at the end.
func (c *core) refresh(ctx context.Context) {
	s := c.current()
	vars, err := s.Vars(context.WithoutCancel(ctx))
	if err != nil {
		c.warn(err)
	}
	now := snapshot{totals: s.Totals(), model: s.Model().Name(), level: string(s.Level()), text: contextText(s)}
	for _, b := range builtins.Standard(c.modeNow(), 0) {
		now.known.builtins = append(now.known.builtins, b.Name)
	}
	for _, v := range vars {
		now.known.vars = append(now.known.vars, v.Name)
	}
	for _, d := range s.Documents() {
		now.known.docs = append(now.known.docs, d.Name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = now
}

func (c *core) look() snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

// status is the line below the input.
func (c *core) status() string {
	now := c.look()
	parts := []string{now.model, now.text, spent(now.totals), "sandbox " + now.level}
	if mode := c.modeNow(); mode != termination.Response {
		parts = append(parts, "mode "+string(mode))
	}
	return strings.Join(parts, " · ")
}

func contextText(s *runner.Session) string {
	docs := s.Documents()
	if len(docs) == 0 {
		return "no context"
	}
	var size int64
	for _, d := range docs {
		size += d.Size
	}
	return countText(len(docs), "document") + ", " + progress.Bytes(size)
}

func spent(t runner.Totals) string {
	p := progress.Progress{Cost: t.Cost}
	for model, u := range t.Usage {
		p.Prompt += u.Prompt
		p.Completion += u.Completion
		if u.Cost == nil {
			p.Unpriced = append(p.Unpriced, model)
		}
	}
	return p.Spent()
}

// failure words an error for the person.
func (c *core) failure(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return c.render.paint(faint, "stopped; the session is kept")
	default:
		return c.render.paint(red, "error: ") + c.render.wrap(err.Error(), 7)
	}
}

// usageText writes what one model was used for.
func usageText(u trajectory.Usage) string {
	text := progress.Count(u.Prompt) + " tokens in, " + progress.Count(u.Completion) + " out"
	if u.Cached > 0 {
		text += ", " + progress.Count(u.Cached) + " of them cached"
	}
	if u.Cost == nil {
		return text + ", cost unknown"
	}
	return text + ", " + progress.Dollars(*u.Cost)
}
