package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// at returns a client of a service.
func at(t *testing.T, service fakeapi.Service, s *fakeapi.Server, change ...func(*llm.Config)) *llm.Client {
	return client(t, s, append([]func(*llm.Config){func(c *llm.Config) {
		c.Provider, c.Model, c.APIVersion = service.Name, service.Model, versionOf(service)
	}}, change...)...)
}

// Each provider's service, which is as strict as documented, accepts each setting that a run can have: as sent, or
// reworded after a refusal, from which the client learns once.
func TestServicesTakeEverySetting(t *testing.T) {
	cool, zero := 0.7, 0.0
	closed := json.RawMessage(
		`{"type":"object","properties":{"days":{"type":"integer"}},"required":["days"],"additionalProperties":false}`)
	open := json.RawMessage(`{"type":"object","properties":{"days":{"type":"integer"},"x":{"type":"object"}}}`)
	settings := map[string]func(*llm.Request){
		"nothing":          func(*llm.Request) {},
		"limit":            func(r *llm.Request) { r.MaxTokens = 100 },
		"temperature":      func(r *llm.Request) { r.Temperature = &cool },
		"temperature of 0": func(r *llm.Request) { r.Temperature = &zero },
		"closed schema":    func(r *llm.Request) { r.Format = &llm.Format{Name: "answer", Schema: closed} },
		"open schema":      func(r *llm.Request) { r.Format = &llm.Format{Name: "answer", Schema: open} },
		"effort":           func(r *llm.Request) { r.ReasoningEffort = "low" },
		"empty message":    func(r *llm.Request) { r.Messages[1].Content = "" },
		"without a system": func(r *llm.Request) { r.Messages = r.Messages[1:] },
		"long and once": func(r *llm.Request) {
			r.Messages[0].Content, r.Once = strings.Repeat("word ", 3000), true
		},
		"a reply before": func(r *llm.Request) {
			r.Messages = append(r.Messages, llm.Message{
				Role: llm.Assistant, Content: "a",
				Parts: []llm.Part{{Kind: "image", Data: "x"}},
			}, llm.Message{Role: llm.User, Content: "b"})
		},
	}
	models := map[string][]string{"openai": {"gpt-5"}, "azure": {"a-reasoner"}}
	for _, service := range fakeapi.Services() {
		for _, model := range append(models[service.Name], service.Model) {
			reasons := model != service.Model
			for name, set := range settings {
				if strings.HasPrefix(name, "temp") && reasons ||
					name == "effort" && !reasons && len(models[service.Name]) > 0 {
					continue // the model does not accept it: see TestServicesRefuseSettings
				}
				for _, whole := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s %s, whole %v", model, name, whole), func(t *testing.T) {
						s := fakeapi.StartService(service, func(fakeapi.Request) fakeapi.Reply {
							return fakeapi.Reply{Content: "ok", Reasoning: "hm"}
						})
						c := at(t, service, s, func(c *llm.Config) { c.Model = model })
						req := ask("hi")
						req.NoStream = whole
						set(&req)
						for range 2 {
							resp, _ := generate(t, c, req)
							require.Equal(t, "ok", resp.Content)
							require.Positive(t, resp.Usage.Prompt)
							require.False(t, resp.Usage.Estimated, "the service tells the usage")
						}
						refused := 0
						for _, r := range s.Requests() {
							if r.Refused {
								refused++
							}
						}
						require.LessOrEqual(t, refused, 1, "a refusal is learnt from")
						require.Zero(t, refused*(map[bool]int{true: 0, false: 1}[reasons && name == "limit"]))
					})
				}
			}
		}
	}
}

// A setting that a model does not accept is not dropped: the error tells the user what to leave out.
func TestServicesRefuseSettings(t *testing.T) {
	cool := 0.7
	for _, service := range fakeapi.Services()[:2] {
		s := fakeapi.StartService(service, func(fakeapi.Request) fakeapi.Reply { return fakeapi.Reply{Content: "ok"} })
		reasoner := map[string]string{"openai": "gpt-5", "azure": "a-reasoner"}[service.Name]
		req := ask("hi")
		req.Temperature = &cool
		e := failure(t, at(t, service, s, func(c *llm.Config) { c.Model = reasoner }), req)
		require.Equal(t, llm.ErrBadRequest, e.Kind)
		require.Contains(t, e.Message, "'temperature' does not support 0.7 with this model")
		req = ask("hi")
		req.ReasoningEffort = "low"
		e = failure(t, at(t, service, s), req)
		require.Equal(t, llm.ErrBadRequest, e.Kind)
		require.Contains(t, e.Message, "reasoning_effort")
	}
}

// The kinds of failure are recognised in each provider's words, including filtered replies.
func TestServicesFail(t *testing.T) {
	for _, service := range fakeapi.Services() {
		kinds := []llm.ErrorKind{
			llm.ErrRateLimit, llm.ErrUnavailable, llm.ErrAuth, llm.ErrQuota, llm.ErrContextTooLong, llm.ErrBadRequest,
		}
		if service.Name != "ollama" && service.Name != "vllm" { // Ollama and vLLM filter nothing
			kinds = append(kinds, llm.ErrContentFilter)
		}
		for _, kind := range kinds {
			s := fakeapi.StartService(
				service, func(fakeapi.Request) fakeapi.Reply { return service.Failure(string(kind), 0) })
			e := failure(t, at(t, service, s, func(c *llm.Config) { c.Tries = 2 }), ask("hi"))
			require.Equal(t, kind, e.Kind, "%s: %s", service.Name, e.Message)
			require.NotContains(t, e.Message, "{", "the message is for people: %s", e.Message)
		}
		s := fakeapi.StartService(
			service, func(fakeapi.Request) fakeapi.Reply { return fakeapi.Reply{Finish: "content_filter"} })
		require.Equal(t, llm.ErrContentFilter, failure(t, at(t, service, s), ask("hi")).Kind)
	}
}

// A wait in milliseconds, as from Azure, is exact and not rounded up.
func TestAzureWaitsForMilliseconds(t *testing.T) {
	service := fakeapi.Services()[1]
	replies := []fakeapi.Reply{service.Failure("rate_limit", 0.02), {Content: "ok"}}
	s := fakeapi.StartService(service, func(req fakeapi.Request) fakeapi.Reply { return replies[min(req.N, 1)] })
	_, heard := generate(t, at(t, service, s), ask("hi"))
	require.Equal(t, 20*time.Millisecond, heard.retries[0].Wait)
}

// A list of models has the facts that a service reports, and the names in the form that requests need.
func TestServicesListModels(t *testing.T) {
	third, cached, write := 3.0, 0.3, 3.75
	for name, want := range map[string][]llm.ModelInfo{
		"openai": {{Name: "gpt-4.1-2025-04-14"}, {Name: "gpt-5"}},
		"azure":  {{Name: "gpt-4.1-2025-04-14"}},
		"gemini": {{Name: "gemini-2.5-flash"}},
		"ollama": {{Name: "qwen3:8b"}},
		"vllm":   {{Name: "Qwen/Qwen3-32B", Facts: llm.Facts{Window: 40_960}}},
		"openrouter": {
			{Name: "anthropic/claude-sonnet-4.5", Facts: llm.Facts{
				Window: 1_000_000, Output: 64_000,
				Price: &llm.Price{Input: third, Output: 15, CachedInput: &cached, CacheWrite: &write},
			}},
			{Name: "openrouter/auto", Facts: llm.Facts{Window: 2_000_000}},
			{Name: "qwen/qwen3-32b:free", Facts: llm.Facts{Window: 40_960, Price: &llm.Price{}}},
		},
	} {
		for _, service := range fakeapi.Services() {
			if service.Name != name {
				continue
			}
			s := fakeapi.StartService(service, nil)
			for _, version := range []string{"", versionOf(service)} {
				list, err := at(t, service, s, func(c *llm.Config) { c.APIVersion = version }).List(t.Context())
				require.NoError(t, err)
				require.Equal(t, want, list, name)
			}
		}
	}
}

// OpenRouter reports the cost of a call, cache reads and writes, and ends broken replies with a reason: such a
// reply is requested again.
func TestOpenRouterTells(t *testing.T) {
	service := fakeapi.Services()[3]
	cost := 0.0123
	replies := []fakeapi.Reply{
		{Content: strings.Repeat("half ", 40), Fault: fakeapi.ErrorEvent, Pieces: 1},
		{
			Content: "whole", Reasoning: "hm", Cost: &cost, PromptTokens: 100, CompletionTokens: 5, CachedTokens: 40,
			WrittenTokens: 50, ReasoningTokens: 3,
		},
	}
	s := fakeapi.StartService(service, func(req fakeapi.Request) fakeapi.Reply { return replies[min(req.N, 1)] })
	resp, heard := generate(t, at(t, service, s), ask("hi"))
	require.Equal(t, "whole", resp.Content)
	require.Equal(t, "hm", resp.Reasoning)
	require.Equal(t, &cost, resp.Cost)
	require.Positive(t, resp.Usage.Wasted)
	resp.Usage.Wasted = 0
	require.Equal(t, llm.Usage{Prompt: 100, Completion: 5, Cached: 40, CacheWritten: 50, Reasoning: 3}, resp.Usage)
	require.Len(t, heard.retries, 1)
}

// Ollama does not report what it cuts, and ignores a limit in a field that it does not know, so the limit is sent
// in the field that it knows.
func TestOllamaGetsTheLimitThatItKnows(t *testing.T) {
	service := fakeapi.Services()[4]
	s := fakeapi.StartService(service, func(fakeapi.Request) fakeapi.Reply { return fakeapi.Reply{Content: "ok"} })
	req := ask("hi")
	req.MaxTokens = 7
	generate(t, at(t, service, s), req)
	require.Equal(t, 7.0, s.Requests()[0].Field("max_tokens"))
	require.Nil(t, s.Requests()[0].Field("max_completion_tokens"))
	e := failure(t, at(t, service, s, func(c *llm.Config) { c.Model = "llama9" }), ask("hi"))
	require.Contains(t, e.Message, "model 'llama9' not found")
}

// A prompt that does not fit into the window is reported as such, and not retried in another wording.
func TestVLLMsWindow(t *testing.T) {
	service := fakeapi.Services()[5]
	s := fakeapi.StartService(service, func(fakeapi.Request) fakeapi.Reply { return fakeapi.Reply{Content: "ok"} })
	req := ask(strings.Repeat("long ", 50_000))
	e := failure(t, at(t, service, s), req)
	require.Equal(t, llm.ErrContextTooLong, e.Kind)
	require.Len(t, s.Requests(), 1)
	req = ask("hi")
	req.MaxTokens = 50_000
	require.Equal(t, llm.ErrContextTooLong, failure(t, at(t, service, s), req).Kind)
}

// Gemini returns thoughts if a profile's body asks for them, in the form that the strict service accepts.
func TestGeminisBody(t *testing.T) {
	service := fakeapi.Services()[2]
	s := fakeapi.StartService(
		service, func(fakeapi.Request) fakeapi.Reply { return fakeapi.Reply{Content: "ok", Reasoning: "hm"} })
	thoughts := map[string]any{"google": map[string]any{"thinking_config": map[string]any{"include_thoughts": true}}}
	resp, _ := generate(t, at(
		t, service, s, func(c *llm.Config) { c.ExtraBody = map[string]any{"extra_body": thoughts} }), ask("hi"))
	require.Equal(t, "hm", resp.Reasoning)
	e := failure(t, at(t, service, s, func(c *llm.Config) { c.ExtraBody = map[string]any{"google": thoughts} }),
		ask("hi"))
	require.Contains(t, e.Message, `Unknown name "google"`)
}

// A program written before messages had parts, or that knows only some kinds of them, still compiles and works.
func TestPartsBreakNoCaller(t *testing.T) {
	old := llm.Message{Role: llm.User, Content: "hi"}
	text, err := json.Marshal(old)
	require.NoError(t, err)
	require.JSONEq(t, `{"role":"user","content":"hi"}`, string(text), "a message without parts is written as it was")
	var back llm.Message
	require.NoError(t, json.Unmarshal([]byte(
		`{"role":"user","content":"hi","parts":[{"kind":"image","from":"x/y","data":"aGk=","later":1}]}`), &back))
	require.Equal(t, []llm.Part{{Kind: "image", From: "x/y", Data: "aGk="}}, back.Parts,
		"a kind of later passes through")
	call := func(role llm.Role, content string) llm.Message { return llm.Message{Role: role, Content: content} }
	for _, service := range fakeapi.Services() {
		s := fakeapi.StartService(service, func(fakeapi.Request) fakeapi.Reply { return fakeapi.Reply{Content: "ok"} })
		generate(t, at(t, service, s), llm.Request{Messages: []llm.Message{call(llm.System, "be brief"), back}})
		require.NotContains(t, string(s.Requests()[0].Body), "aGk=", "who does not know a kind is not sent it")
	}
}
