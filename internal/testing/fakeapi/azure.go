package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// azure is Azure OpenAI: the address contains a deployment and a version, or it is the v1 interface; the first
// event of a stream reports the prompt filter and has no choice.
func azure() Service {
	const list = `{"object":"list","data":[{"id":"gpt-4.1-2025-04-14","object":"model","status":"succeeded","capabilities":{"chat_completion":true}}]}`
	return Service{
		Name: "azure", Model: "my-deployment", Base: "",
		lists:   map[string]string{"/openai/v1/models": list, "/openai/models": list},
		refuse:  refusedByAzure,
		dress:   dressAzure,
		opening: openingOfAzure,
		used:    usedOpenAI,
		broken:  brokenOpenAI,
		wait: func(r *Reply, seconds float64) {
			r.Header["Retry-After-Ms"] = strconv.Itoa(int(seconds * 1000))
			r.Header["Retry-After"] = strconv.Itoa(int(seconds + 0.999))
		},
		errors: map[string]Reply{
			"rate_limit": {
				Status: 429,
				Body: errorOfAzure("429",
					"Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 0.02 seconds."),
			},
			"unavailable": {Status: 500, Body: errorOfAzure(
				"InternalServerError", "The server had an error while processing your request. Sorry about that!")},
			"auth": {
				Status: 401,
				Body: errorOfAzure("401",
					"Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource."),
			},
			"quota": {Status: 429, Body: errorOfAzure(
				"insufficient_quota", "You exceeded your current quota, please check your plan and billing details.")},
			"context_too_long": {
				Status: 400,
				Body:   errorOfOpenAI("This model's maximum context length is 1047576 tokens. However, your messages resulted in 1100000 tokens.", "invalid_request_error", "messages", "context_length_exceeded"),
			},
			"bad_request": {
				Status: 404,
				Body: errorOfAzure("DeploymentNotFound",
					"The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."),
			},
			"content_filter": {
				Status: 400,
				Body:   `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":true,"severity":"high"},"jailbreak":{"filtered":false,"detected":false}}}}}`,
			},
		},
	}
}

func errorOfAzure(code, message string) string {
	text, _ := json.Marshal(map[string]any{"error": map[string]any{"code": code, "message": message}})
	return string(text)
}

// azureVersion matches a version of the interface.
var azureVersion = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(-preview)?$`)

// openingOfAzure sends the event with the result of the prompt filter: it has no choice, no model and no name.
func openingOfAzure(e *events) {
	e.raw(`data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":` + filtered + `}]}` + "\n\n")
}

const filtered = `{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}`

func dressAzure(event map[string]any) {
	event["created"], event["system_fingerprint"], event["model"] = 1754425777, "fp_fake", "gpt-4.1-2025-04-14"
	choices, _ := event["choices"].([]any)
	for _, c := range choices {
		c.(map[string]any)["content_filter_results"] = json.RawMessage(filtered)
	}
	if event["object"] == "chat.completion" {
		event["prompt_filter_results"] = []any{
			map[string]any{"prompt_index": 0, "content_filter_results": json.RawMessage(filtered)},
		}
	}
}

func refusedByAzure(c chatCall) *Reply {
	notFound := &Reply{Status: http.StatusNotFound, Body: errorOfAzure("404", "Resource not found")}
	switch {
	case c.header.Get("Api-Key") != ServiceKey && c.bearer() != ServiceKey:
		return &Reply{Status: http.StatusUnauthorized, Body: azure().errors["auth"].Body}
	case strings.HasPrefix(c.path, "/openai/v1/"):
		if v := c.query.Get("api-version"); v != "" && v != "preview" && v != "latest" && v != "v1" {
			return &Reply{Status: http.StatusBadRequest, Body: errorOfAzure("BadRequest", "API version not supported")}
		}
	case !azureVersion.MatchString(c.query.Get("api-version")):
		return notFound
	}
	deployment := c.Model
	if rest, ok := strings.CutPrefix(c.path, "/openai/deployments/"); ok {
		var end string
		if deployment, end, _ = strings.Cut(rest, "/"); end != "chat/completions" {
			return notFound
		}
	}
	switch {
	case c.lists():
		return nil
	case !strings.HasSuffix(c.path, "/chat/completions"):
		return notFound
	case deployment != "my-deployment" && deployment != "a-reasoner":
		return &Reply{Status: http.StatusNotFound, Body: azure().errors["bad_request"].Body}
	}
	return refusedBody(c, deployment == "a-reasoner",
		func(status int, code any, param any, format string, args ...any) *Reply {
			return &Reply{
				Status: status,
				Body:   errorOfOpenAI(fmt.Sprintf(format, args...), "invalid_request_error", param, code),
			}
		})
}
