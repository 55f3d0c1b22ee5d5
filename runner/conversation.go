package runner

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// conversation is what a run's model has been told and has said. It only grows, so that providers' prompt caches hit;
// compaction alone replaces older messages. The hash of the whole is carried along, so that a turn costs the same however many came before.
type conversation struct {
	messages []llm.Message
	sum      [sha256.Size]byte
	tokens   int64    // of the messages: as the endpoint counted at the last reply, what came later estimated
	history  []string // messages that compaction cut
	calls    int      // of the run's own model so far
	aside    bool     // the call under way is no part of the conversation: it asks for a summary
}

// apply follows one recorded event.
func (c *conversation) apply(d trajectory.Data) {
	switch d := d.(type) {
	case trajectory.TurnStarted:
		c.calls++
		c.aside = d.Kind == turnSummary
	case trajectory.MessageAdded:
		c.add(llm.Role(d.Role), d.Content.String())
	case trajectory.ReplyReceived:
		c.reply(d)
	case trajectory.Compacted:
		c.compact(d)
	}
}

func (c *conversation) add(role llm.Role, content string) {
	c.messages = append(c.messages, llm.Message{Role: role, Content: content})
	c.tokens += 4 + llm.EstimateTokens(content)
	c.chain(string(role), content)
}

// reply adds a model's reply. An empty one is never stored: many endpoints refuse a conversation that holds one.
func (c *conversation) reply(d trajectory.ReplyReceived) {
	text := d.Content.String()
	if strings.TrimSpace(text) == "" || c.aside {
		return
	}
	c.add(llm.Assistant, text)
	if !d.Usage.Estimated && d.Usage.Prompt > 0 {
		c.tokens = d.Usage.Prompt + d.Usage.Completion - d.Usage.Reasoning
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

// hash identifies the conversation as it stands.
func (c *conversation) hash() string { return hex.EncodeToString(c.sum[:8]) }
