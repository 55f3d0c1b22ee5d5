package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/gorlm/rlm/internal/front/terminal/progress"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Messages from jobs to the screen.
type (
	showMsg  string           // text that stays on the screen
	eventMsg trajectory.Event // something happened
	fillMsg  string           // text for the input
	editMsg  string           // text for the person's editor
	doneMsg  struct {         // a job has ended
		quit bool
		err  error
	}
	printedMsg struct{} // a piece of output is on the screen, so the next can be printed
	tickMsg    time.Time
	stateMsg   sharedState                // what others do has changed
	besideMsg  struct{ err error }        // a command that does not queue has ended
	goneMsg    struct{}                   // the session is no longer available
	askedMsg   struct{ *pendingQuestion } // a question for the person; nil removes it
)

// tui shows the session on a terminal: finished output scrolls away above, while the live part and the input stay
// at the bottom. Its state changes only by messages: keys and events. It never waits for the session: jobs run in
// goroutines and send messages.
type tui struct {
	core    *terminal
	board   *console
	cells   []string // cells to run at the start
	ctx     context.Context
	send    func(tea.Msg)              // set before the program runs
	put     func(piece string) tea.Cmd // prints above the live part, then sends printedMsg
	area    textarea.Model
	history *history
	live    activity
	menu    menu
	search  search
	choice  choice

	out      screen.Printer // queue of everything to print
	printing bool           // a piece is being printed, until printedMsg arrives
	leaving  bool           // quit once everything is printed

	busy    bool
	looking int // number of running commands that did not queue
	ticking bool
	cancel  context.CancelCauseFunc // cancels the current job
	shared  sharedState             // what others do in the session
	queue   []queuedInput           // submitted while busy
	draft   *string                 // text to open in the person's editor once the current job is done
	leave   bool                    // the next Ctrl-C leaves the session
	escaped bool                    // the next Enter begins a new line
	chord   bool                    // Ctrl-X was the last key
	asked   int                     // number of the latest request for members
	width   int
	height  int
	drawn   frame
	joins   bool         // the terminal draws joined emoji as one
	raw     func(string) // writes directly to the terminal; nil if there is none
}

// activity is what the live part shows of the current task.
type activity struct {
	now      time.Time
	began    time.Time
	doing    string // name of the job, or what others do
	progress progress.Progress
	output   string // output of the running cell so far
}

// runTUI shows the session on a terminal until the person leaves or ctx ends.
func runTUI(ctx context.Context, t *terminal, h *history, opt Options) error {
	staying, leave := context.WithCancel(ctx) // done when the person leaves
	defer leave()
	m := newTUI(staying, t, h, opt)
	m.printing = true // until the live part is drawn
	out := tellWhenDrawn(opt.Out, func() { t.spawn(func() { m.send(printedMsg{}) }) })
	program := tea.NewProgram(
		m, tea.WithContext(ctx), tea.WithInput(opt.In), tea.WithOutput(out), tea.WithoutSignalHandler())
	m.send = program.Send
	t.hears(func(text string) { program.Send(showMsg(text)) })
	if opt.Asker != nil {
		opt.Asker.shows(func(q *pendingQuestion) { program.Send(askedMsg{q}) })
		defer opt.Asker.shows(nil)
	}
	io.WriteString(out, m.greet()+"\n")
	m.raw = func(s string) { io.WriteString(out, s) } // without a terminal, the program ends anyway
	_, err := program.Run()
	leave()
	t.wait()
	if draft := m.area.Value(); strings.TrimSpace(draft) != "" {
		_ = h.add(draft) // so that it can be recalled in the next session
	}
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = ctx.Err()
	}
	rest := m.out.Next(1 << 20) // output left over if ctx ended the program
	if rest != "" {
		rest += "\n"
	}
	io.WriteString(opt.Out, rest+t.goOn()+"\n") // the terminal may no longer exist
	return err
}

func newTUI(ctx context.Context, t *terminal, h *history, opt Options) *tui {
	area := textarea.New()
	area.ShowLineNumbers = false
	area.DynamicHeight, area.MinHeight, area.MaxHeight, area.MaxContentHeight = true, 1, inputHeightMost, 10_000
	area.CharLimit = 0
	area.KeyMap.InsertNewline.SetKeys("alt+enter", "shift+enter", "ctrl+j")
	area.KeyMap.LineNext.SetKeys("down", "ctrl+n")
	area.KeyMap.LinePrevious.SetKeys("up", "ctrl+p")
	area.KeyMap.SelectAll.SetKeys()
	area.SetVirtualCursor(false)
	area.SetStyles(inputStyles(t.render))
	area.Focus()
	m := &tui{
		core: t, board: &t.console, cells: opt.Cells, ctx: ctx, area: area, history: h, width: 80, height: 24,
		put: printAbove,
	}
	m.choice.settle = settleTime
	m.resize(opt.Width, opt.Height)
	m.prompt()
	return m
}

// inputStyles returns the styles of the input, which has the terminal's own colours except for the hint.
func inputStyles(r *screen.Renderer) textarea.Styles {
	state := textarea.StyleState{Placeholder: r.Style(screen.Faint)}
	return textarea.Styles{Focused: state, Blurred: state, Cursor: textarea.CursorStyle{Blink: true}}
}

// printAbove prints a piece above the live part, and sends printedMsg once it is on the screen.
func printAbove(piece string) tea.Cmd {
	if piece == "" {
		piece = " " // the library would ignore an empty piece
	}
	return tea.Sequence(tea.Println(piece), func() tea.Msg { return printedMsg{} })
}

// prompt sets the prompt and the hint of the input, for questions or cells.
func (m *tui) prompt() {
	m.area.Prompt, m.area.Placeholder = "› ", "Ask, run a cell with > or ```go, or /help"
	if m.board.typesCells() {
		m.area.Prompt, m.area.Placeholder = "go> ", "Type Go, > alone for questions, or /help"
	}
	m.area.SetWidth(m.width)
}

// greet returns the text above everything drawn. It is written before the first drawing: a terminal that clears
// its screen from the top, as tmux does, keeps the text, and a live part in the first line would be left behind.
func (m *tui) greet() string {
	m.core.greeting(sink{show: m.print, event: func(ev trajectory.Event) { m.print(m.board.log.Event(ev)) }})
	return m.out.Next(math.MaxInt)
}

// Init starts to show events and runs the cells of the file.
func (m *tui) Init() tea.Cmd {
	m.core.attend(m.ctx, m.lobby())
	cmds := []tea.Cmd{m.printNext()}
	for i, cell := range m.cells {
		cmds = append(cmds, m.submit(queuedInput{
			name: fmt.Sprintf("cell %d of the file", i+1), do: func(ctx context.Context, out sink) (bool, error) {
				return false, m.core.exec(ctx, cell, out)
			},
		}))
	}
	return tea.Batch(cmds...)
}

// Update handles the next message, then prints the next piece.
func (m *tui) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	return m, tea.Batch(cmd, m.printNext())
}

func (m *tui) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width < m.width && m.raw != nil {
			m.raw(m.drawn.narrowed(msg.Width))
		}
		m.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case showMsg:
		m.print(string(msg))
	case fillMsg:
		m.giveBack(string(msg))
	case editMsg:
		draft := string(msg)
		m.draft = &draft
	case editedMsg:
		m.edited(msg)
	case eventMsg:
		m.event(trajectory.Event(msg))
	case doneMsg:
		return m.done(msg)
	case tea.ModeReportMsg:
		m.joins = m.joins || msg.Mode == ansi.ModeUnicodeCore &&
			(msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet)
	case askedMsg:
		m.choose(msg.pendingQuestion)
	case settledMsg:
		if m.choice.pressed.Equal(time.Time(msg)) {
			m.answer()
		}
	case completedMsg:
		m.completed(msg)
	case printedMsg:
		m.printing = false
	case tickMsg:
		m.ticking = false
		m.live.now = time.Time(msg)
		return m.tick()
	case stateMsg:
		return m.state(sharedState(msg))
	case besideMsg:
		m.looking--
		m.prompt()
		return m.ended("", false, msg.err)
	case goneMsg:
		return m.quit()
	default:
		return m.edit(msg)
	}
	return nil
}

// print queues text for printing.
func (m *tui) print(text string) { m.out.Add(text, m.width) }

// printNext prints the next piece of the queue, one at a time; once all is printed, it quits if the person is
// leaving.
func (m *tui) printNext() tea.Cmd {
	switch {
	case m.printing:
		return nil
	case !m.out.Empty():
		m.printing = true
		return m.put(m.out.Next(m.room()))
	case m.leaving:
		m.leaving = false
		return tea.Quit
	}
	return nil
}

func (m *tui) resize(width, height int) {
	if width > 0 {
		m.width = width
	}
	if height > 0 {
		m.height = height
	}
	m.board.render.Resize(m.width)
	m.area.MaxHeight = min(inputHeightMost, max(1, m.frameMost()-2))
	m.area.SetWidth(m.width)
}

// edit passes a message to the input.
func (m *tui) edit(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	m.area, cmd = m.area.Update(msg)
	return cmd
}

// giveBack puts text into the input, before what is already there.
func (m *tui) giveBack(text string) {
	if typed := m.area.Value(); strings.TrimSpace(typed) != "" && typed != text {
		text += "\n" + typed
	}
	m.area.SetValue(text)
	m.area.MoveToEnd()
}

func (m *tui) edited(msg editedMsg) {
	if msg.err != nil {
		m.print(m.core.failure(msg.err))
		return
	}
	m.area.SetValue(msg.text)
	m.area.MoveToEnd()
}
