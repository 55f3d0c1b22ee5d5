package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/trajectory"
)

// terminal is a person's access to a session, wherever the session is open: in this process, in another terminal or
// at a server. Whatever happens in the session, including what others do, arrives as events. What is typed is sent
// as soon as the session is free.
type terminal struct {
	console
	own      *own            // opens sessions in this process; nil if sessions are a server's
	again    string          // the command that opens a session again, without the session's id
	attached map[string]bool // files that questions mentioned, by full path

	attending sync.WaitGroup // the goroutines that show the events
	leaveAll  func()         // ends these goroutines
	moving    sync.Mutex     // held during a take-over
	gone      error          // why there are no more events

	// The console's mutex guards the fields below.
	at      sessionHandle
	leave   func() // stops showing the current session
	joined  int    // value of told when the terminal switched to the session
	state   session.State
	told    int           // number of states received so far
	changed chan struct{} // closed and replaced when told grows
	shown   int64         // number of the last event shown
	past    sessionCells
	lost    error            // why the session is currently unusable
	failed  *session.Failure // the failure of the last task begun here
	code    int              // exit code of the last question without an answer
	full    bool             // a full disk was reported in detail
}

// lobby shows what happens in a session, including what others do.
type lobby struct {
	sink
	failed func(err error)     // a task failed
	state  func(s sharedState) // the state of the shared session has changed
	gone   func()              // there are no more events
}

// sharedState is what others do in a session.
type sharedState struct {
	others string // who does what; "" if nobody else does anything
	ahead  int    // number of questions that are answered before the person's own
}

// newTerminal makes the terminal of a session.
func newTerminal(ctx context.Context, s Screen, at sessionHandle, o *own, again string) *terminal {
	t := &terminal{
		at: at, own: o, again: again, leave: func() {}, attached: map[string]bool{},
		changed: make(chan struct{}),
	}
	t.setUp(s)
	t.commands, t.ids = t.list(), t.sessionIDs
	t.refresh(ctx)
	return t
}

// here returns the terminal's current session.
func (t *terminal) here() sessionHandle {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at
}

// close leaves the session, which stays on disk.
func (t *terminal) close() error {
	t.wait()
	t.stopAttending()
	if t.own == nil {
		return nil
	}
	t.here().close()
	return t.own.close()
}

// stopAttending stops showing what happens.
func (t *terminal) stopAttending() {
	if t.leaveAll != nil {
		t.leaveAll()
	}
	t.attending.Wait()
}

// greeting shows the first lines: what the session is, its last question, and the news since.
func (t *terminal) greeting(out sink) {
	at := t.here()
	title := " · session " + at.id + at.whose() + " · /help lists the commands"
	lines := []string{t.render.Paint(screen.Bold, "rlm") + t.render.Paint(screen.Faint, title)}
	now := t.look()
	lines = append(lines, t.render.Paint(screen.Faint, now.text))
	if now.noModel != "" {
		lines = append(lines, t.render.Paint(
			screen.Faint, t.render.Wrap("no model: cells still run (> CODE); /model NAME sets one for questions", 0)))
	}
	var recalled []trajectory.Event
	if at.where == inProcess {
		recalled = t.remember(at)
	}
	t.mu.Lock()
	asked := len(t.past.asked)
	t.mu.Unlock()
	if asked > 0 && at.where == inProcess {
		lines = append(lines, t.render.Paint(
			screen.Faint, fmt.Sprintf("reopened: %s, %s", units.Of(asked, "earlier question"), spent(now.totals))))
	}
	out.show(strings.Join(lines, "\n"))
	t.remind(recalled, out)
	for _, w := range t.takeWarnings() {
		out.show(t.render.Paint(screen.Red, t.render.Wrap(w, 0)))
	}
}

// goOn returns a message with the command that opens the session again.
func (t *terminal) goOn() string {
	at := t.here()
	text := "continue with: " + t.again + " " + at.id
	if at.where == atServer {
		text = "the session stays on the server; " + text
	}
	return text
}

// failure formats an error for the person.
func (t *terminal) failure(err error) string {
	if session.Is(err, session.DiskFull) {
		err = errors.New(t.diskFull())
	}
	if errors.Is(err, context.Canceled) {
		return t.render.Paint(screen.Faint, "stopped; the session is kept")
	}
	return t.render.Paint(screen.Red, "error: ") + t.render.Wrap(err.Error(), 7)
}

// diskFull explains that the session's disk is full: in detail the first time, then briefly.
func (t *terminal) diskFull() string {
	t.mu.Lock()
	told := t.full
	t.full = true
	t.mu.Unlock()
	if told {
		return "failed: the disk is full"
	}
	return "the disk is full: nothing more can be recorded in " + t.here().dir + "; free some space, then " + t.goOn()
}

// submit handles what a person typed and returns when it is done. quit reports that the person wants to leave.
func (t *terminal) submit(ctx context.Context, text string, out sink) (quit bool, err error) {
	in, err := parseEntry(text, t.typesCells())
	if err != nil {
		out.show(t.log.Command(text))
		return false, err
	}
	switch in.kind {
	case entryCommand:
		out.show(t.log.Command(text))
		return t.command(ctx, in.text, out)
	case entryCell:
		for _, cell := range in.cells {
			if err := t.exec(ctx, cell, out); err != nil {
				return false, err
			}
		}
	case entryToggle:
		out.show(t.toggle())
	case entryHelp:
		if help, ok := t.helpFor(in.text); ok {
			out.show(t.log.Command(text) + "\n" + help)
			return false, nil
		}
		if t.typesCells() {
			return false, errors.New("nothing is known about " + in.text)
		}
		return false, t.ask(ctx, strings.TrimSpace(text), out)
	case entryQuestion:
		return false, t.ask(ctx, in.text, out)
	}
	return false, nil
}

// beside reports whether an input need not queue and can run immediately.
func (t *terminal) beside(text string) bool {
	in, err := parseEntry(text, t.typesCells())
	switch {
	case err != nil || in.kind == entryToggle:
		return true
	case in.kind == entryHelp:
		_, ok := t.helpFor(in.text)
		return ok
	case in.kind == entryCommand:
		cmd, args, err := t.find(in.text)
		return err != nil || cmd.beside || cmd.shows && args == ""
	}
	return false
}

// fail stores an exit code for the command.
func (t *terminal) fail(code int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.code = code
}

// exitCode returns the exit code of the last question without an answer; 0 if there is none.
func (t *terminal) exitCode() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.code
}
