package api_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// TestANewUserOfTheSameName: the tasks of a removed user end, and not those of the next user of that name.
func TestANewUserOfTheSameName(t *testing.T) {
	t.Parallel()
	model := &slow{underWay: make(chan struct{}), on: make(chan struct{})}
	s := start(t, model)
	old := s.user("bob")
	stream := old.follow("list=1", "")
	defer stream.close()
	require.NoError(t, api.OpenUsers(s.dir).Remove("bob"))
	bob := s.user("bob")
	id := bob.session()
	bob.call("POST", "sessions/"+id+"/ask", object{"question": "q"})
	<-model.underWay
	for ok := true; ok; { // until the server has seen that the old user is gone
		_, ok = stream.next()
	}
	require.Equal(t, 401, old.status("api/v1/about"))
	close(model.on)
	bob.settled(id)
	require.Equal(t, "completed", bob.call("GET", "sessions/"+id, nil).text("status"))
}

// TestARequestOfARemovedUser: a request whose body has not arrived when its user is removed ends, and begins nothing.
func TestARequestOfARemovedUser(t *testing.T) {
	t.Parallel()
	model := &talker{replies: []string{fence("FINAL(1)"), fence("FINAL(1)")}}
	s := start(t, model)
	bob := s.user("bob")
	id := bob.session()
	stream := bob.follow("list=1", "")
	defer stream.close()
	late := map[string]func() int{}
	const form = "multipart/form-data; boundary=B"
	for path, kind := range map[string]string{
		"/api/v1/sessions/" + id + "/ask":     "application/json",
		"/api/v1/sessions/" + id + "/uploads": form,
		"/v1/chat/completions":                "application/json",
		"/v1/responses":                       "application/json",
		"/v1/files":                           form,
		"/mcp":                                "application/json",
	} {
		conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/"))
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: %s\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n", path, bob.token, kind)
		require.NoError(t, err)
		answers := bufio.NewReader(conn)
		line, err := answers.ReadString('\n') // the server wants the body: the request was let in
		require.NoError(t, err)
		require.Contains(t, line, "100 Continue")
		_, err = answers.ReadString('\n')
		require.NoError(t, err)
		late[path] = func() int {
			res, err := http.ReadResponse(answers, nil)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			return res.StatusCode
		}
	}
	require.NoError(t, api.OpenUsers(s.dir).Remove("bob"))
	for ok := true; ok; {
		_, ok = stream.next()
	}
	for path, answered := range late {
		assert.Equal(t, 401, answered(), path)
	}
	model.mu.Lock()
	defer model.mu.Unlock()
	require.Zero(t, model.calls)
}

// TestASocketThatAnswersNoPings: a socket of a removed user ends although the server waits for the client's answer to a
// ping.
func TestASocketThatAnswersNoPings(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	bob := s.user("bob")
	pinged := make(chan struct{})
	conn, res, err := websocket.Dial(t.Context(), s.url+"api/v1/socket", &websocket.DialOptions{
		HTTPHeader:     http.Header{"Authorization": {"Bearer " + bob.token}},
		OnPingReceived: func(context.Context, []byte) bool { close(pinged); return false },
	})
	require.NoError(t, err)
	if res.Body != nil {
		defer res.Body.Close()
	}
	defer func() { _ = conn.CloseNow() }()
	ended := make(chan error, 1)
	go func() {
		_, _, err := conn.Read(t.Context())
		ended <- err
	}()
	<-pinged
	require.NoError(t, api.OpenUsers(s.dir).Remove("bob"))
	require.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(<-ended), "why it ends is told")
}
