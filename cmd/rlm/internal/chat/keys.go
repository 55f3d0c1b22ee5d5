package chat

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// key is what a key press does. Keys that have no meaning of their own here belong to the input.
func (m *tui) key(msg tea.KeyPressMsg) tea.Cmd {
	press := msg.String()
	if press != "ctrl+c" {
		m.leave = false
	}
	if m.menu.open {
		if handled := m.menuKey(press); handled {
			return nil
		}
	}
	switch press {
	case "ctrl+c":
		return m.interrupt()
	case "ctrl+d":
		if m.area.Value() == "" {
			return m.quit()
		}
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
		m.escaped = true // the next Enter is a new line
		return nil
	}
	m.escaped = false
	return m.edit(msg)
}

// interrupt stops what runs; with nothing running it clears the input; twice in a row leaves.
func (m *tui) interrupt() tea.Cmd {
	if m.leave {
		return m.quit()
	}
	m.leave = true
	m.queue = nil
	if m.stop() {
		return nil
	}
	m.area.Reset()
	return nil
}

func (m *tui) quit() tea.Cmd {
	m.stop()
	return tea.Quit
}

// enter sends the input, unless it is an open fence or follows Esc: then it begins a new line.
func (m *tui) enter() tea.Cmd {
	text := m.area.Value()
	if m.escaped || !complete(text) {
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

// menu is the list of completions while there is a choice.
type menu struct {
	open       bool
	candidates []string
	at         int
	word       int // length in bytes of what a candidate replaces
}

// complete fills in what is certain and opens the menu where there is a choice.
func (m *tui) complete() {
	line := m.beforeCursor()
	found := completeLine(line, m.area.Line() == 0, m.core.commands, m.core.look().known)
	word := line[found.start:]
	switch len(found.candidates) {
	case 0:
		return
	case 1:
		m.replaceWord(len(word), ending(found.candidates[0]))
		return
	}
	if common := commonPrefix(found.candidates); len(common) > len(word) {
		m.replaceWord(len(word), common)
		word = common
	}
	m.menu = menu{open: true, candidates: found.candidates, word: len(word)}
}

// ending puts a blank behind a finished word; a folder goes on.
func ending(word string) string {
	if strings.HasSuffix(word, "/") {
		return word
	}
	return word + " "
}

func (m *tui) menuKey(press string) bool {
	n := len(m.menu.candidates)
	switch press {
	case "tab", "down":
		m.menu.at = (m.menu.at + 1) % n
	case "shift+tab", "up":
		m.menu.at = (m.menu.at + n - 1) % n
	case "enter":
		m.replaceWord(m.menu.word, ending(m.menu.candidates[m.menu.at]))
		m.menu = menu{}
	case "esc":
		m.menu = menu{}
	default:
		m.menu = menu{}
		return false
	}
	return true
}

// beforeCursor is the text of the cursor's line up to the cursor.
func (m *tui) beforeCursor() string {
	lines := strings.Split(m.area.Value(), "\n")
	line := []rune(lines[m.area.Line()])
	return string(line[:min(m.area.Column(), len(line))])
}

// replaceWord puts text in the place of the last bytes before the cursor.
func (m *tui) replaceWord(bytes int, text string) {
	before := m.beforeCursor()
	for range []rune(before[len(before)-bytes:]) {
		m.area, _ = m.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	m.area.InsertString(text)
}
