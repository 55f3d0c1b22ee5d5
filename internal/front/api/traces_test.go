package api_test

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// TestRunsBelongToTheTracesOfRequests: whichever API a question comes through, its run gets the span of the
// request; a later run gets its own or none.
func TestRunsBelongToTheTracesOfRequests(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{
		fence("FINAL(1)"), fence("FINAL(2)"), fence("FINAL(3)"), fence("FINAL(4)"),
	}})
	spans := []string{"a", "b", "c", "d"}
	for i, c := range spans {
		spans[i] = "00-" + strings.Repeat(c, 32) + "-" + strings.Repeat(c, 16) + "-01"
	}
	under := func(span string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Traceparent", span)
			r.Header.Set("Tracestate", "vendor=1")
		}
	}
	// metadata returns the metadata of a session's runs.
	metadata := func(id string) (all []string) {
		for ev, err := range trajectory.Read(trajectory.RunsDir(s.dir) + "/" + id) {
			require.NoError(t, err)
			if d, ok := ev.Data.(trajectory.RunStarted); ok {
				all = append(all, string(d.Metadata))
			}
		}
		return all
	}

	id := s.session()
	status, _, _ := s.send("POST", "api/v1/sessions/"+id+"/ask", object{"question": "q"}, under(spans[0]))
	require.Equal(t, http.StatusAccepted, status)
	s.settled(id)
	w := s.socket()
	w.do(object{"do": "POST sessions/" + id + "/ask", "traceparent": spans[1], "body": object{"question": "q"}})
	s.settled(id)
	c := s.agent(nil)
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{
		Name: "ask", Arguments: object{"question": "q", "session": id}, Meta: sdk.Meta{"traceparent": spans[2]},
	})
	require.NoError(t, err)
	require.False(t, res.IsError)
	require.NoError(t, w.conn.CloseNow()) // the server would wait for an answer to its close frame
	s.end()
	again := startIn(t, s.dir, &talker{replies: []string{"", "", "", fence("FINAL(4)")}})
	again.do(id, "ask", object{"question": "q"})
	require.Equal(t, []string{
		`{"span":{"traceparent":"` + spans[0] + `","tracestate":"vendor=1"}}`,
		`{"span":{"traceparent":"` + spans[1] + `"}}`, `{"span":{"traceparent":"` + spans[2] + `"}}`, "",
	}, metadata(id))

	status, out, _ := again.send("POST", "v1/chat/completions",
		object{"model": "rlm", "messages": []object{{"role": "user", "content": "q"}}}, under(spans[3]))
	require.Equal(t, http.StatusOK, status, "%v", out)
	for _, l := range again.call("GET", "sessions", nil).list("sessions") {
		if other := l.text("id"); other != id {
			require.Equal(t, []string{`{"span":{"traceparent":"` + spans[3] + `","tracestate":"vendor=1"}}`},
				metadata(other))
		}
	}
}
