package llm_test

import (
	"errors"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// FuzzReply feeds the client whatever an endpoint might send with status 200. It must return a reply or a
// classified error, and the pieces must make up the reply.
func FuzzReply(f *testing.F) {
	for _, seed := range []string{
		"", "data: [DONE]\n\n", "data: {}\n\n", "{}", "[]", "[{\"error\":{\"message\":\"x\"}}]", "null", "<html>",
		"data: null\n\ndata: [DONE]\n",
		"data: {\"choices\":[{\"delta\":{\"content\":\"<think>a</thi\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"nk>b\"},\"finish_reason\":\"stop\"}]}\n\n",
		"event: error\ndata: {\"type\":\"error\",\"error\":null}\n\n", "data: {\"error\":\n\n", "\xff\xfe",
		"data:\xff\n\n",
		"{\"choices\":[{\"message\":{\"content\":[1,2]},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1e300}}",
	} {
		f.Add([]byte(seed))
	}
	body := make(chan []byte, 1)
	s := fakeapi.StartFunc(func(fakeapi.Request) fakeapi.Reply {
		return fakeapi.Reply{
			Status: 200, Body: string(<-body),
			Header: map[string]string{"Content-Type": "text/event-stream"},
		}
	})
	f.Cleanup(s.Close)
	c, err := llm.New(llm.Config{
		Model: "m", BaseURL: s.URL(), Tries: 1, Timeout: 10 * time.Second, Stall: 5 * time.Second,
	})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		body <- data
		g := &gather{}
		resp, err := c.Generate(t.Context(), ask("hi"), g.on)
		if err != nil {
			var e *llm.Error
			require.True(t, errors.As(err, &e))
			require.NotContains(t, e.Message, "\n")
			require.NotEmpty(t, e.Kind)
			return
		}
		require.Equal(t, resp.Content, g.content)
		require.True(t, utf8.ValidString(resp.Content))
		require.NotEmpty(t, resp.FinishReason)
	})
}
