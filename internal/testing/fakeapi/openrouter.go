package fakeapi

import (
	"encoding/json"
	"net/http"
)

// openRouter is OpenRouter. It keeps connections alive with comments, reports who served a call and what it cost,
// ends failed replies with a choice whose finish reason is error, and accepts unknown fields.
func openRouter() Service {
	return Service{
		Name: "openrouter", Model: "anthropic/claude-sonnet-4.5", Base: "/api/v1",
		lists: map[string]string{
			"/api/v1/models": `{"data":[{"id":"anthropic/claude-sonnet-4.5","canonical_slug":"anthropic/claude-4.5-sonnet-20250929","name":"Anthropic: Claude Sonnet 4.5","context_length":1000000,"pricing":{"prompt":"0.000003","completion":"0.000015","request":"0","image":"0.0048","input_cache_read":"0.0000003","input_cache_write":"0.00000375"},"top_provider":{"context_length":1000000,"max_completion_tokens":64000,"is_moderated":false},"supported_parameters":["max_tokens","reasoning","temperature"]},{"id":"openrouter/auto","name":"Auto Router","context_length":2000000,"pricing":{"prompt":"-1","completion":"-1"},"top_provider":{"context_length":null,"max_completion_tokens":null,"is_moderated":false}},{"id":"qwen/qwen3-32b:free","name":"Qwen3 32B (free)","context_length":40960,"pricing":{"prompt":"0","completion":"0"},"top_provider":{"context_length":40960,"max_completion_tokens":null,"is_moderated":false}}]}`,
		},
		refuse: func(c chatCall) *Reply {
			switch {
			case c.lists(): // the list needs no key
				return nil
			case c.bearer() == "":
				return refusalOfRouter(http.StatusUnauthorized, "No auth credentials found")
			case c.bearer() != ServiceKey:
				return refusalOfRouter(http.StatusUnauthorized, "User not found.")
			case c.path != "/api/v1/chat/completions":
				return refusalOfRouter(http.StatusNotFound, "Not Found")
			case c.Model != "anthropic/claude-sonnet-4.5" && c.Model != "qwen/qwen3-32b:free":
				return refusalOfRouter(http.StatusBadRequest, c.Model+" is not a valid model ID")
			case len(c.Messages) == 0:
				return refusalOfRouter(http.StatusBadRequest, `Input required: specify "prompt" or "messages"`)
			}
			return nil
		},
		opening: func(e *events) { e.raw(": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n") },
		dress: func(event map[string]any) {
			event["id"], event["provider"], event["created"], event["system_fingerprint"] = "gen-fake", "Anthropic",
				1754425777, nil
			choices, _ := event["choices"].([]any)
			for _, c := range choices {
				c := c.(map[string]any)
				c["logprobs"], c["native_finish_reason"] = nil, nil
				if finish := c["finish_reason"]; finish != nil {
					c["native_finish_reason"] = "end_turn"
				}
				if d, ok := c["delta"].(map[string]any); ok {
					d["role"] = "assistant"
					if _, says := d["content"]; !says {
						d["content"] = ""
					}
				}
			}
		},
		thought: func(text string) map[string]any {
			return map[string]any{"reasoning": text, "reasoning_details": []any{
				map[string]any{"type": "reasoning.text", "text": text, "format": "anthropic-claude-v1", "index": 0},
			}}
		},
		used: func(u usage) map[string]any {
			cost := 0.0
			if u.cost != nil {
				cost = *u.cost
			}
			return map[string]any{
				"prompt_tokens": u.prompt, "completion_tokens": u.completion, "total_tokens": u.prompt + u.completion,
				"cost": cost, "is_byok": false,
				"prompt_tokens_details": map[string]any{
					"cached_tokens": u.cached, "cache_write_tokens": u.written, "audio_tokens": 0,
				},
				"cost_details":              map[string]any{"upstream_inference_cost": nil},
				"completion_tokens_details": map[string]any{"reasoning_tokens": u.reasoning},
			}
		},
		usesChoice: true,
		broken: func(e *events) {
			e.raw(`data: {"id":"gen-fake","object":"chat.completion.chunk","created":1754425777,"model":"anthropic/claude-sonnet-4.5","provider":"Anthropic","error":{"code":"server_error","message":"Provider disconnected unexpectedly"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n")
		},
		errors: map[string]Reply{
			"rate_limit": *refusalOfRouter(
				http.StatusTooManyRequests, "Rate limit exceeded: free-models-per-min."),
			"unavailable": {
				Status: 502,
				Body:   `{"error":{"message":"Provider returned error","code":502,"metadata":{"provider_name":"Anthropic","raw":"upstream"}},"user_id":"user_x"}`,
			},
			"auth": *refusalOfRouter(http.StatusUnauthorized, "User not found."),
			"quota": *refusalOfRouter(http.StatusPaymentRequired,
				"Insufficient credits. Add more using https://openrouter.ai/settings/credits"),
			"context_too_long": *refusalOfRouter(
				http.StatusBadRequest, "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens (200000 of text input). Please reduce the length of either one."),
			"bad_request": *refusalOfRouter(http.StatusBadRequest, "m is not a valid model ID"),
			"content_filter": {
				Status: 403,
				Body:   `{"error":{"message":"Your input was flagged","code":403,"metadata":{"reasons":["violence"],"flagged_input":"…","provider_name":"OpenAI","model_slug":"m"}}}`,
			},
		},
	}
}

func refusalOfRouter(status int, message string) *Reply {
	text, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "code": status}})
	return &Reply{Status: status, Body: string(text)}
}
