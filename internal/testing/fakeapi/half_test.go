package fakeapi_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// A request whose body is cut off, because its client was killed, is not recorded: no endpoint answers half a
// request.
func TestHalfACallIsNone(t *testing.T) {
	api := fakeapi.Start(fakeapi.Says("whole")...)
	defer api.Close()
	at, err := url.Parse(api.URL())
	require.NoError(t, err)
	conn, err := net.Dial("tcp", at.Host)
	require.NoError(t, err)
	const body = `{"messages":[{"role":"user","content":"q"}]}`
	_, err = fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s",
		at.Host, len(body), body[:9])
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	_, err = io.ReadAll(conn) // returns when the endpoint closes the connection
	require.NoError(t, err)
	require.NoError(t, conn.Close())

	res, err := http.Post(api.URL()+"/chat/completions", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	said, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Contains(t, string(said), "whole")
	require.Len(t, api.Requests(), 1)
}
