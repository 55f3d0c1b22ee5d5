package openai

import (
	"encoding/json"

	"github.com/gorlm/rlm/termination"
)

// Statuses of responses.
const (
	inProgress = "in_progress"
	completed  = "completed"
	incomplete = "incomplete"
	failedRun  = "failed"
	cancelled  = "cancelled"
)

// response is a response in the form of OpenAI's API.
type response struct {
	ID           string            `json:"id"`
	Object       string            `json:"object"`
	Created      int64             `json:"created_at"`
	Status       string            `json:"status"`
	Background   bool              `json:"background"`
	Error        *responseError    `json:"error"`
	Incomplete   *incompleteWhy    `json:"incomplete_details"`
	Instructions *string           `json:"instructions"`
	MaxOutput    *int64            `json:"max_output_tokens"`
	Model        string            `json:"model"`
	Output       []any             `json:"output"`
	Parallel     bool              `json:"parallel_tool_calls"`
	Previous     *string           `json:"previous_response_id"`
	Conversation *conversationID   `json:"conversation,omitempty"`
	Reasoning    responseReasoning `json:"reasoning"`
	Store        bool              `json:"store"`
	Temperature  *float64          `json:"temperature"`
	Text         responseText      `json:"text"`
	ToolChoice   string            `json:"tool_choice"`
	Tools        []any             `json:"tools"`
	TopP         float64           `json:"top_p"`
	Truncation   string            `json:"truncation"`
	Usage        *responseUsage    `json:"usage"`
	Metadata     map[string]string `json:"metadata"`
	RLM          *about            `json:"rlm,omitempty"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incompleteWhy struct {
	Reason string `json:"reason"`
}

type conversationID struct {
	ID string `json:"id"`
}

type responseReasoning struct {
	Effort  *string `json:"effort"`
	Summary *string `json:"summary"`
}

type responseText struct {
	Format any `json:"format"`
}

type responseUsage struct {
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
	Total  int64 `json:"total_tokens"`
	Sent   struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Received struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// outputMessage and outputReasoning are the items of a response: the answer, and before it the progress.
type outputMessage struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Status  string `json:"status"`
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

type outputText struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Marks []any  `json:"annotations"`
	Probs []any  `json:"logprobs"`
}

type outputRefusal struct {
	Type    string `json:"type"`
	Refusal string `json:"refusal"`
}

type outputReasoning struct {
	ID      string        `json:"id"`
	Type    string        `json:"type"`
	Status  string        `json:"status"`
	Summary []summaryText `json:"summary"`
}

type summaryText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// opening returns the response as it is before the run has ended.
func (r *run) opening() response {
	q, t := r.ask, r.turn
	out := response{
		ID: t.ID, Object: "response", Created: t.Created.Unix(), Status: inProgress, Background: q.background,
		Model: t.Model, Output: []any{},
		Parallel: true, Store: !t.Unstored, Temperature: q.heat, Text: responseText{map[string]string{"type": "text"}},
		ToolChoice: "auto", Tools: []any{},
		TopP: 1, Truncation: "disabled", Metadata: t.Metadata,
	}
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	out.Instructions, out.Previous, out.Reasoning.Effort = orNull(t.Instructions), orNull(q.previous), orNull(q.effort)
	if t.Conversation != "" {
		out.Conversation = &conversationID{t.Conversation}
	}
	if q.replies > 0 {
		out.MaxOutput = &q.replies
	}
	switch q.schema {
	case "":
	case anyObject:
		out.Text.Format = map[string]string{"type": "json_object"}
	default:
		out.Text.Format = map[string]any{
			"type": "json_schema", "name": "answer", "strict": true, "schema": json.RawMessage(q.schema),
		}
	}
	return out
}

// response returns the response in its present state.
func (r *run) response() response {
	out := r.opening()
	select {
	case <-r.ended:
	default:
		return out
	}
	out.Status = completed
	if r.end != nil {
		u := r.used()
		out.Usage = &responseUsage{Input: u.Prompt, Output: u.Completion, Total: u.Prompt + u.Completion}
		out.Usage.Sent.Cached, out.Usage.Received.Reasoning = u.Cached, u.Reasoning
		out.RLM = r.about()
	}
	switch f := r.failure(); {
	case f != nil && f.Code == cancelled:
		out.Status = cancelled
		return out
	case f != nil:
		o := f.object()
		out.Status, out.Error = failedRun, &responseError{o.Type, f.Message}
		if f.Code != "" {
			out.Error.Code = f.Code
		}
		return out
	case filtered(*r.end):
		out.Status, out.Incomplete = incomplete, &incompleteWhy{"content_filter"}
	case termination.Trigger(r.end.EndedBy) == termination.ByLimit:
		out.Status, out.Incomplete = incomplete, &incompleteWhy{"max_output_tokens"}
	}
	var parts []any
	if r.end.HasAnswer {
		parts = append(parts, newText(r.end.Answer))
	}
	if said := refusal(*r.end); said != nil {
		parts = append(parts, outputRefusal{"refusal", *said})
	}
	if parts != nil {
		out.Output = append(out.Output, outputMessage{r.itemID("msg"), "message", out.Status, roleAssistant, parts})
	}
	return out
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (r *run) itemID(kind string) string { return kind + "_" + r.turn.ID[len("resp_"):] }

func newText(text string) outputText { return outputText{"output_text", text, []any{}, []any{}} }
