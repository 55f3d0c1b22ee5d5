package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/mcp"
)

// web is an MCP server with a URL, behind a proxy that answers some requests itself.
type web struct {
	*httptest.Server
	mu      sync.Mutex
	handler http.Handler
	seen    map[string]int                                                // number of requests by method
	answer  func(w http.ResponseWriter, method string, n int) (done bool) // may answer the n-th request of a method
	effects int                                                           // number of calls that took effect
}

func newWeb(t *testing.T, answer func(w http.ResponseWriter, method string, n int) bool) *web {
	t.Helper()
	w := &web{seen: map[string]int{}, answer: answer}
	w.restart()
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

// restart makes the server forget its sessions.
func (w *web) restart() {
	s := sdk.NewServer(&sdk.Implementation{Name: "web", Version: "1"}, nil)
	sdk.AddTool(s, readOnly("echo", "Echoes."),
		func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, any, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.effects++
			return said("done"), nil, nil
		})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
}

func (w *web) ServeHTTP(out http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	var m struct {
		Method string `json:"method"`
	}
	_ = json.Unmarshal(body, &m) // other bodies have no method
	w.mu.Lock()
	w.seen[m.Method]++
	n := w.seen[m.Method]
	w.mu.Unlock()
	if m.Method != "" && w.answer(out, m.Method, n) {
		return
	}
	req.Body = io.NopCloser(strings.NewReader(string(body)))
	w.mu.Lock()
	handler := w.handler
	w.mu.Unlock()
	handler.ServeHTTP(out, req)
}

func (w *web) done() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.effects
}

// TestAForgottenSession: a forgotten session is replaced if the call did not take effect, in each form in which
// servers report it.
func TestAForgottenSession(t *testing.T) {
	t.Parallel()
	say := func(status int, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { http.Error(w, body, status) }
	}
	for name, c := range map[string]struct {
		method string // the request that finds the session forgotten
		n      int
		say    func(http.ResponseWriter) // how the server reports that; nil: it was restarted
	}{
		"started again":          {"tools/call", 2, nil},
		"at the first call":      {"tools/call", 1, nil},
		"while tools are listed": {"tools/list", 1, nil},
		"404 alone":              {"tools/call", 2, say(404, "")},
		"404 with an error": {
			"tools/call", 2,
			say(404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`),
		},
		"410": {"tools/call", 2, say(410, "gone")},
		"400 as in an example": {
			"tools/call", 2, say(400,
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w *web
			w = newWeb(t, func(out http.ResponseWriter, method string, n int) bool {
				if method != c.method || n != c.n {
					return false
				}
				if c.say == nil {
					w.restart()
					return false
				}
				c.say(out)
				return true
			})
			s := session(t, start(t, mcp.Options{}, mcp.Server{URL: w.URL}))
			for range 3 {
				out, failed := run(t, s, "fmt.Println(echo())")
				require.Empty(t, failed)
				require.Equal(t, "done\n", out)
			}
			require.Equal(t, 3, w.done())
		})
	}
}

// TestCallsThatDidNotTakeEffect: calls that had no effect are distinguished from calls whose effect is unknown.
func TestCallsThatDidNotTakeEffect(t *testing.T) {
	t.Parallel()
	const none, unknown = "did not take effect", "whether it took effect is not known"
	for name, c := range map[string]struct {
		status      int
		body        string
		says, never string
	}{
		"forgotten again and again": {404, "session not found", none, unknown},
		"a token that expired":      {401, "", none, unknown},
		"not allowed":               {403, "no such scope", none, unknown},
		"too many":                  {429, "slow down", none, unknown},
		"too large":                 {413, "", none, unknown},
		"a proxy gave up":           {504, "", unknown, none},
		"the server failed":         {500, "", unknown, none},
		"moved":                     {302, "", none, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := true
			w := newWeb(t, func(out http.ResponseWriter, method string, _ int) bool {
				if method != "tools/call" || !broken {
					return false
				}
				out.Header().Set("Location", "/elsewhere")
				http.Error(out, c.body, c.status)
				return true
			})
			s := session(t, start(t, mcp.Options{}, mcp.Server{URL: w.URL}))
			_, failed := run(t, s, "echo()")
			require.Contains(t, failed, c.says)
			require.NotContains(t, failed, c.never)
			require.Contains(t, failed, fmt.Sprint("HTTP ", c.status))
			require.Contains(t, failed, c.body)
			require.Zero(t, w.done())
			broken = false
			out, failed := run(t, s, "fmt.Println(echo())")
			require.Empty(t, failed, "the next call works")
			require.Equal(t, "done\n", out)
		})
	}
}

// TestAPageInThePlaceOfAnAnswer: if a web page arrives instead of an answer, the error says so, because somebody
// may have to sign in.
func TestAPageInThePlaceOfAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWeb(t, func(out http.ResponseWriter, method string, _ int) bool {
		if method != "tools/call" {
			return false
		}
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(out, "<!doctype html><title>Sign in</title>")
		return true
	})
	_, failed := run(t, session(t, start(t, mcp.Options{}, mcp.Server{URL: w.URL})), "echo()")
	require.Contains(t, failed,
		"gave a web page (to sign in?) as the answer to the call of echo; whether it took effect is not known")
}

// TestAServerThatIsAway: a call that reached nobody did not take effect.
func TestAServerThatIsAway(t *testing.T) {
	t.Parallel()
	w := newWeb(t, func(http.ResponseWriter, string, int) bool { return false })
	w.Config.SetKeepAlivesEnabled(false) // a connection that breaks would leave open what was sent on it
	at := w.Listener.Addr().String()
	s := session(t, start(t, mcp.Options{}, mcp.Server{URL: w.URL}))
	_, failed := run(t, s, "echo()")
	require.Empty(t, failed)
	w.Close()
	// A process that is being forked, such as another test's worker, has the listener open until its exec.
	for c, err := net.Dial("tcp", at); err == nil; c, err = net.Dial("tcp", at) {
		require.NoError(t, c.Close())
	}
	_, failed = run(t, s, "echo()")
	require.Contains(t, failed, "cannot be reached")
	require.Contains(t, failed, "did not take effect")

	l, err := net.Listen("tcp", at)
	require.NoError(t, err)
	w.restart()
	back := &httptest.Server{Listener: l, Config: &http.Server{Handler: w}}
	back.Start()
	defer back.Close()
	out, failed := run(t, s, "fmt.Println(echo())")
	require.Empty(t, failed)
	require.Equal(t, "done\n", out)
}

// TestAServerThatMoved: the error names the new address; redirects that keep the request are followed.
func TestAServerThatMoved(t *testing.T) {
	t.Parallel()
	for status, says := range map[int]string{
		301: "it moved to", 302: "it moved to", 303: "it moved to", 307: "", 308: "",
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			w := newWeb(t, func(http.ResponseWriter, string, int) bool { return false })
			old := httptest.NewServer(http.RedirectHandler(w.URL+"/mcp/", status))
			defer old.Close()
			servers := start(t, mcp.Options{}, mcp.Server{URL: old.URL + "/mcp"})
			_, err := servers.List(soon(t))
			if says == "" {
				require.NoError(t, err)
				servers.Close()
				return
			}
			require.ErrorContains(t, err,
				fmt.Sprintf("it moved to %s/mcp/ (HTTP %d): name it by that address", w.URL, status))
			servers.Close()
		})
	}
}
