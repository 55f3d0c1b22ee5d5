package export

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// history is the conversation of a run as it grows.
type history struct {
	messages []vizMsg
	context  string // a description of the context
	question string
}

// compactedFrom is the position of a summary: after the system prompt and the question.
const compactedFrom = 2

// add adds the messages before the turn.
func (h *history) add(t *turn) {
	if t.start != nil {
		h.question = t.start.Question
	}
	for _, d := range t.before {
		switch d := d.(type) {
		case trajectory.MessageAdded:
			content := d.Content.String()
			if d.Kind == "question" {
				content = originalQuery(h.question) + content
			}
			h.messages = append(h.messages, vizMsg{d.Role, content})
		case trajectory.Compacted:
			from := min(compactedFrom, len(h.messages))
			to := min(from+max(0, d.Messages), len(h.messages))
			h.messages = append(append(h.messages[:from:from], vizMsg{"user", d.Summary.String()}), h.messages[to:]...)
		case trajectory.ContextAdded:
			h.context = contextText(d)
		}
	}
}

func contextText(d trajectory.ContextAdded) string {
	text := fmt.Sprintf("context of %s in %s", units.Bytes(d.Size), units.Of(d.Documents, "document"))
	if len(d.Sources) > 0 {
		text += ": " + strings.Join(d.Sources, ", ")
	}
	return text
}

// originalQuery marks the question for the visualizer. It must not contain double quotes.
func originalQuery(question string) string {
	if question == "" {
		return ""
	}
	return `[added by the export, not sent: original query: "` + strings.ReplaceAll(question, `"`, "'") + "\"]\n\n"
}

// reply adds the model's reply, unless it is empty, or a summary: summaries are not part of the conversation.
func (h *history) reply(t *turn) {
	if t.reply != nil && t.kind != "summary" && strings.TrimSpace(t.reply.Content.String()) != "" {
		h.messages = append(h.messages, vizMsg{"assistant", t.reply.Content.String()})
	}
}

// iteration converts a turn to the visualizer's format; nil if it is not a turn there.
func (h *history) iteration(t *turn) *vizIteration {
	if t.kind == "summary" || t.reply == nil && len(t.cells) == 0 && t.end == nil {
		return nil
	}
	it := &vizIteration{
		Type: "iteration", Iteration: t.number, Timestamp: timestamp(t.at), Prompt: append([]vizMsg{}, h.messages...),
		CodeBlocks: []vizBlock{}, IterationTime: t.took().Seconds(),
	}
	if t.reply != nil {
		it.Response = t.reply.Content.String()
		it.Reasoning, it.FinishReason, it.Attempts = t.reply.Reasoning.String(), t.reply.FinishReason, t.reply.Attempts
		u := usageByModel{}
		u.add(t.reply.Model, t.reply.Usage)
		it.Usage = u.summary()
	}
	for _, c := range t.cells {
		it.CodeBlocks = append(it.CodeBlocks, h.block(c))
	}
	for _, d := range t.notes {
		if s := noteText(d); s != "" {
			it.Notes = append(it.Notes, s)
		}
	}
	if t.end != nil {
		it.finish(t.end)
	}
	return it
}

// finish records how the run ended. The visualizer shows a run with an answer as a success and a run without one as
// not completed; the reasons go where it shows errors.
func (it *vizIteration) finish(d *trajectory.RunEnded) {
	it.Status, it.EndedBy, it.Reason = d.Status, d.EndedBy, d.Reason
	u := usageByModel{}
	for model, usage := range d.Usage {
		u.add(model, usage)
	}
	it.RunUsage = u.summary()
	if d.HasAnswer {
		it.FinalAnswer = &d.Answer
	}
	switch {
	case d.HasAnswer && (d.EndedBy == "" || d.EndedBy == "signal" || d.EndedBy == "sequence" || d.EndedBy == "prose"):
		return
	case it.Response == "":
		it.Response = "[" + endText(d) + "]"
	}
	it.CodeBlocks = append(it.CodeBlocks, vizBlock{
		Code:   "// The run ended here.",
		Result: vizResult{Stderr: endText(d), Locals: map[string]string{}, Calls: []vizCall{}},
	})
}

// endText describes how a run ended, in a sentence.
func endText(d *trajectory.RunEnded) string {
	text := "the run ended: " + d.Status
	if d.EndedBy != "" {
		text += ", by " + d.EndedBy
	}
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	return text
}

func (h *history) block(c *cell) vizBlock {
	b := vizBlock{
		Code:   c.started.Source,
		Result: vizResult{Locals: map[string]string{}, Calls: []vizCall{}, ExecutionTime: c.until.Sub(c.at).Seconds()},
	}
	if h.context != "" {
		b.Result.Locals["context"] = h.context
	}
	for _, s := range c.calls {
		b.Result.Calls = append(b.Result.Calls, vizCallOf(s))
	}
	if c.ended == nil {
		b.Result.Stderr = "the run stopped while this cell ran"
		return b
	}
	res, _ := c.ended.Decode() // if the form is unknown, show what can be decoded
	b.Result.Stdout = c.ended.Output
	if res.Value != "" {
		b.Result.Stdout += res.Value + "\n"
	}
	if res.Error != nil {
		b.Result.Stderr = res.Error.Kind + ": " + res.Error.Message
	}
	for _, v := range res.Changed {
		b.Result.Locals[v.Name] = strings.TrimSpace(v.Type + " " + v.Preview)
	}
	if res.Final != nil {
		b.Result.FinalAnswer = &res.Final.Answer
	}
	return b
}

func vizCallOf(s *call) vizCall {
	v := vizCall{
		RootModel: s.started.Model, Prompt: s.started.Prompt.String(),
		Metadata: vizCallMeta{Run: map[string]string{}, Iterations: []*vizIteration{}},
	}
	h := &history{}
	for _, t := range s.child {
		h.add(t)
		if it := h.iteration(t); it != nil {
			v.Metadata.Iterations = append(v.Metadata.Iterations, it)
		}
		h.reply(t)
	}
	u := s.spent()
	v.Usage = *u.summary()
	v.PromptTokens, v.CompletionTokens = u.tokens()
	if s.ended == nil {
		v.Error = "the run stopped before the reply came"
		v.Response = "[error] " + v.Error
		return v
	}
	v.Response, v.Error = s.ended.Reply.String(), s.ended.Error
	if v.Error != "" {
		v.Response = "[error] " + v.Error
	}
	if s.ended.Model != "" {
		v.RootModel = s.ended.Model
	}
	v.ExecutionTime, v.Cached, v.Attempts, v.FinishReason = s.ended.Duration.Seconds(), s.ended.Cached,
		s.ended.Attempts, s.ended.FinishReason
	return v
}
