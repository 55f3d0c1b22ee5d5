package chat

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/gorlm/rlm/cmd/rlm/internal/progress"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/runner/trajectory"
)

// job is something to do that takes its turn.
type job struct {
	name  string // shown while it waits, and while it runs without a turn
	typed bool   // it is what a person typed, and goes back to the input when it is not done
	do    func(ctx context.Context, out sink) (quit bool, err error)
}

// typed takes what was typed. A command that can run beside the work does so at once: such commands never wait.
func (m *tui) typed(text string) tea.Cmd {
	if err := m.history.add(text); err != nil {
		m.core.warn(err)
	}
	if m.core.anytime(text) {
		return m.ended(m.core.aside(text, m.stop))
	}
	return m.submit(job{name: text, typed: true, do: func(ctx context.Context, out sink) (bool, error) {
		return m.core.submit(ctx, text, out)
	}})
}

// submit starts a job, or lets it wait while something runs.
func (m *tui) submit(j job) tea.Cmd {
	if m.busy {
		m.queue = append(m.queue, j)
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	now := time.Now()
	m.busy, m.cancel = true, cancel
	m.live = live{now: now, began: now, doing: j.name, progress: progress.Progress{Phase: progress.Idle}}
	m.core.spawn(func() {
		defer cancel()
		m.core.using.Lock()
		quit, err := j.do(ctx, sink{
			show:  func(s string) { m.send(showMsg(s)) },
			event: func(ev trajectory.Event) { m.send(eventMsg(ev)) },
			fill:  func(s string) { m.send(fillMsg(s)) },
			edit:  func(s string) { m.send(editMsg(s)) },
		})
		m.core.refresh(ctx)
		m.core.using.Unlock()
		m.send(doneMsg{quit, err})
	})
	return m.tick()
}

// event shows what happened and keeps what is going on.
func (m *tui) event(ev trajectory.Event) {
	m.live.progress.Add(ev)
	if ev.Path == "" {
		switch d := ev.Data.(type) {
		case trajectory.CellStarted:
			m.live.output = ""
		case trajectory.CellEnded:
			m.live.output = ""
			m.core.learn(d)
		case trajectory.CellPrinted:
			m.live.output = tail(m.live.output+screen.Clean(d.Text), liveLines+1)
		}
	}
	m.print(m.core.log.Event(ev))
}

func (m *tui) done(msg doneMsg) tea.Cmd {
	m.busy, m.cancel, m.leave, m.live = false, nil, false, live{}
	m.print(m.core.log.Cut())
	m.prompt()
	end := m.ended("", msg.quit, msg.err)
	if draft := m.draft; draft != nil { // only now: the editor's screen would be left with the job's last line above it
		m.draft = nil
		end = tea.Batch(end, m.editor(*draft))
	}
	if len(m.queue) == 0 || msg.quit {
		return end
	}
	next := m.queue[0]
	m.queue = m.queue[1:]
	return tea.Batch(end, m.submit(next))
}

// ended shows what a finished job has left to say.
func (m *tui) ended(text string, quit bool, err error) tea.Cmd {
	m.print(text)
	if err != nil {
		m.print(m.core.failure(err))
	}
	for _, w := range m.core.takeWarnings() {
		m.print(m.core.render.paint(faint, w))
	}
	if quit {
		return m.quit()
	}
	return nil
}

// stop ends what is running; the session stays. What was typed meanwhile goes back to the input: it may have been
// meant for what is stopped.
func (m *tui) stop() bool {
	if m.cancel == nil {
		return false
	}
	m.cancel()
	var back []string
	var keep []job
	for _, j := range m.queue {
		if j.typed {
			back = append(back, j.name)
		} else {
			keep = append(keep, j)
		}
	}
	if m.queue = keep; len(back) > 0 {
		m.giveBack(strings.Join(back, "\n"))
	}
	return true
}

// pasteIsDocument is the length in bytes from which a pasted text becomes a document of the context
// instead of part of the question: such a text would cost its tokens again in every turn.
const pasteIsDocument = 2000

// paste puts a short text into the input; a long one becomes a document.
func (m *tui) paste(text string) tea.Cmd {
	m.escaped = false
	if len(text) < pasteIsDocument {
		return m.edit(tea.PasteMsg{Content: text})
	}
	name := m.core.textName("paste")
	m.area.InsertString("[" + name + "] ")
	return m.submit(job{name: "adding " + name, do: func(ctx context.Context, out sink) (bool, error) {
		return false, m.core.addPaste(ctx, name, text, out)
	}})
}

func (m *tui) tick() tea.Cmd {
	if !m.busy {
		return nil
	}
	return tea.Tick(200*time.Millisecond, func(t time.Time) tea.Msg { return tickMsg(t) })
}
