package api_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

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

// TestARequestOfARemovedUser: a request whose body arrives after its user was removed begins nothing.
func TestARequestOfARemovedUser(t *testing.T) {
	t.Parallel()
	model := &talker{replies: []string{fence("FINAL(1)"), fence("FINAL(1)")}}
	s := start(t, model)
	bob := s.user("bob")
	id := bob.session()
	stream := bob.follow("list=1", "")
	defer stream.close()
	var late []func() int
	for path, body := range map[string]string{
		"/api/v1/sessions/" + id + "/ask": `{"question":"q"}`,
		"/v1/chat/completions":            `{"model":"rlm","messages":[{"role":"user","content":"q"}]}`,
		"/v1/responses":                   `{"model":"rlm","background":true,"input":"q"}`,
	} {
		conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/"))
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", path, bob.token, len(body))
		require.NoError(t, err)
		answers := bufio.NewReader(conn)
		line, err := answers.ReadString('\n') // the server wants the body: the request was let in
		require.NoError(t, err)
		require.Contains(t, line, "100 Continue")
		_, err = answers.ReadString('\n')
		require.NoError(t, err)
		late = append(late, func() int {
			_, err := fmt.Fprint(conn, body)
			require.NoError(t, err)
			res, err := http.ReadResponse(answers, nil)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			return res.StatusCode
		})
	}
	require.NoError(t, api.OpenUsers(s.dir).Remove("bob"))
	for ok := true; ok; {
		_, ok = stream.next()
	}
	for _, send := range late {
		require.Equal(t, 401, send())
	}
	model.mu.Lock()
	defer model.mu.Unlock()
	require.Zero(t, model.calls)
}
