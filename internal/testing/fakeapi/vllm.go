package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// vllm is a vLLM server, modelled on its source: it checks the key that it was started with, drops unknown fields,
// and rejects a request if the prompt and the requested reply together do not fit into the window.
func vllm() Service {
	failure := func(status int, kind, message string) Reply {
		text, _ := json.Marshal(map[string]any{
			"error": map[string]any{"message": message, "type": kind, "param": nil, "code": status},
		})
		return Reply{Status: status, Body: string(text)}
	}
	return Service{
		Name: "vllm", Model: "Qwen/Qwen3-32B", Base: "/v1",
		lists: map[string]string{
			"/v1/models": fmt.Sprintf(
				`{"object":"list","data":[{"id":"Qwen/Qwen3-32B","object":"model","created":1754425777,"owned_by":"vllm","root":"Qwen/Qwen3-32B","parent":null,"max_model_len":%d,"permission":[{"id":"modelperm-fake","object":"model_permission"}]}]}`, vllmWindow),
		},
		refuse: func(c chatCall) *Reply {
			refuse := func(status int, kind, format string, args ...any) *Reply {
				r := failure(status, kind, fmt.Sprintf(format, args...))
				return &r
			}
			size, limit := 0, 0
			for _, m := range c.Messages {
				size += len(m.Content) / 4
			}
			if c.MaxTokens != nil {
				limit = *c.MaxTokens
			}
			switch {
			case c.bearer() != ServiceKey:
				return &Reply{Status: http.StatusUnauthorized, Body: `{"error":"Unauthorized"}`}
			case c.lists():
				return nil
			case c.path != "/v1/chat/completions":
				return &Reply{Status: http.StatusNotFound, Body: `{"detail":"Not Found"}`}
			case c.Model != "Qwen/Qwen3-32B":
				return refuse(http.StatusNotFound, "NotFoundError", "The model `%s` does not exist.", c.Model)
			case c.StreamOptions != nil && !c.Stream:
				return refuse(http.StatusBadRequest, "BadRequestError",
					"Stream options can only be defined when `stream=True`.")
			case len(c.Messages) == 0:
				return refuse(http.StatusBadRequest, "BadRequestError", "list index out of range")
			case size+limit > vllmWindow:
				return refuse(http.StatusBadRequest, "BadRequestError",
					"This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.", vllmWindow, size+limit, size, limit)
			}
			return nil
		},
		dress: func(event map[string]any) { event["created"] = 1754425777 },
		thought: func(text string) map[string]any {
			return map[string]any{"reasoning": text, "reasoning_content": text}
		},
		used: func(u usage) map[string]any {
			m := map[string]any{
				"prompt_tokens": u.prompt, "completion_tokens": u.completion,
				"total_tokens": u.prompt + u.completion, "prompt_tokens_details": nil,
			}
			if u.cached > 0 { // reported with --enable-prompt-tokens-details
				m["prompt_tokens_details"] = map[string]any{"cached_tokens": u.cached}
			}
			return m
		},
		broken: func(e *events) {
			e.raw("data: " + failure(500, "InternalServerError", "EngineCore encountered an issue.").Body +
				"\n\ndata: [DONE]\n\n")
		},
		errors: map[string]Reply{
			"rate_limit": failure(429, "TooManyRequestsError", "too many requests"), // an error of a proxy
			"unavailable": {
				Status: 503,
				Body:   `{"object":"error","message":"no healthy upstream","type":"ServiceUnavailable","param":null,"code":503}`,
			},
			"auth":  {Status: 401, Body: `{"error":"Unauthorized"}`},
			"quota": {Status: 402, Body: `{"detail":"no credit"}`},
			"context_too_long": failure(
				400, "BadRequestError", "This model's maximum context length is 40960 tokens. However, your request has 50000 input tokens. Please reduce the length of the input messages."),
			"bad_request": failure(404, "NotFoundError", "The model `m` does not exist."),
		},
	}
}

// vllmWindow is the length of its model's window, in tokens (max_model_len).
const vllmWindow = 40_960
