package runner

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/observation"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// conversation is the messages between a run and its model. It only grows, so that providers' prompt caches hit;
// only compaction replaces older messages. A running hash makes the cost of a turn independent of the number of
// messages.
type conversation struct {
	messages []llm.Message
	kept     llm.MessageCache // the messages as clients encoded them
	sum      [sha256.Size]byte
	tokens   int64    // of the messages: the endpoint's count or the estimate, whichever is higher
	history  []string // messages cut by compaction
	calls    int      // calls of the run's own model so far
	aside    bool     // the call in flight is not part of the conversation: it asks for a summary
}

// latest bounds how many of the latest messages compaction keeps: three turns. keptPart bounds their share of the
// window.
const (
	latest   = 6
	keptPart = 0.4
)

// apply updates the conversation with a recorded event.
func (c *conversation) apply(d trajectory.Data) {
	switch d := d.(type) {
	case trajectory.TurnStarted:
		c.calls++
		c.aside = d.Kind == turnSummary
	case trajectory.MessageAdded:
		c.add(llm.Message{Role: llm.Role(d.Role), Content: d.Content.String()})
	case trajectory.ReplyReceived:
		c.reply(d)
	case trajectory.Compacted:
		c.compact(d)
	}
}

func (c *conversation) add(m llm.Message) {
	if n := len(c.messages); m.Role == llm.User && n > 0 && c.messages[n-1].Role == llm.User {
		c.add(llm.Message{Role: llm.Assistant, Content: noReply})
	}
	c.messages = append(c.messages, m)
	c.tokens += 4 + llm.EstimateTokens(m.Content)
	c.chain(string(m.Role), m.Content)
}

// noReply replaces an empty reply: many endpoints refuse an empty message, and chat templates that require
// alternating roles refuse two user messages in a row.
const noReply = "…"

// reply adds a model's reply. The size of the conversation is the endpoint's count, unless the estimate is larger:
// a wrong count must not prevent compaction.
func (c *conversation) reply(d trajectory.ReplyReceived) {
	text := d.Content.String()
	if strings.TrimSpace(text) == "" || c.aside {
		return
	}
	c.add(llm.Message{Role: llm.Assistant, Content: text, Parts: partsOf(d.Parts)})
	if !d.Usage.Estimated && d.Usage.Prompt > 0 {
		c.tokens = max(c.tokens, d.Usage.Prompt+d.Usage.Completion-d.Usage.Reasoning)
	}
}

func (c *conversation) chain(role, content string) {
	h := sha256.New()
	h.Write(c.sum[:])
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(content)))
	h.Write(n[:])
	h.Write([]byte(role))
	h.Write([]byte(content))
	h.Sum(c.sum[:0])
}

// hash identifies the conversation in its present state.
func (c *conversation) hash() string { return hex.EncodeToString(c.sum[:8]) }

// older returns the range of messages that a summary may replace: all messages between the first question and the
// latest turns. At least one message of the latest turns is kept, and as many as fit into their share of the
// window.
func (c *conversation) older(window int64) (from, to int) {
	from, to = min(2, len(c.messages)), len(c.messages)
	room := int64(keptPart * float64(window))
	for kept := 0; to > from && kept < latest; kept++ {
		room -= llm.EstimateTokens(c.messages[to-1].Content)
		if room < 0 && kept >= 2 {
			break
		}
		to--
	}
	for to > from && to < len(c.messages) && c.messages[to].Role != llm.Assistant {
		to++ // the summary is a user message, which an assistant message must follow
	}
	return from, max(from, to)
}

// compact replaces older messages by a summary and keeps their text for the notebook.
func (c *conversation) compact(d trajectory.Compacted) {
	from := min(2, len(c.messages))
	to := min(from+d.Messages, len(c.messages))
	for _, m := range c.messages[from:to] {
		c.history = append(c.history, string(m.Role)+": "+m.Content)
	}
	rest := append([]llm.Message{}, c.messages[to:]...)
	first := append([]llm.Message{}, c.messages[:from]...)
	c.messages, c.tokens = nil, 0
	for _, m := range append(append(first, llm.Message{Role: llm.User, Content: d.Summary.String()}), rest...) {
		c.add(m)
	}
}

// say adds a message from the run to the conversation.
func (r *run) say(kind, text string) error {
	m, err := journal.Note(r.journal, r.path, r.turn,
		trajectory.MessageAdded{Role: string(llm.User), Kind: kind, Content: trajectory.T(text)})
	if err != nil {
		return err
	}
	r.conv.apply(m)
	return nil
}

// remarks collects remarks of sub-calls for the model, during a turn.
type remarks struct {
	mu   sync.Mutex
	list []string
}

// add adds a remark unless it is there already.
func (m *remarks) add(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.list {
		if s == text {
			return
		}
	}
	m.list = append(m.list, text)
}

func (m *remarks) take() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.list
	m.list = nil
	return list
}

// shortenable reports whether there are messages that a summary may replace.
func (r *run) shortenable() bool {
	from, to := r.conv.older(r.readable())
	return from < to
}

// readable is how many tokens the model can read: its window or, if that is not known, the size of the present
// conversation, which the endpoint refused as too long.
func (r *run) readable() int64 {
	if w := r.cfg.window(r.depth); w > 0 {
		return w
	}
	return r.conv.tokens
}

// looked reports whether the conversation contains output of a cell.
func (c *conversation) looked() bool {
	if len(c.history) > 0 {
		return true
	}
	for _, m := range c.messages {
		for at := strings.Index(m.Content, observation.Mark); at >= 0 && m.Role == "user"; {
			head, rest, _ := strings.Cut(m.Content[at:], "\n")
			if strings.HasSuffix(head, "] ok") &&
				!startsWithAny(rest, "answer recorded", "(no output)", "variables: ") {
				return true
			}
			next := strings.Index(m.Content[at+1:], observation.Mark)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return false
}

func startsWithAny(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}
