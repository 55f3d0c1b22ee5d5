package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/llmtest"
	"github.com/stretchr/testify/require"
)

// Every provider against a server that behaves as its documentation says.
func TestProvidersConform(t *testing.T) {
	for _, p := range llm.Providers() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			s := newDirected(t, p.Name)
			cfg := llm.Config{
				Provider: p.Name, Model: "anthropic/m", BaseURL: s.URL(), APIKey: llm.NewSecret(testKey), Tries: 3,
				BackoffMin: time.Millisecond, BackoffMax: 2 * time.Millisecond, Stall: time.Second, Timeout: 30 * time.Second,
			}
			c, err := llm.New(cfg)
			require.NoError(t, err)
			t.Cleanup(c.Close)
			llmtest.Run(t, c, s, llmtest.Options{Key: testKey})
			require.Empty(t, s.strangers(), "each request is signed and addressed as the provider wants it")
		})
	}
}

// directed is a fake endpoint of a provider that llmtest directs.
type directed struct {
	*fakeapi.Server
	provider string

	mu      sync.Mutex
	replies []llmtest.Reply
	bodies  []string
	wrong   []string
}

func newDirected(t *testing.T, provider string) *directed {
	d := &directed{provider: provider}
	d.Server = fakeapi.StartFunc(d.answer)
	t.Cleanup(d.Server.Close)
	return d
}

func (d *directed) Answer(replies ...llmtest.Reply) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.replies, d.bodies = replies, nil
}

func (d *directed) Calls() int { return len(d.Bodies()) }

func (d *directed) Bodies() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.bodies...)
}

func (d *directed) strangers() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wrong
}

// signed are the header and the path by which each provider knows a request.
var signed = map[string]struct{ header, value, path string }{
	"anthropic": {"X-Api-Key", testKey, "/v1/messages"},
	"azure":     {"Api-Key", testKey, "/v1/openai/v1/chat/completions"},
	"gemini":    {"Authorization", "Bearer " + testKey, "/v1/openai/chat/completions"},
}

func (d *directed) answer(req fakeapi.Request) fakeapi.Reply {
	d.mu.Lock()
	defer d.mu.Unlock()
	want, ok := signed[d.provider]
	if !ok {
		want.header, want.value, want.path = "Authorization", "Bearer "+testKey, "/v1/chat/completions"
	}
	path := strings.Replace(req.Path, "/v1/openai/v1/openai/", "/v1/openai/", 1)
	if req.Header.Get(want.header) != want.value || d.provider != "azure" && path != want.path || req.Model != "anthropic/m" {
		d.wrong = append(d.wrong, req.Path+" "+req.Model)
	}
	d.bodies = append(d.bodies, string(req.Body))
	r := d.replies[0]
	if len(d.replies) > 1 {
		d.replies = d.replies[1:]
	}
	if r.Failure != "" {
		return d.failing(r)
	}
	out := fakeapi.Reply{
		Content: r.Content, Reasoning: r.Reasoning, Fault: fakeapi.Fault(r.Fault), PieceSize: 40,
		PromptTokens: int(r.Usage.Prompt), CompletionTokens: int(r.Usage.Completion), CachedTokens: int(r.Usage.Cached),
	}
	if r.Fault != "" {
		out.Pieces = 1
	}
	if r.Cut {
		out.Finish = "length"
	}
	if d.provider == "gemini" && r.Reasoning != "" {
		out.Content, out.Reasoning = "<thought>"+r.Reasoning+"</thought>"+r.Content, ""
	}
	if d.provider == "openrouter" {
		out.ReasoningField = "reasoning"
	}
	return out
}

// failing is an error in the words of the provider.
func (d *directed) failing(r llmtest.Reply) fakeapi.Reply {
	shapes := openAIErrors
	switch d.provider {
	case "anthropic":
		shapes = anthropicErrors
	case "gemini":
		shapes = geminiErrors
	case "azure":
		shapes = azureErrors
	case "openrouter":
		shapes = openRouterErrors
	case "vllm":
		shapes = vllmErrors
	}
	shape := shapes[r.Failure]
	reply := fakeapi.Reply{Status: shape.status, Body: shape.body, Header: map[string]string{}}
	switch {
	case r.RetryAfter > 0 && d.provider == "gemini":
		reply.Body = fmt.Sprintf(`[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"%gs"}]}}]`, r.RetryAfter.Seconds())
	case r.RetryAfter > 0:
		reply.Header["Retry-After"] = strconv.Itoa(int(r.RetryAfter.Seconds()))
	}
	return reply
}

type errorShape struct {
	status int
	body   string
}

// The errors of each provider, as its documentation or its source shows them.
var (
	openAIErrors = map[llm.ErrorKind]errorShape{
		llm.ErrRateLimit:      {429, `{"error":{"message":"Rate limit reached for m in organization org-x on requests per min","type":"requests","param":null,"code":"rate_limit_exceeded"}}`},
		llm.ErrUnavailable:    {503, `{"error":{"message":"The engine is currently overloaded, please try again later","type":"server_error","param":null,"code":null}}`},
		llm.ErrAuth:           {401, `{"error":{"message":"Incorrect API key provided: ` + testKey + `","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`},
		llm.ErrQuota:          {429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`},
		llm.ErrContextTooLong: {400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
		llm.ErrBadRequest:     {404, `{"error":{"message":"The model m does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`},
	}
	anthropicErrors = map[llm.ErrorKind]errorShape{
		llm.ErrRateLimit:      ofAnthropic(429, "rate_limit_error", "This request would exceed your organization's rate limit"),
		llm.ErrUnavailable:    ofAnthropic(529, "overloaded_error", "Overloaded"),
		llm.ErrAuth:           ofAnthropic(401, "authentication_error", "invalid x-api-key "+testKey),
		llm.ErrQuota:          ofAnthropic(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."),
		llm.ErrContextTooLong: ofAnthropic(400, "invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"),
		llm.ErrBadRequest:     ofAnthropic(404, "not_found_error", "model: m"),
	}
	geminiErrors = map[llm.ErrorKind]errorShape{
		llm.ErrRateLimit:      {429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0.01s"}]}}]`},
		llm.ErrUnavailable:    {503, `[{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]`},
		llm.ErrAuth:           {400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}]`},
		llm.ErrQuota:          {429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]`},
		llm.ErrContextTooLong: {400, `[{"error":{"code":400,"message":"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`},
		llm.ErrBadRequest:     {404, `[{"error":{"code":404,"message":"models/m is not found for API version v1main","status":"NOT_FOUND"}}]`},
	}
	azureErrors = map[llm.ErrorKind]errorShape{
		llm.ErrRateLimit:      {429, `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation under Azure OpenAI API version v1 have exceeded call rate limit of your current OpenAI S0 pricing tier."}}`},
		llm.ErrUnavailable:    {500, `{"error":{"code":"InternalServerError","message":"The server had an error while processing your request."}}`},
		llm.ErrAuth:           {401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}`},
		llm.ErrQuota:          {429, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota."}}`},
		llm.ErrContextTooLong: openAIErrors[llm.ErrContextTooLong],
		llm.ErrBadRequest:     {404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`},
	}
	openRouterErrors = map[llm.ErrorKind]errorShape{
		llm.ErrRateLimit:      {429, `{"error":{"message":"Rate limit exceeded: free-models-per-min","code":429}}`},
		llm.ErrUnavailable:    {502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"provider_name":"X"}}}`},
		llm.ErrAuth:           {401, `{"error":{"message":"No auth credentials found","code":401}}`},
		llm.ErrQuota:          {402, `{"error":{"message":"Insufficient credits. Add more using https://openrouter.ai/settings/credits","code":402}}`},
		llm.ErrContextTooLong: {400, `{"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens","code":400}}`},
		llm.ErrBadRequest:     {400, `{"error":{"message":"m is not a valid model ID","code":400}}`},
	}
	vllmErrors = map[llm.ErrorKind]errorShape{
		llm.ErrRateLimit:      openAIErrors[llm.ErrRateLimit],
		llm.ErrUnavailable:    {503, `{"object":"error","message":"no healthy upstream","type":"ServiceUnavailable","param":null,"code":503}`},
		llm.ErrAuth:           {401, `{"error":"Unauthorized"}`},
		llm.ErrQuota:          openAIErrors[llm.ErrQuota],
		llm.ErrContextTooLong: {400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","param":null,"code":400}`},
		llm.ErrBadRequest:     {404, `{"object":"error","message":"The model m does not exist.","type":"NotFoundError","param":null,"code":404}`},
	}
)

func ofAnthropic(status int, kind, message string) errorShape {
	return errorShape{status, fakeapi.AnthropicError(status, kind, message).Body}
}

// What Gemini thinks counts in the total only; it is paid for as a part of the reply.
func TestGeminiCountsThoughtsApart(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok", Usage: `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":45}`}})
	resp, _ := generate(t, client(t, s, func(c *llm.Config) { c.Provider = "gemini" }), ask("hi"))
	require.Equal(t, llm.Usage{Prompt: 10, Completion: 35, Reasoning: 30}, resp.Usage)
}

// A version of Azure's interface that has a date puts deployment and version into the address.
func TestAzureWithAVersion(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	c := client(t, s, func(c *llm.Config) {
		c.Provider, c.Model, c.APIVersion, c.BaseURL = "azure", "my deployment", "2024-10-21", strings.TrimSuffix(s.URL(), "/v1")
	})
	generate(t, c, ask("hi"))
	require.Equal(t, "/openai/deployments/my deployment/chat/completions", s.Requests()[0].Path)
	require.Equal(t, testKey, s.Requests()[0].Header.Get("Api-Key"))
}

// Fields that a user adds to the body are sent with each request, and cannot make another call of it.
func TestExtraBody(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	generate(t, client(t, s, func(c *llm.Config) {
		c.ExtraBody = map[string]any{"top_k": 5, "chat_template_kwargs": map[string]any{"x": true}}
	}), ask("hi"))
	require.Equal(t, 5.0, s.Requests()[0].Field("top_k"))
	for _, name := range []string{"model", "messages", "stream", "system"} {
		_, err := llm.New(llm.Config{Model: "m", ExtraBody: map[string]any{name: 1}})
		require.ErrorContains(t, err, name)
	}
	_, err := llm.New(llm.Config{Model: "m", Provider: "nobody"})
	require.ErrorContains(t, err, "no provider")
}

// A model without a system role gets what the system says with the first message.
func TestWithoutASystemRole(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	generate(t, client(t, s, func(c *llm.Config) { c.Model = "o1-mini" }), ask("hi"))
	require.Equal(t, []fakeapi.Message{{Role: "user", Content: "be brief\n\nhi"}}, s.Requests()[0].Messages)
}

// The official SDKs of the makers understand the fake servers, and are understood: what the other tests prove against
// these servers holds for the makers' own.
func TestOfficialSDKs(t *testing.T) {
	run := sdkRunner(t)
	reply := fakeapi.Reply{Content: "a reply of some length, in more than one piece", Reasoning: "let me see", PromptTokens: 100, CompletionTokens: 40, CachedTokens: 60, WrittenTokens: 30}
	for sdk, want := range map[string]map[string]any{
		"anthropic": {"text": reply.Content, "thinking": "let me see", "stop": "end_turn", "input": 10.0, "read": 60.0, "written": 30.0, "output": 40.0},
		"openai":    {"text": reply.Content, "stop": "stop", "input": 100.0, "read": 60.0, "output": 40.0},
	} {
		for _, mode := range []string{"whole", "stream"} {
			t.Run(sdk+" "+mode, func(t *testing.T) {
				s := fakeapi.Start(fakeapi.Rule{Reply: reply})
				defer s.Close()
				require.Equal(t, want, run(t, s, sdk, mode))
			})
		}
		t.Run(sdk+" error", func(t *testing.T) {
			refusal := fakeapi.Reply{Status: http.StatusTooManyRequests, Body: openAIErrors[llm.ErrRateLimit].body}
			if sdk == "anthropic" {
				refusal.Body = anthropicErrors[llm.ErrRateLimit].body
			}
			s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: refusal})
			defer s.Close()
			require.Equal(t, map[string]any{"error": "RateLimitError", "status": 429.0}, run(t, s, sdk, "whole"))
		})
	}
	t.Run("anthropic error in a stream", func(t *testing.T) {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: strings.Repeat("x", 100), Fault: fakeapi.ErrorEvent, Pieces: 1}})
		defer s.Close()
		got := run(t, s, "anthropic", "stream")
		require.NotEmpty(t, got["error"])
	})
	t.Run("genai", func(t *testing.T) {
		gemini := reply
		gemini.ReasoningTokens = 30
		s := fakeapi.Start(fakeapi.Rule{Times: 2, Reply: gemini}, fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Status: 404, Body: strings.Trim(geminiErrors[llm.ErrBadRequest].body, "[]")}})
		defer s.Close()
		want := map[string]any{"text": reply.Content, "input": 100.0, "read": 60.0, "output": 40.0, "thought": 30.0}
		require.Equal(t, want, run(t, s, "genai", "whole"))
		require.Equal(t, want, run(t, s, "genai", "stream"))
		require.Equal(t, map[string]any{"error": "ApiError", "status": 404.0}, run(t, s, "genai", "whole"))
	})
	t.Run("gemini by its OpenAI layer", func(t *testing.T) {
		s := fakeapi.Start(fakeapi.Rule{Reply: reply})
		defer s.Close()
		require.Equal(t, reply.Content, run(t, s, "gemini", "stream")["text"])
	})
}

func decodeLine(t *testing.T, line []byte) map[string]any {
	t.Helper()
	var got map[string]any
	require.NoError(t, json.Unmarshal(line, &got), "%s", line)
	return got
}
