package chat

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
)

// menu is the list of completions, if there is more than one.
type menu struct {
	open       bool
	candidates []string
	at         int
	word       int // length in bytes of the text that a candidate replaces
}

// completedMsg is the notebook's answer to a request for members.
type completedMsg struct {
	number int    // number of the request
	before string // the cursor's line up to the cursor, at the request
	found  completion
}

// membersTime is how long to wait for the notebook to list members.
const membersTime = 2 * time.Second

// complete inserts what all candidates have in common, and opens the menu if there are several. It asks the
// notebook for members in the background, unless the notebook is busy.
func (m *tui) complete() {
	line := m.beforeCursor()
	at := spot{line: line, first: m.area.Line() == 0, cell: m.inCell()}
	if found := m.board.completeLine(at); len(found.candidates) > 0 {
		m.offer(found)
		return
	}
	operand, start, ok := at.member()
	if !ok || m.busy {
		return
	}
	m.asked++
	number := m.asked
	m.board.spawn(func() {
		if !m.board.using.TryLock() {
			return
		}
		ctx, cancel := context.WithTimeout(m.ctx, membersTime)
		names := m.core.members(ctx, operand)
		cancel()
		m.board.using.Unlock()
		m.send(completedMsg{
			number, line,
			completion{start: start, candidates: shorten(withPrefix(names, line[start:]))},
		})
	})
}

// inCell reports whether the cursor is in a cell.
func (m *tui) inCell() bool {
	text := strings.TrimSpace(m.area.Value())
	return isFence(text) || isCellEntry(text, m.board.typesCells())
}

// completed offers members, unless the input has changed meanwhile.
func (m *tui) completed(msg completedMsg) {
	if msg.number == m.asked && msg.before == m.beforeCursor() {
		m.offer(msg.found)
	}
}

func (m *tui) offer(found completion) {
	word := m.beforeCursor()[found.start:]
	switch len(found.candidates) {
	case 0:
		return
	case 1:
		m.replaceWord(len(word), found.ending(found.candidates[0]))
		return
	}
	if common := commonPrefix(found.candidates); len(common) > len(word) {
		m.replaceWord(len(word), common)
		word = common
	}
	m.menu = menu{open: true, candidates: found.candidates, word: len(word)}
}

func (m *tui) menuKey(press string) bool {
	n := len(m.menu.candidates)
	switch press {
	case "tab", "down":
		m.menu.at = (m.menu.at + 1) % n
	case "shift+tab", "up":
		m.menu.at = (m.menu.at + n - 1) % n
	case "enter":
		m.replaceWord(m.menu.word, m.menu.candidates[m.menu.at])
		m.menu = menu{}
	case "esc":
		m.menu = menu{}
	default:
		m.menu = menu{}
		return false
	}
	return true
}

// beforeCursor returns the cursor's line up to the cursor.
func (m *tui) beforeCursor() string {
	lines := strings.Split(m.area.Value(), "\n")
	line := []rune(lines[min(m.area.Line(), len(lines)-1)])
	return string(line[:min(m.area.Column(), len(line))])
}

// replaceWord replaces the last bytes before the cursor with text. It cleans the text, because names may come from
// a document or a worker.
func (m *tui) replaceWord(bytes int, text string) {
	before := m.beforeCursor()
	for range []rune(before[len(before)-bytes:]) {
		m.area, _ = m.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	m.area.InsertString(screen.Line(text))
}
