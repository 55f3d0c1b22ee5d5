package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// compactAt is the share of the model's window at which older messages are replaced by a summary.
const compactAt = 0.85

// summaryWords bounds the length of a summary, in words.
const summaryWords = 600

// summaryTokens is the room for a summary in the window, in tokens.
const summaryTokens = 2 * summaryWords

// nearsWindow reports whether the conversation has nearly filled the model's window and can be made shorter.
func (r *run) nearsWindow() bool {
	window := r.cfg.window(r.depth)
	return window > 0 && float64(r.conv.tokens) >= compactAt*float64(window) && r.shortenable()
}

// advisedError is a failed call with advice for a person.
type advisedError struct {
	call   error
	advice string
}

func (e *advisedError) Error() string { return e.call.Error() + "; " + e.advice }

func (e *advisedError) Unwrap() error { return e.call }

// shorten compacts a conversation that the endpoint refused as too long.
func (r *run) shorten(ctx context.Context, refused error) error {
	if !r.shortenable() {
		return &advisedError{
			refused,
			"the system prompt and the question alone do not fit into the model's window: resume the run with a model that has a larger window",
		}
	}
	return r.compact(ctx)
}

// compact replaces all but the first and the latest messages by a summary. If the model cannot write one, the
// beginnings of the messages replace it: a missing summary does not stop a run.
func (r *run) compact(ctx context.Context) error {
	from, to := r.conv.older(r.readable())
	d := trajectory.Compacted{Messages: to - from, How: "model"}
	summary, err := r.summarise(ctx)
	if err != nil {
		if ctx.Err() != nil || r.journal.Failed() != nil {
			return err
		}
		d.How = "mechanical"
		summary = beginnings(r.conv.messages[from:to])
	}
	text, err := r.cfg.Prompts.Recap(prompts.CompactionNotice{
		Messages: d.Messages, Summary: summary, Mechanical: d.How == "mechanical", Names: r.names,
	})
	if err != nil {
		return err
	}
	d.Summary = trajectory.T(text)
	if d, err = journal.Note(r.journal, r.path, r.turn, d); err != nil {
		return err
	}
	r.conv.apply(d)
	return r.tellHistory(ctx)
}

// summarise asks the model for a summary of the conversation so far.
func (r *run) summarise(ctx context.Context) (string, error) {
	text, err := r.cfg.Prompts.Summarise(prompts.Summary{Words: summaryWords, Names: r.names})
	if err != nil {
		return "", err
	}
	req := r.request()
	req.Messages = append(append([]llm.Message{}, req.Messages...), llm.Message{Role: llm.User, Content: text})
	if window := r.cfg.window(r.depth); window > 0 {
		req.Messages = fitMessages(req.Messages, window-summaryTokens)
	}
	d, err := r.ask(ctx, turnSummary, req)
	if err != nil {
		return "", err
	}
	summary := strings.TrimSpace(d.Content.String())
	if summary == "" || d.Ending().Partial() {
		return "", errors.New("the summary is empty or incomplete")
	}
	return summary, nil
}

// beginnings shortens messages that could not be summarised.
func beginnings(messages []llm.Message) string {
	const each, all = 200, 6000
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "- %s: %s\n", m.Role, text.Line(m.Content, each))
		if b.Len() > all {
			b.WriteString("- …\n")
			break
		}
	}
	return b.String()
}

// tellHistory gives the notebook, as its history, the messages that were removed from the conversation.
func (r *run) tellHistory(ctx context.Context) error {
	return r.nb.setContext(ctx, r.nb.cfg.Context, slices.Concat(r.answered, r.conv.history))
}
