package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/mcp"
)

// TestToolsThatComeAndGo: changes of a server's tools between questions reach the notebook and the model with the
// next question, whether the server is a process, which reports them, or has a URL.
func TestToolsThatComeAndGo(t *testing.T) {
	t.Parallel()
	changed := server("changing")
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return changed }, nil))
	defer web.Close()
	for name, of := range map[string]mcp.Server{"process": named(t, "changing"), "URL": {URL: web.URL}} {
		t.Run(name, func(t *testing.T) {
			servers := start(t, mcp.Options{}, of)
			cell := func(format string, args ...any) string {
				return "```go\n" + fmt.Sprintf(format, args...) + "\n```"
			}
			model := llm.NewScripted("m",
				cell("kept := 7\nFINAL(swap())"),
				cell("FINAL(fmt.Sprint(kept, after()))"),
				cell("FINAL(swap())"),
				cell("FINAL(before())"))
			r := newRunner(t, model, t.TempDir(), servers)
			s, err := r.NewSession(soon(t))
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			ask := func() (answer, told string) {
				before := len(model.Requests())
				res, err := s.Answer(soon(t), "q")
				require.NoError(t, err)
				request := model.Requests()[before]
				return res.Answer, request.Messages[len(request.Messages)-1].Content
			}
			has := func(tool string) {
				require.Eventually(t, func() bool { // until the server's notification has arrived
					tools, err := servers.List(soon(t))
					require.NoError(t, err)
					for _, o := range tools {
						if o.Name == tool {
							return true
						}
					}
					return false
				}, time.Minute, time.Millisecond)
			}

			answer, _ := ask()
			require.Equal(t, "swapped", answer)
			has("after")
			answer, told := ask()
			require.Contains(t, told, "after()")
			require.Contains(t, told, "calls of them fail: before")
			require.True(t, strings.HasSuffix(answer, "I am after"), "variables live on and the new tool is there: %s",
				answer)
			answer, told = ask()
			require.NotContains(t, told, "MCP servers", "it is told once")
			require.Equal(t, "swapped", answer)
			has("before")
			answer, told = ask()
			require.Contains(t, told, "these functions work again: before")
			require.Contains(t, told, "calls of them fail: after")
			require.Equal(t, "I am before", answer)
			_, failed := run(t, s, "after()")
			require.Contains(t, failed, "has no tool after any more")
		})
	}
}
