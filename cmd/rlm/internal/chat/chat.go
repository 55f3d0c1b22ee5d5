// Package chat is a session in the terminal: a notebook that a person and a model share. It uses the
// library's Session and the events it yields, and nothing else.
package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// Options say what to talk about and where.
type Options struct {
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
	// Asker, if not nil, asks questions in the session on a terminal.
	Asker *Asker
	// Reading, if not nil, is told while the context is read and the notebook comes up, about ten times a second, and
	// with 0 at the end.
	Reading func(since time.Duration)
	// Cells run first, as the person's own.
	Cells []string

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
}

// Run holds a session until the person leaves, In ends, or ctx does. The session stays on disk. Without a terminal
// the error is an *Unfinished if something of In could not be done.
func Run(ctx context.Context, opt Options) (err error) {
	if opt.Width == 0 {
		opt.Width = 80
	}
	if opt.Height == 0 {
		opt.Height = 24
	}
	c, err := open(ctx, opt)
	if err != nil {
		return err
	}
	defer func() {
		c.wait()
		if closing := c.close(); err == nil || !c.isFull(closing) { // a full disk was told
			err = errors.Join(err, closing)
		}
	}()
	if opt.Terminal {
		h, err := openHistory(opt.History)
		if err != nil {
			c.warn(err)
		}
		return runTUI(ctx, c, &c.board, h, opt)
	}
	return runPlain(ctx, c, opt)
}

// open opens the session and says meanwhile that it does.
func open(ctx context.Context, opt Options) (*core, error) {
	if opt.Reading == nil {
		return newCore(ctx, opt)
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
	return newCore(ctx, opt)
}

// greeting shows the first things on the screen: what the session is, its last question, and what happened with it since.
func (c *core) greeting(out sink) {
	s := c.current()
	lines := []string{c.render.paint(bold, "rlm") + c.render.paint(faint, " · session "+s.ID()+" · /help lists the commands")}
	lines = append(lines, c.render.paint(faint, c.look().text))
	if c.modelMissing() != nil {
		lines = append(lines, c.render.paint(faint, c.render.wrap("no model: cells run (> CODE); /model NAME names one for questions", 0)))
	}
	asked, err := c.exchanges()
	if err != nil {
		c.warn(err)
	}
	if n := len(asked); n > 0 {
		lines = append(lines, c.render.paint(faint, fmt.Sprintf("reopened: %s, %s", quantity.Of(n, "earlier question"), spent(c.look().totals))))
	}
	out.show(strings.Join(lines, "\n"))
	if n := len(asked); n > 0 {
		c.remind(asked[n-1], out)
	}
	c.showNews(out)
	for _, w := range c.takeWarnings() {
		out.show(c.render.paint(red, c.render.wrap(w, 0)))
	}
}

// goOn says how the session is opened again.
func (c *core) goOn() string { return "go on with: rlm open " + c.current().ID() }
