package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/footnotes"
	"github.com/gorlm/rlm/cmd/rlm/internal/progress"
	"github.com/gorlm/rlm/cmd/rlm/internal/typed"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// Unfinished says that not all that a script asked for could be done; what it was has been printed.
type Unfinished struct {
	Code int // what a command should exit with
}

func (*Unfinished) Error() string { return "not everything could be done: see above" }

// runPlain holds the session without a terminal: each line of the input is a question, a command or a cell, a block or a cell
// that goes on is one entry, and each is done before the next is read. Texts are printed as they are.
func runPlain(ctx context.Context, c *core, opt Options) error {
	p := &plain{core: c, out: opt.Out, err: opt.Err}
	if p.err == nil {
		p.err = io.Discard
	}
	c.greeting(p.sink())
	for _, cell := range opt.Cells {
		if err := c.exec(ctx, cell, p.sink()); err != nil {
			return err
		}
		c.refresh(ctx)
	}
	in := bufio.NewReader(opt.In)
	for {
		text, err := typed.Read(ctx, func() (string, error) { return readEntry(in, c.typesCells()) })
		if strings.TrimSpace(text) != "" && p.submit(ctx, text) {
			return p.unfinished()
		}
		switch {
		case ctx.Err() != nil:
			return errors.New("interrupted; " + c.goOn())
		case p.failed != nil:
			return fmt.Errorf("writing to the output: %w", p.failed)
		case errors.Is(err, io.EOF):
			return p.unfinished()
		case err != nil:
			return fmt.Errorf("reading the input: %w", err)
		}
	}
}

// readEntry reads the next entry: a line, a fenced block, or a cell over several lines.
func readEntry(in *bufio.Reader, typesCells bool) (string, error) {
	var entry strings.Builder
	for {
		line, err := in.ReadString('\n')
		entry.WriteString(line)
		if err != nil || complete(strings.TrimSuffix(entry.String(), "\n"), typesCells) {
			return entry.String(), err
		}
	}
}

// plain prints what happens as lines.
type plain struct {
	core   *core
	out    io.Writer
	err    io.Writer
	failed error // writing did
	refuse bool  // something could not be done
}

func (p *plain) submit(ctx context.Context, text string) (quit bool) {
	quit, err := p.core.submit(ctx, text, p.sink())
	p.core.refresh(ctx)
	p.print(p.core.log.Cut())
	if err != nil {
		p.refuse = true
		p.print(p.core.failure(err))
	}
	for _, w := range p.core.takeWarnings() {
		p.print(w)
	}
	return quit
}

// unfinished is the error for a command that ends: nil if everything was done.
func (p *plain) unfinished() error {
	switch code := p.core.failed(); {
	case code != 0:
		return &Unfinished{code}
	case p.refuse:
		return &Unfinished{termination.ExitFailed}
	}
	return nil
}

func (p *plain) print(text string) {
	if text == "" {
		return
	}
	if _, err := fmt.Fprintln(p.out, text); err != nil && p.failed == nil {
		p.failed = err
	}
}

func (p *plain) event(ev trajectory.Event) {
	if d, ok := ev.Data.(trajectory.CallRetried); ok { // a terminal has it in its live line
		p.print(progress.Retry(d, d.Wait))
	}
	p.print(p.core.log.Event(ev))
	if d, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path == "" {
		for _, line := range footnotes.Lines(d) {
			fmt.Fprintln(p.err, line) // the answer itself is out, and all of this is in the log
		}
	}
}

// sink prints all there is; what would be for the input has been typed once already.
func (p *plain) sink() sink {
	return sink{show: p.print, event: p.event, fill: func(string) {}}
}
