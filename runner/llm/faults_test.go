package llm_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// TestEveryFaultIsOneClearLine sends each status with each form of body that endpoints, and the proxies in front of
// them, use.
func TestEveryFaultIsOneClearLine(t *testing.T) {
	t.Parallel()
	kinds := map[int]llm.ErrorKind{
		300: llm.ErrUnavailable, 400: llm.ErrBadRequest, 401: llm.ErrAuth, 402: llm.ErrQuota, 403: llm.ErrAuth,
		404: llm.ErrBadRequest,
		408: llm.ErrUnavailable, 409: llm.ErrUnavailable, 413: llm.ErrContextTooLong, 418: llm.ErrBadRequest,
		422: llm.ErrBadRequest,
		429: llm.ErrRateLimit, 500: llm.ErrUnavailable, 501: llm.ErrUnavailable, 502: llm.ErrUnavailable,
		503: llm.ErrUnavailable,
		504: llm.ErrUnavailable, 524: llm.ErrUnavailable, 529: llm.ErrUnavailable,
	}
	delete(kinds, 300)
	again := map[int]bool{
		408: true, 409: true, 429: true, 500: true, 502: true, 503: true, 504: true, 524: true,
		529: true,
	}
	bodies := map[string]string{
		"OpenAI's form":     `{"error":{"message":"went wrong","type":"x","code":null}}`,
		"a code as number":  `{"error":{"message":"went wrong","code":7}}`,
		"a string":          `{"error":"went wrong"}`,
		"an object":         `{"error":{"reason":"went wrong"}}`,
		"a detail":          `{"detail":"went wrong"}`,
		"a list of details": `{"detail":[{"msg":"went wrong"}]}`,
		"a message":         `{"message":"went wrong","code":"x"}`,
		"Gemini's list":     `[{"error":{"message":"went wrong","status":"X"}}]`,
		"a page":            "<html><body>went wrong</body></html>",
		"nothing":           "",
		"plain text":        "went wrong",
		"half of it":        `{"error":{"message":"went wr`,
		"lines and escapes": `{"error":{"message":"went\nwrong\t\u001b]52;c;aGk=\u0007\u202e\u0000 \u009b31m"}}`,
		"an echo": `{"error":{"message":"you sent Authorization: Bearer ` + testKey + ` to http://me:` +
			testKey + `@host"}}`,
		"a long story":      `{"error":{"message":"` + strings.Repeat("went wrong ", 1_000) + `"}}`,
		"more than is read": `{"error":{"message":"` + strings.Repeat("went wrong ", 30_000) + `"}}`,
		"bytes":             "\xff\xfe\x00\x01",
	}
	for status, kind := range kinds {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			for name, body := range bodies {
				if name == "more than is read" && status != 400 && status != 500 {
					continue // what is read does not depend on the status otherwise, and takes long
				}
				for _, noStream := range []bool{false, true} {
					s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Status: status, Body: body}})
					c := client(t, s, func(cfg *llm.Config) { cfg.Tries = 2 })
					req := ask("hi")
					req.NoStream = noStream
					e := failure(t, c, req)
					where := fmt.Sprintf("%d, %s: %s", status, name, e.Message)
					require.Equal(t, kind, e.Kind, where)
					require.Equal(t, status, e.Status, where)
					require.Contains(t, e.Message, fmt.Sprintf("HTTP %d", status))
					require.Less(t, len(e.Message), 700, where)
					require.NotContains(t, e.Message, "0123456789", where)
					require.False(t, strings.ContainsFunc(e.Message, func(r rune) bool { return !unicode.IsPrint(r) }),
						where)
					tries := 1
					if again[status] {
						tries = 2
					}
					require.Len(t, s.Requests(), tries, where)
					s.Close()
				}
			}
		})
	}
}

// A response without a reply is an error, so that no cell mistakes it for an empty text.
func TestARepliesWithoutAReply(t *testing.T) {
	for name, c := range map[string]struct {
		reply fakeapi.Reply
		kind  llm.ErrorKind
		tries int
	}{
		"no choices":           {fakeapi.Reply{Fault: fakeapi.NoChoices}, llm.ErrNoReply, 2},
		"null":                 {fakeapi.Reply{Fault: fakeapi.NullContent}, llm.ErrNoReply, 2},
		"null after reasoning": {fakeapi.Reply{Fault: fakeapi.NullContent, Reasoning: "hm"}, llm.ErrThoughtsOnly, 2},
		"a call of a tool":     {fakeapi.Reply{Fault: fakeapi.ToolCalls, Finish: "tool_calls"}, llm.ErrToolCalls, 1},
		"withheld": {
			fakeapi.Reply{Fault: fakeapi.NullContent, Finish: "content_filter"}, llm.ErrContentFilter, 1,
		},
		"choices null": {fakeapi.Reply{
			Body: `{"choices":null,"usage":{"prompt_tokens":3,"completion_tokens":0}}`,
		}, llm.ErrNoReply, 2},
		"no choices at all": {fakeapi.Reply{Body: `{"id":"x","object":"chat.completion"}`}, llm.ErrNoReply, 2},
		"no message": {
			fakeapi.Reply{Body: `{"choices":[{"index":0,"finish_reason":"stop"}]}`}, llm.ErrNoReply, 2,
		},
		"an old call": {
			fakeapi.Reply{Body: `{"choices":[{"message":{"content":null,"function_call":{"name":"f"}},"finish_reason":"function_call"}]}`}, llm.ErrToolCalls, 1,
		},
	} {
		for _, noStream := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", whole: ", noStream), func(t *testing.T) {
				s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: c.reply})
				req := ask("hi")
				req.NoStream = noStream
				e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 2 }), req)
				require.Equal(t, c.kind, e.Kind, e.Message)
				require.Len(t, s.Requests(), c.tries)
			})
		}
	}
	// These similar responses count as replies.
	for name, c := range map[string]struct {
		reply           fakeapi.Reply
		content, finish string
	}{
		"an empty text": {fakeapi.Reply{}, "", "stop"},
		"used up by reasoning": {
			fakeapi.Reply{Fault: fakeapi.NullContent, Reasoning: "hm", Finish: "length"}, "", "length",
		},
		"cut": {fakeapi.Reply{Content: "half a te", Finish: "length"}, "half a te", "length"},
		"cut by the filter": {
			fakeapi.Reply{Content: "half a te", Finish: "content_filter"}, "half a te", "content_filter",
		},
		"a text and a call": {
			fakeapi.Reply{Content: "so", Fault: fakeapi.ToolCalls, Finish: "tool_calls"}, "so", "tool_calls",
		},
		"an empty list of calls": {fakeapi.Reply{
			Body: `{"choices":[{"message":{"content":"so","tool_calls":[]},"finish_reason":"stop"}]}`,
		}, "so", "stop"},
		"null first, then the reply": {fakeapi.Reply{Content: "so", Fault: fakeapi.NullContent}, "so", "stop"},
	} {
		t.Run(name, func(t *testing.T) {
			resp, _ := generate(t, client(t, fakeapi.Start(fakeapi.Rule{Reply: c.reply})), ask("hi"))
			require.Equal(t, c.content, resp.Content)
			require.Equal(t, c.finish, resp.FinishReason)
		})
	}
}

// A lost request does not use up the time of the call.
func TestATryHasADeadline(t *testing.T) {
	for name, lost := range map[string]struct {
		reply  fakeapi.Reply
		reason string
	}{
		"no header":                       {fakeapi.Reply{Fault: fakeapi.HangHeader}, "no answer in time"},
		"a header and no body":            {fakeapi.Reply{Fault: fakeapi.HangBody}, "no answer in time"},
		"the header of an error, no body": {fakeapi.Reply{Fault: fakeapi.HangBody, Status: 503}, "HTTP 503"},
		"half a body": {
			fakeapi.Reply{Fault: fakeapi.Hang, Content: strings.Repeat("x", 400), Pieces: 2}, "the stream stalled",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := fakeapi.Start(fakeapi.Rule{Reply: lost.reply}, fakeapi.Rule{Reply: fakeapi.Reply{Content: "good"}})
			inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
				resp, g := generate(t, newClient(t, s, over, func(cfg *llm.Config) {
					cfg.Timeout, cfg.HeaderTimeout, cfg.Stall = time.Minute, 2*time.Second, 2*time.Second
				}), ask("hi"))
				require.Equal(t, "good", resp.Content)
				require.Equal(t, 2, resp.Attempts)
				require.Len(t, g.retries, 1)
				require.Equal(t, lost.reason, g.retries[0].Reason)
			})
		})
	}
	// The default deadline of a try is a part of the call's time.
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Fault: fakeapi.HangHeader}},
		fakeapi.Rule{Reply: fakeapi.Reply{Content: "good"}})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		resp, g := generate(t, newClient(t, s, over, func(cfg *llm.Config) { cfg.Timeout = 6 * time.Second }),
			ask("hi"))
		require.Equal(t, "good", resp.Content)
		require.Equal(t, "no answer in time", g.retries[0].Reason)
	})

	s = fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Fault: fakeapi.HangHeader}})
	e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.HeaderTimeout, cfg.Tries = 20*time.Millisecond, 2 }),
		ask("hi"))
	require.Equal(t, llm.ErrUnavailable, e.Kind)
	require.Contains(t, e.Message, "after 2 attempts: nothing came back in time")
	e = failure(t, client(t, fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Fault: fakeapi.HangHeader}}),
		func(cfg *llm.Config) {
			cfg.Timeout, cfg.HeaderTimeout = 50*time.Millisecond, time.Minute
		}), ask("hi"))
	require.Contains(t, e.Message, "(1 try)")
}

// A reply may take longer than the bounds on its start and on each silence. After its end, the client waits for
// the rest no longer than for a silence, or three seconds.
func TestSilencesOfAReply(t *testing.T) {
	slow := fakeapi.Reply{Content: strings.Repeat("word ", 80), PieceDelay: 200 * time.Millisecond}
	open := fakeapi.Reply{Content: "ok", EndDelay: time.Hour} // the stream stays open after [DONE]
	s := fakeapi.Start(fakeapi.Rule{Reply: slow}, fakeapi.Rule{Reply: open},
		fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok", Fault: fakeapi.Linger}})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		resp, _ := generate(t, newClient(t, s, over, func(cfg *llm.Config) {
			cfg.HeaderTimeout, cfg.Stall = 300*time.Millisecond, 300*time.Millisecond
		}), ask("hi"))
		require.Equal(t, 1, resp.Attempts)
		require.Greater(t, resp.Duration, time.Second)
		resp, _ = generate(t, newClient(t, s, over), ask("hi"))
		require.Less(t, resp.Duration, time.Second)
		for stall, took := range map[time.Duration]time.Duration{0: 3 * time.Second, time.Second: time.Second} {
			resp, _ = generate(t, newClient(t, s, over, func(cfg *llm.Config) { cfg.Stall = stall }), ask("hi"))
			require.Equal(t, 1, resp.Attempts)
			require.InDelta(t, took, resp.Duration, float64(50*time.Millisecond))
		}
	})
}

// A request for a reply in one piece waits as long as the whole reply takes.
func TestAWholeReplyMayTakeItsTime(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "good", Delay: 300 * time.Millisecond}})
	req := ask("hi")
	req.NoStream = true
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		resp, _ := generate(t, newClient(
			t, s, over, func(cfg *llm.Config) { cfg.HeaderTimeout = 50 * time.Millisecond }), req)
		require.Equal(t, 1, resp.Attempts)
	})
}

func TestAReplyDoesNotGoOnForEver(t *testing.T) {
	t.Parallel()
	whole := `{"choices":[{"message":{"content":"` + strings.Repeat("x", 65<<20) + `"}}]}`
	part := strings.Repeat("x", 1<<20)
	both := `{"choices":[{"delta":{"content":"` + part + `","reasoning_content":"` + part + `"}}]}`
	for name, reply := range map[string]fakeapi.Reply{
		"a stream": {Fault: fakeapi.Endless, Content: strings.Repeat("x", 1<<20)},
		"an event": {
			Header: map[string]string{"Content-Type": "text/event-stream"}, Body: "data: " + whole,
		},
		"a reply in one piece": {Body: whole},
		"a line that does not come to": {
			Header: map[string]string{"Content-Type": "text/event-stream"}, Body: ":" + strings.Repeat(" ", 33<<20),
		},
		"text and thoughts": events(append(slices.Repeat([]string{both}, 17), stopped)...),
	} {
		t.Run(name, func(t *testing.T) {
			s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: reply})
			e := failure(t, client(t, s), ask("hi"))
			require.Equal(t, llm.ErrReplyTooLong, e.Kind, e.Message)
			require.Len(t, s.Requests(), 1, "another try would be as long")
		})
	}
}

// The prompt and the key are only for the configured endpoint.
func TestRedirectionsStayAtTheEndpoint(t *testing.T) {
	other := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "caught"}})
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{other.URL() + "/chat/completions", strings.Replace(other.URL(), "127.0.0.1",
			"localhost", 1) + "/chat/completions", "//" + strings.TrimPrefix(other.URL(), "http://")} {
			s := fakeapi.Start(fakeapi.Rule{
				Times: -1,
				Reply: fakeapi.Reply{Status: status, Body: "moved", Header: map[string]string{"Location": to}},
			})
			e := failure(t, client(t, s), ask("secret prompt"))
			require.Equal(t, llm.ErrBadRequest, e.Kind, e.Message)
			require.Contains(t, e.Message, "redirects requests")
			require.Len(t, s.Requests(), 1)
		}
	}
	require.Empty(t, other.Requests())

	// A redirect to another path of the same endpoint is followed if it keeps the method and the body.
	s := fakeapi.Start(
		fakeapi.Rule{Reply: fakeapi.Reply{
			Status: 307, Body: "moved", Header: map[string]string{"Location": "/v2/chat/completions"},
		}},
		fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	resp, _ := generate(t, client(t, s), ask("hi"))
	require.Equal(t, "ok", resp.Content)
	require.Equal(t, "Bearer "+testKey, s.Requests()[1].Header.Get("Authorization"))
	s = fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{
		Status: 308, Body: "moved", Header: map[string]string{"Location": "/v1/chat/completions"},
	}})
	e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
	require.Contains(t, e.Message, "redirects too many times")
}

func TestAKeyIsHiddenInEverySpelling(t *testing.T) {
	const key = "Zq7-Plain_Key-0x93ab"
	spaced := strings.Join(strings.Split(key, ""), " ")
	for name, echo := range map[string]string{
		"as it is":           key,
		"in capitals":        strings.ToUpper(key),
		"in small letters":   strings.ToLower(key),
		"with blanks":        spaced,
		"letter by letter":   strings.Join(strings.Split(key, ""), ", "),
		"in quotes":          `"` + key[:8] + `" + "` + key[8:] + `"`,
		"in base64":          base64.StdEncoding.EncodeToString([]byte(key)),
		"in base64 for URLs": base64.RawURLEncoding.EncodeToString([]byte("user:" + key)),
		"in a header":        base64.StdEncoding.EncodeToString([]byte("Bearer " + key + "\n")),
		"in hexadecimal":     hex.EncodeToString([]byte(key)),
		"twice":              key + " " + key,
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(400, "before "+echo+" after")})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.APIKey = llm.NewSecret(key) }), ask("hi"))
		squeezed := strings.ToLower(strings.NewReplacer(" ", "", ",", "", "\"", "", "+", "").Replace(e.Message))
		require.NotContains(t, squeezed, "plain_key", name)
		require.NotContains(t, squeezed, "0x93", name)
		require.NotContains(t, e.Message, base64.StdEncoding.EncodeToString([]byte(key))[2:12], name)
		require.NotContains(t, e.Message, hex.EncodeToString([]byte(key))[:16], name)
		require.Contains(t, e.Message, "before ", name)
		require.Contains(t, e.Message, "after", name)
	}
}

func TestAURLIsShownWithoutSecrets(t *testing.T) {
	for raw, shown := range map[string]string{
		"https://api.openai.com/v1": "https://api.openai.com/v1",
		"http://127.0.0.1:11434/v1": "http://127.0.0.1:11434/v1",
		"http://[::1]:8080/v1":      "http://[::1]:8080/v1",
		"https://x.openai.azure.com/openai/deployments/gpt-4o-2024-08-06": "https://x.openai.azure.com/openai/deployments/gpt-4o-2024-08-06",

		"http://user:KEY@host/v1":                                         "http://host/v1",
		"http://s3cretuser@host/v1":                                       "http://host/v1",
		"https://host/sk-abcdef123456/v1":                                 "https://host/[hidden]/v1",
		"https://gateway.test/v1/0123456789abcdef0123456789abcdef/openai": "https://gateway.test/v1/[hidden]/openai",
		"https://4f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a.gw.test/v1":             "https://[hidden].gw.test/v1",
		"https://host/v1?api_key=abc":                                     "https://host/v1?[hidden]",
		"https://host/123e4567-e89b-12d3-a456-426614174000/v1":            "https://host/[hidden]/v1",
		"not a URL with sk-abcdef123456":                                  "not a URL with [key]",

		"https://example.test/models/deepseek-r1-distill-qwen-32b-instruct-q4-k-m/completions": "https://example.test/models/deepseek-r1-distill-qwen-32b-instruct-q4-k-m/completions",
	} {
		require.Equal(t, shown, llm.PublicURL(raw))
	}
	// The secret part of a URL does not appear in errors either, even in those of the network.
	const part = "4f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a"
	for _, url := range []string{
		"http://" + part + ".invalid/v1", "http://me:" + part + "@127.0.0.1:1/v1",
		"http://127.0.0.1:1/" + part + "/v1",
	} {
		c, err := llm.New(llm.Config{Model: "m", BaseURL: url, Tries: 1})
		require.NoError(t, err)
		_, err = c.Generate(t.Context(), ask("hi"), nil)
		require.Error(t, err)
		for _, text := range []string{fmt.Sprintf("%v %+v %#v", err, err, err), fmt.Sprint(c), c.BaseURL()} {
			require.NotContains(t, text, part)
		}
	}
}

func TestRetryAfterOfAnySize(t *testing.T) {
	for name, header := range map[string]map[string]string{
		"milliseconds":       {"Retry-After-Ms": "1e300"},
		"more than a number": {"Retry-After-Ms": "1e999"},
		"endless":            {"Retry-After": "Inf"},
		"seconds":            {"Retry-After": "99999999999999999999"},
		"a date":             {"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"},
	} {
		slow := fakeapi.Failing(429, "slow down")
		slow.Header = header
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: slow})
		e := failure(t, client(t, s), ask("hi"))
		require.Contains(t, e.Message, "asks to wait 24h", name)
		require.Len(t, s.Requests(), 1, name)
	}
	for _, header := range []string{"-1", "NaN", "soon", "", "-Inf"} {
		slow := fakeapi.Failing(503, "slow down")
		slow.Header = map[string]string{"Retry-After": header, "Retry-After-Ms": header}
		s := fakeapi.Start(fakeapi.Rule{Reply: slow}, fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
		generate(t, client(t, s), ask("hi"))
	}
}

// A run's budgets count the numbers that an endpoint reports, so they must be plausible.
func TestAbsurdUsageIsEstimated(t *testing.T) {
	for name, usage := range map[string]string{
		"a prompt":         `{"prompt_tokens":1e18,"completion_tokens":5}`,
		"a reply":          `{"prompt_tokens":5,"completion_tokens":1000000000000000000}`,
		"beyond a number":  `{"prompt_tokens":1e999,"completion_tokens":5}`,
		"a text":           `{"prompt_tokens":"many","completion_tokens":5}`,
		"a list":           `[1,2]`,
		"nothing":          `{}`,
		"larger than sent": `{"prompt_tokens":5000000,"completion_tokens":5}`,
	} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok", Usage: usage}})
		resp, _ := generate(t, client(t, s), ask("hi"))
		require.True(t, resp.Usage.Estimated, name)
		require.Less(t, resp.Usage.Prompt+resp.Usage.Completion, int64(1000), name)
		require.Positive(t, resp.Usage.Prompt, name)
	}
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{
		Content: "ok", Usage: `{"prompt_tokens":50,"completion_tokens":5,"cost":1e200,"prompt_tokens_details":{"cached_tokens":1e18},"completion_tokens_details":{"reasoning_tokens":-3}}`,
	}})
	resp, _ := generate(t, client(t, s), ask("hi"))
	require.Equal(t, llm.Usage{Prompt: 50, Completion: 5, Cached: 0}, resp.Usage)
	require.Nil(t, resp.Cost)
}

type transport struct{ sent []*http.Request }

func (tr *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	tr.sent = append(tr.sent, r)
	return http.DefaultTransport.RoundTrip(r)
}

func TestAnHTTPClientOfOnesOwn(t *testing.T) {
	s := fakeapi.Start(fakeapi.Says("ok", "ok")...)
	tr := &transport{}
	c := client(t, s, func(cfg *llm.Config) {
		cfg.HTTPClient = &http.Client{Transport: tr}
		cfg.Headers = http.Header{"x-team": {"red"}, "Api-Key": {"plain-header-secret"}}
	})
	generate(t, c, ask("hi"))
	require.Len(t, tr.sent, 1)
	sent := s.Requests()[0].Header
	require.Equal(t, "red", sent.Get("X-Team"))
	require.Equal(t, "plain-header-secret", sent.Get("Api-Key"))
	require.Equal(t, "Bearer "+testKey, sent.Get("Authorization"))

	s = fakeapi.Start(fakeapi.Rule{
		Times: -1, Reply: fakeapi.Failing(400, "echo PLAIN-HEADER-SECRET, Basic abcdefghijk"),
	})
	e := failure(t, client(t, s, func(cfg *llm.Config) {
		cfg.Headers = http.Header{"Api-Key": {"plain-header-secret"}, "Authorization": {"Basic abcdefghijk"}}
	}), ask("hi"))
	require.NotContains(t, strings.ToLower(e.Message), "header-secret")
	require.NotContains(t, e.Message, "abcdefghijk")
	require.Equal(t, "Basic abcdefghijk", s.Requests()[0].Header.Get("Authorization"))

	refuses := errors.New("not today")
	c = client(t, fakeapi.Start(), func(cfg *llm.Config) {
		cfg.Tries = 1
		cfg.HTTPClient = &http.Client{Transport: refusing{refuses}}
	})
	_, err := c.Generate(t.Context(), ask("hi"), nil)
	require.ErrorContains(t, err, "not today")
}

type refusing struct{ err error }

func (r refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.err }

// The endpoint's own message about its context length is kept.
func TestTheEndpointsSentenceIsKept(t *testing.T) {
	const sentence = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Failing(400, sentence)})
	e := failure(t, client(t, s), ask("hi"))
	require.Equal(t, llm.ErrContextTooLong, e.Kind)
	require.Contains(t, e.Message, sentence)
}
