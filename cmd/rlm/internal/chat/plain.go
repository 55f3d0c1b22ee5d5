package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

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
	p := newPlain(c, &c.board, opt.Out, opt.Err)
	p.code = c.failed
	c.greeting(p.sink())
	for _, cell := range opt.Cells {
		if err := c.exec(ctx, cell, p.sink()); err != nil {
			return err
		}
		c.refresh(ctx)
	}
	if _, err := p.hold(ctx, opt.In); err != nil {
		return err
	}
	return p.unfinished()
}

// hold does what the input says, line by line, up to its end or until the person wants to leave.
func (p *plain) hold(ctx context.Context, input io.Reader) (quit bool, err error) {
	in := bufio.NewReader(input)
	for {
		var text string
		if err = p.arrived(ctx); err == nil {
			text, err = typed.Read(ctx, func() (string, error) { return readEntry(in, p.board.typesCells()) })
		}
		if strings.TrimSpace(text) != "" && p.submit(ctx, text) {
			return true, nil
		}
		switch {
		case ctx.Err() != nil:
			return false, errors.New("interrupted; " + p.core.goOn())
		case p.broken() != nil:
			return false, fmt.Errorf("writing to the output: %w", p.broken())
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("reading the input: %w", err)
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
	core    notebook
	board   *board
	out     io.Writer
	err     io.Writer
	code    func() int                  // what a command should exit with for questions without an answer
	arrived func(context.Context) error // waits until what is there is shown

	mu     sync.Mutex // guards what follows, and the transcript: what others do is shown meanwhile
	failed error      // writing did
	refuse bool       // something could not be done
	told   string     // who was said to be at it
}

func newPlain(n notebook, b *board, out, err io.Writer) *plain {
	p := &plain{core: n, board: b, out: out, err: err, arrived: func(context.Context) error { return nil }}
	if p.err == nil {
		p.err = io.Discard
	}
	return p
}

func (p *plain) submit(ctx context.Context, text string) (quit bool) {
	p.keeps(text)
	quit, err := p.core.submit(ctx, text, p.sink())
	p.core.refresh(ctx)
	p.cut()
	if err != nil {
		p.refused(err)
	}
	for _, w := range p.board.takeWarnings() {
		p.print(w)
	}
	return quit
}

// keeps says that what was typed waits until others are done.
func (p *plain) keeps(text string) {
	p.mu.Lock()
	who := p.told
	p.mu.Unlock()
	if who != "" && !p.core.beside(text) {
		p.print("· kept; it is sent when that is done: " + who)
	}
}

// others tells who else does something.
func (p *plain) others(who string) {
	p.mu.Lock()
	before := p.told
	p.told = who
	p.mu.Unlock()
	if who == "" {
		p.cut()
	} else if who != before {
		p.print("· " + who)
	}
}

// refused says what could not be done.
func (p *plain) refused(err error) {
	p.mu.Lock()
	p.refuse = true
	p.mu.Unlock()
	p.print(p.core.failure(err))
}

// unfinished is the error for a command that ends: nil if everything was done.
func (p *plain) unfinished() error {
	switch code := p.code(); {
	case code != 0:
		return &Unfinished{code}
	case p.refuse:
		return &Unfinished{termination.ExitFailed}
	}
	return nil
}

func (p *plain) broken() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

func (p *plain) print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(text)
}

func (p *plain) write(text string) {
	if text == "" {
		return
	}
	if _, err := fmt.Fprintln(p.out, text); err != nil && p.failed == nil {
		p.failed = err
	}
}

// cut shows what came of a reply that broke off.
func (p *plain) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(p.board.log.Cut())
}

func (p *plain) event(ev trajectory.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d, ok := ev.Data.(trajectory.CallRetried); ok { // a terminal has it in its live line
		p.write(progress.Retry(d, d.Wait))
	}
	p.write(p.board.log.Event(ev))
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
