package chat

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/gorlm/rlm/internal/front/terminal/progress"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/runner/trajectory"
)

// queuedInput is a job that waits for its turn.
type queuedInput struct {
	name  string // shown while the job waits and while it runs
	typed bool   // the person typed it; if stopped, it returns to the input
	do    func(ctx context.Context, out sink) (quit bool, err error)
}

// typed handles typed text. A command that can run while something else runs is run immediately.
func (m *tui) typed(text string) tea.Cmd {
	if err := m.history.add(text); err != nil {
		m.board.warn(err)
	}
	if m.board.anytime(text) {
		m.print(m.board.log.Command(text))
		return m.ended(m.board.aside(text, m.stop))
	}
	if m.core.beside(text) {
		m.atOnce(text)
		return nil
	}
	return m.submit(queuedInput{name: text, typed: true, do: func(ctx context.Context, out sink) (bool, error) {
		return m.core.submit(ctx, text, out)
	}})
}

// submit starts a job, or queues it while something runs.
func (m *tui) submit(j queuedInput) tea.Cmd {
	if m.busy || m.shared.others != "" {
		m.queue = append(m.queue, j)
		return nil
	}
	ctx, cancel := context.WithCancelCause(m.ctx)
	now := time.Now()
	m.busy, m.cancel = true, cancel
	m.live = activity{now: now, began: now, doing: j.name, progress: progress.Progress{Phase: progress.Idle}}
	m.board.spawn(func() {
		defer cancel(nil)
		m.board.using.Lock()
		quit, err := j.do(ctx, m.sink())
		m.core.refresh(ctx)
		m.board.using.Unlock()
		m.send(doneMsg{quit, err})
	})
	return m.tick()
}

// sink sends results to the screen.
func (m *tui) sink() sink {
	return sink{
		show:  func(s string) { m.send(showMsg(s)) },
		event: func(ev trajectory.Event) { m.send(eventMsg(ev)) },
		fill:  func(s string) { m.send(fillMsg(s)) },
		edit:  func(s string) { m.send(editMsg(s)) },
	}
}

// lobby sends what sink sends, and also failures, states of the session, and its end.
func (m *tui) lobby() lobby {
	return lobby{
		sink: m.sink(), failed: func(err error) { m.send(showMsg(m.core.failure(err))) },
		state: func(s sharedState) { m.send(stateMsg(s)) }, gone: func() { m.send(goneMsg{}) },
	}
}

// atOnce runs a command immediately, without queueing it.
func (m *tui) atOnce(text string) {
	m.looking++
	m.board.spawn(func() {
		_, err := m.core.submit(m.ctx, text, m.sink())
		m.send(besideMsg{err})
	})
}

// state shows what others do. Once they are done, it sends queued input.
func (m *tui) state(now sharedState) tea.Cmd {
	before := m.shared
	m.shared = now
	switch {
	case m.busy:
		return nil
	case now.others == "":
		m.live = activity{}
		m.print(m.board.log.Cut())
		return m.next()
	case now.others != before.others:
		m.live.now = time.Now()
		m.live.began, m.live.doing = m.live.now, now.others
	}
	return m.tick()
}

// next starts the first queued job.
func (m *tui) next() tea.Cmd {
	if len(m.queue) == 0 {
		return nil
	}
	first := m.queue[0]
	m.queue = m.queue[1:]
	return m.submit(first)
}

// event shows an event and updates the live part.
func (m *tui) event(ev trajectory.Event) {
	if ev.Path == "" {
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			m.live.progress = progress.Progress{}
		case trajectory.CellStarted:
			m.live.output = ""
		case trajectory.CellEnded:
			m.live.output = ""
			m.board.learn(d)
		case trajectory.CellPrinted:
			if d.Restart {
				m.live.output = ""
			}
			m.live.output = tail(m.live.output+screen.Clean(d.Text), liveLines+1)
		}
	}
	m.live.progress.Add(ev)
	m.print(m.board.log.Event(ev))
}

func (m *tui) done(msg doneMsg) tea.Cmd {
	m.busy, m.cancel, m.leave, m.live = false, nil, false, activity{}
	m.print(m.board.log.Cut())
	m.prompt()
	end := m.ended("", msg.quit, msg.err)
	if draft := m.draft; draft != nil { // not during the job, whose last line would stay on the screen
		m.draft = nil
		end = tea.Batch(end, m.editor(*draft))
	}
	if msg.quit || m.shared.others != "" {
		return end
	}
	return tea.Batch(end, m.next())
}

// ended shows the last output of a finished job.
func (m *tui) ended(text string, quit bool, err error) tea.Cmd {
	m.print(text)
	if err != nil {
		m.print(m.core.failure(err))
	}
	for _, w := range m.board.takeWarnings() {
		m.print(m.board.render.Paint(screen.Faint, w))
	}
	if quit {
		return m.quit()
	}
	return nil
}

// stop stops the current job; the session stays open. Queued input returns to the input, because it may have been
// meant to follow the stopped job.
func (m *tui) stop() bool {
	if m.cancel == nil && len(m.queue) == 0 {
		return false
	}
	if m.cancel != nil {
		m.cancel(errStopped)
	}
	var back []string
	var keep []queuedInput
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

// pasteIsDocument is the length in bytes from which a pasted text becomes a document of the context instead of part
// of the question, where it would cost its tokens again in every turn.
const pasteIsDocument = 2000

// paste puts a short text into the input; a long one becomes a document.
func (m *tui) paste(text string) tea.Cmd {
	m.escaped = false
	if len(text) < pasteIsDocument {
		return m.edit(tea.PasteMsg{Content: text})
	}
	name := m.board.textName("paste")
	m.area.InsertString("[" + name + "] ")
	return m.submit(queuedInput{name: "adding " + name, do: func(ctx context.Context, out sink) (bool, error) {
		return false, m.core.addPaste(ctx, name, text, out)
	}})
}

func (m *tui) tick() tea.Cmd {
	if m.ticking || !m.busy && m.shared.others == "" {
		return nil
	}
	m.ticking = true
	return tea.Tick(200*time.Millisecond, func(t time.Time) tea.Msg { return tickMsg(t) })
}
