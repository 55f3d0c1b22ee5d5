package chat

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// search is a search of the history while it goes on: what stands in the input is the entry that was found.
type search struct {
	on    bool
	query string
	at    int    // index of the entry that was found
	draft string // what stood in the input before
	fails bool   // nothing holds the query
}

func (m *tui) beginSearch() {
	m.search = search{on: true, at: len(m.history.entries), draft: m.area.Value()}
}

// searchKey is what a key does while the history is searched. Keys that are none of a search end it and have their
// own meaning; Enter only takes what was found, since questions cost money.
func (m *tui) searchKey(msg tea.KeyPressMsg) (handled bool) {
	s := &m.search
	switch press := msg.String(); press {
	case "ctrl+r", "up":
		m.find(s.at)
	case "backspace":
		if s.query != "" {
			runes := []rune(s.query)
			s.query = string(runes[:len(runes)-1])
			m.find(len(m.history.entries))
		}
	case "esc", "ctrl+g", "ctrl+c":
		m.area.SetValue(s.draft)
		m.search = search{}
	case "enter", "tab":
		m.search = search{}
	default:
		if msg.Text == "" {
			m.search = search{}
			return false
		}
		s.query += msg.Text
		m.find(min(s.at+1, len(m.history.entries)))
	}
	return true
}

// find shows the latest entry before one that holds the query.
func (m *tui) find(before int) {
	s := &m.search
	at, ok := m.history.search(s.query, before)
	if s.fails = !ok; !ok {
		return
	}
	s.at = at
	m.area.SetValue(m.history.entries[at])
	m.area.MoveToEnd()
}

func (s search) status() string {
	text := "history search: " + s.query
	if s.fails {
		text += " (nothing more)"
	}
	return text + strings.Repeat(" ", 2) + "· Ctrl-R goes on, Enter takes it, Esc leaves"
}
