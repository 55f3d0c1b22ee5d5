package chat

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
)

const (
	liveLines = 8 // lines of a reply or an output that are shown while it comes in
	menuLines = 6 // completions that are shown at once
)

// View draws what is going on, the input, and the state of the session below it.
func (m *tui) View() tea.View {
	var parts []string
	if m.busy {
		parts = append(parts, m.liveView())
	}
	for _, waits := range m.queue {
		parts = append(parts, m.core.render.paint(faint, m.line("queued: "+firstLine(waits.name))))
	}
	parts = append(parts, m.area.View())
	if m.menu.open {
		parts = append(parts, m.menuView())
	}
	parts = append(parts, m.core.render.paint(faint, m.line(m.status())))
	view := tea.NewView(strings.Join(parts, "\n"))
	return view
}

func (m *tui) liveView() string {
	r := m.core.render
	var text string
	switch {
	case m.live.output != "":
		text = m.live.output
	case m.live.reply != "":
		text = screen.Clean(m.live.reply)
	}
	line := r.paint(cyan, spinner(m.live.now)) + " " + m.line(m.live.progress.Line(m.live.now))
	if text == "" {
		return "\n" + line
	}
	return "\n" + r.paint(faint, tail(r.wrap(text, 0), liveLines)) + "\n" + line
}

// spinner turns once a second or so, a picture of the time.
func spinner(now time.Time) string {
	frames := []string{"⠋", "⠙", "⠸", "⠴", "⠦"}
	return frames[int(now.UnixMilli()/200)%len(frames)]
}

func (m *tui) status() string {
	if m.leave {
		return "Ctrl-C again leaves; the session is kept"
	}
	return m.core.status()
}

func (m *tui) menuView() string {
	first := max(0, min(m.menu.at-menuLines/2, len(m.menu.candidates)-menuLines))
	last := min(first+menuLines, len(m.menu.candidates))
	var lines []string
	for i, c := range m.menu.candidates[first:last] {
		mark := "  "
		if first+i == m.menu.at {
			mark = "▸ "
		}
		lines = append(lines, m.line(mark+screen.Clean(c)))
	}
	if left := len(m.menu.candidates) - (last - first); left > 0 {
		lines = append(lines, fmt.Sprintf("  … %d more", left))
	}
	return strings.Join(lines, "\n")
}

// line cuts text to the width of the screen.
func (m *tui) line(text string) string {
	if m.width <= 0 {
		return text
	}
	return truncate(text, m.width-2)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
