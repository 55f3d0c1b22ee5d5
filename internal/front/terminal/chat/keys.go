package chat

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// key handles a key press. Keys without a special meaning go to the input.
func (m *tui) key(msg tea.KeyPressMsg) tea.Cmd {
	press := msg.String()
	if press != "ctrl+c" {
		m.leave = false
	}
	if cmd, ok := m.choiceKey(msg); ok {
		return cmd
	}
	if m.search.on && m.searchKey(msg) || m.menu.open && m.menuKey(press) {
		return nil
	}
	if m.chord {
		m.chord = false
		if press == "ctrl+e" {
			return m.editor(m.area.Value())
		}
	}
	if cmd, ok := m.controlKey(press); ok {
		return cmd
	}
	switch press {
	case "enter":
		return m.enter()
	case "tab":
		m.complete()
		return nil
	case "up":
		if m.area.Line() == 0 && m.recall(m.history.up(m.area.Value())) {
			return nil
		}
	case "down":
		if m.area.Line() == m.area.LineCount()-1 && m.recall(m.history.down()) {
			return nil
		}
	case "esc":
		if !m.stop() {
			m.escaped = true // the next Enter begins a new line
		}
		return nil
	case "backspace":
		if m.area.Value() == "" && m.board.typesCells() {
			m.print(m.board.toggle())
			m.prompt()
			return nil
		}
	}
	m.escaped = false
	return m.edit(msg)
}

// controlKey handles keys that mean the same wherever the cursor is.
func (m *tui) controlKey(press string) (cmd tea.Cmd, ok bool) {
	switch press {
	case "ctrl+c":
		return m.interrupt(), true
	case "ctrl+d":
		if m.area.Value() == "" {
			return m.quit(), true
		}
	case "ctrl+\\":
		return m.quit(), true
	case "ctrl+l":
		return tea.Sequence(tea.Raw("\x1b[H\x1b[2J"), tea.ClearScreen), true
	case "ctrl+r":
		m.beginSearch()
		return nil, true
	case "ctrl+x":
		m.chord = true
		return nil, true
	case "ctrl+z":
		return tea.Suspend, true
	}
	return nil, false
}

// interrupt stops the current job, or clears the input if nothing runs. A second interrupt in a row leaves the
// session.
func (m *tui) interrupt() tea.Cmd {
	if m.leave {
		return m.quit()
	}
	m.leave = true
	if !m.stop() {
		m.area.Reset()
	}
	return nil
}

// quit leaves the session once all output is on the screen.
func (m *tui) quit() tea.Cmd {
	if m.cancel != nil {
		m.cancel(nil)
	}
	m.queue = nil
	m.leaving, m.area.Placeholder = true, "" // the hint should not stay in the scrollback
	return nil
}

// enter sends the input, or begins a new line if the input is unfinished or Esc was pressed before.
func (m *tui) enter() tea.Cmd {
	text := m.area.Value()
	if m.escaped || !complete(text, m.board.typesCells()) {
		m.escaped = false
		m.area.InsertRune('\n')
		return nil
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	m.area.Reset()
	return m.typed(text)
}

func (m *tui) recall(entry string, ok bool) bool {
	if ok {
		m.area.SetValue(entry)
		m.area.MoveToEnd()
	}
	return ok
}
