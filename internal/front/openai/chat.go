package openai

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// chatFields are the fields of chat completions.
var chatFields = fields{
	"model": {}, "messages": {long: true}, "stream": {}, "stream_options": {}, "response_format": {}, "max_tokens": {},
	"max_completion_tokens": {},
	"temperature":           {}, "reasoning_effort": {}, "metadata": {}, "rlm": {},

	"user": {use: accepted}, "safety_identifier": {use: accepted}, "prompt_cache_key": {use: accepted},
	"prompt_cache_retention": {use: accepted},
	"store":                  {use: accepted}, "parallel_tool_calls": {use: accepted},

	// These apply to single model calls, of which a run makes many, or do not change what the answer should be.
	"top_p": {use: ignored, ok: []string{"1"}}, "frequency_penalty": {use: ignored, ok: []string{"0"}},
	"presence_penalty": {use: ignored, ok: []string{"0"}},
	"seed":             {use: ignored}, "top_k": {use: ignored}, "min_p": {use: ignored},
	"repetition_penalty":   {use: ignored, ok: []string{"1"}},
	"chat_template_kwargs": {use: ignored}, "keep_alive": {use: ignored}, "prediction": {use: ignored},
	"verbosity":    {use: ignored, ok: []string{`"medium"`}},
	"service_tier": {use: ignored, ok: []string{`"auto"`, `"default"`}},

	"n": {
		use: defaulted, ok: []string{"1"},
		why: "each request gets one answer; send it again for another",
	},
	"stop": {
		use: defaulted, ok: []string{"[]", `""`},
		why: "an answer is the value of a program and cannot be cut at a stop text; say in the question how it should end",
	},
	"tools": {
		use: defaulted, ok: []string{"[]"},
		why: "tools are configured when the server starts (rlm serve --mcp)",
	},
	"tool_choice": {use: defaulted, ok: []string{`"none"`, `"auto"`}, why: "there are no tools to choose from"},
	"functions": {
		use: defaulted, ok: []string{"[]"},
		why: "tools are configured when the server starts (rlm serve --mcp)",
	},
	"function_call": {use: defaulted, ok: []string{`"none"`, `"auto"`}, why: "there are no functions to call"},
	"logit_bias": {
		use: defaulted, ok: []string{"{}"},
		why: "it applies to a single model call, and a run makes many",
	},
	"logprobs": {
		use: defaulted, ok: []string{"false"},
		why: "a run's answer has no token probabilities",
	},
	"top_logprobs":       {use: defaulted, ok: []string{"0"}, why: "a run's answer has no token probabilities"},
	"modalities":         {use: defaulted, ok: []string{`["text"]`}, why: "answers are text"},
	"audio":              {use: defaulted, why: "answers are text"},
	"web_search_options": {use: defaulted, why: "a run reads only what it is given, not the web"},
}

// chat answers a request for a chat completion.
func (a *API) chat(w http.ResponseWriter, r *http.Request) error {
	run, events, err := a.take(w, r, "chatcmpl-", chatFields, a.chatOnly)
	if err != nil {
		return err
	}
	defer run.part(r)
	if events != nil {
		run.streamChat(events, r)
		return nil
	}
	return run.whole(w, r, func() any { return run.completion() })
}

// chatOnly reads the fields that only chat completions have.
func (a *API) chatOnly(q *ask, in *request) (err error) {
	var options struct {
		Usage       bool `json:"include_usage"`
		Obfuscation bool `json:"include_obfuscation"`
	}
	var most, mostNew int64
	for name, v := range map[string]any{
		"stream_options": &options, "max_tokens": &most,
		"max_completion_tokens": &mostNew, "reasoning_effort": &q.effort,
	} {
		if err := value(in.fields, name, v); err != nil {
			return err
		}
	}
	switch {
	case most < 0:
		return wrong("max_tokens", "'max_tokens' must be a positive number")
	case mostNew < 0:
		return wrong("max_completion_tokens", "'max_completion_tokens' must be a positive number")
	}
	q.replies = most
	lower(&q.replies, mostNew)
	if q.schema, err = a.chatFormat(in.fields["response_format"]); err != nil {
		return err
	}
	if q.messages, err = in.body.messages(in.fields["messages"]); err != nil {
		return err
	}
	q.usage = options.Usage
	return q.check()
}

// chatFormat returns the schema that the answer must match; "" if there is none.
func (a *API) chatFormat(raw json.RawMessage) (schema string, err error) {
	var format struct {
		Type   string          `json:"type"`
		Plain  json.RawMessage `json:"schema"` // schema of a json_object, for llama.cpp and Together
		Schema *struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Strict      *bool           `json:"strict"`
			Schema      json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	}
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if err := decode(raw, "response_format", &format); err != nil {
		return "", err
	}
	switch {
	case format.Type == "text":
		return "", nil
	case format.Type == "json_schema" && format.Schema != nil && len(format.Schema.Schema) > 0:
		return a.form("response_format", format.Schema.Schema)
	case format.Type == "json_schema":
		return "", wrong("response_format", "'response_format.json_schema.schema' is missing")
	case format.Type == "json_object" && len(format.Plain) > 0:
		return a.form("response_format", format.Plain)
	case format.Type == "json_object":
		return a.form("response_format", json.RawMessage(anyObject))
	}
	return "", notHonoured("response_format.type", "it must be text, json_schema or json_object")
}

// messages reads the messages of a chat.
func (b *body) messages(raw json.RawMessage) ([]message, error) {
	all, err := elements(raw, "messages")
	if err != nil {
		return nil, err
	}
	var out []message
	for i, raw := range all {
		at := fmt.Sprintf("messages[%d]", i)
		var m struct {
			Role      string          `json:"role"`
			Content   json.RawMessage `json:"content"`
			Name      string          `json:"name"`
			Refusal   *string         `json:"refusal"`
			ToolCalls json.RawMessage `json:"tool_calls"`
			CallID    string          `json:"tool_call_id"`
			Function  json.RawMessage `json:"function_call"`
			Audio     json.RawMessage `json:"audio"`
			Marks     json.RawMessage `json:"annotations"`
			Reasoning json.RawMessage `json:"reasoning_content"` // progress sent by this endpoint earlier
			Thought   json.RawMessage `json:"reasoning"`
		}
		if err := decode(raw, at, &m); err != nil {
			return nil, err
		}
		role, ok := map[string]string{
			"system": roleSystem, "developer": roleSystem, "user": roleUser, "assistant": roleAssistant,
		}[m.Role]
		calls := len(m.ToolCalls) > 2 && string(m.ToolCalls) != "null" ||
			len(m.Function) > 0 && string(m.Function) != "null"
		if !ok || calls {
			return nil, notHonoured(at,
				"only system, user and assistant messages are supported, and no tool calls")
		}
		one := message{role: role}
		if len(m.Content) > 0 && string(m.Content) != "null" {
			if one.parts, err = b.content(m.Content, at+".content"); err != nil {
				return nil, err
			}
		}
		out = append(out, one)
	}
	return out, nil
}

type chatMessage struct {
	Role      string  `json:"role,omitempty"`
	Content   *string `json:"content"` // null if there is no answer
	Refusal   *string `json:"refusal"`
	Reasoning string  `json:"reasoning_content,omitempty"`
}

type chatChoice struct {
	Index    int          `json:"index"`
	Message  *chatMessage `json:"message,omitempty"`
	Delta    *chatDelta   `json:"delta,omitempty"`
	LogProbs *struct{}    `json:"logprobs"`
	Finish   *string      `json:"finish_reason"`
}

type chatCompletion struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitempty"`
	RLM     *about       `json:"rlm,omitempty"`
}

type chatUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	Sent       struct {
		Cached int64 `json:"cached_tokens"`
		Audio  int64 `json:"audio_tokens"`
	} `json:"prompt_tokens_details"`
	Received struct {
		Reasoning int64 `json:"reasoning_tokens"`
		Audio     int64 `json:"audio_tokens"`
	} `json:"completion_tokens_details"`
}

func (r *run) chatUsage() *chatUsage {
	u := r.used()
	out := chatUsage{Prompt: u.Prompt, Completion: u.Completion, Total: u.Prompt + u.Completion}
	out.Sent.Cached, out.Received.Reasoning = u.Cached, u.Reasoning
	return &out
}

// used returns the usage of the run, including its child runs.
func (r *run) used() trajectory.Usage { return trajectory.UsageOf(r.end.Usage) }

// finishReason returns why the answer ended: it was complete, a budget was used up, or a filter cut it off.
func (r *run) finishReason() *string {
	reason := "stop"
	switch {
	case filtered(*r.end):
		reason = "content_filter"
	case termination.Trigger(r.end.EndedBy) == termination.ByLimit:
		reason = "length"
	}
	return &reason
}

// content returns the answer; nil if there is none.
func (r *run) content() *string {
	if !r.end.HasAnswer {
		return nil
	}
	return &r.end.Answer
}

func (r *run) completion() chatCompletion {
	out := r.chunk("chat.completion")
	out.Choices = []chatChoice{{Message: &chatMessage{
		Role: roleAssistant, Content: r.content(), Refusal: refusal(*r.end),
	}, Finish: r.finishReason()}}
	out.Usage, out.RLM = r.chatUsage(), r.about()
	return out
}

// about contains details of a run for which OpenAI's API has no field.
type about struct {
	Session  string                `json:"session"`
	Run      int                   `json:"run"`
	Status   string                `json:"status"`
	Reason   string                `json:"reason,omitempty"`
	Review   bool                  `json:"requires_review,omitempty"`
	Turns    int                   `json:"turns"`
	SubCalls int                   `json:"sub_calls"`
	Cost     *float64              `json:"cost"` // USD; null if unknown
	Seconds  float64               `json:"seconds"`
	Evidence []trajectory.Evidence `json:"evidence,omitempty"`
	// Grounding is the evidence for the values of the answer.
	Grounding *trajectory.Grounding `json:"grounding,omitempty"`
	Guess     bool                  `json:"guess,omitempty"` // the answer was given before any of the text was read
	// CutReplies counts the replies of sub-calls, and the last one of the model, that
	// were cut, filtered, refused or otherwise incomplete.
	CutReplies int `json:"cut_replies,omitempty"`
	// Notebook is where the question was asked: "kept" means the conversation's notebook, "forked" a copy of it,
	// "new" a new one. Why explains why an existing notebook was not continued.
	Notebook string   `json:"notebook,omitempty"`
	Why      string   `json:"notebook_reason,omitempty"`
	Ignored  []string `json:"ignored,omitempty"` // fields of the request that had no effect
}

func (r *run) about() *about {
	e := r.end
	return &about{
		r.turn.Session, r.turn.Run, e.Status, e.Reason, e.RequiresReview, e.Turns, e.SubCalls, e.Cost,
		e.Duration.Seconds(), e.Evidence,
		e.Grounding, e.Guess, e.CutReplies, r.notebook, r.why, r.ask.ignored,
	}
}
