package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
)

// errStopped is the cause of a context that was cancelled because the person stopped the task. A person who leaves
// does not set it, and a task in another process continues.
var errStopped = fmt.Errorf("stopped: %w", context.Canceled)

// Timeouts of a terminal.
const (
	askAgain = time.Second      // before the next attempt, if the session was busy although its state was free
	stopTime = 10 * time.Second // for a server to acknowledge a stop
	endTime  = time.Minute      // for a task in this process to end
)

// unbegunError means that a task did not begin.
type unbegunError struct{ error }

func (e unbegunError) Unwrap() error { return e.error }

func wasBegun(err error) bool {
	_, not := errors.AsType[unbegunError](err)
	return !not
}

// ask asks the model a question. If the question cannot be sent, it returns to the input.
func (t *terminal) ask(ctx context.Context, question string, out sink) error {
	out.show(t.log.Question(question))
	if missing := t.look().noModel; missing != "" {
		out.fill(question)
		t.fail(exitcode.Usage)
		return errors.New(missing)
	}
	key := client.NewKey()
	err := t.attach(ctx, question, out)
	if err == nil {
		err = t.begin(ctx, func(ctx context.Context, at sessionHandle) (session.Receipt, error) {
			return begins(ctx, at, session.Request{
				Command: "ask", Key: key, Args: session.AskRequest{Question: question},
			})
		})
	} else {
		err = unbegunError{err}
	}
	if !wasBegun(err) {
		out.fill(question)
	}
	return err
}

// exec runs a person's own cell.
func (t *terminal) exec(ctx context.Context, source string, out sink) error {
	err := t.work(ctx, "cell", session.CellRequest{Source: source})
	if !wasBegun(err) && t.here().where != inProcess {
		out.fill(screen.Fenced(source))
	}
	return err
}

// begins sends a request that begins a long task in a session.
func begins(ctx context.Context, at sessionHandle, r session.Request) (session.Receipt, error) {
	r.Session = at.id
	return session.Do[session.Receipt](ctx, at, r)
}

// do runs a short command in the session.
func do[Out any](ctx context.Context, t *terminal, command string, args any) (out Out, err error) {
	t.mu.Lock()
	at, lost := t.at, t.lost
	t.mu.Unlock()
	if lost != nil {
		return out, lost
	}
	return session.Do[Out](ctx, at, session.Request{Command: command, Session: at.id, Args: args})
}

// work runs a long task that uses no model, and returns when it has ended.
func (t *terminal) work(ctx context.Context, command string, args any) error {
	key := client.NewKey()
	err := t.begin(ctx, func(ctx context.Context, at sessionHandle) (session.Receipt, error) {
		return begins(ctx, at, session.Request{Command: command, Key: key, Args: args})
	})
	if err == nil && ctx.Err() != nil {
		err = context.Canceled
	}
	return err
}

// begin begins a task once the session is free, and returns when the task has ended and its results are on the
// screen. The error is an unbegunError if the task did not begin; otherwise it is the reason why the task failed.
func (t *terminal) begin(ctx context.Context, do func(context.Context, sessionHandle) (session.Receipt, error)) error {
	for {
		seen, err := t.free(ctx)
		if err != nil {
			return unbegunError{err}
		}
		at := t.here()
		begun, err := do(ctx, at)
		switch {
		case at.waits(err):
			if _, err := t.next(ctx, seen, askAgain); err != nil {
				return unbegunError{err}
			}
			continue
		case err != nil && ctx.Err() != nil && t.begunAnyway(ctx): // the request had arrived before it was cancelled
		case err != nil:
			return unbegunError{err}
		case !begun.Again:
			t.ended(ctx, begun.State.Number)
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if f := t.failed; f != nil {
			t.failed = nil
			return errorOf(*f)
		}
		return t.lost
	}
}

// waits reports whether to retry after a refusal: somebody else's request was earlier, or another terminal has just
// taken over the session and this one will follow.
func (p sessionHandle) waits(err error) bool {
	return session.Is(err, session.Busy) || p.where == inProcess && session.Is(err, session.Locked)
}

// free waits until the session is idle, and returns the number of states received until then.
func (t *terminal) free(ctx context.Context) (seen int, err error) {
	for {
		t.mu.Lock()
		seen, free, lost := t.told, t.told > t.joined && t.state.Doing == "", t.lost
		if free {
			t.failed = nil
		}
		t.mu.Unlock()
		if lost != nil {
			return seen, lost
		}
		if free {
			return seen, ctx.Err()
		}
		if _, err := t.next(ctx, seen, 0); err != nil {
			return seen, err
		}
	}
}

// next waits until more than seen states have been received, but no longer than most if that is not 0. It returns
// their number.
func (t *terminal) next(ctx context.Context, seen int, most time.Duration) (told int, err error) {
	t.mu.Lock()
	told, changed := t.told, t.changed
	t.mu.Unlock()
	if told > seen {
		return told, ctx.Err()
	}
	var late <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-changed:
		return told + 1, nil
	case <-late:
		return told, nil
	case <-ctx.Done():
		return told, ctx.Err()
	}
}

// begunAnyway reports whether a task began although its request was cancelled. If so, it stops the task and waits
// for its end.
func (t *terminal) begunAnyway(ctx context.Context) bool {
	if !t.stopped(ctx) {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	s, err := do[session.Summary](ctx, t, "session", nil)
	t.mu.Lock()
	began := err == nil && t.does(s.State)
	t.mu.Unlock()
	if began && t.stop(ctx) == nil {
		t.ended(ctx, s.State.Number)
	}
	return began
}

// ended waits for the end of the task with this number, even after the person has stopped it. If the person leaves
// while the task runs in another process, ended returns immediately.
func (t *terminal) ended(ctx context.Context, number int64) {
	for waits := ctx; ; {
		t.mu.Lock()
		told, now := t.told, t.state
		over := t.lost != nil || told > t.joined && (now.Number > number || now.Number == number && now.Doing == "")
		t.mu.Unlock()
		if over {
			return
		}
		if _, err := t.next(waits, told, 0); err == nil {
			continue
		}
		if !t.stopped(ctx) {
			return
		}
		most := stopTime
		if t.here().where == inProcess {
			most = endTime
		}
		var enough context.CancelFunc
		waits, enough = context.WithTimeout(context.WithoutCancel(ctx), most)
		defer enough()
		ctx = context.WithoutCancel(ctx)
	}
}

// stopped stops the current task if the person asked for that, or leaves and the task runs in this process. It
// reports whether it did.
func (t *terminal) stopped(ctx context.Context) bool {
	leaves := ctx.Err() != nil && t.here().where == inProcess
	if !leaves && !errors.Is(context.Cause(ctx), errStopped) {
		return false
	}
	return t.stop(ctx) == nil
}

// stop stops the session's current task, even if somebody else began it.
func (t *terminal) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	at := t.here()
	_, err := at.Do(ctx, session.Request{Command: "stop", Session: at.id})
	return err
}

// stopWork handles /stop: it stops what was begun or queued in this terminal, or else what others do.
func (t *terminal) stopWork(_ string, stop func() bool) (string, error) {
	if stop() {
		return "", nil
	}
	t.mu.Lock()
	busy := t.state.Doing != ""
	t.mu.Unlock()
	if !busy {
		return "nothing is running", nil
	}
	t.spawn(func() {
		if err := t.stop(context.Background()); err != nil {
			t.warn(err)
		}
	})
	return "", nil
}

// addPaste makes a document of a long pasted text.
func (t *terminal) addPaste(ctx context.Context, name, text string, out sink) error {
	return t.adds(ctx, out, func(ctx context.Context, at sessionHandle) (session.Receipt, error) {
		return at.Upload(ctx, at.id,
			func(add func(string, io.Reader) error) error { return add(name, strings.NewReader(text)) })
	})
}

// members lists the members of an operand, or none if the notebook does not return them.
func (t *terminal) members(ctx context.Context, operand string) []string {
	out, err := do[session.Members](ctx, t, "members", session.MembersRequest{Operand: operand})
	if err != nil {
		return nil
	}
	return identifiers(out.Members)
}
