package chat

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/server"
	"github.com/gorlm/rlm/internal/server/client"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// shown is a screen that a test reads while it is written.
type shown struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shown) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *shown) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestJoinedTerminalSeesOthersAndWaitsItsTurn: what others do is shown with who does it; what is typed meanwhile is kept, said to be, and sent
// when the session is free.
func TestJoinedTerminalSeesOthersAndWaitsItsTurn(t *testing.T) {
	on := make(chan struct{})
	model := llm.ScriptedFunc("m", func(ctx context.Context, _ llm.Request, n int) (llm.Response, error) {
		if n == 0 {
			<-on
			return llm.Response{Content: "```go\nFINAL(\"the first answer\")\n```"}, nil
		}
		return llm.Response{Content: "```go\nFINAL(\"the second answer\")\n```"}, nil
	})
	dir := t.TempDir()
	r, err := runner.New(model, runner.WithDataDir(dir))
	require.NoError(t, err)
	s, err := server.New(server.Config{Runner: r, DataDir: dir, ModelName: "m"})
	require.NoError(t, err)
	require.NoError(t, s.Listen("127.0.0.1:0"))
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	defer func() {
		cancel()
		require.NoError(t, <-served)
	}()
	other, err := client.New(s.URL(), s.Token())
	require.NoError(t, err)
	session, err := other.Create(ctx, client.NewKey())
	require.NoError(t, err)
	_, err = other.Ask(ctx, session.ID, client.NewKey(), "asked by another", client.Choice{})
	require.NoError(t, err)

	mine, err := client.New(s.URL(), s.Token())
	require.NoError(t, err)
	in, typing := io.Pipe()
	var screen shown
	joined := make(chan error, 1)
	go func() {
		joined <- Join(ctx, Joined{Client: mine, ID: session.ID, In: in, Out: &screen, Terminal: true, Width: 80})
	}()
	sees := func(text string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Contains(screen.String(), text) }, 2*time.Minute, time.Millisecond, "%s", text)
	}
	sees("asked by another")
	sees("owner: ask")
	_, err = io.WriteString(typing, "typed meanwhile\n")
	require.NoError(t, err)
	sees("it is sent when owner is done")
	close(on)
	sees("the first answer")
	sees("the second answer")
	_, err = io.WriteString(typing, "/quit\n")
	require.NoError(t, err)
	require.NoError(t, <-joined)
	now, err := other.Session(ctx, session.ID)
	require.NoError(t, err)
	require.Equal(t, 2, now.Questions)
}
