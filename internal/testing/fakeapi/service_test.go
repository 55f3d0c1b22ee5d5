package fakeapi

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A service rejects what its provider would, with the status and the words of the documentation.
func TestServicesRefuse(t *testing.T) {
	const hi = `"messages":[{"role":"user","content":"hi"}]`
	bearer := http.Header{"Authorization": {"Bearer " + ServiceKey}}
	azureKey := http.Header{"Api-Key": {ServiceKey}}
	for _, c := range []struct {
		service, path, body string
		header              http.Header
		status              int
		says                string
	}{
		{"openai", "/v1/chat/completions", `{"model":"gpt-5",` + hi + `}`, nil, 401, "You didn't provide an API key"},
		{
			"openai", "/v1/chat/completions", `{"model":"gpt-5",` + hi + `}`,
			http.Header{"Authorization": {"Bearer no"}},
			401, "invalid_api_key",
		},
		{"openai", "/v1/chat/completions", `{"model":"gpt-5",` + hi + `}`, azureKey, 401, "You didn't provide"},
		{"openai", "/chat/completions", `{"model":"gpt-5",` + hi + `}`, bearer, 404, "Invalid URL"},
		{"openai", "/v1/chat/completions", `{"model":"gpt-9",` + hi + `}`, bearer, 404, "model_not_found"},
		{
			"openai", "/v1/chat/completions", `{"model":"gpt-5",` + hi + `,"top_k":3}`, bearer, 400,
			"Unknown parameter: 'top_k'",
		},
		{"openai", "/v1/chat/completions", `{"model":"gpt-5","messages":[]}`, bearer, 400, "empty array"},
		{
			"openai", "/v1/chat/completions", `{"model":"gpt-5","messages":[{"role":"user","content":null}]}`, bearer, 400,
			"got null",
		},
		{
			"openai", "/v1/chat/completions", `{"model":"gpt-5","messages":[{"role":"robot","content":"x"}]}`, bearer, 400,
			"Invalid value: 'robot'",
		},
		{
			"openai", "/v1/chat/completions", `{"model":"gpt-5",` + hi + `,"max_tokens":5}`, bearer, 400,
			"Use 'max_completion_tokens' instead",
		},
		{
			"openai", "/v1/chat/completions", `{"model":"gpt-5",` + hi + `,"temperature":0.2}`, bearer, 400,
			"Only the default (1) value is supported",
		},
		{
			"openai", "/v1/chat/completions",
			`{"model":"gpt-4.1-2025-04-14",` + hi + `,"reasoning_effort":"low"}`, bearer,
			400, "reasoning_effort",
		},
		{
			"openai", "/v1/chat/completions", `{"model":"gpt-5",` + hi + `,"stream_options":{"include_usage":true}}`,
			bearer, 400, "only allowed when 'stream'",
		},
		{
			"openai", "/v1/chat/completions",
			`{"model":"gpt-5",` + hi +
				`,"response_format":{"type":"json_schema","json_schema":{"name":"a b","schema":{}}}}`, bearer, 400,
			"does not match pattern",
		},
		{
			"openai", "/v1/chat/completions",
			`{"model":"gpt-5",` + hi +
				`,"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"type":"object","properties":{"x":{"type":"object"}},"required":["x"],"additionalProperties":false}}}}`, bearer, 400, "'additionalProperties' is required",
		},
		{
			"azure", "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21", `{` + hi + `}`, nil, 401,
			"Access denied",
		},
		{
			"azure", "/openai/deployments/my-deployment/chat/completions", `{` + hi + `}`, azureKey, 404,
			"Resource not found",
		},
		{
			"azure", "/openai/deployments/my-deployment/chat/completions?api-version=v9", `{` + hi + `}`, azureKey, 404,
			"Resource not found",
		},
		{
			"azure", "/openai/deployments/other/chat/completions?api-version=2024-10-21", `{` + hi + `}`, azureKey, 404,
			"DeploymentNotFound",
		},
		{"azure", "/openai/v1/chat/completions", `{"model":"other",` + hi + `}`, azureKey, 404, "DeploymentNotFound"},
		{
			"azure", "/openai/v1/chat/completions?api-version=2024-10-21", `{"model":"my-deployment",` + hi + `}`,
			azureKey, 400, "API version not supported",
		},
		{
			"azure", "/openai/v1/chat/completions", `{"model":"my-deployment",` + hi + `,"usage":{}}`, azureKey, 400,
			"Unknown parameter: 'usage'",
		},
		{"azure", "/v1/chat/completions", `{"model":"my-deployment",` + hi + `}`, azureKey, 404, "Resource not found"},
		{
			"gemini", "/v1beta/openai/chat/completions", `{"model":"gemini-2.5-flash",` + hi + `}`, nil, 400,
			"Missing or invalid Authorization header",
		},
		{
			"gemini", "/v1beta/openai/chat/completions", `{"model":"gemini-2.5-flash",` + hi + `}`,
			http.Header{"Authorization": {"Bearer no"}},
			400, "API_KEY_INVALID",
		},
		{"gemini", "/v1beta/openai/chat/completions", `{"model":"m",` + hi + `}`, bearer, 404, "NOT_FOUND"},
		{
			"gemini", "/v1beta/openai/chat/completions", `{"model":"gemini-2.5-flash",` + hi + `,"verbosity":"low"}`,
			bearer, 400, `Unknown name \"verbosity\"`,
		},
		{
			"gemini", "/v1beta/openai/chat/completions",
			`{"model":"gemini-2.5-flash","messages":[{"role":"system","content":"x"}]}`, bearer, 400,
			"contents is not specified",
		},
		{"gemini", "/v1beta/openai/chat/completions", `{"model":"gemini-2.5-flash",` + hi +
			`,"reasoning_effort":"huge"}`, bearer, 400, "Invalid reasoning_effort"},
		{
			"openrouter", "/api/v1/chat/completions", `{"model":"qwen/qwen3-32b:free",` + hi + `}`, nil, 401,
			"No auth credentials found",
		},
		{"openrouter", "/v1/chat/completions", `{"model":"qwen/qwen3-32b:free",` + hi + `}`, bearer, 404, "Not Found"},
		{
			"openrouter", "/api/v1/chat/completions", `{"model":"m",` + hi + `}`, bearer, 400,
			"m is not a valid model ID",
		},
		{"ollama", "/v1/chat/completions", `{"model":"m",` + hi + `}`, nil, 404, "model 'm' not found"},
		{
			"ollama", "/v1/chat/completions", `{"model":"qwen3:8b","messages":[{"role":"user"}]}`, nil, 400,
			"invalid message content type",
		},
		{
			"ollama", "/v1/chat/completions", `{"model":"qwen3:8b",` + hi + `,"reasoning_effort":"xhigh"}`, nil, 400,
			"invalid reasoning value: 'xhigh'",
		},
		{"ollama", "/chat/completions", `{"model":"qwen3:8b",` + hi + `}`, nil, 404, "404 page not found"},
		{"vllm", "/v1/chat/completions", `{"model":"Qwen/Qwen3-32B",` + hi + `}`, nil, 401, `{"error":"Unauthorized"}`},
		{"vllm", "/v1/chat/completions", `{"model":"m",` + hi + `}`, bearer, 404, "NotFoundError"},
		{
			"vllm", "/v1/chat/completions", `{"model":"Qwen/Qwen3-32B",` + hi + `,"max_tokens":50000}`, bearer, 400,
			"maximum context length is 40960 tokens",
		},
		{
			"vllm", "/v1/chat/completions", `{"model":"Qwen/Qwen3-32B",` + hi + `,"stream_options":{}}`, bearer, 400,
			"stream=True",
		},
	} {
		t.Run(c.service+" "+c.says, func(t *testing.T) {
			s := StartService(serviceNamed(t, c.service), func(Request) Reply { return Reply{Content: "not refused"} })
			defer s.Close()
			status, body := send(t, http.MethodPost, s.http.URL+c.path, c.header, c.body)
			require.Equal(t, c.status, status, body)
			require.Contains(t, body, c.says)
			require.True(t, s.Requests()[0].Refused)
		})
	}
}

// Valid requests are answered, in one piece and as a stream of parseable events.
func TestServicesAnswer(t *testing.T) {
	for _, service := range Services() {
		t.Run(service.Name, func(t *testing.T) {
			cost := 0.5
			s := StartService(service, func(Request) Reply {
				return Reply{Content: "a reply", Reasoning: "hm", Cost: &cost}
			})
			defer s.Close()
			path := "/chat/completions"
			if service.Name == "azure" {
				path = "/openai/v1" + path
			}
			header := http.Header{"Authorization": {"Bearer " + ServiceKey}}
			for _, more := range []string{
				``, `,"stream":true`, `,"stream":true,"stream_options":{"include_usage":true}`,
			} {
				status, body := send(t, http.MethodPost, s.URL()+path, header,
					`{"model":"`+service.Model+`","messages":[{"role":"user","content":"hi"}]`+more+`}`)
				require.Equal(t, 200, status, body)
				if more == "" {
					require.Contains(t, body, "a reply")
					require.Contains(t, body, `"usage"`)
					continue
				}
				used, last := false, ""
				for _, event := range strings.Split(strings.TrimSpace(body), "\n\n") {
					data, isData := strings.CutPrefix(event, "data: ")
					if last = data; !isData || data == "[DONE]" {
						continue
					}
					var chunk struct{ Usage map[string]any }
					require.NoError(t, json.Unmarshal([]byte(data), &chunk), data)
					used = used || chunk.Usage != nil
				}
				require.Equal(t, "[DONE]", last)
				require.Equal(t, service.Name == "openrouter" || strings.Contains(more, "include_usage"), used, more)
			}
			for path := range service.lists {
				if service.Name == "azure" && path == "/openai/models" {
					path += "?api-version=2024-10-21"
				}
				status, body := send(t, http.MethodGet, s.http.URL+path, header, "")
				require.Equal(t, 200, status, body)
				require.True(t, json.Valid([]byte(body)))
			}
		})
	}
}

func serviceNamed(t *testing.T, name string) Service {
	t.Helper()
	for _, s := range Services() {
		if s.Name == name {
			return s
		}
	}
	require.Fail(t, "there is no service "+name)
	return Service{}
}

func send(t *testing.T, method, url string, header http.Header, body string) (status int, reply string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(text)
}
