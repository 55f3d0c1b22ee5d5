package mcp_test

import (
	"bufio"
	"context"
	"io"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/mcp"
	"github.com/gorlm/rlm/runner/llm"
)

// TestNullIsLeftOut: null for an optional parameter counts as omitted, because models and clients fill in all
// parameters of a tool.
func TestNullIsLeftOut(t *testing.T) {
	t.Parallel()
	model := llm.NewScripted("m", "```go\nFINAL(len(docs))\n```")
	c := connected(t, model, nil, docs(t))
	var out struct{ Answer string }
	failed := call(t, c, "ask", map[string]any{
		"question": "How many?", "paths": []string{"a.log"}, "text": nil, "session": nil, "max_cost": nil,
		"max_minutes": nil, "max_turns": nil,
	}, &out)
	require.Empty(t, failed)
	require.Equal(t, "1", out.Answer)
	res, err := c.CallTool(soon(t), &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": nil}})
	require.True(t, err != nil || res.IsError, "what a tool needs cannot be left out")
}

// TestTextsForNumbersAndLists: models write numbers and lists as texts, whose meaning is unmistakable. A command's
// tool requires only the session.
func TestTextsForNumbersAndLists(t *testing.T) {
	t.Parallel()
	model := llm.NewScripted("m", "```go\nFINAL(Answer{N: len(docs)})\n```")
	c := connected(t, model, nil, docs(t))
	var out struct{ Answer, Session string }
	require.Empty(t, call(t, c, "ask", map[string]any{
		"question": "How many?", "paths": "a.log", "max_cost": "0.5", "max_minutes": "1.5", "max_turns": "3",
		"schema": `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`,
	}, &out))
	require.JSONEq(t, `{"n":1}`, out.Answer)
	require.Contains(t, call(t, c, "ask", map[string]any{"question": "How many?", "max_turns": "few"}, &out),
		"max_turns")
	var opened struct{ Session string }
	require.Empty(t, call(t, c, "open_notebook", map[string]any{"paths": `["a.log"]`}, &opened))
	var read struct{ Text string }
	require.Empty(t, call(t, c, "read", map[string]any{"session": opened.Session, "offset": "0", "length": 5.0}, &read))
	require.Len(t, read.Text, 5)
	var list struct{ Documents []any }
	for _, args := range []map[string]any{
		{}, {"q": nil, "limit": nil, "changed": nil}, {"limit": "1", "changed": "false"},
	} {
		args["session"] = opened.Session
		require.Empty(t, call(t, c, "documents", args, &list), args)
		require.Len(t, list.Documents, 1)
	}
}

// overLines returns a client of a server over stdin and stdout: it writes and reads lines.
func overLines(t *testing.T, s *mcp.Server) (say func(line string), hear func() string, end func()) {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), in, out) }()
	lines := bufio.NewScanner(fromServer)
	say = func(line string) {
		t.Helper()
		_, err := io.WriteString(toServer, line+"\n")
		require.NoError(t, err)
	}
	hear = func() string {
		t.Helper()
		require.True(t, lines.Scan())
		return lines.Text()
	}
	return say, hear, func() {
		t.Helper()
		require.NoError(t, toServer.Close())
		go func() { _, _ = io.Copy(io.Discard, fromServer) }()
		require.NoError(t, <-served)
	}
}

// TestLinesThatAreNoMessages: a byte order mark, a wrapper's output or half a message does not break the stream.
func TestLinesThatAreNoMessages(t *testing.T) {
	t.Parallel()
	notebooks := mcp.NewOwn(newRunner(t, llm.NewScripted("m")), 0)
	s, err := mcp.New(mcp.Config{Notebooks: notebooks, Version: "test"})
	require.NoError(t, err)
	say, hear, end := overLines(t, s)
	say("\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	require.Contains(t, hear(), `"serverInfo"`)
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "& : not json", "", "5",
		`{"jsonrpc":"2.0",`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`,
	} {
		say(line)
	}
	require.Contains(t, hear(), `"id":2`)
	end()
	require.NoError(t, notebooks.Close())
}
