package chat

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
)

// settleTime is how long no other key may be pressed before and after a key for it to count as an answer. Somebody
// who is typing has not read the question, and the first letter of a word is not an answer.
const settleTime = 400 * time.Millisecond

// choice is a question that replaces the input until it is answered. The text of the input is kept.
type choice struct {
	*pendingQuestion
	key     string          // the answer, unless another key follows
	typed   tea.KeyPressMsg // the key press of key
	pressed time.Time       // when a key was last pressed
	settle  time.Duration   // settleTime, except in tests
}

// settledMsg means that settleTime has passed since the key press at this time.
type settledMsg time.Time

// choose shows a question, or removes one that is over.
func (m *tui) choose(q *pendingQuestion) {
	m.choice.pendingQuestion, m.choice.key, m.choice.pressed = q, "", time.Now()
	if q != nil {
		m.print(m.board.render.Wrap(screen.Clean(q.Text), 0))
	}
}

// choiceKey handles a key while a question is shown. A key that is not an answer goes to the input.
func (m *tui) choiceKey(msg tea.KeyPressMsg) (cmd tea.Cmd, handled bool) {
	c, press, now := &m.choice, strings.ToLower(msg.String()), time.Now()
	if c.pendingQuestion == nil || strings.HasPrefix(press, "ctrl+") {
		return nil, false
	}
	early := now.Sub(c.pressed) < c.settle
	c.pressed = now
	if press == "esc" {
		press = c.Keys[len(c.Keys)-1:]
	}
	switch {
	case press == "enter":
		m.answer()
	case c.key == "" && !early && len(press) == 1 && strings.Contains(c.Keys, press):
		c.key, c.typed = press, msg
		return tea.Tick(c.settle, func(time.Time) tea.Msg { return settledMsg(now) }), true
	default:
		if c.key != "" {
			m.area, _ = m.area.Update(c.typed)
		}
		c.key = ""
		m.area, _ = m.area.Update(msg)
	}
	return nil, true
}

// answer answers the question with the key that was pressed, if one was.
func (m *tui) answer() {
	if c := &m.choice; c.pendingQuestion != nil && c.key != "" {
		m.print(m.board.log.Command(c.key))
		c.answer <- c.key
		c.pendingQuestion = nil
	}
}

// choiceView returns the question's prompt, and the text that was kept from the input.
func (m *tui) choiceView() (lines []string, at *tea.Cursor) {
	lines = strings.Split(m.board.render.Wrap(m.choice.Prompt, 0), "\n")
	last := len(lines) - 1
	at = tea.NewCursor(ansi.StringWidth(lines[last]), last)
	if typed := m.area.Value(); typed != "" {
		lines = append(lines, m.board.render.Paint(screen.Faint, m.line("kept: "+typed)))
	}
	return lines, at
}
