package fakeapi

import (
	"fmt"
	"net/http"
	"slices"
)

// gemini is Gemini's OpenAI layer: errors are lists in Google's form, unknown fields are rejected, and the tokens
// of thinking count only in the total.
func gemini() Service {
	return Service{
		Name: "gemini", Model: "gemini-2.5-flash", Base: "/v1beta/openai",
		lists: map[string]string{
			"/v1beta/openai/models": `{"object":"list","data":[{"id":"models/gemini-2.5-flash","object":"model","owned_by":"google","display_name":"Gemini 2.5 Flash"}]}`,
		},
		refuse: refusedByGemini,
		dress: func(event map[string]any) {
			event["created"] = 1754425777
			choices, _ := event["choices"].([]any)
			for _, c := range choices {
				if d, ok := c.(map[string]any)["delta"].(map[string]any); ok {
					d["role"] = "assistant"
				}
				if c := c.(map[string]any); c["finish_reason"] == nil {
					delete(c, "finish_reason")
				}
			}
		},
		thought: func(text string) map[string]any {
			return map[string]any{
				"content":       "<thought>" + text + "</thought>",
				"extra_content": map[string]any{"google": map[string]any{"thought": true}},
			}
		},
		used: func(u usage) map[string]any {
			m := map[string]any{
				"prompt_tokens": u.prompt, "completion_tokens": u.completion - u.reasoning,
				"total_tokens": u.prompt + u.completion,
			}
			if u.cached > 0 {
				m["prompt_tokens_details"] = map[string]any{"cached_tokens": u.cached}
			}
			return m
		},
		broken: func(e *events) {
			e.raw("data: " + errorOfGoogle(http.StatusServiceUnavailable, "UNAVAILABLE",
				"The model is overloaded. Please try again later.", "") + "\n\n")
		},
		wait: func(r *Reply, seconds float64) {
			*r = Reply{
				Status: http.StatusTooManyRequests,
				Body: errorOfGoogle(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", quotaOfGoogle,
					`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"generativelanguage.googleapis.com/generate_content_free_tier_requests","quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier","quotaValue":"10"}]},{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"Learn more","url":"https://ai.google.dev/gemini-api/docs/rate-limits"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"`+fmt.Sprint(seconds)+`s"}`),
			}
		},
		errors: map[string]Reply{
			"rate_limit": {
				Status: 429,
				Body: errorOfGoogle(429, "RESOURCE_EXHAUSTED", quotaOfGoogle,
					`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0.01s"}`),
			},
			"unavailable": {
				Status: 503,
				Body:   errorOfGoogle(503, "UNAVAILABLE", "The model is overloaded. Please try again later.", ""),
			},
			"auth": {
				Status: 400,
				Body: errorOfGoogle(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.",
					`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com","metadata":{"service":"generativelanguage.googleapis.com"}}`),
			},
			"quota": {
				Status: 429,
				Body: errorOfGoogle(429, "RESOURCE_EXHAUSTED", quotaOfGoogle,
					`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}`),
			},
			"context_too_long": {Status: 400, Body: errorOfGoogle(400, "INVALID_ARGUMENT",
				"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).", "")},
			"bad_request": {Status: 404, Body: errorOfGoogle(404, "NOT_FOUND",
				"models/m is not found for API version v1main, or is not supported for generateContent.", "")},
			"content_filter": {Status: 400, Body: errorOfGoogle(
				400, "INVALID_ARGUMENT", "The prompt was flagged and blocked: PROHIBITED_CONTENT", "")},
		},
	}
}

const quotaOfGoogle = "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits."

// errorOfGoogle is an error as Google sends it: a list of one.
func errorOfGoogle(code int, status, message, details string) string {
	if details != "" {
		details = `,"details":[` + details + `]`
	}
	return fmt.Sprintf(`[{"error":{"code":%d,"message":%q,"status":%q%s}}]`, code, message, status, details)
}

func refusedByGemini(c chatCall) *Reply {
	refuse := func(code int, status, format string, args ...any) *Reply {
		return &Reply{Status: code, Body: errorOfGoogle(code, status, fmt.Sprintf(format, args...), "")}
	}
	switch {
	case c.bearer() == "":
		return refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "Missing or invalid Authorization header.")
	case c.bearer() != ServiceKey:
		return &Reply{Status: http.StatusBadRequest, Body: gemini().errors["auth"].Body}
	case c.lists():
		return nil
	case c.path != "/v1beta/openai/chat/completions":
		return &Reply{Status: http.StatusNotFound}
	case c.Model != "gemini-2.5-flash" && c.Model != "models/gemini-2.5-flash":
		return refuse(http.StatusNotFound, "NOT_FOUND",
			"models/%s is not found for API version v1main, or is not supported for generateContent.", c.Model)
	}
	known := []string{
		"extra_body", "max_completion_tokens", "max_tokens", "messages", "model", "n", "parallel_tool_calls",
		"reasoning_effort", "response_format", "seed",
		"stop", "stream", "stream_options", "temperature", "tool_choice", "tools", "top_p", "user", "frequency_penalty",
		"presence_penalty", "service_tier",
	}
	if name := c.unknown(known); name != "" {
		return refuse(http.StatusBadRequest, "INVALID_ARGUMENT",
			`Invalid JSON payload received. Unknown name "%s": Cannot find field.`, name)
	}
	if c.Effort != nil && !slices.Contains([]string{"none", "minimal", "low", "medium", "high"}, *c.Effort) {
		return refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "Invalid reasoning_effort: %s", *c.Effort)
	}
	for _, m := range c.Messages {
		if m.Role != "system" {
			return nil
		}
	}
	return refuse(http.StatusBadRequest, "INVALID_ARGUMENT",
		"* GenerateContentRequest.contents: contents is not specified")
}
