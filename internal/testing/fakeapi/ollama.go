package fakeapi

import (
	"fmt"
	"net/http"
	"slices"
)

// ollama is Ollama's OpenAI layer, according to its source. It ignores keys and unknown fields,
// max_completion_tokens among them. It silently truncates text that exceeds its window. It does not report an
// error in the middle of a stream: the stream just ends.
func ollama() Service {
	const tags = `{"models":[{"name":"qwen3:8b","model":"qwen3:8b","modified_at":"2026-11-01T10:00:00Z","size":5200000000,"details":{"family":"qwen3","parameter_size":"8.2B","quantization_level":"Q4_K_M"}},{"name":"nomic-embed-text:latest","model":"nomic-embed-text:latest"}]}`
	failure := func(status int, kind, message string) Reply {
		return Reply{Status: status, Body: errorOfOpenAI(message, kind, nil, nil)}
	}
	return Service{
		Name: "ollama", Model: "qwen3:8b", Base: "/v1",
		lists: map[string]string{
			"/api/tags":  tags,
			"/v1/models": `{"object":"list","data":[{"id":"qwen3:8b","object":"model","created":1761991200,"owned_by":"library"}]}`,
		},
		refuse: func(c chatCall) *Reply {
			bad := func(message string) *Reply {
				r := failure(http.StatusBadRequest, "invalid_request_error", message)
				return &r
			}
			switch {
			case c.lists():
				return nil
			case c.path != "/v1/chat/completions":
				return &Reply{Status: http.StatusNotFound, Body: "404 page not found"}
			case len(c.Messages) == 0:
				return bad("[] is too short - 'messages'")
			}
			for _, m := range c.Messages {
				if len(m.Content) == 0 || string(m.Content) == "null" {
					return bad("invalid message content type: <nil>")
				}
			}
			if c.Effort != nil && !slices.Contains([]string{"high", "medium", "low", "none"}, *c.Effort) {
				return bad(fmt.Sprintf("invalid reasoning value: '%s' (must be \"high\", \"medium\", \"low\", or \"none\")", *c.Effort))
			}
			if c.Model != "qwen3:8b" {
				r := failure(http.StatusNotFound, "not_found_error", fmt.Sprintf("model '%s' not found", c.Model))
				return &r
			}
			return nil
		},
		dress: func(event map[string]any) {
			event["created"], event["system_fingerprint"] = 1761991200, "fp_ollama"
			choices, _ := event["choices"].([]any)
			for _, c := range choices {
				if d, ok := c.(map[string]any)["delta"].(map[string]any); ok {
					d["role"] = "assistant"
					if _, says := d["content"]; !says {
						d["content"] = ""
					}
				}
			}
		},
		thought: func(text string) map[string]any { return map[string]any{"content": "", "reasoning": text} },
		used: func(u usage) map[string]any {
			return map[string]any{
				"prompt_tokens": u.prompt, "completion_tokens": u.completion,
				"total_tokens": u.prompt + u.completion,
			}
		},
		broken: func(e *events) { e.delta(map[string]any{"content": ""}) },
		errors: map[string]Reply{
			"rate_limit": failure(429, "api_error", "too many requests"), // an error of Ollama's cloud
			"unavailable": failure(
				503, "api_error", "server busy, please try again.  maximum pending requests exceeded"),
			"auth":             failure(401, "api_error", "unauthorized"),
			"quota":            failure(402, "api_error", "you have reached your usage limit"),
			"context_too_long": failure(400, "invalid_request_error", "the input length exceeds the context length"),
			"bad_request":      failure(404, "not_found_error", "model 'm' not found"),
		},
	}
}
