package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/mcp"
	"github.com/gorlm/rlm/sandbox"
)

// named returns a server of the given kind, which runs this binary.
func named(t testing.TB, which string) mcp.Server {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return mcp.Server{Command: []string{self}, Env: map[string]string{mode: which}}
}

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func start(t testing.TB, o mcp.Options, servers ...mcp.Server) *mcp.Servers {
	t.Helper()
	s, err := mcp.Start(soon(t), servers, o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// starter is shared by all runners, so that a runner can use the spare worker of an earlier one.
var starter = sandbox.NewStarter()

// newRunner returns a runner over a folder, with the tools of servers.
func newRunner(t testing.TB, model llm.Model, dir string, s *mcp.Servers) *runner.Runner {
	t.Helper()
	r, err := runner.New(model, runner.WithDataDir(dir), runner.WithOutsideTools(s.List), host.Starter(starter))
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

// session returns a notebook with the tools of servers.
func session(t testing.TB, s *mcp.Servers) *runner.Session {
	t.Helper()
	r := newRunner(t, llm.NewScripted("m"), t.TempDir(), s)
	session, err := r.NewSession(soon(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close()) })
	return session
}

// run runs a cell and returns its output, and its error if it fails.
func run(t testing.TB, s *runner.Session, cell string) (output, failure string) {
	t.Helper()
	res, err := s.Exec(soon(t), cell)
	require.NoError(t, err)
	if res.Error != nil {
		failure = res.Error.Message
	}
	return res.Output, failure
}

func TestToolsAreTypedFunctions(t *testing.T) {
	t.Parallel()
	s := session(t, start(t, mcp.Options{}, named(t, "honest")))
	out, failed := run(t, s, `r := lookup("x", LookupOptions{Limit: 2, Exact: true})
fmt.Println(len(r.Hits), r.Hits[1].Name, r.Hits[1].Score == nil || *r.Hits[1].Score == 0.5, r.Id)
fmt.Println(lookup("y").Hits[0].Name)
fmt.Println(picture(), exact().N)`)
	require.Empty(t, failed)
	require.Equal(t, "2 x 1 true true 42\ny 0 false\na dot:\n[image, image/png, 3 bytes] 9007199254740993\n", out)
	_, failed = run(t, s, `lookup("")`)
	require.Contains(t, failed, "an empty query")
	_, failed = run(t, s, `lookup(7)`)
	require.Contains(t, failed, "string")
}

func TestStrangeNamesAndSchemas(t *testing.T) {
	t.Parallel()
	s := session(t, start(t, mcp.Options{}, named(t, "strange")))
	out, failed := run(t, s, `fmt.Println(test_func("a", 2))
fmt.Println(test_len())
fmt.Println(test_grep("a"), len(grep("a")))
fmt.Println(test_FINAL())
fmt.Println(to_do(), test_to_do(), test_to_do_2(), test_7up())
fmt.Println(recursive(RecursiveTree{Name: "a", Children: []RecursiveTree{{Name: "b"}}}))
fmt.Println(endless(map[string]any{"self": nil}))
fmt.Println(nonsense("a", NonsenseOptions{B: 2, E: "x"}))
fmt.Println(many(ManyArguments{A: "1", D: 2}))
fmt.Println(wide(map[string]any{"p3": nil}))`)
	require.Empty(t, failed)
	require.Equal(t, `{"range":2,"type":"a"}
{}
{"text":"a"} 0
{}
{} {} {} {}
{"tree":{"children":[{"name":"b"}],"name":"a"}}
{"self":null}
{"a":"a","b":2,"e":"x"}
{"a":"1","b":"","c":"","d":2}
{"p3":null}
`, out)
}

// TestAServerGetsNoKeys: a server's process gets only the variables for finding programs and the home folder, and
// those that are set for the server.
func TestAServerGetsNoKeys(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "canary-key")
	t.Setenv("RLM_CANARY", "canary")
	server := named(t, "honest")
	server.Env["GIVEN"] = "for it"
	out, failed := run(t, session(t, start(t, mcp.Options{}, server)), `fmt.Println(environment())`)
	require.Empty(t, failed)
	require.NotContains(t, out, "canary")
	require.Contains(t, out, "GIVEN=for it")
	require.Contains(t, out, "PATH=")
}

func TestOverHTTP(t *testing.T) {
	t.Parallel()
	var headers []string
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server("honest") }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers = append(headers, r.Header.Get("Authorization"))
		handler.ServeHTTP(w, r)
	}))
	defer web.Close()
	servers := start(t, mcp.Options{},
		mcp.Server{URL: web.URL, Headers: map[string]string{"Authorization": "Bearer x"}})
	s := session(t, servers)
	out, failed := run(t, s, `fmt.Println(lookup("x").Id, exact().N)`)
	require.Empty(t, failed)
	require.Equal(t, "42 9007199254740993\n", out)
	require.NotEmpty(t, headers)
	for _, h := range headers {
		require.Equal(t, "Bearer x", h)
	}
	_, failed = run(t, s, `huge()`)
	require.NotEmpty(t, failed)
	out, failed = run(t, s, `fmt.Println(lookup("x").Id)`)
	require.Empty(t, failed)
	require.Equal(t, "42\n", out)
	servers.Close()
}
