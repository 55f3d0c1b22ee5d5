package openai

import (
	"net/http"

	"github.com/gorlm/rlm/internal/session"
)

type chatDelta struct {
	Role      string  `json:"role,omitempty"`
	Content   *string `json:"content,omitempty"`
	Refusal   *string `json:"refusal,omitempty"`
	Reasoning string  `json:"reasoning_content,omitempty"`
}

func (r *run) chunk(object string, choices ...chatChoice) chatCompletion {
	if choices == nil {
		choices = []chatChoice{}
	}
	return chatCompletion{
		ID: r.turn.ID, Object: object, Created: r.turn.Created.Unix(), Model: r.turn.Model,
		Choices: choices,
	}
}

// streamChat streams the run: first its progress as reasoning, then the answer.
func (r *run) streamChat(s *stream, req *http.Request) {
	defer s.close()
	delta := func(d chatDelta) error {
		return s.event("", r.chunk("chat.completion.chunk", chatChoice{Delta: &d}))
	}
	empty := ""
	if delta(chatDelta{Role: roleAssistant, Content: &empty, Reasoning: "Session " + r.turn.Session + "\n"}) != nil {
		return
	}
	var p progress
	err := r.follow(req.Context(), func(item session.StreamItem) error {
		text := p.text(item)
		for piece := range pieces(&text) {
			if err := delta(chatDelta{Reasoning: piece}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		if f := lostAccess(req.Context()); f != nil {
			_ = s.event("", f.body())
		}
		return // without a failure, the client is gone
	}
	if f := r.failure(); f != nil {
		_ = s.event("", f.body()) // fails only if the client is gone
		return
	}
	for content := range pieces(r.content()) {
		_ = delta(chatDelta{Content: &content}) // the stream keeps the first error
	}
	for said := range pieces(refusal(*r.end)) {
		_ = delta(chatDelta{Refusal: &said})
	}
	last := r.chunk("chat.completion.chunk", chatChoice{Delta: &chatDelta{}, Finish: r.finishReason()})
	last.RLM = r.about()
	_ = s.event("", last)
	if r.ask.usage {
		sum := r.chunk("chat.completion.chunk")
		sum.Usage = r.chatUsage()
		_ = s.event("", sum)
	}
	_ = s.write([]byte("data: [DONE]\n\n"))
}
