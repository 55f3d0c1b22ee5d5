package chat

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// attend shows what happens in the session from now on, until close.
func (t *terminal) attend(ctx context.Context, on lobby) {
	ctx, t.leaveAll = context.WithCancel(context.WithoutCancel(ctx)) // a stopped task is shown to its end
	t.attending.Go(func() {
		for ctx.Err() == nil && t.stay(ctx, on) {
		}
	})
}

// stay shows what happens in the terminal's current session until the terminal moves to another one or the session
// is gone. It reports whether there is more to show.
func (t *terminal) stay(ctx context.Context, on lobby) bool {
	staying, leave := context.WithCancel(ctx)
	defer leave()
	t.mu.Lock()
	at := t.at
	t.leave = leave
	t.mu.Unlock()
	err := t.recall(staying, at, on)
	if err == nil {
		err = t.watch(staying, at, on)
	}
	t.moving.Lock() // wait for a take-over in progress, which may move the terminal
	moved := staying.Err() != nil
	t.moving.Unlock()
	if moved || t.cutOff(ctx, at, err, on) {
		return true
	}
	t.gone = err
	on.gone()
	return false
}

// cutOff handles the end of a session's events. If another terminal has taken the session over, this terminal
// follows it; if the other terminal is gone, cutOff waits for the person. It reports whether there is more to show.
func (t *terminal) cutOff(ctx context.Context, at sessionHandle, err error, on lobby) bool {
	switch {
	case at.where == inProcess && session.Is(err, session.Locked):
		on.show(t.render.Paint(screen.Faint,
			"another terminal has taken over the session; this one follows it, and /take-over takes it back"))
		t.own.leave()
		var p sessionHandle
		if p, err = t.own.following(ctx, at.dir); err == nil {
			t.settle(p)
			return true
		}
	case at.where != inTerminal:
		return false
	}
	if ctx.Err() == nil {
		t.lose(ctx, on)
	}
	return true
}

var errLost = errors.New("the terminal that had the session open is gone; /take-over continues the session here")

// lose waits while no terminal has the session open, until the person continues with it here or opens another one.
func (t *terminal) lose(ctx context.Context, on lobby) {
	staying, leave := context.WithCancel(ctx)
	defer leave()
	t.mu.Lock()
	t.lost, t.leave, t.state = errLost, leave, session.State{}
	t.hear()
	t.mu.Unlock()
	on.failed(errLost)
	on.state(sharedState{})
	<-staying.Done()
}

// hear counts a new state and wakes everything that waits for one. The caller holds mu.
func (t *terminal) hear() {
	t.told++
	close(t.changed)
	t.changed = make(chan struct{})
}

// settle makes the terminal use the same session in another process.
func (t *terminal) settle(p sessionHandle) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at, t.joined, t.state, t.lost = p, t.told, session.State{}, nil
	t.leave()
}

// recall shows the last question of a session with its run, and later cells.
func (t *terminal) recall(ctx context.Context, at sessionHandle, on lobby) error {
	t.mu.Lock()
	seen := t.shown > 0
	t.mu.Unlock()
	if at.until == 0 || seen {
		return nil
	}
	var last []trajectory.Event
	after := int64(0)
	for h, err := range at.Events(ctx, at.id, session.EventOptions{Brief: true}) {
		if err != nil {
			return err
		}
		if ev := h.Event; ev.Data != nil && !trajectory.Transient(ev.Data) {
			if _, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" {
				last = nil
			}
			last = append(last, ev)
			t.note(at, ev)
		}
		if after = max(after, h.Event.Seq); after >= at.until {
			break
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	for _, ev := range last {
		t.show(ev, false, on)
	}
	return nil
}

// remember reads the log of a session that was opened here. It notes the questions and cells, and returns the news
// since the last question, for remind.
func (t *terminal) remember(at sessionHandle) (news []trajectory.Event) {
	for ev, err := range trajectory.Skim(at.dir) {
		if err != nil {
			t.warn(fmt.Errorf("reading the session: %w", err))
			return news
		}
		if _, ended := ev.Data.(trajectory.RunEnded); ended && ev.Path == "" {
			news = nil
		}
		if isNews(ev) {
			news = append(news, ev)
		}
		t.note(at, ev)
	}
	return news
}

// isNews reports whether an event is about the session itself and not about a question: an addition to the
// context, or a warning.
func isNews(ev trajectory.Event) bool {
	if ev.Path != "" {
		return false
	}
	switch ev.Data.(type) {
	case trajectory.ContextAdded, trajectory.Warned:
		return true
	}
	return false
}

// remind shows the state of a session that was opened here: its last question, and the news since.
func (t *terminal) remind(news []trajectory.Event, out sink) {
	t.mu.Lock()
	var last exchange
	asked := len(t.past.asked)
	if asked > 0 {
		last = t.past.asked[asked-1]
	}
	t.mu.Unlock()
	if t.here().where != inProcess {
		return
	}
	switch {
	case asked == 0:
	case last.end.Data == nil:
		out.show(t.log.Question(last.question))
		out.show(t.render.Paint(screen.Faint, "interrupted; /retry continues it"))
	default:
		out.show(t.log.Question(last.question))
		out.event(last.end)
	}
	for _, ev := range news {
		out.event(ev)
	}
}

// note records an event for /cells, /show and /retry.
func (t *terminal) note(at sessionHandle, ev trajectory.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at.id == at.id && !trajectory.Transient(ev.Data) {
		t.shown = max(t.shown, ev.Seq)
		t.past.add(ev)
	}
}

// watch shows what happens in a session after the last event shown.
func (t *terminal) watch(ctx context.Context, at sessionHandle, on lobby) error {
	t.mu.Lock()
	after := t.shown
	t.mu.Unlock()
	for h, err := range at.Events(ctx, at.id, session.EventOptions{After: after}) {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
		case h.State != nil:
			t.tell(ctx, at, *h.State, on)
		case h.Failed != nil:
			t.failing(*h.Failed, on)
		case h.Event.Data != nil:
			ev := t.whole(ctx, at, h.Event)
			t.note(at, ev)
			mine := t.isMine()
			t.show(ev, mine, on)
			if _, ok := ev.Data.(trajectory.RunEnded); ok && ev.Path == "" && mine {
				var r runner.Result
				if r.Add(ev); r.ExitCode() != exitcode.Answered {
					t.fail(r.ExitCode())
				}
			}
		}
	}
	return ctx.Err()
}

// failing stores a failure for the caller of begin, or shows it if the task was somebody else's.
func (t *terminal) failing(f session.Failure, on lobby) {
	if !t.isMine() {
		on.failed(errorOf(f))
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = &f
}

func errorOf(f session.Failure) error { return &session.Error{Code: f.Code, Message: f.Message} }

// whole fetches a reply that was too long for the stream. If that fails, a note is shown instead of the reply.
func (t *terminal) whole(ctx context.Context, at sessionHandle, ev trajectory.Event) trajectory.Event {
	if d, ok := ev.Data.(trajectory.ReplyReceived); ok && ev.Path == "" {
		if _, err := d.Content.Load(); err != nil {
			full, err := session.Do[trajectory.Event](ctx, at, session.Request{
				Command: "event", Session: at.id, Params: map[string]string{"seq": fmt.Sprint(ev.Seq)},
			})
			if err == nil {
				return full
			}
		}
	}
	return ev
}

// show shows an event. The person's own question is already on the screen.
func (t *terminal) show(ev trajectory.Event, mine bool, on lobby) {
	if d, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" && !mine {
		on.show(t.log.Question(d.Question))
	}
	on.event(ev)
}

// tell stores and shows the session's new state. If somebody else's task has ended, it also refreshes the snapshot.
func (t *terminal) tell(ctx context.Context, at sessionHandle, s session.State, on lobby) {
	t.mu.Lock()
	if t.at.id != at.id {
		t.mu.Unlock()
		return
	}
	before := t.state
	t.state = s
	t.hear()
	others, were := t.others(s), t.others(before)
	t.mu.Unlock()
	now := sharedState{others: others}
	if s.Ahead != nil {
		now.ahead = *s.Ahead
	}
	on.state(now)
	if were != "" && s.Doing == "" {
		t.attending.Go(func() {
			t.refresh(ctx)
			on.state(now)
		})
	}
}

// does reports whether the session's current task was begun in this terminal. The caller holds mu.
func (t *terminal) does(s session.State) bool {
	return s.Doing != "" && s.Client == t.at.Window()
}

// others describes the current task and its owner if somebody else began it. The caller holds mu.
func (t *terminal) others(s session.State) string {
	if s.Doing == "" || t.does(s) {
		return ""
	}
	return s.By + ": " + s.Doing
}

func (t *terminal) isMine() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.does(t.state)
}

func idOf(dir string) string { return filepath.Base(dir) }
