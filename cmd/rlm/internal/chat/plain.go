package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/progress"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/runner/trajectory"
)

// errFailed says that something a script asked for failed; what it was has been printed.
var errFailed = errors.New("not everything could be done: see above")

// runPlain holds the session without a terminal: each line of the input is a question, a command or a cell, a fenced block is
// one entry, and each is done before the next is read.
func runPlain(ctx context.Context, c *core, opt Options) error {
	fmt.Fprintln(opt.Out, c.greeting())
	p := plain{core: c, out: opt.Out, log: transcript{r: c.render}}
	for _, cell := range opt.Cells {
		if err := c.exec(ctx, cell, p.sink()); err != nil {
			return err
		}
		c.refresh(ctx)
	}
	in := bufio.NewReader(opt.In)
	failed := false
	for {
		text, err := readEntry(in)
		if strings.TrimSpace(text) != "" {
			quit, err := c.submit(ctx, text, p.sink())
			c.refresh(ctx)
			if err != nil {
				failed = true
				fmt.Fprintln(opt.Out, c.failure(err))
			}
			if quit {
				return nil
			}
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF) && failed:
			return errFailed
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading the input: %w", err)
		}
	}
}

// readEntry reads the next entry: a line, or a fenced block.
func readEntry(in *bufio.Reader) (string, error) {
	var entry strings.Builder
	for {
		line, err := in.ReadString('\n')
		entry.WriteString(line)
		if err != nil || complete(entry.String()) {
			return entry.String(), err
		}
	}
}

// plain writes what happens as lines.
type plain struct {
	core *core
	out  io.Writer
	log  transcript
}

func (p *plain) sink() sink {
	return sink{
		show: func(text string) { fmt.Fprintln(p.out, text) },
		fill: func(text string) { fmt.Fprintln(p.out, text) },
		event: func(ev trajectory.Event) {
			if d, ok := ev.Data.(trajectory.CallRetried); ok { // a terminal has it in its live line
				fmt.Fprintln(p.out, screen.Clean(progress.Retry(d, d.Wait)))
			}
			if text := p.log.Event(ev); text != "" {
				fmt.Fprintln(p.out, text)
			}
		},
	}
}
