package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// What a package of the program does in a worker, which is this program again, is an error of the session and not of a cell: no other
// cell would do better.
const (
	again  = "a worker is this program again, so the init functions of all its packages run in it first"
	inMain = "begin such things in main"
)

// errWaits is the end of the wait for a worker that does nothing before it is ready.
var errWaits = errors.New("an init function waits")

const (
	waitTime = 5 * time.Second        // after which a worker that does nothing counts as one that waits
	waitLook = 250 * time.Millisecond // at what it does
)

// watchStart has the start of a worker end that sleeps in an init function, long before its time is over.
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
		case others: // a package may have goroutines that do something now and then
			still += waitLook
		}
	}
	end(errWaits)
}

// neverReady is the error for a worker that did not get as far as locking itself in.
func (p *process) neverReady(err error) error {
	select {
	case <-p.exited:
		return fmt.Errorf("start a worker: it ended before it was ready%s (%s); %s and must not exit: %s",
			in(stranger(p.stderr.String(), 0)), p.epitaph()+p.exit(), again, inMain)
	default:
	}
	words := p.stderr.last()
	p.dump() // which shows where it waits
	return fmt.Errorf("start a worker: %w%s; %s and must not wait, as for the lock of a database: %s%s",
		err, in(stranger(p.stderr.String(), 1)), again, inMain, words)
}

// endedByProgram is the error for a worker that a package of this program ended while it was in use: by a panic in a goroutine of its
// own, or by os.Exit with a failure and words on stderr. It waits for the end of the process, and is nil for all other ends.
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
		return fmt.Errorf("a goroutine crashed the worker%s (%s); %s, and what they start goes on there: %s", in(at), p.epitaph(), again, inMain)
	}
	return nil
}

// exit adds how the process ended to what it said.
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

// house are the packages whose functions run cells.
var house = []string{
	"github.com/traefik/yaegi/", "github.com/gorlm/rlm/repl", "github.com/gorlm/rlm/sandbox", "github.com/gorlm/rlm/termination", "github.com/gorlm/rlm/internal/kit/",
}

// stranger is the innermost function of the program's other packages on the first stack of a report that belongs to a goroutine with this number;
// 0 is any. It is empty if there is none, or if the goroutine is one of a cell.
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
