package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// agent connects a client of MCP's official SDK to the server.
func (s *site) agent(o *sdk.ClientOptions) *sdk.ClientSession {
	s.t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, o).Connect(s.t.Context(), &sdk.StreamableClientTransport{
		Endpoint: s.url + "mcp", HTTPClient: &http.Client{Transport: bearer(s.token)},
	}, nil)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = c.Close() }) // the server may be gone
	return c
}

// use calls a tool and decodes the result into out; it returns an error of the tool as text.
func use(t testing.TB, c *sdk.ClientSession, tool string, args object, out any) string {
	t.Helper()
	params := &sdk.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken("p")
	res, err := c.CallTool(t.Context(), params)
	require.NoError(t, err)
	if out != nil && res.StructuredContent != nil {
		data, err := json.Marshal(res.StructuredContent)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, out))
	}
	if res.IsError {
		return res.Content[0].(*sdk.TextContent).Text
	}
	return ""
}

// TestAgentsAsk: a session that an agent begins over MCP is like any other, and an agent can continue other
// sessions.
func TestAgentsAsk(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.log"), []byte("alpha ERROR one\nbeta ok\n"), 0o600))
	s := start(t, &talker{replies: []string{
		fence(`n := strings.Count(context, "ERROR")` + "\nFINAL(n)"), fence("FINAL(n * 10)"),
	}}, func(c *api.Config) {
		c.Folders = []string{folder}
	})
	var mu sync.Mutex
	var steps []string
	c := s.agent(&sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			steps = append(steps, req.Params.Message)
		},
	})
	require.Contains(t, c.InitializeResult().Instructions, folder)
	tools, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, tools.Tools, 8)

	var out struct{ Answer, Session, Status string }
	require.Empty(t, use(t, c, "ask", object{"question": "How many errors?", "paths": []string{"."}}, &out))
	require.Equal(t, "1", out.Answer)
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.Contains(steps, "turn 1")
	}, time.Minute, time.Millisecond)
	require.Equal(t, "1", s.call("GET", "sessions/"+out.Session, nil).text("answer"), "a page shows it")
	s.do(out.Session, "cells", object{"source": "n = 7"})
	require.Empty(t, use(t, c, "ask", object{"question": "Times ten?", "session": out.Session}, &out))
	require.Equal(t, "70", out.Answer, "the notebook is the same")
	list, err := c.ListResources(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Resources, 1)

	id := s.session(object{"name": "b", "text": "one two two"})
	var cell struct{ Output string }
	require.Empty(t, use(t, c, "run_cell", object{"session": id, "code": `fmt.Println(strings.Count(context, "two"))`},
		&cell))
	require.Equal(t, "2\n", cell.Output)
	var found struct{ Places []struct{ Document string } }
	require.Empty(t, use(t, c, "search", object{"session": id, "query": "two", "how": "literal"}, &found))
	require.Equal(t, "b", found.Places[0].Document)
	require.Empty(t, use(t, c, "close_notebook", object{"session": id}, nil))
	require.Contains(t, use(t, c, "open_notebook", object{"paths": []string{"/etc/passwd"}}, nil),
		"not below the folders")
	audit, err := os.ReadFile(filepath.Join(s.dir, "server-audit.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(audit), `"api":"mcp"`)
	require.NotContains(t, string(audit), "How many")
}

// TestAgentsOfOthers: an agent sees only the sessions of its token's user, and nobody can use another's MCP
// session.
func TestAgentsOfOthers(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence("FINAL(1)")}})
	ada, bob := s.user("ada"), s.user("bob")
	hers, his := ada.agent(nil), bob.agent(nil)
	var out struct{ Session string }
	require.Empty(t, use(t, hers, "ask", object{"question": "hers"}, &out))
	for tool, args := range map[string]object{
		"ask": {"question": "q"}, "run_cell": {"code": "1"}, "search": {"query": "q"}, "read": {}, "close_notebook": {},
	} {
		args["session"] = out.Session
		require.Contains(t, use(t, his, tool, args, nil), "there is no session", tool)
		args["session"] = "absent"
		require.Contains(t, use(t, his, tool, args, nil), "there is no session", tool)
	}
	list, err := his.ListResources(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, list.Resources)
	require.Equal(t, "ada", s.call("GET", "sessions/"+out.Session, nil).text("owner"))
	require.Empty(t, bob.call("GET", "sessions", nil).list("sessions"))

	ping := func(token string, change ...func(*http.Request)) int {
		body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"mcp", body)
		require.NoError(t, err)
		req.Header = http.Header{
			"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {hers.ID()},
		}
		for _, c := range change {
			c(req)
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	require.Equal(t, 200, ping(ada.token))
	require.Equal(t, 404, ping(bob.token), "another's conversation")
	require.Equal(t, 404, ping(s.token), "the owner's agent too has its own")
	require.Equal(t, 401, ping("x"))
	require.Equal(t, 401, ping(ada.token, func(r *http.Request) { r.Header.Del("Authorization") }))
	require.Equal(t, 403, ping(ada.token, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }))
	require.Equal(t, 421, ping(ada.token, func(r *http.Request) { r.Host = "evil.example" }))
	require.NoError(t, api.OpenUsers(s.dir).Remove("ada"))
	require.Equal(t, 401, ping(ada.token))

	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"mcp", bytes.NewReader(make([]byte, 9<<20)))
	require.NoError(t, err)
	req.Header = http.Header{"Authorization": {"Bearer " + bob.token}, "Content-Type": {"application/json"}}
	if res, err := http.DefaultClient.Do(req); err == nil { // otherwise the server closed the connection early
		require.NoError(t, res.Body.Close())
		require.Equal(t, 413, res.StatusCode)
	}
}

// TestAgentsLimits: a user's limits apply to what their agents begin, and a request only lowers the budgets.
func TestAgentsLimits(t *testing.T) {
	t.Parallel()
	asked, on := make(chan struct{}), make(chan struct{})
	model := &talker{replies: []string{fence("FINAL(1)")}}
	model.half = func(int) { asked <- struct{}{}; <-on }
	s := start(t, model)
	token, err := api.OpenUsers(s.dir).Add("cy", api.Limits{Runs: 1}, time.Now())
	require.NoError(t, err)
	cy := &site{s.t, s.url, token, s.dir, s.end}
	c := cy.agent(nil)
	first := make(chan string, 1)
	go func() {
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask", Arguments: object{"question": "q"}})
		if err != nil || res.IsError {
			first <- "failed"
		}
		close(first)
	}()
	<-asked
	require.Contains(t, use(t, c, "ask", object{"question": "q"}, nil), "try again in")
	close(on)
	require.Empty(t, <-first)

	endless := llm.ScriptedFunc("m", func(_ context.Context, _ llm.Request, n int) (llm.Response, error) {
		return llm.Response{Content: fence("fmt.Println(" + strings.Repeat("1+", n) + "1)")}, nil
	})
	s = start(t, endless)
	var out struct {
		Turns   int
		Session string
	}
	require.Contains(t, use(t, s.agent(nil), "ask", object{"question": "q", "max_turns": 2}, &out),
		"2 turns of 2 (max_iterations)")
	require.LessOrEqual(t, out.Turns, 3)
	require.Equal(t, runner.DefaultBudgets().Iterations, int(s.call("GET", "sessions/"+out.Session+"/settings", nil).at(
		"budgets")["iterations"].(float64)), "later questions have the server's")
}

// TestAgentsTakeBack: cancelling a call ends its run, even while it is queued; the end of the server ends MCP
// sessions.
func TestAgentsTakeBack(t *testing.T) {
	t.Parallel()
	asked, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	model := llm.ScriptedFunc("m", func(ctx context.Context, _ llm.Request, _ int) (llm.Response, error) {
		asked <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return llm.Response{}, ctx.Err()
	})
	s := start(t, model, func(c *api.Config) { c.MaxRuns = 1 })
	c := s.agent(nil)
	ask := func() (cancel context.CancelFunc, done chan error) {
		ctx, cancel := context.WithCancel(t.Context())
		done = make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "ask", Arguments: object{"question": "q"}})
			done <- err
		}()
		return cancel, done
	}
	cancelFirst, first := ask()
	<-asked
	cancelSecond, second := ask()
	require.Eventually(t, func() bool {
		for _, l := range s.call("GET", "sessions", nil).list("sessions") {
			if _, waits := l.at("state")["ahead"]; waits {
				return true
			}
		}
		return false
	}, time.Minute, time.Millisecond)
	cancelSecond()
	require.ErrorIs(t, <-second, context.Canceled)
	cancelFirst()
	require.ErrorIs(t, <-first, context.Canceled)
	<-ended
	s.end()
	require.Error(t, c.Ping(context.Background(), nil), "the conversation ended with the server")
}

// TestAgentsAreRefusedInJSON: what an agent sends in error is answered with an error of JSON-RPC, as far as possible
// with the id of the request.
func TestAgentsAreRefusedInJSON(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	conversation := ""
	post := func(body string) (int, object, http.Header) {
		return s.send("POST", "mcp", nil, func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Mcp-Session-Id", conversation)
		})
	}
	_, _, header := post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	conversation = header.Get("Mcp-Session-Id")
	for _, c := range []struct {
		body   string
		status int
		id     any
		code   float64
	}{
		{`{"jsonrpc":"2.0","id":2.5,"method":"no/such"}`, 200, 2.5, -32601},
		{`{"jsonrpc":"2.0","id":"3","method":"prompts/get"}`, 400, "3", -32600},
		{`{"id":4,"method":"ping"}`, 400, 4.0, -32600},
		{`{"jsonrpc"`, 400, nil, -32600},
		{``, 400, nil, -32600},
	} {
		status, out, _ := post(c.body)
		require.Equal(t, []any{c.status, c.id, c.code}, []any{status, out["id"], out.at("error")["code"]}, c.body)
	}
	status, out, _ := post(`{"jsonrpc":"2.0","method":"notifications/of_later"}`)
	require.Equal(t, []any{202, object(nil)}, []any{status, out}, "a notification is never answered")
	conversation = "none"
	status, out, _ = post(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	require.Equal(t, []any{404, -32001.0}, []any{status, out.at("error")["code"]})
}

// TestAgentsOfARemovedUser: what an agent waits for ends with an error that says why, and so does its stream.
func TestAgentsOfARemovedUser(t *testing.T) {
	t.Parallel()
	for _, accept := range []string{"application/json, text/event-stream", "application/json"} {
		answers, asked := make(chan struct{}), make(chan struct{})
		s := start(t, &talker{
			replies: []string{fence("FINAL(1)")},
			half:    func(int) { close(asked); <-answers },
		})
		bob := s.user("bob")
		var conversation string
		post := func(method, body string) *http.Response {
			req, err := http.NewRequestWithContext(t.Context(), method, s.url+"mcp", strings.NewReader(body))
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+bob.token)
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", accept)
			if conversation != "" {
				req.Header.Set("Mcp-Session-Id", conversation)
			}
			res, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			t.Cleanup(func() { _ = res.Body.Close() })
			return res
		}
		res := post("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
			`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		conversation = res.Header.Get("Mcp-Session-Id")
		post("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		stream := strings.Contains(accept, "stream")
		var listening *http.Response
		if stream {
			listening = post("GET", "")
		}
		texts := make(chan string)
		go func() {
			res := post("POST", `{"jsonrpc":"2.0","id":12345678901234567890123,"method":"tools/call",`+
				`"params":{"name":"ask","arguments":{"question":"q","text":"t"}}}`)
			text, err := io.ReadAll(res.Body)
			assert.NoError(t, err)
			texts <- string(text)
		}()
		<-asked
		require.NoError(t, api.OpenUsers(s.dir).Remove("bob"))
		require.Contains(t, <-texts, `{"jsonrpc":"2.0","id":12345678901234567890123,"error":{"code":-32000,`+
			`"message":"this user was removed or has logged out"}}`)
		if stream {
			text, err := io.ReadAll(listening.Body)
			require.NoError(t, err)
			require.Contains(t, string(text), `"data":"this user was removed or has logged out"`)
		}
		close(answers)
	}
}
