package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// openAI is OpenAI's own service. It is strict: it rejects unknown fields, a limit or a temperature that a
// reasoning model does not accept, and schemas that break the rules of strict mode.
func openAI() Service {
	return Service{
		Name: "openai", Model: "gpt-4.1-2025-04-14", Base: "/v1",
		lists: map[string]string{
			"/v1/models": `{"object":"list","data":[{"id":"gpt-5","object":"model","created":1754425777,"owned_by":"system"},{"id":"gpt-4.1-2025-04-14","object":"model","created":1744315746,"owned_by":"system"}]}`,
		},
		refuse: refusedByOpenAI,
		dress:  dressOpenAI,
		used:   usedOpenAI,
		broken: brokenOpenAI,
		errors: map[string]Reply{
			"rate_limit": {
				Status: 429,
				Body:   errorOfOpenAI("Rate limit reached for gpt-4.1 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20ms.", "requests", nil, "rate_limit_exceeded"),
			},
			"unavailable": {Status: 503, Body: errorOfOpenAI(
				"The engine is currently overloaded, please try again later", "server_error", nil, nil)},
			"auth": {
				Status: 401,
				Body: errorOfOpenAI("Incorrect API key provided: "+ServiceKey+
					". You can find your API key at https://platform.openai.com/account/api-keys.",
					"invalid_request_error", nil, "invalid_api_key"),
			},
			"quota": {
				Status: 429,
				Body: errorOfOpenAI("You exceeded your current quota, please check your plan and billing details.",
					"insufficient_quota", nil, "insufficient_quota"),
			},
			"context_too_long": {
				Status: 400,
				Body:   errorOfOpenAI("This model's maximum context length is 1047576 tokens. However, your messages resulted in 1100000 tokens. Please reduce the length of the messages.", "invalid_request_error", "messages", "context_length_exceeded"),
			},
			"bad_request": {
				Status: 404,
				Body: errorOfOpenAI("The model `m` does not exist or you do not have access to it.",
					"invalid_request_error", nil, "model_not_found"),
			},
			"content_filter": {
				Status: 400,
				Body: errorOfOpenAI("Your request was flagged as potentially violating our usage policy.",
					"invalid_request_error", nil, "content_policy_violation"),
			},
		},
	}
}

// errorOfOpenAI is an error as OpenAI sends it.
func errorOfOpenAI(message, kind string, param, code any) string {
	text, _ := json.Marshal(map[string]any{
		"error": map[string]any{"message": message, "type": kind, "param": param, "code": code},
	})
	return string(text)
}

func dressOpenAI(event map[string]any) {
	event["created"], event["service_tier"], event["system_fingerprint"] = 1754425777, "default", "fp_fake"
	if event["object"] == "chat.completion.chunk" {
		event["obfuscation"] = "x7Yq"
		if _, last := event["usage"]; !last {
			event["usage"] = nil
		}
	}
}

func usedOpenAI(u usage) map[string]any {
	return map[string]any{
		"prompt_tokens": u.prompt, "completion_tokens": u.completion, "total_tokens": u.prompt + u.completion,
		"prompt_tokens_details": map[string]any{"cached_tokens": u.cached, "audio_tokens": 0},
		"completion_tokens_details": map[string]any{
			"reasoning_tokens": u.reasoning, "audio_tokens": 0, "accepted_prediction_tokens": 0,
			"rejected_prediction_tokens": 0,
		},
	}
}

func brokenOpenAI(e *events) {
	e.raw("data: " + errorOfOpenAI(
		"The server had an error while processing your request. Sorry about that!", "server_error", nil, nil) + "\n\n")
}

func refusedByOpenAI(c chatCall) *Reply {
	refuse := func(status int, code any, param any, format string, args ...any) *Reply {
		return &Reply{
			Status: status,
			Body:   errorOfOpenAI(fmt.Sprintf(format, args...), "invalid_request_error", param, code),
		}
	}
	switch {
	case c.bearer() == "":
		return refuse(http.StatusUnauthorized, nil, nil,
			"You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).")
	case c.bearer() != ServiceKey:
		return refuse(http.StatusUnauthorized, "invalid_api_key", nil, "Incorrect API key provided: %s.", c.bearer())
	case c.lists():
		return nil
	case c.path != "/v1/chat/completions":
		return refuse(http.StatusNotFound, nil, nil, "Invalid URL (POST %s)", c.path)
	case c.Model != "gpt-5" && c.Model != "gpt-4.1-2025-04-14":
		return refuse(http.StatusNotFound, "model_not_found", nil,
			"The model `%s` does not exist or you do not have access to it.", c.Model)
	}
	return refusedBody(c, c.Model == "gpt-5", refuse)
}

// refusedBody returns what OpenAI's models reject in a body, at OpenAI and at Azure.
func refusedBody(
	c chatCall, reasons bool, refuse func(status int, code any, param any, format string, args ...any) *Reply,
) *Reply {
	const bad = http.StatusBadRequest
	if name := c.unknown(chatFieldNames()); name != "" {
		return refuse(bad, "unknown_parameter", name, "Unknown parameter: '%s'.", name)
	}
	switch {
	case len(c.Messages) == 0:
		return refuse(bad, "empty_array", "messages",
			"Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	case c.StreamOptions != nil && !c.Stream:
		return refuse(bad, nil, "stream_options",
			"The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case reasons && c.MaxTokens != nil:
		return refuse(bad, "unsupported_parameter", "max_tokens",
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case reasons && c.Temperature != nil && *c.Temperature != 1:
		return refuse(bad, "unsupported_value", "temperature",
			"Unsupported value: 'temperature' does not support %g with this model. Only the default (1) value is supported.", *c.Temperature)
	case !reasons && c.Effort != nil:
		return refuse(bad, nil, "reasoning_effort", "Unrecognized request argument supplied: reasoning_effort")
	}
	for i, m := range c.Messages {
		switch {
		case m.Role != "system" && m.Role != "developer" && m.Role != "user" && m.Role != "assistant":
			return refuse(bad, "invalid_value", fmt.Sprintf("messages[%d].role", i), "Invalid value: '%s'.", m.Role)
		case len(m.Content) == 0 || string(m.Content) == "null":
			return refuse(bad, nil, fmt.Sprintf("messages.[%d].content", i),
				"Invalid value for 'content': expected a string, got null.")
		}
	}
	if f := c.Format; f != nil && f.Type == "json_schema" {
		if f.JSONSchema == nil || !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(f.JSONSchema.Name) {
			return refuse(bad, "invalid_value", "response_format.json_schema.name",
				"Invalid 'response_format.json_schema.name': string does not match pattern.")
		}
		if f.JSONSchema.Strict && !strictlyClosed(f.JSONSchema.Schema) {
			return refuse(bad, nil, "response_format",
				"Invalid schema for response_format '%s': In context=(), 'additionalProperties' is required to be supplied and to be false.", f.JSONSchema.Name)
		}
	}
	return nil
}

// strictlyClosed reports whether each object of a schema is closed and requires all its properties.
func strictlyClosed(schema json.RawMessage) bool {
	var node struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Additional json.RawMessage            `json:"additionalProperties"`
		Items      json.RawMessage            `json:"items"`
	}
	if json.Unmarshal(schema, &node) != nil {
		return false
	}
	if node.Type == "object" &&
		(strings.TrimSpace(string(node.Additional)) != "false" || len(node.Required) != len(node.Properties)) {
		return false
	}
	for _, p := range node.Properties {
		if !strictlyClosed(p) {
			return false
		}
	}
	return len(node.Items) == 0 || strictlyClosed(node.Items)
}
