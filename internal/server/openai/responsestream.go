package openai

import (
	"maps"
	"net/http"
	"strings"

	"github.com/gorlm/rlm/runner/trajectory"
)

// responseStream sends the events of a response.
type responseStream struct {
	*stream
	run      *run
	number   int // of the next event
	thoughts strings.Builder
}

// on sends an event with its number.
func (s *responseStream) on(kind string, data map[string]any) error {
	out := map[string]any{"type": kind, "sequence_number": s.number}
	maps.Copy(out, data)
	s.number++
	return s.event(kind, out)
}

// streamResponse sends the run as it goes on: its progress as a summary of reasoning, then the answer.
func (r *run) streamResponse(w http.ResponseWriter, req *http.Request) {
	s := &responseStream{stream: newStream(w), run: r}
	defer s.close()
	_ = s.on("response.created", map[string]any{"response": r.opening()}) // the stream keeps the first error
	_ = s.on("response.in_progress", map[string]any{"response": r.opening()})
	if s.begin() != nil {
		return
	}
	var p progress
	err := r.follow(req.Context(), func(ev trajectory.Event) error {
		if text := p.text(ev); text != "" {
			return s.think(text)
		}
		return nil
	})
	if err != nil {
		return // the client is gone
	}
	_ = s.thought()
	out := r.response()
	for i := range out.Output {
		_ = s.message(i+1, out.Output[i].(outputMessage))
	}
	out.Output = append([]any{s.reasoning("completed")}, out.Output...)
	kind := "response." + out.Status
	if out.Status == cancelled { // there is no event of that name
		kind = "response.incomplete"
	}
	_ = s.on(kind, map[string]any{"response": out})
}

// reasoning is the item with what was told so far.
func (s *responseStream) reasoning(status string) outputReasoning {
	out := outputReasoning{s.run.itemID("rs"), "reasoning", status, []summaryText{}}
	if status == completed {
		out.Summary = append(out.Summary, summaryText{"summary_text", s.thoughts.String()})
	}
	return out
}

func (s *responseStream) begin() error {
	_ = s.on("response.output_item.added", map[string]any{"output_index": 0, "item": s.reasoning(inProgress)})
	_ = s.on("response.reasoning_summary_part.added", s.place(map[string]any{"part": summaryText{"summary_text", ""}}))
	return s.think("Session " + s.run.turn.Session + "\n")
}

func (s *responseStream) think(text string) error {
	s.thoughts.WriteString(text)
	return s.on("response.reasoning_summary_text.delta", s.place(map[string]any{"delta": text}))
}

// thought ends the reasoning.
func (s *responseStream) thought() error {
	text := s.thoughts.String()
	_ = s.on("response.reasoning_summary_text.done", s.place(map[string]any{"text": text}))
	_ = s.on("response.reasoning_summary_part.done", s.place(map[string]any{"part": summaryText{"summary_text", text}}))
	return s.on("response.output_item.done", map[string]any{"output_index": 0, "item": s.reasoning(completed)})
}

func (s *responseStream) place(data map[string]any) map[string]any {
	data["item_id"], data["output_index"], data["summary_index"] = s.run.itemID("rs"), 0, 0
	return data
}

// message sends the answer.
func (s *responseStream) message(index int, m outputMessage) error {
	text := m.Content[0].Text
	begun := m
	begun.Status, begun.Content = inProgress, []outputText{}
	at := func(data map[string]any) map[string]any {
		data["item_id"], data["output_index"], data["content_index"] = m.ID, index, 0
		return data
	}
	_ = s.on("response.output_item.added", map[string]any{"output_index": index, "item": begun})
	_ = s.on("response.content_part.added", at(map[string]any{"part": newText("")}))
	_ = s.on("response.output_text.delta", at(map[string]any{"delta": text, "logprobs": []any{}}))
	_ = s.on("response.output_text.done", at(map[string]any{"text": text, "logprobs": []any{}}))
	_ = s.on("response.content_part.done", at(map[string]any{"part": m.Content[0]}))
	return s.on("response.output_item.done", map[string]any{"output_index": index, "item": m})
}
