package openai_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// terminal runs the command in its own process, over the data folder of the server.
func (c *command) terminal(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), c.rlm, args...)
	cmd.Env = c.process.Env
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(t, err, "rlm %s: %s%s", strings.Join(args, " "), said.String(), out)
	return string(out)
}

// site is the server as tests talk to it.
func (c *command) site(t *testing.T) *site {
	return &site{t: t, url: c.url, token: c.token, dir: c.dir}
}

// TestRunsAreShared: a run that was begun over the API and cut off with its server is shown, resumed and forked in a terminal, and the API
// answers with what came of it there; a run of the terminal is shown, asked again and forked over the API.
func TestRunsAreShared(t *testing.T) {
	const steps = "do: x := 20 ;; x++ ;; FINAL(2*x)"
	arrived, opened := make(chan struct{}, 1), make(chan struct{})
	waited := false
	c := serveBehind(t, func(req fakeapi.Request) fakeapi.Reply {
		if strings.Contains(string(req.Body), "x := 20") && len(req.Messages) == 6 && !waited { // the third turn
			waited = true
			arrived <- struct{}{}
			<-opened
		}
		return obedient(req)
	})
	t.Cleanup(func() { close(opened) })
	s := c.site(t)
	begun := s.call("POST", "v1/responses", object{"model": "rlm", "input": steps, "background": true}, key("shared"))
	<-arrived
	id := s.call("GET", "api/v1/sessions", nil).list("sessions")[0].text("id")
	c.kill(t)
	require.Contains(t, c.terminal(t, "ls"), "interrupted")
	require.Contains(t, c.terminal(t, "resume", id), "42")
	require.Contains(t, c.terminal(t, "show", id), "42")
	require.Contains(t, c.terminal(t, "fork", id, "--turn", "1"), "42")
	c.start(t)

	s = c.site(t)
	again := s.call("POST", "v1/responses", object{"model": "rlm", "input": steps, "background": true}, key("shared"))
	require.Equal(t, begun.text("id"), again.text("id"), "the same key is the same run")
	require.Equal(t, "completed", again.text("status"))
	require.Equal(t, "42", again.list("output")[0].list("content")[0].text("text"))
	next := s.call("POST", "v1/responses", object{"model": "rlm", "input": "do: FINAL(x+1)", "previous_response_id": begun.text("id")})
	require.Equal(t, "22", next.list("output")[0].list("content")[0].text("text"), "the notebook has its variables")
	require.Equal(t, id, next.at("rlm").text("session"))

	var ran struct {
		RunID string `json:"run_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(c.terminal(t, "run", "--json", "-q", "do: y := 6 ;; FINAL(7*y)")), &ran))
	shown := s.call("GET", "api/v1/sessions/"+ran.RunID, nil)
	require.Equal(t, "42", shown.text("answer"))
	fork := s.call("POST", "api/v1/sessions/"+ran.RunID+"/fork", object{}, key("fork")).text("id")
	require.NotEqual(t, ran.RunID, fork)
	status, _, _ := s.send("POST", "api/v1/sessions/"+fork+"/ask", object{"question": "do: FINAL(y+1)"}, key("ask"))
	require.Equal(t, 202, status)
	res := s.open(t.Context(), "GET", "api/v1/events?session="+fork+":0", nil)
	defer res.Body.Close()
	require.Equal(t, "7", endOf(t, res.Body, 2), "the fork has the variables of the terminal's run")
}

// endOf reads a stream of events up to the end of a session's n-th run and returns its answer.
func endOf(t *testing.T, body io.Reader, n int) string {
	t.Helper()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if event := decoded(t, data).at("event"); event.text("type") == "run_ended" {
			if n--; n == 0 {
				return event.at("data").text("answer")
			}
		}
	}
	t.Fatal("the stream ended")
	return ""
}
