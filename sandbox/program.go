package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A worker is this program again, so any of the program's packages can break it. Such errors belong to the session
// and not to a cell, because every other cell would fail in the same way.
const (
	again  = "a worker is this program started again, so the init functions of all its packages run in it first"
	inMain = "begin such things in main"
)

// errWaits is the cause for cancelling the start of a worker that sleeps before it is ready.
var errWaits = errors.New("an init function waits")

const (
	waitTime = 5 * time.Second        // how long a starting worker may sleep before its start is cancelled
	waitLook = 250 * time.Millisecond // how often that is checked
)

// watchStart cancels the start of a worker that sleeps in an init function, long before the time limit.
func (p *process) watchStart(ctx context.Context, end context.CancelCauseFunc) {
	look := time.NewTicker(waitLook)
	defer look.Stop()
	for still := time.Duration(0); still < waitTime; {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		switch first, others := p.usage.sleep(); {
		case !first:
			still = 0
		case others: // other goroutines of the program may still wake the first
			still += waitLook
		}
	}
	end(errWaits)
}

// neverReady returns the error for a worker that did not lock itself in.
func (p *process) neverReady(err error) error {
	select {
	case <-p.exited:
		p.stderr.join()
		return fmt.Errorf("start a worker: it ended before it was ready%s (%s); %s and must not exit: %s",
			in(stranger(p.stderr.String(), 0)), p.epitaph()+p.exit(), again, inMain)
	default:
	}
	words := p.stderr.ever()
	p.dump() // shows where it waits
	return fmt.Errorf("start a worker: %w%s; %s and must not wait, as for the lock of a database: %s%s",
		err, in(stranger(p.stderr.String(), 1)), again, inMain, words)
}

// endedByProgram returns the error for a worker that a package of this program ended while it was in use: by a
// panic in one of its goroutines, or by calling os.Exit with a failure after writing to stderr. It waits until the
// process has exited, and returns nil if it exited for another reason.
func (p *process) endedByProgram() error {
	<-p.exited
	report := p.stderr.String()
	code := p.cmd.ProcessState.ExitCode()
	switch at := stranger(report, 0); {
	case p.killedBy() != nil, code <= 0, p.stderr.ever() == "", strings.HasPrefix(report, "worker: "):
		return nil
	case code != crashed:
		return fmt.Errorf("a goroutine of a package of this program ended the worker by os.Exit (%s)%s; %s, and what they start goes on there: %s",
			p.cmd.ProcessState, p.stderr.ever(), again, inMain)
	case at != "":
		return fmt.Errorf("a goroutine crashed the worker%s (%s); %s, and what they start goes on there: %s", in(at),
			p.epitaph(), again, inMain)
	}
	return nil
}

// ended reports whether the process has ended and was reaped. That is known here before exited is closed.
func (p *process) ended() bool {
	return errors.Is(p.cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// died returns the error for a worker that has ended or closed its connection. It waits until the process has exited.
func (p *process) died() error {
	if err := p.endedByProgram(); err != nil {
		return err
	}
	return &diedError{p.epitaph(), p.killedBy() == nil}
}

// why returns the error of a step that failed. How the worker died explains more than what the step then met.
func (p *process) why(step string, err error) error {
	if p.ended() {
		return p.died()
	}
	return fmt.Errorf("%s: %w", step, err)
}

// exit returns the process's exit status, unless stderr has more details.
func (p *process) exit() string {
	if p.stderr.last() == "" {
		return ""
	}
	return ", " + p.cmd.ProcessState.String()
}

func in(function string) string {
	if function == "" {
		return ""
	}
	return " in " + function
}

// house lists the path prefixes of the packages that run cells.
var house = []string{
	"github.com/traefik/yaegi/", "github.com/gorlm/rlm/repl", "github.com/gorlm/rlm/sandbox",
	"github.com/gorlm/rlm/termination", "github.com/gorlm/rlm/internal/kit/",
}

// stranger returns the innermost function, on a stack of a crash report, of a package of the program that does not
// run cells. The stack is that of the numbered goroutine; with 0, the first one. The result is empty if there is no
// such function, or if the goroutine belongs to a cell.
func stranger(report string, goroutine int) (function string) {
	first := "\ngoroutine "
	if goroutine > 0 {
		first += fmt.Sprintf("%d ", goroutine)
	}
	_, rest, _ := strings.Cut("\n"+report, first)
	stack, _, _ := strings.Cut(rest, "\n\n")
	for line := range strings.Lines(stack) {
		name, called := strings.CutPrefix(line, "created by ")
		name, _, call := strings.Cut(name, "(")
		name, _, _ = strings.Cut(name, " ")
		host, _, path := strings.Cut(name, "/")
		switch {
		case !call && !called, strings.HasPrefix(line, "\t"):
		case slices.ContainsFunc(house, func(h string) bool { return strings.HasPrefix(name, h) }):
			return ""
		case function == "" && (path && strings.Contains(host, ".") || strings.HasPrefix(name, "main.")):
			function = clean(name)
		}
	}
	return function
}
