package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// The limit of a reply is the rest of the window, and a thinking budget gets at most half of it.
func TestTheLimitOfAMessage(t *testing.T) {
	long := ask(strings.Repeat("word ", 6000))
	room := 10_000 - llm.EstimateMessages(long.Messages)*5/4
	thinking := func(tokens float64) any { return map[string]any{"type": "enabled", "budget_tokens": tokens} }
	for _, c := range []struct {
		model  string
		window int64
		limit  int
		effort string
		req    llm.Request
		output float64
		think  any
		fails  string
	}{
		{model: "claude-sonnet-4-5", window: 10_000, req: long, output: float64(room)},
		{model: "claude-sonnet-4-5", window: 8_000, req: long, output: 1024},
		{model: "someone's", req: long, output: 32_000},
		{model: "claude-sonnet-4-5", window: 10_000, limit: 9_000, req: long, output: 9_000},
		{model: "claude-sonnet-4-5", limit: 2048, effort: "high", req: ask("hi"), output: 2048, think: thinking(1024)},
		{model: "claude-sonnet-4-5", limit: 3000, effort: "high", req: ask("hi"), output: 3000, think: thinking(1500)},
		{model: "claude-sonnet-4-5", effort: "minimal", req: ask("hi"), output: 64_000, think: thinking(1024)},
		{model: "claude-sonnet-4-5", effort: "none", req: ask("hi"), output: 64_000},
		{
			model: "claude-sonnet-4-5", limit: 2047, effort: "high", req: ask("hi"),
			fails: "a reply limit of at least 2048 tokens, not 2047",
		},
		{model: "claude-sonnet-4-5", effort: "some", req: ask("hi"), fails: `reasoning effort "some" is not supported`},
	} {
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
		m := claude(t, s, func(cfg *llm.Config) { cfg.Model, cfg.Facts.Window, cfg.Tries = c.model, c.window, 1 })
		c.req.MaxTokens, c.req.ReasoningEffort = c.limit, c.effort
		if c.fails != "" {
			e := failure(t, m, c.req)
			require.Equal(t, llm.ErrBadRequest, e.Kind)
			require.Contains(t, e.Message, c.fails)
			require.Empty(t, s.Requests())
			continue
		}
		generate(t, m, c.req)
		require.Equal(t, c.output, s.Requests()[0].Field("max_tokens"), "%+v", c)
		require.Equal(t, c.think, s.Requests()[0].Field("thinking"), "%+v", c)
	}
}

// A request of the Messages API omits empty parts.
func TestAMessageWithoutASystem(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	generate(t, claude(t, s),
		llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "hi"}, {Role: llm.System, Content: "be brief"}}})
	require.NotContains(t, string(s.Requests()[0].Body), `"system"`)
	require.NotContains(t, string(s.Requests()[0].Body), `"output_config"`)
	require.Equal(t, "user", s.Requests()[0].Field("messages").([]any)[1].(map[string]any)["role"],
		"the system speaks at the start only")
}

// Pieces of a thought without a start are read, but stored nowhere.
func TestAThoughtThatWasNotBegun(t *testing.T) {
	body := "data: " + strings.Join([]string{
		`{"type":"message_start","message":{"model":"m","usage":{"input_tokens":3}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"ok"}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`,
		`{"type":"message_stop"}`,
	}, "\n\ndata: ") + "\n\n"
	s := fakeapi.Start(fakeapi.Rule{
		Reply: fakeapi.Reply{Body: body, Header: map[string]string{"Content-Type": "text/event-stream"}},
	})
	resp, _ := generate(t, claude(t, s), ask("hi"))
	require.Equal(t, "ok", resp.Content)
	require.Equal(t, "hm", resp.Reasoning)
	require.Empty(t, resp.Parts)
	require.Equal(t, llm.Usage{Prompt: 3, Completion: 2}, resp.Usage)
}

// Marks are at the end of the system messages, of the first question, of what the last turn sent, and of the whole
// conversation. If no other request will follow, only the system messages are marked.
func TestWhereTheCacheIsMarked(t *testing.T) {
	for conversation, want := range map[string]string{
		"u": "u", "su": "su", "ssu": "-su", "suu": "suu", "suau": "su-u", "suauau": "su-u-u", "uau": "u-u",
		"suauuau": "su--u-u", "suaua": "su-ua",
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok"}})
		c := client(t, s, func(cfg *llm.Config) {
			cfg.Provider, cfg.Model = "openrouter", "anthropic/claude-sonnet-4.5"
		})
		var req llm.Request
		for _, role := range conversation {
			req.Messages = append(req.Messages, llm.Message{
				Role:    map[rune]llm.Role{'s': llm.System, 'u': llm.User, 'a': llm.Assistant}[role],
				Content: strings.Repeat("word ", 3000),
			})
		}
		for _, once := range []bool{false, true} {
			req.Once = once
			generate(t, c, req)
			marks := ""
			for i, m := range s.Requests()[len(s.Requests())-1].Field("messages").([]any) {
				text, err := json.Marshal(m)
				require.NoError(t, err)
				if strings.Contains(string(text), "cache_control") {
					marks += conversation[i : i+1]
				} else {
					marks += "-"
				}
			}
			if once {
				system := strings.LastIndex(conversation, "s")
				require.Equal(t, system, strings.Index(marks, "s"), "%s: %s", conversation, marks)
				require.NotContains(t, marks, "u", conversation)
				continue
			}
			require.Equal(t, want, marks, conversation)
		}
	}
}

// A prompt with exactly the minimum length for caching is marked.
func TestTheLeastLengthIsEnough(t *testing.T) {
	for tokens, marked := range map[int64]bool{409: false, 410: true} { // estimates may be a fifth below the true 512
		words := "word"
		for llm.EstimateTokens(words) < tokens {
			words += " word"
		}
		require.Equal(t, tokens, llm.EstimateTokens(words))
		s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
		generate(t, claude(t, s, func(c *llm.Config) { c.Model = "claude-opus-5" }),
			llm.Request{Messages: []llm.Message{{Role: llm.User, Content: words}}})
		require.Equal(t, marked, s.Requests()[0].Cache.Marks > 0, fmt.Sprint(tokens))
	}
}

// A reworded request does not count as a try.
func TestOtherWordsAreNoTry(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Failing(400, "stream_options: extra fields not permitted")},
		fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	resp, _ := generate(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
	require.Equal(t, 1, resp.Attempts)
}

// Tries are counted over all kinds of failure, and their costs are added up. The waits between them double.
func TestTriesOfAllKinds(t *testing.T) {
	half := fakeapi.Reply{Content: strings.Repeat("x", 400), Fault: fakeapi.CutClean, Pieces: 2}
	s := fakeapi.Start(fakeapi.Rule{Times: 2, Reply: half},
		fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(500, "oops")})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		g := &gather{}
		_, err := newClient(t, s, over, func(cfg *llm.Config) {
			cfg.Tries, cfg.BackoffMin, cfg.BackoffMax = 4,
				time.Second, time.Minute
		}).Generate(t.Context(), ask("hi"), g.on)
		require.Error(t, err)
		require.Len(t, s.Requests(), 4)
		require.Len(t, g.retries, 3)
		// Waits after failures that had no reply are counted separately, so the third wait is as short as the
		// first.
		for i, most := range []time.Duration{time.Second, 2 * time.Second, time.Second} {
			require.LessOrEqual(t, g.retries[i].Wait, most)
			require.GreaterOrEqual(t, g.retries[i].Wait, most/2)
		}
	})
	empty := fakeapi.Reply{Fault: fakeapi.NullContent, PromptTokens: 100, CompletionTokens: 7}
	s = fakeapi.Start(fakeapi.Rule{Times: 2, Reply: empty}, fakeapi.Rule{Reply: fakeapi.Reply{Content: "ok"}})
	resp, _ := generate(t, client(t, s), ask("hi"))
	require.Equal(t, int64(2*107), resp.Usage.Wasted)
}

// A reply may pause between pieces until it has announced its end.
func TestAReplyThatIsNotOver(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{
		Reply: fakeapi.Reply{Content: strings.Repeat("word ", 20), PieceDelay: 10 * time.Second},
	})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		resp, _ := generate(t, newClient(t, s, over), ask("hi"))
		require.Equal(t, 1, resp.Attempts)
	})
}

// Keys may be any printable ASCII, and secret headers are hidden if they have at least eight characters.
func TestWhatCanBeAKey(t *testing.T) {
	for key, fits := range map[string]bool{"!~key": true, "a key": false, "a\x7fkey": false, "a\nkey": false} {
		_, err := llm.New(llm.Config{Model: "m", APIKey: llm.NewSecret(key)})
		require.Equal(t, fits, err == nil, "%q", key)
	}
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Failing(400, "you sent Pa55word and Pa55wor")})
	c := client(t, s, func(cfg *llm.Config) { cfg.Headers = http.Header{"X-One": {"Pa55word"}, "X-Two": {"Pa55wor"}} })
	require.Contains(t, failure(t, c, ask("hi")).Message, "you sent [key] and Pa55wor")
}
