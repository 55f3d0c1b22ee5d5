package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front"
	"github.com/gorlm/rlm/internal/front/terminal/footnotes"
	"github.com/gorlm/rlm/internal/front/terminal/input"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/runner/trajectory"
)

// runPlain shows the session without a terminal: each line of the input is a question, a command or a cell; a
// fenced block or an unfinished cell can have several lines. Each entry is finished before the next is read. Texts
// are printed unchanged. At the end of the input, runPlain waits until others' tasks have ended.
func runPlain(ctx context.Context, t *terminal, opt Options) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	p := newLineScreen(t, opt.Out, opt.Err)
	t.hears(p.print)
	t.greeting(p.sink())
	t.attend(ctx, lobby{sink: p.sink(), failed: p.refused, state: func(s sharedState) {
		p.others(s.others)
	}, gone: leave})
	for _, cell := range opt.Cells {
		if err := t.exec(ctx, cell, p.sink()); err != nil {
			return err
		}
		t.refresh(ctx)
	}
	quit, err := p.hold(ctx, opt.In)
	if err == nil && !quit {
		_, _ = t.free(ctx) // after an error there is nothing to wait for
	}
	t.stopAttending()
	switch {
	case t.gone != nil && !errors.Is(t.gone, context.Canceled):
		return t.gone
	case err != nil:
		return err
	}
	return p.unfinished()
}

// arrived waits until the state of the terminal's session has been received.
func (t *terminal) arrived(ctx context.Context) error {
	for {
		t.mu.Lock()
		told, joined, lost := t.told, t.joined, t.lost
		t.mu.Unlock()
		if told > joined || lost != nil {
			return nil
		}
		if _, err := t.next(ctx, told, 0); err != nil {
			return err
		}
	}
}

// hold handles the input, one entry after another, until it ends or the person leaves.
func (p *lineScreen) hold(ctx context.Context, from io.Reader) (quit bool, err error) {
	in := bufio.NewReader(decoding.Lines(from))
	for {
		var text string
		if err = p.core.arrived(ctx); err == nil {
			text, err = input.Read(ctx, func() (string, error) { return readEntry(in, p.board.typesCells()) })
		}
		if (err == nil || errors.Is(err, io.EOF)) && strings.TrimSpace(text) != "" && p.submit(ctx, text) {
			return true, nil
		}
		switch {
		case ctx.Err() != nil:
			return false, errors.New("stopped; " + p.core.goOn())
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

// lineScreen prints what happens in a session as lines.
type lineScreen struct {
	core  *terminal
	board *console
	out   io.Writer
	err   io.Writer

	mu     sync.Mutex // guards the fields below and the transcript, since others' work is shown concurrently
	failed error      // the first error of writing to out
	refuse bool       // something in the input could not be done
	told   string     // the last message about others' work
}

func newLineScreen(t *terminal, out, err io.Writer) *lineScreen {
	p := &lineScreen{core: t, board: &t.console, out: out, err: err}
	if p.err == nil {
		p.err = io.Discard
	}
	return p
}

func (p *lineScreen) submit(ctx context.Context, text string) (quit bool) {
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

// keeps prints a notice if what was typed must wait until others are done.
func (p *lineScreen) keeps(text string) {
	p.mu.Lock()
	who := p.told
	p.mu.Unlock()
	if who != "" && !p.core.beside(text) {
		p.print("· queued; it is sent when that is done: " + who)
	}
}

// others prints what others are doing.
func (p *lineScreen) others(who string) {
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

// refused prints an error.
func (p *lineScreen) refused(err error) {
	p.mu.Lock()
	p.refuse = true
	p.mu.Unlock()
	p.print(p.core.failure(err))
}

// unfinished returns the command's final error: nil if everything was done. Details have been printed already.
func (p *lineScreen) unfinished() error {
	code := p.core.exitCode()
	if code == 0 && p.refuse {
		code = exitcode.Failed
	}
	if code == 0 {
		return nil
	}
	return &front.Exit{Code: code, Err: errors.New("some input failed: see above")}
}

func (p *lineScreen) broken() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

func (p *lineScreen) print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(text)
}

func (p *lineScreen) write(text string) {
	if text == "" {
		return
	}
	if _, err := fmt.Fprintln(p.out, text); err != nil && p.failed == nil {
		p.failed = err
	}
}

// cut prints the incomplete reply, if one was cut off.
func (p *lineScreen) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(p.board.log.Cut())
}

func (p *lineScreen) event(ev trajectory.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(p.board.log.Event(ev))
	if d, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path == "" {
		for _, line := range footnotes.Lines(d) {
			fmt.Fprintln(p.err, line) // a failed write is ignored: the log has the footnotes
		}
	}
}

// sink prints everything except text for the input, which has been typed already.
func (p *lineScreen) sink() sink {
	return sink{show: p.print, event: p.event, fill: func(string) {}}
}
