package chat

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/gorlm/rlm/internal/front/terminal/progress"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
)

// Maximum number of lines of each component of the live part.
const (
	inputHeightMost = 12 // of the input before it scrolls
	liveLines       = 8  // of an incomplete reply, or of a running cell's output
	menuLines       = 6  // of completions
	queueLines      = 3  // of queued jobs
)

// frameMost is the maximum height of the live part. The rest of the screen is for a piece printed above it:
// together they must fit on the screen, or they would be garbled.
func (m *tui) frameMost() int { return max(3, m.height*2/3) }

// room is the number of lines that can be printed above the live part in one piece.
func (m *tui) room() int { return max(1, m.height-m.frameMost()-1) }

// View draws the live part, the input, and the status line below it.
func (m *tui) View() tea.View {
	below, cursor := m.inputView()
	if m.menu.open {
		below = append(below, m.menuView(m.frameMost()-len(below)-1)...)
	}
	below = append(below, m.board.render.Paint(screen.Faint, m.line(m.status())))
	above := m.above(m.frameMost() - len(below))
	m.drawn = frame{lines: append(above, below...)}
	view := tea.NewView(strings.Join(m.drawn.lines, "\n"))
	if view.Cursor = cursor; cursor != nil {
		cursor.Y += len(above)
		m.drawn.column, m.drawn.line = view.Cursor.X, view.Cursor.Y
	}
	return view
}

// inputView returns the input, or the question that replaces it, and the cursor's position in it.
func (m *tui) inputView() ([]string, *tea.Cursor) {
	if m.choice.pendingQuestion != nil {
		return m.choiceView()
	}
	cursor := m.area.Cursor()
	if cursor != nil {
		cursor.X += m.shift()
	}
	return strings.Split(m.apart(m.area.View()), "\n"), cursor
}

// above returns the current task and the queue as lines; most limits their number.
func (m *tui) above(most int) []string {
	if !m.busy && m.shared.others == "" || most <= 0 {
		return nil
	}
	r := m.board.render
	lines := []string{r.Paint(screen.Cyan, spinner(m.live.now)) + " " + m.line(m.liveLine())}
	for i, waits := range m.queue {
		if i == queueLines && len(m.queue) > queueLines+1 {
			lines = append(lines, r.Paint(
				screen.Faint, m.line(fmt.Sprintf("queued: %d more", len(m.queue)-queueLines))))
			break
		}
		lines = append(lines, r.Paint(screen.Faint, m.line("queued: "+text.FirstLine(waits.name))))
	}
	lines = lines[:min(len(lines), most)]
	if text := tail(r.Wrap(screen.Clean(m.liveText()), 0), min(liveLines, most-len(lines)-1)); text != "" {
		var coming []string
		for line := range strings.SplitSeq(text, "\n") {
			coming = append(coming, r.Paint(screen.Faint, m.line(line)))
		}
		lines = append(coming, lines...)
	}
	if len(lines) < most {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// liveText returns the output of the running cell, or the reply so far.
func (m *tui) liveText() string {
	if m.live.output != "" {
		return m.live.output
	}
	return m.board.log.Partial()
}

// liveLine describes what is going on, and for how long.
func (m *tui) liveLine() string {
	p := m.live.progress
	if p.Phase == progress.Idle {
		line := text.FirstLine(m.live.doing) + " · " + m.live.now.Sub(m.live.began).Round(100*time.Millisecond).String()
		if m.shared.ahead > 0 {
			line += " · waiting for " + units.Of(m.shared.ahead, "question") + " from others"
		}
		return line
	}
	if m.shared.others != "" {
		return m.shared.others + " · " + p.Line(m.live.now)
	}
	return p.Line(m.live.now)
}

// spinner is an animation that shows the time passing, one turn per second.
func spinner(now time.Time) string {
	frames := []string{"⠋", "⠙", "⠸", "⠴", "⠦"}
	return frames[int(now.UnixMilli()/200)%len(frames)]
}

func (m *tui) status() string {
	switch {
	case m.search.on:
		return m.search.status()
	case m.leave:
		return "Ctrl-C again leaves; the session is kept"
	}
	return m.board.status()
}

// menuView lists the completions around the selected one.
func (m *tui) menuView(most int) []string {
	shown := min(menuLines, len(m.menu.candidates), max(1, most-1))
	first := max(0, min(m.menu.at-shown/2, len(m.menu.candidates)-shown))
	var lines []string
	for i, c := range m.menu.candidates[first : first+shown] {
		mark := "  "
		if first+i == m.menu.at {
			mark = "▸ "
		}
		lines = append(lines, m.line(mark+c))
	}
	if left := len(m.menu.candidates) - shown; left > 0 && most > shown {
		lines = append(lines, fmt.Sprintf("  … %d more", left))
	}
	return lines
}

// tail returns the last lines of text.
func tail(text string, lines int) string {
	if lines <= 0 {
		return ""
	}
	text = strings.TrimRight(text, "\n")
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] != '\n' {
			continue
		}
		if lines--; lines == 0 {
			return text[i+1:]
		}
	}
	return text
}

// line returns text on one line, cut to the width of the screen.
func (m *tui) line(text string) string { return screen.Truncate(screen.Line(text), m.width-3) }
