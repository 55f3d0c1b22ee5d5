package llm_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// The client learns once that a key may not stream: replies then arrive in one piece.
func TestAKeyThatMayNotStream(t *testing.T) {
	no := `{"error":{"message":"Your organization must be verified to stream this model.","type":"invalid_request_error","param":"stream","code":"unsupported_value"}}`
	s := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
		if strings.Contains(string(req.Body), `"stream":true`) {
			return fakeapi.Reply{Status: 400, Body: no}
		}
		return fakeapi.Reply{Content: "whole"}
	})
	c := client(t, s)
	for range 2 {
		resp, _ := generate(t, c, ask("hi"))
		require.Equal(t, "whole", resp.Content)
	}
	require.Len(t, s.Requests(), 3)
}

// The client learns once that an endpoint accepts no system messages: their text is then part of the first user
// message.
func TestAnEndpointWithoutMessagesOfTheSystem(t *testing.T) {
	for _, words := range []string{
		"Unsupported value: 'messages[0].role' does not support 'system' with this model.",
		"System role not supported", "Developer instruction is not enabled for models/gemma-3-27b-it",
	} {
		s := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
			if req.Messages[0].Role == "system" {
				return fakeapi.Failing(400, words)
			}
			return fakeapi.Reply{Content: "ok"}
		})
		c := client(t, s)
		for range 2 {
			resp, _ := generate(t, c, ask("hi"))
			require.Equal(t, "ok", resp.Content)
			require.Equal(t, 1, resp.Attempts)
		}
		require.Len(t, s.Requests(), 3, words)
		require.Equal(t, []fakeapi.Message{{Role: "user", Content: "be brief\n\nhi"}}, s.Requests()[2].Messages)
	}
}

// A refused setting of the user stays an error, which explains how to leave it out for good.
func TestARefusedSetting(t *testing.T) {
	for words, missing := range map[string]string{
		"Unsupported value: 'temperature' does not support 0.3 with this model.":                 `missing = ["temperature"]`,
		"Unrecognized request argument supplied: reasoning_effort":                               `missing = ["effort"]`,
		"The model does not exist":                                                               "",
		"This model's maximum context length is 8192 tokens, whatever the temperature of a call": "",
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(400, words)})
		warm, req := 0.3, ask("hi")
		req.Temperature = &warm
		e := failure(t, client(t, s), req)
		if missing == "" {
			require.NotContains(t, e.Message, "missing = ")
		} else {
			require.Contains(t, e.Message, missing)
		}
		require.Len(t, s.Requests(), 1)
	}
}

// A wait that only the message states is respected, even in an error with status 200.
func TestAWaitThatTheMessageNames(t *testing.T) {
	for message, want := range map[string]time.Duration{
		"Rate limit reached on tokens per minute. Please try again in 3s.": 3 * time.Second,
		"Rate limit reached. Please try again in 1m2.5s. Visit a page.":    62500 * time.Millisecond,
		"too many requests, retry after 20 seconds":                        20 * time.Second,
		"rate limited: try again in 250ms":                                 250 * time.Millisecond,
		"too many requests for 3 users":                                    0,
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(429, message)})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
		require.Equal(t, llm.ErrRateLimit, e.Kind, message)
		require.Equal(t, want, e.Wait, message)
	}
}

// Endpoints see which program is calling. Only OpenAI's own endpoint gets the conversation's name, for its cache.
func TestWhoAsks(t *testing.T) {
	var sent []*http.Request
	var bodies []string
	record := roundTripper(func(r *http.Request) (*http.Response, error) {
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		sent, bodies = append(sent, r), append(bodies, string(body))
		return nil, http.ErrHandlerTimeout
	})
	req := ask("hi")
	req.Conversation = "0v4jv1wwtp"
	for _, cfg := range []llm.Config{
		{Model: "gpt-4o"}, {Model: "m", BaseURL: "https://example.org/v1"}, {Model: "m", Provider: "openrouter"},
	} {
		cfg.Tries, cfg.HTTPClient = 1, &http.Client{Transport: record}
		c, err := llm.New(cfg)
		require.NoError(t, err)
		_, err = c.Generate(t.Context(), req, nil)
		require.Error(t, err)
	}
	require.Len(t, sent, 3)
	for _, r := range sent {
		require.Contains(t, r.Header.Get("User-Agent"), "rlm")
	}
	require.Contains(t, bodies[0], `"prompt_cache_key":"0v4jv1wwtp"`)
	require.NotContains(t, bodies[1]+bodies[2], "prompt_cache_key")
	require.Equal(t, "rlm", sent[2].Header.Get("X-Title"))
	require.Empty(t, sent[1].Header.Get("X-Title"))
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
