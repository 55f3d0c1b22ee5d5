package history

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Message is a message that the model was sent.
type Message struct {
	Seq     int64           `json:"seq"` // number of the event that has its text
	Role    string          `json:"role"`
	Kind    string          `json:"kind"` // system, question, observation, nudge, limit, review, summary, reply
	Size    int64           `json:"size"`
	Content trajectory.Text `json:"content"`
	New     bool            `json:"new"` // it was not sent in the previous turn
}

// Prompt is what a model was sent in a turn.
type Prompt struct {
	Messages []Message `json:"messages"`
	Removed  int       `json:"removed"` // number of the previous turn's messages that a summary replaced
	Turn     int       `json:"turn"`
	Count    int       `json:"count"` // number of messages, as recorded when they were sent
	Hash     string    `json:"hash"`
}

// NoTurnError means that a turn does not exist.
type NoTurnError struct{ Run, Turn int }

func (e *NoTurnError) Error() string {
	return fmt.Sprintf("question %d has no turn %d", e.Run, e.Turn)
}

// Messages returns what the model was sent in a turn of a question (0: the last), or of the child run at a path.
func Messages(dir, path string, run, turn int) (Prompt, error) {
	var events []trajectory.Event
	for ev, err := range trajectory.Skim(dir) {
		if err != nil {
			return Prompt{}, err
		}
		if ev.Path == path {
			events = append(events, ev)
		}
	}
	if path == "" {
		events = trajectory.Kept(events)
		if run == 0 {
			run = lastRun(events)
		}
	}
	var talk conversation
	at, aside := 0, false
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			at = d.Number
		case trajectory.MessageAdded:
			talk.add(Message{Seq: ev.Seq, Role: d.Role, Kind: d.Kind, Size: d.Content.Size(), Content: d.Content})
		case trajectory.TurnStarted:
			if aside = d.Kind == "summary"; aside {
				continue
			}
			if ev.Turn == turn && (path != "" || at == run) {
				return talk.told(turn, d), nil
			}
			talk.sent()
		case trajectory.ReplyReceived:
			if !aside && !blank(d.Content) {
				talk.add(Message{
					Seq: ev.Seq, Role: assistant, Kind: "reply", Size: d.Content.Size(),
					Content: d.Content,
				})
			}
		case trajectory.Compacted:
			talk.compact(ev.Seq, d)
		}
	}
	return Prompt{}, &NoTurnError{run, turn}
}

const (
	user      = "user"
	assistant = "assistant"
)

// conversation is a conversation up to some turn.
type conversation struct {
	all    []Message
	before map[int64]bool // by event: messages that were sent in the previous turn
}

// add adds a message. Between two user messages it inserts a filler of the assistant, because endpoints refuse two
// user messages in a row.
func (t *conversation) add(m Message) {
	if n := len(t.all); m.Role == user && n > 0 && t.all[n-1].Role == user {
		t.all = append(t.all, Message{
			Seq: t.all[n-1].Seq, Role: assistant, Kind: "filler", Size: int64(len("…")), Content: trajectory.T("…"),
		})
	}
	t.all = append(t.all, m)
}

// compact replaces messages after the system prompt and the question by a summary.
func (t *conversation) compact(seq int64, d trajectory.Compacted) {
	from := min(2, len(t.all))
	rest := t.all[min(from+d.Messages, len(t.all)):]
	t.all = t.all[:from:from]
	t.add(Message{Seq: seq, Role: user, Kind: "summary", Size: d.Summary.Size(), Content: d.Summary})
	for _, m := range rest {
		t.add(m)
	}
}

// sent marks the messages so far as sent.
func (t *conversation) sent() {
	t.before = map[int64]bool{}
	for _, m := range t.all {
		t.before[m.Seq] = true
	}
}

func (t *conversation) told(turn int, d trajectory.TurnStarted) Prompt {
	out := Prompt{Messages: []Message{}, Turn: turn, Count: d.Messages, Hash: d.Hash}
	now := map[int64]bool{}
	for _, m := range t.all {
		m.New = !t.before[m.Seq]
		now[m.Seq] = true
		out.Messages = append(out.Messages, m)
	}
	for seq := range t.before {
		if !now[seq] {
			out.Removed++
		}
	}
	return out
}

func blank(t trajectory.Text) bool { return t.Loaded() && strings.TrimSpace(t.String()) == "" }

func lastRun(events []trajectory.Event) (run int) {
	for _, ev := range events {
		if d, ok := ev.Data.(trajectory.RunStarted); ok {
			run = d.Number
		}
	}
	return run
}
