package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"github.com/gorlm/rlm/cmd/rlm/internal/progress"
	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/runner/trajectory"
)

// inputHeightMost is how many lines the input grows to before it scrolls.
const inputHeightMost = 12

// pasteIsDocument is the length in bytes from which a pasted text becomes a document of the context
// instead of part of the question: such a text would cost its tokens again in every turn.
const pasteIsDocument = 2000

// Messages from the work to the screen.
type (
	showMsg  string           // something that stays on the screen
	eventMsg trajectory.Event // something that happens
	fillMsg  string           // text for the input (/edit)
	doneMsg  struct {         // what was submitted has ended
		quit bool
		err  error
	}
	tickMsg time.Time
)

// tui is the session on a terminal: what is finished scrolls away above, what is going on and the input stay
// at the bottom. It never waits for the session: work runs in a goroutine of its own and sends messages.
type tui struct {
	core    *core
	ctx     context.Context
	send    func(tea.Msg) // set before the program runs
	area    textarea.Model
	history *history
	log     *transcript
	live    live
	menu    menu

	busy    bool
	cancel  context.CancelFunc // of what is running
	queue   []job              // submitted while busy
	leave   bool               // the next Ctrl-C leaves
	escaped bool               // the next Enter begins a new line
	err     error
	width   int
}

// live is what is going on right now.
type live struct {
	now      time.Time
	progress progress.Progress
	reply    string // streamed so far
	output   string // printed by the running cell so far
}

// runTUI runs the session on a terminal until the person leaves or ctx ends.
func runTUI(ctx context.Context, c *core, h *history, opt Options) error {
	m := newTUI(ctx, c, h)
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(opt.In), tea.WithOutput(opt.Out), tea.WithoutSignalHandler())
	m.send = program.Send
	_, err := program.Run()
	if m.cancel != nil {
		m.cancel()
	}
	c.wait()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = ctx.Err()
	}
	return errors.Join(err, m.err)
}

func newTUI(ctx context.Context, c *core, h *history) *tui {
	area := textarea.New()
	area.Prompt = "› "
	area.Placeholder = "Ask, run a cell with > or ```go, or /help"
	area.ShowLineNumbers = false
	area.DynamicHeight, area.MinHeight, area.MaxHeight, area.MaxContentHeight = true, 1, inputHeightMost, 10_000
	area.CharLimit = 0
	area.KeyMap.InsertNewline.SetKeys("alt+enter", "shift+enter", "ctrl+j")
	area.KeyMap.LineNext.SetKeys("down")
	area.KeyMap.LinePrevious.SetKeys("up")
	area.Focus()
	return &tui{core: c, ctx: ctx, area: area, history: h, log: &transcript{r: c.render}}
}

// Init asks for nothing: the first screen needs no answer from the terminal.
func (m *tui) Init() tea.Cmd {
	cmds := []tea.Cmd{tea.Println(m.core.greeting())}
	for i, cell := range m.core.opt.Cells {
		cmds = append(cmds, m.submit(job{name: fmt.Sprintf("cell %d of the file", i+1), do: func(ctx context.Context, out sink) (bool, error) {
			return false, m.core.exec(ctx, cell, out)
		}}))
	}
	return tea.Sequence(cmds...)
}

// Update takes the next message.
func (m *tui) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width)
		return m, nil
	case tea.KeyPressMsg:
		return m, m.key(msg)
	case tea.PasteMsg:
		return m, m.paste(msg.Content)
	case showMsg:
		return m, printed(string(msg))
	case fillMsg:
		m.area.SetValue(string(msg))
		return m, nil
	case eventMsg:
		return m, m.event(trajectory.Event(msg))
	case doneMsg:
		return m, m.done(msg)
	case tickMsg:
		m.live.now = time.Time(msg)
		return m, m.tick()
	}
	return m, m.edit(msg)
}

func (m *tui) resize(width int) {
	m.width = width
	m.core.render.resize(width)
	m.area.SetWidth(width)
}

// edit hands a message to the input and looks anew at what it could be completed to.
func (m *tui) edit(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	m.area, cmd = m.area.Update(msg)
	return cmd
}

// job is something to do that takes its turn.
type job struct {
	name string // shown while it waits
	do   func(ctx context.Context, out sink) (quit bool, err error)
}

// typed takes what was typed. A command that can run beside the work does so at once: such commands never wait.
func (m *tui) typed(text string) tea.Cmd {
	if err := m.history.add(text); err != nil {
		m.core.warn(err)
	}
	if m.core.anytime(text) {
		return m.ended(m.core.aside(text, m.stop))
	}
	return m.submit(job{name: text, do: func(ctx context.Context, out sink) (bool, error) {
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
	m.busy, m.cancel, m.live = true, cancel, live{now: time.Now()}
	m.core.spawn(func() {
		defer cancel()
		quit, err := j.do(ctx, sink{
			show:  func(s string) { m.send(showMsg(s)) },
			event: func(ev trajectory.Event) { m.send(eventMsg(ev)) },
			fill:  func(s string) { m.send(fillMsg(s)) },
		})
		m.core.refresh(ctx)
		m.send(doneMsg{quit, err})
	})
	return m.tick()
}

// event shows what happened and keeps what is going on.
func (m *tui) event(ev trajectory.Event) tea.Cmd {
	m.live.progress.Add(ev)
	if ev.Path == "" {
		switch d := ev.Data.(type) {
		case trajectory.ReplyDelta:
			if d.Restart {
				m.live.reply = ""
			}
			m.live.reply += d.Content
		case trajectory.ReplyReceived:
			m.live.reply = ""
		case trajectory.CellStarted, trajectory.CellEnded:
			m.live.output = ""
		case trajectory.CellPrinted:
			m.live.output = tail(m.live.output+screen.Clean(d.Text), liveLines+1)
		}
	}
	return printed(m.log.Event(ev))
}

func (m *tui) done(msg doneMsg) tea.Cmd {
	m.busy, m.cancel, m.leave, m.live = false, nil, false, live{}
	end := m.ended("", msg.quit, msg.err)
	if len(m.queue) == 0 || msg.quit {
		return end
	}
	next := m.queue[0]
	m.queue = m.queue[1:]
	return tea.Sequence(end, m.submit(next))
}

// ended shows what a finished job has left to say.
func (m *tui) ended(text string, quit bool, err error) tea.Cmd {
	cmds := []tea.Cmd{printed(text)}
	if err != nil {
		cmds = append(cmds, printed(m.core.failure(err)))
	}
	for _, w := range m.core.takeWarnings() {
		cmds = append(cmds, printed(m.core.render.paint(faint, w)))
	}
	if quit {
		cmds = append(cmds, m.quit())
	}
	return tea.Sequence(cmds...)
}

// stop ends what is running; the session stays.
func (m *tui) stop() bool {
	if m.cancel == nil {
		return false
	}
	m.cancel()
	return true
}

// paste puts a short text into the input; a long one becomes a document.
func (m *tui) paste(text string) tea.Cmd {
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

func printed(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return tea.Println(text)
}
