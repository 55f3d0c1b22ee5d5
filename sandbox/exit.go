package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/units"
)

// killReason is why a host killed a worker.
type killReason int

const (
	causeClosed killReason = iota
	causeCancelled
	causeTime
	causeCPU
	causeDeadlock
	causeMemory
	causeTreeMemory
	causeProtocol
	causeSilent // the worker closed the connection
	causeStderr
	causeFinal  // the cell continued after its answer
	causeUnwind // the cell continued after it was asked to end
	causeReplay // a replay did not run as the cell did the first time
	causeMove   // the cell begins again in the other engine
)

// cause describes why a host killed a worker.
type cause struct {
	what   killReason
	detail string
	cpu    time.Duration
}

// death describes the end of a worker to the model.
type death struct {
	kind cellerror.Kind
	text string // what happened
	hint string // what to do differently
}

// Signs of a crash in what the Go runtime writes to stderr.
var (
	overflowed = startup.Regexp(`goroutine stack exceeds|stack overflow`)
	starved    = startup.Regexp(`out of memory|cannot allocate memory|heap arena metadata`)
	faulted    = startup.Regexp(`unexpected fault address|SIGBUS`)
	fatalError = startup.Regexp(`(?m)^fatal error: (.*)$`)
	panicked   = startup.Regexp(`(?m)^panic: (.*)$`)
)

// autopsy explains what ended a worker that ran a cell of the session.
func (s *Session) autopsy(p *process) death {
	<-p.exited
	c := p.killedBy()
	if c == nil {
		return p.crash(s.limits, p.signal(), s.contextCut())
	}
	if c.what == causeStderr { // killed while it printed its crash report, whose head is enough
		return p.crash(s.limits, "", s.contextCut())
	}
	return c.death(s.limits)
}

const crashed = 2 // the exit code of the Go runtime after a panic or a fatal error

// killedBy returns why the host killed the process, or nil if the process ended by itself. A crashing process
// closes its connection before it exits, so a busy host may kill it because it seems silent; the exit code or
// signal shows which of the two ended it. The process must have exited.
func (p *process) killedBy() *cause {
	c := p.cause.Load()
	if c == nil || c.what != causeSilent {
		return c
	}
	if signal := p.signal(); p.cmd.ProcessState.ExitCode() == crashed || signal != "" && signal != "SIGKILL" {
		return nil
	}
	return c
}

// contextCut reports whether a file that is or was the session's context is shorter than the range mapped from it.
func (s *Session) contextCut() bool {
	return slices.ContainsFunc(s.views, func(c Context) bool {
		if c.File == nil {
			return false
		}
		info, err := c.File.Stat()
		return err == nil && info.Size() < c.Offset+c.Size
	})
}

// death describes a kill to the model.
func (c *cause) death(l Limits) death {
	switch c.what {
	case causeTime:
		return death{
			cellerror.Timeout, fmt.Sprintf("the cell ran longer than %s and was stopped", l.CellTime),
			"Look for a loop that does not end, or do less in one cell: work on a part first, and keep results in variables.",
		}
	case causeCPU:
		return death{
			cellerror.Timeout,
			fmt.Sprintf("the cell used %s of CPU time, more than the %s it may, and was stopped",
				c.cpu.Round(time.Second/10), l.CellCPU), "Do less in one cell, or with fewer goroutines.",
		}
	case causeDeadlock:
		return death{
			cellerror.Deadlock, "all goroutines of the cell wait for each other, so it was stopped" + c.detail,
			"Typical reasons: an unbuffered channel nobody reads from, a WaitGroup without its Done, a range over a channel that is never closed, a mutex locked twice.",
		}
	case causeMemory:
		return death{
			cellerror.MemoryLimit,
			fmt.Sprintf("the cell used more memory than the %s it may", units.Binary(l.CellMemory)), memoryHint,
		}
	case causeTreeMemory:
		return death{
			cellerror.MemoryLimit,
			"all cells of this run together used more memory than they may, and this one the most", memoryHint,
		}
	case causeProtocol, causeSilent:
		return death{
			cellerror.ProtocolViolation, "the worker broke the rules of its host (" + c.detail + ") and was killed",
			"Use only what the notebook offers.",
		}
	case causeStderr:
		return death{cellerror.FatalRuntime, "the worker crashed with a very long error report", ""}
	case causeUnwind:
		text := "the budget is used up or the run is over, and the cell did not end by itself"
		if c.detail != "" {
			text = c.detail + " (the cell did not end by itself)"
		}
		return death{cellerror.BudgetExceeded, text, ""}
	case causeCancelled:
		return death{cellerror.Cancelled, "the cell was cancelled", ""}
	}
	return death{cellerror.WorkerExit, "the worker was ended by its host", ""}
}

const memoryHint = "Work on the context in pieces (context[a:b] costs nothing), do not copy it, and do not collect what you do not need; " +
	"range over an index instead of building large slices."

// crash interprets the signs of an end that the host did not cause. cut means that a part of the context is gone.
func (p *process) crash(l Limits, signal string, cut bool) death {
	head := p.stderr.String()
	switch {
	case signal == "SIGSYS":
		return death{
			cellerror.SandboxViolation, "the cell tried something that no cell may do, so its worker was killed",
			"A cell can only compute: there are no files, no network and no other processes.",
		}
	case overflowed().MatchString(head):
		return death{
			cellerror.StackOverflow, "a function called itself too deeply (stack overflow)",
			"Check that the recursion ends, or use a loop with a stack of its own.",
		}
	case starved().MatchString(head):
		return death{cellerror.MemoryLimit, fmt.Sprintf(
			"the cell asked for more memory than there is (it may use %s)", units.Binary(l.CellMemory)), memoryHint}
	case faulted().MatchString(head) && cut:
		return death{
			cellerror.FatalRuntime, "the file behind the context was cut short while it was in use, so its end cannot be read any more",
			"Work on what is left of it, or say that the file changed.",
		}
	case faulted().MatchString(head):
		return death{
			cellerror.FatalRuntime, "the worker reached for memory that it does not have, which no cell should be able to make it do",
			"This is a defect of the notebook, not of the idea: write what the cell does in another way.",
		}
	case signal == "SIGKILL":
		return death{
			cellerror.MemoryLimit, "the operating system killed the worker, as it does when memory runs out",
			memoryHint,
		}
	}
	if m := fatalError().FindStringSubmatch(head); m != nil {
		return death{
			cellerror.FatalRuntime, "the Go runtime stopped: " + clean(m[1]),
			"A map or variable that several goroutines write to needs a sync.Mutex; unlock only what is locked.",
		}
	}
	if m := panicked().FindStringSubmatch(head); m != nil {
		return death{
			cellerror.GoroutinePanic, "a goroutine panicked: " + clean(m[1]),
			"Check the values that the goroutine works with, or recover inside of it.",
		}
	}
	return death{cellerror.WorkerExit, "the worker ended: " + p.epitaph(), ""}
}

// epitaph describes in a few words how the process ended.
func (p *process) epitaph() string {
	select {
	case <-p.exited:
	default:
		return "it still runs"
	}
	if c := p.killedBy(); c != nil && c.what != causeClosed {
		return c.death(Limits{}.WithDefaults()).text
	}
	report := p.stderr.String()
	line := crashLine(report)
	if line == "" {
		line, _, _ = strings.Cut(strings.TrimSpace(report), "\n")
	}
	if line != "" {
		return clean(line)
	}
	return p.cmd.ProcessState.String()
}

// crashLine returns the line of a crash report that says what happened, or "".
func crashLine(report string) string {
	return cmp.Or(fatalError().FindString(report), panicked().FindString(report))
}

// clean makes a line of a crash printable and short.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + " …"
	}
	return strings.TrimSpace(s)
}
