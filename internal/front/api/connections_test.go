package api

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConnectionsWithoutARequestEndAtOnce: when the server ends, it closes idle connections immediately; a
// connection that is being served stays open until it has its response.
func TestConnectionsWithoutARequestEndAtOnce(t *testing.T) {
	t.Parallel()
	var fresh connections
	fresh.init()
	asked, answer := make(chan struct{}), make(chan struct{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-answer
		_, _ = io.WriteString(w, "the answer") // the test checks whether it arrives
	}))
	s.Config.ConnState = fresh.state
	s.Start()
	t.Cleanup(s.Close)
	dial := func(begin string) net.Conn {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = io.WriteString(conn, begin)
		require.NoError(t, err)
		return conn
	}
	silent, half := dial(""), dial("GET / HT")
	busy := dial("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	<-asked
	fresh.close()
	for _, conn := range []net.Conn{silent, half, dial("")} {
		_, _ = io.ReadAll(conn) // returns when the server closes, with an error if unread data is left
	}
	close(answer)
	got, err := io.ReadAll(busy)
	require.NoError(t, err)
	require.Contains(t, string(got), "the answer")
}
