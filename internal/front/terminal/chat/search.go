package chat

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// search is a history search in progress: the input shows the entry found.
type search struct {
	on    bool
	query string
	at    int    // index of the entry found
	draft string // the input before the search
	fails bool   // no entry matches the query
}

func (m *tui) beginSearch() {
	m.search = search{on: true, at: len(m.history.entries), draft: m.area.Value()}
}

// searchKey handles a key during a history search. Keys without a meaning for the search end it and do what they
// always do; Enter only accepts the entry, since questions cost money.
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

// find shows the newest entry before an index that matches the query.
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
		text += " (no more matches)"
	}
	return text + strings.Repeat(" ", 2) + "· Ctrl-R finds the next, Enter takes it, Esc leaves"
}
