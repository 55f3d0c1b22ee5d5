package llm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// In a growing conversation, a turn reads from the cache all that the previous turn sent, and marks at most four
// blocks. A single request writes nothing to the cache.
func TestTheCacheIsMarked(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: strings.Repeat("a reply ", 40)}})
	c := claude(t, s)
	req := llm.Request{Messages: []llm.Message{
		{Role: llm.System, Content: strings.Repeat("You have a notebook. ", 300)},
		{Role: llm.User, Content: strings.Repeat("facts ", 400)},
	}}
	sent := 0
	for turn := range 30 {
		resp, _ := generate(t, c, req)
		use := s.Requests()[turn].Cache
		require.LessOrEqual(t, use.Marks, 4)
		require.Zero(t, use.Fresh, "the end of all is marked for the next turn")
		require.Equal(t, sent, use.Read, "turn %d reads all that the turn before sent", turn)
		sent = use.Read + use.Written
		require.Equal(t, llm.Usage{
			Prompt: int64(sent), Cached: int64(use.Read), CacheWritten: int64(use.Written),
			Completion: resp.Usage.Completion,
		}, resp.Usage)
		req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Content: resp.Content},
			llm.Message{Role: llm.User, Content: fmt.Sprintf("output %d %s", turn, strings.Repeat("x", turn*100))})
	}
	req.Messages = []llm.Message{
		{Role: llm.System, Content: "short"}, {Role: llm.User, Content: strings.Repeat("a long prompt ", 1000)},
	}
	req.Once = true
	resp, _ := generate(t, c, req)
	require.Zero(t, resp.Usage.CacheWritten, "a call of which nothing follows writes nothing")
	req.Messages[0].Content, req.Once = "short", false
	req.Messages[1].Content = "short too"
	generate(t, c, req)
	require.Zero(t, s.Requests()[31].Cache.Marks, "what is too short for the cache is not marked")
}

// A mark is at the end of what the last turn sent, however many blocks of thoughts and user messages follow: the
// service looks back at most twenty blocks.
func TestTheCacheIsReadBehindManyBlocks(t *testing.T) {
	for _, blocks := range []int{19, 25} {
		for _, users := range []int{1, 3} {
			s := fakeapi.Start(fakeapi.Rule{
				Times: -1, Reply: fakeapi.Reply{Content: "a reply", Reasoning: "let me see", Thoughts: blocks},
			})
			c := claude(t, s, func(c *llm.Config) { c.Timeout = 10 * time.Minute }) // for slow machines
			req := llm.Request{ReasoningEffort: "low", NoStream: true, Messages: []llm.Message{
				{Role: llm.System, Content: strings.Repeat("You have a notebook. ", 300)},
				{Role: llm.User, Content: "count"},
			}}
			sent := 0
			for turn := range 10 {
				resp, _ := generate(t, c, req)
				require.Len(t, resp.Parts, blocks)
				use := s.Requests()[turn].Cache
				require.LessOrEqual(t, use.Marks, 4)
				require.Equal(t, sent, use.Read, "%d blocks, %d messages, turn %d", blocks, users, turn)
				sent = use.Read + use.Written
				req.Messages = append(req.Messages,
					llm.Message{Role: llm.Assistant, Content: resp.Content, Parts: resp.Parts})
				for n := range users {
					req.Messages = append(req.Messages,
						llm.Message{Role: llm.User, Content: fmt.Sprint("output ", turn, n)})
				}
			}
		}
	}
}

// How long a cached prompt must be depends on the model.
func TestTheLeastLengthIsTheModels(t *testing.T) {
	for model, least := range map[string]int{
		"claude-opus-5": 512, "claude-sonnet-4-5": 1024, "claude-opus-4-7": 2048,
		"claude-haiku-4-5": 4096, "claude-9": 1024,
	} {
		for _, size := range []int{least / 2, least * 2} {
			s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok"}})
			s.CacheLeast(least)
			req := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: strings.Repeat("abcd", size)}}}
			resp, _ := generate(t, claude(t, s, func(c *llm.Config) { c.Model = model }), req)
			require.Equal(t, size > least, s.Requests()[0].Cache.Marks > 0, "%s, %d tokens", model, size)
			require.Equal(t, size > least, resp.Usage.CacheWritten > 0)
		}
	}
}

// A prompt can be cached for an hour, which costs more to write and is counted separately.
func TestACacheOfAnHour(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok"}})
	hour := func(c *llm.Config) { c.CacheTTL = "1h" }
	req := llm.Request{Messages: []llm.Message{
		{Role: llm.System, Content: strings.Repeat("abcd", 3000)}, {Role: llm.User, Content: "hi"},
	}}
	resp, _ := generate(t, claude(t, s, hour), req)
	require.Contains(t, string(s.Requests()[0].Body), `"cache_control":{"type":"ephemeral","ttl":"1h"}`)
	require.Equal(t, int64(3001), resp.Usage.CacheWritten)
	require.Equal(t, int64(3001), resp.Usage.CacheWrittenHour)
	resp, _ = generate(t, claude(t, s), req)
	require.Equal(t, int64(3001), resp.Usage.Cached, "the mark says how long, not what")
	require.Zero(t, resp.Usage.CacheWrittenHour)
	generate(t, client(t, s, hour, func(c *llm.Config) {
		c.Provider, c.Model = "openrouter", "anthropic/claude-sonnet-4.5"
	}), req)
	require.Contains(t, string(s.Requests()[2].Body), `"ttl":"1h"`)
	_, err := llm.New(llm.Config{Model: "m", CacheTTL: "2h"})
	require.ErrorContains(t, err, "5m or 1h")
}
