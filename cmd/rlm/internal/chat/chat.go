// Package chat is a session in the terminal: a notebook that a person and a model share. It uses the
// library's Session and the events it yields, and nothing else.
package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

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
	// Model makes a model by name, for /model and /sub-model.
	Model func(name string) (llm.Model, error)
	// Cells run first, as the person's own.
	Cells []string

	In  io.Reader
	Out io.Writer
	// Terminal says that In and Out are a terminal. Without one, lines of In are questions, commands and cells, one after
	// another, and Out is plain text.
	Terminal bool
	// Width of the screen in cells to begin with; 0 means 80.
	Width int
	// Colour allows colours: the sixteen of the terminal itself, so that they fit its theme.
	Colour bool
	// History is the file that keeps what was typed; empty keeps nothing.
	History string
}

// Run holds a session until the person leaves, In ends, or ctx does. The session stays on disk.
func Run(ctx context.Context, opt Options) (err error) {
	if opt.Width == 0 {
		opt.Width = 80
	}
	c, err := newCore(ctx, opt)
	if err != nil {
		return err
	}
	defer func() {
		c.wait()
		err = errors.Join(err, c.close())
	}()
	if opt.Terminal {
		h, err := openHistory(opt.History)
		if err != nil {
			c.warn(err)
		}
		return runTUI(ctx, c, h, opt)
	}
	return runPlain(ctx, c, opt)
}

// greeting is the first thing on the screen.
func (c *core) greeting() string {
	s := c.current()
	lines := []string{c.render.paint(bold, "rlm") + c.render.paint(faint, " · session "+s.ID()+" · /help lists the commands")}
	lines = append(lines, c.render.paint(faint, c.look().text))
	asked, err := c.exchanges()
	if err != nil {
		c.warn(err)
	}
	if n := len(asked); n > 0 {
		lines = append(lines, c.render.paint(faint, fmt.Sprintf("reopened: %s, %s", countText(n, "earlier question"), spent(c.look().totals))))
		lines = append(lines, c.exchangeText(asked[n-1]))
	}
	for _, w := range c.takeWarnings() {
		lines = append(lines, c.render.paint(red, w))
	}
	return strings.Join(lines, "\n")
}
