package openai

import (
	"context"
	"maps"
	"net/http"
	"strings"

	"github.com/gorlm/rlm/internal/session"
)

// responseStream sends the events of a response.
type responseStream struct {
	*stream
	run      *run
	number   int // number of the next event
	thoughts strings.Builder
}

// on sends an event with its sequence number.
func (s *responseStream) on(kind string, data map[string]any) error {
	out := map[string]any{"type": kind, "sequence_number": s.number}
	maps.Copy(out, data)
	s.number++
	return s.event(kind, out)
}

// streamResponse streams the run: first its progress as a reasoning summary, then the answer.
func (r *run) streamResponse(events *stream, req *http.Request) {
	s := &responseStream{stream: events, run: r}
	defer s.close()
	_ = s.on("response.created", map[string]any{"response": r.opening()}) // the stream keeps the first error
	_ = s.on("response.in_progress", map[string]any{"response": r.opening()})
	if s.begin() != nil {
		return
	}
	var p progress
	err := r.follow(req.Context(), func(item session.StreamItem) error {
		text := p.text(item)
		for piece := range pieces(&text) {
			if err := s.think(piece); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		if f := lostAccess(req.Context()); f != nil {
			o := f.object()
			_ = s.on("error", map[string]any{"code": o.Code, "message": o.Message, "param": o.Param})
		}
		return // without a failure, the client is gone
	}
	_ = s.thought()
	out := r.response()
	for i := range out.Output {
		_ = s.message(i+1, out.Output[i].(outputMessage))
	}
	out.Output = append([]any{s.reasoning("completed")}, out.Output...)
	kind := "response." + out.Status
	if out.Status == cancelled { // the API has no event response.cancelled
		kind = "response.incomplete"
	}
	_ = s.on(kind, map[string]any{"response": out})
}

// reasoning returns the item with the progress so far.
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
	return s.think(s.opening())
}

// recall rebuilds the progress of an ended run from the log.
func (s *responseStream) recall(ctx context.Context) error {
	s.thoughts.WriteString(s.opening())
	var p progress
	return s.run.follow(ctx, func(item session.StreamItem) error {
		s.thoughts.WriteString(p.text(item))
		return nil
	})
}

// opening returns the first line of the progress.
func (s *responseStream) opening() string { return "Session " + s.run.turn.Session + "\n" }

func (s *responseStream) think(text string) error {
	s.thoughts.WriteString(text)
	return s.on("response.reasoning_summary_text.delta", s.place(map[string]any{"delta": text}))
}

// thought sends the end of the reasoning.
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
	begun := m
	begun.Status, begun.Content = inProgress, []any{}
	_ = s.on("response.output_item.added", map[string]any{"output_index": index, "item": begun})
	for i, part := range m.Content {
		at := func(data map[string]any) map[string]any {
			data["item_id"], data["output_index"], data["content_index"] = m.ID, index, i
			return data
		}
		switch p := part.(type) {
		case outputText:
			_ = s.on("response.content_part.added", at(map[string]any{"part": newText("")}))
			for piece := range pieces(&p.Text) {
				_ = s.on("response.output_text.delta", at(map[string]any{"delta": piece, "logprobs": []any{}}))
			}
			_ = s.on("response.output_text.done", at(map[string]any{"text": p.Text, "logprobs": []any{}}))
		case outputRefusal:
			_ = s.on("response.content_part.added", at(map[string]any{"part": outputRefusal{"refusal", ""}}))
			for piece := range pieces(&p.Refusal) {
				_ = s.on("response.refusal.delta", at(map[string]any{"delta": piece}))
			}
			_ = s.on("response.refusal.done", at(map[string]any{"refusal": p.Refusal}))
		}
		_ = s.on("response.content_part.done", at(map[string]any{"part": part}))
	}
	return s.on("response.output_item.done", map[string]any{"output_index": index, "item": m})
}
