package mcp_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/mcp"
	"github.com/gorlm/rlm/runner/llm"
)

// quick makes a server that sends progress very often and allows one run at a time.
func quick(t *testing.T, model llm.Model) *mcp.Server {
	t.Helper()
	notebooks := mcp.NewOwn(newRunner(t, model), 1)
	t.Cleanup(func() { require.NoError(t, notebooks.Close()) })
	s, err := mcp.New(mcp.Config{Notebooks: notebooks, Version: "test", TellEvery: time.Millisecond})
	require.NoError(t, err)
	return s
}

// TestProgressInEveryState: a client that asked for progress gets it until the call ends, also while a model
// writes, a cell runs or a question waits.
func TestProgressInEveryState(t *testing.T) {
	t.Parallel()
	heard := make(chan string)
	var once sync.Once
	writes, waits := make(chan struct{}), make(chan struct{})
	model := llm.ScriptedFunc("m", func(ctx context.Context, _ llm.Request, _ int) (llm.Response, error) {
		once.Do(func() { close(writes) })
		select {
		case <-waits:
		case <-ctx.Done():
		}
		return llm.Response{Content: "```go\nFINAL(1)\n```", FinishReason: "stop"}, ctx.Err()
	})
	s := quick(t, model)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, in, out) }()
	told := func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
		select {
		case heard <- req.Params.ProgressToken.(string) + ": " + req.Params.Message:
		case <-ctx.Done():
		}
	}
	client, err := sdk.NewClient(
		&sdk.Implementation{Name: "test"}, &sdk.ClientOptions{ProgressNotificationHandler: told}).
		Connect(soon(t), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { cancel(); <-served })
	var all sync.WaitGroup
	ask := func(token string) {
		params := &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "q", "text": "x"}}
		params.SetProgressToken(token)
		all.Go(func() { _, _ = client.CallTool(ctx, params) }) // other tests check its result
	}
	ask("first")
	<-writes
	ask("second")
	many, waiting := 0, 0
	for many < 5 || waiting < 5 {
		switch text := <-heard; {
		case strings.HasPrefix(text, "first: turn 1"):
			many++
		case strings.HasPrefix(text, "second: waiting, 0 before"):
			waiting++
		}
	}
	close(waits)
	ended := make(chan struct{})
	go func() { defer close(ended); all.Wait() }()
	for {
		select {
		case <-heard: // may come late: notifications and results are handled concurrently
		case <-ended:
			return
		}
	}
}

// TestLargeNumbersStayAsTheyAre: clients identify their requests by large numbers, which must not be rounded.
func TestLargeNumbersStayAsTheyAre(t *testing.T) {
	t.Parallel()
	s := quick(t, llm.NewScripted("m"))
	say, hear, end := overLines(t, s)
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	hear()
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, id := range []string{
		"9007199254740993", "-9223372036854775807", "123456789012345678901234567890", "1.5", "-2.50e3", "1e400",
		`"9007199254740993"`, `"x:9007199254740993"`, "7",
	} {
		say(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		require.Contains(t, hear(), `"id":`+id+`,`)
	}
	say(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"open_notebook","arguments":{"text":"x 1234567890123456789"},"_meta":{"progressToken":9007199254740995}}}`)
	for text := ""; !strings.Contains(text, `"id":8`); {
		if text = hear(); strings.Contains(text, "notifications/progress") {
			require.Contains(t, text, `"progressToken":9007199254740995`)
		}
	}
	end()
}

// TestTheNextCallWaitsForACancelledOne: agents send the next call immediately after the cancellation.
func TestTheNextCallWaitsForACancelledOne(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 100)
	c := connected(t, llm.NewScripted("m"), &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			if req.Params.ProgressToken == "endless" {
				heard <- req.Params.Message
			}
		},
	})
	var opened struct{ Session string }
	require.Empty(t, call(t, c, "open_notebook", map[string]any{"text": "x"}, &opened))
	for range 5 {
		ctx, cancel := context.WithCancel(soon(t))
		begun := make(chan struct{})
		go func() {
			defer close(begun)
			params := &sdk.CallToolParams{
				Name:      "run_cell",
				Arguments: map[string]any{"session": opened.Session, "code": "for { time.Sleep(time.Millisecond) }"},
			}
			params.SetProgressToken("endless")
			_, _ = c.CallTool(ctx, params)
		}()
		require.Equal(t, "the cell runs", <-heard)
		cancel()
		<-begun
		require.Empty(t, call(t, c, "run_cell", map[string]any{"session": opened.Session, "code": "1+1"}, nil))
	}
}
