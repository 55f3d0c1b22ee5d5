package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// compactAt is the part of the model's window at which older messages are replaced by a summary.
const compactAt = 0.85

// latest is how many of the latest messages stay as they are at most: three turns. keptPart is the part of the window that they may fill.
const (
	latest   = 6
	keptPart = 0.4
)

// summaryWords is how long a summary may be.
const summaryWords = 600

// compactIfNeeded replaces older messages when the conversation nears the size that the model can read.
func (r *run) compactIfNeeded(ctx context.Context) error {
	window := r.cfg.window(r.model, r.depth > 0)
	if r.journal.replaying(r.path) && !r.journal.summaryNext(r.path) || window == 0 || float64(r.conv.tokens) < compactAt*float64(window) {
		return nil
	}
	if from, to := r.conv.older(window); from >= to {
		return nil // nothing can be cut: the endpoint decides whether it fits
	}
	return r.compact(ctx)
}

// compact replaces all but the first and the latest messages. Where the model cannot summarise them, their beginnings stand
// in their place: a run never stalls for want of a summary.
func (r *run) compact(ctx context.Context) error {
	window := r.cfg.window(r.model, r.depth > 0)
	if window == 0 {
		window = r.conv.tokens // it was too much, that is all that is known
	}
	from, to := r.conv.older(window)
	if from >= to {
		return errors.New("the conversation does not fit into the model's window and cannot be made shorter: the question itself is too long")
	}
	d := trajectory.Compacted{Messages: to - from, How: "model"}
	summary, err := r.summarise(ctx)
	if err != nil {
		if ctx.Err() != nil || r.journal.failed() != nil {
			return err
		}
		d.How = "mechanical"
		summary = beginnings(r.conv.messages[from:to])
	}
	text, err := prompts.Recap(prompts.Compacted{Messages: d.Messages, Summary: summary, Mechanical: d.How == "mechanical", Names: r.names})
	if err != nil {
		return err
	}
	d.Summary = trajectory.T(text)
	if d, err = note(r.journal, r.path, r.turn, d); err != nil {
		return err
	}
	r.conv.apply(d)
	return r.tellHistory(ctx)
}

// summarise asks the model for a summary of the conversation so far.
func (r *run) summarise(ctx context.Context) (string, error) {
	text, err := prompts.Summarise(prompts.Summary{Words: summaryWords, Names: r.names})
	if err != nil {
		return "", err
	}
	req := r.request()
	req.Messages = append(append([]llm.Message{}, req.Messages...), llm.Message{Role: llm.User, Content: text})
	d, err := r.ask(ctx, turnSummary, req)
	if err != nil {
		return "", err
	}
	summary := strings.TrimSpace(d.Content.String())
	if summary == "" || d.FinishReason == "length" {
		return "", fmt.Errorf("the summary is empty or was cut")
	}
	return summary, nil
}

// beginnings stands for messages that could not be summarised.
func beginnings(messages []llm.Message) string {
	const each, all = 200, 6000
	var b strings.Builder
	for _, m := range messages {
		text := strings.Join(strings.Fields(m.Content), " ")
		if len(text) > each {
			text = strings.ToValidUTF8(text[:each], "") + "…"
		}
		fmt.Fprintf(&b, "- %s: %s\n", m.Role, text)
		if b.Len() > all {
			b.WriteString("- …\n")
			break
		}
	}
	return b.String()
}

// older is the range of messages that a summary may replace: all between the system prompt with the first question and the
// latest turns, of which as many stay as fit into their part of the window, one at least.
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
		to++ // the recap is a user's message; a reply follows it
	}
	return from, max(from, to)
}

// compact replaces older messages by a recap and keeps their text for the notebook.
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
		c.add(m.Role, m.Content)
	}
}

// tellHistory gives the notebook the messages that were cut.
func (r *run) tellHistory(ctx context.Context) error {
	r.nb.cfg.History = append(append([]string{}, r.answered...), r.conv.history...)
	if r.nb.session == nil {
		return nil
	}
	if err := r.nb.session.SetContext(ctx, r.nb.cfg.Context, r.nb.cfg.History); err != nil {
		return fmt.Errorf("giving the notebook its history: %w", err)
	}
	return nil
}
