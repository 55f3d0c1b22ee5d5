package llm_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

func TestUpdatesAreJoined(t *testing.T) {
	text := strings.Repeat("0123456789", 60)
	s := fakeapi.Start(fakeapi.Rule{
		Reply: fakeapi.Reply{Content: text, PieceSize: 2, PieceDelay: 2 * time.Millisecond},
	})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		start := time.Now()
		_, g := generate(t, newClient(t, s, over), ask("hi"))
		took := time.Since(start)
		most := int(took/(time.Second/25)) + 2
		require.LessOrEqual(t, len(g.deltas), most, "in %v", took)
		require.Greater(t, len(g.deltas), 2, "pieces arrive while the reply does")
	})
}

// A slow reader does not slow down the stream.
func TestASlowReaderDoesNotHoldTheStream(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: fakeapi.Reply{Content: strings.Repeat("0123456789", 2000), PieceSize: 10}})
	release := make(chan struct{})
	c := client(t, s, func(cfg *llm.Config) { cfg.Concurrency = 1 })
	var once sync.Once
	done := make(chan error)
	go func() {
		_, err := c.Generate(context.Background(), ask("hi"), func(llm.Delta) { once.Do(func() { <-release }) })
		done <- err
	}()
	require.Eventually(t, func() bool {
		return s.Finished() == 1
	}, time.Minute, time.Millisecond, "the whole reply is read while the reader stands")
	close(release)
	require.NoError(t, <-done)
}

// Updates are delivered from a goroutine of the client: a panic there becomes an error of the call.
func TestAFunctionForUpdatesThatPanics(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "a reply"}})
	c := client(t, s)
	for _, do := range []func(llm.Delta){
		func(llm.Delta) { panic("on purpose") }, func(llm.Delta) { runtime.Goexit() },
	} {
		resp, err := c.Generate(t.Context(), ask("hi"), do)
		require.ErrorContains(t, err, "the function for updates")
		require.Equal(t, "a reply", resp.Content)
	}
}

func TestCancelling(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{
		Times: -1, Reply: fakeapi.Reply{Content: strings.Repeat("x", 400), Fault: fakeapi.Hang, Pieces: 2},
	})
	c := client(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := c.Generate(ctx, ask("hi"), func(llm.Delta) { cancel() })
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.ErrCancelled, e.Kind)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, s.Requests(), 1)

	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = c.Generate(ctx, ask("hi"), nil)
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.ErrCancelled, e.Kind)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestACallHasADeadline(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Delay: time.Minute}})
	inBubble(t, s, func(t *testing.T, over func(*llm.Config)) {
		e := failure(t, newClient(t, s, over, func(cfg *llm.Config) { cfg.Timeout = 100 * time.Millisecond }),
			ask("hi"))
		require.Equal(t, llm.ErrUnavailable, e.Kind)
		require.Contains(t, e.Message, "no complete reply within 100ms")
	})
}

func TestNoServer(t *testing.T) {
	s := fakeapi.Start()
	url := s.URL()
	c := client(t, s)
	s.Close()
	e := failure(t, c, ask("hi"))
	require.Equal(t, llm.ErrUnavailable, e.Kind)
	require.Contains(t, e.Message, "connection refused")
	require.Contains(t, e.Message, url)

	g := &gather{}
	_, err := c.Generate(t.Context(), ask("hi"), g.on)
	require.Error(t, err)
	require.Len(t, g.retries, 4, "the last try is not followed by another")
	for i, r := range g.retries {
		require.Equal(t, llm.Retry{Reason: "connection refused", Attempt: i + 2, Tries: 5, Wait: r.Wait}, r)
	}
}

// A connection is reused after a reply, even after a stream, unless the end of the stream arrives too late, as it
// may on a busy machine.
func TestConnectionsAreReused(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "ok", EndDelay: 5 * time.Millisecond}})
	c := client(t, s)
	for range 20 {
		generate(t, c, ask("hi"))
	}
	require.Less(t, s.Connections(), 10)
}

func TestBaseURLs(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                     "https://api.openai.com/v1",
		"http://localhost:11434":               "http://localhost:11434/v1",
		"http://localhost:11434/":              "http://localhost:11434/v1",
		"https://x.test/api/v1/":               "https://x.test/api/v1",
		"https://x.test/v1/chat/completions":   "https://x.test/v1",
		"https://user:secret@x.test/v1":        "https://x.test/v1",
		" https://openrouter.ai/api/v1 ":       "https://openrouter.ai/api/v1",
		"https://gen.test/v1beta/openai/":      "https://gen.test/v1beta/openai",
		"https://x.test/v1/chat/completions//": "https://x.test/v1",
	} {
		c, err := llm.New(llm.Config{Model: "m", BaseURL: raw})
		require.NoError(t, err, raw)
		require.Equal(t, want, c.BaseURL())
	}
	for _, raw := range []string{"localhost:11434", "ftp://x/v1", "http://", "://", "https://x.test/v1?key=abc"} {
		_, err := llm.New(llm.Config{Model: "m", BaseURL: raw})
		require.Error(t, err, raw)
		require.NotContains(t, err.Error(), "abc")
	}
	_, err := llm.New(llm.Config{})
	require.ErrorContains(t, err, "no model")
	_, err = llm.New(llm.Config{Model: "m", APIKey: llm.NewSecret("sk-abc\ndef")})
	require.ErrorContains(t, err, "API key")
	require.NotContains(t, err.Error(), "abc")
	_, err = llm.New(llm.Config{Model: "m", APIKey: llm.NewSecret("sk-abc\n")})
	require.NoError(t, err, "a line break at the end of a key is no part of it")
}
