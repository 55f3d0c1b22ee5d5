package llm_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
)

// A failing proxy is named in the error, without its password; a proxy that refuses is asked only once.
func TestAProxyThatFailsIsNamed(t *testing.T) {
	for _, name := range []string{
		"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "all_proxy", "NO_PROXY", "no_proxy",
	} {
		t.Setenv(name, "")
	}
	var asked atomic.Int32
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer refusing.Close()
	closing, err := net.Listen("tcp", "127.0.0.1:0") // a port that nobody listens on once it is closed
	require.NoError(t, err)
	defer closing.Close()
	go func() {
		for {
			conn, err := closing.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	at := strings.TrimPrefix(refusing.URL, "http://")
	nobody := httptest.NewServer(http.NotFoundHandler())
	nobody.Close()
	gone := strings.TrimPrefix(nobody.URL, "http://")
	for _, tt := range []struct{ proxy, endpoint, says string }{
		{
			"http://me:secret@" + at, "https://model.invalid/v1",
			"the proxy http://" + at + " needs USER:PASSWORD@ before its host name: Proxy Authentication Required; HTTPS_PROXY, ALL_PROXY",
		},
		{
			"http://me:secret@" + at, "http://model.invalid/v1",
			"the proxy http://" + at + " needs USER:PASSWORD@ before its host name: Proxy Authentication Required; HTTP_PROXY, ALL_PROXY",
		},
		{
			"http://me:secret@" + closing.Addr().String(), "https://model.invalid/v1",
			"through the proxy http://" + closing.Addr().String(),
		},
		{"http://me:secret@" + gone, "https://model.invalid/v1", "the proxy http://" + gone + " cannot be reached"},
		{"http://me:secret@" + gone, "http://model.invalid/v1", "the proxy http://" + gone + " cannot be reached"},
		{"socks5://me:secret@" + gone, "http://model.invalid/v1", "the proxy socks5://" + gone + " cannot be reached"},
		{
			"socks5://me:secret@" + closing.Addr().String(), "https://model.invalid/v1",
			"the proxy socks5://" + closing.Addr().String(),
		},
		{
			"socks4://me:secret@host:1", "https://model.invalid/v1",
			"the proxy set in the environment for https cannot be used",
		},
	} {
		t.Setenv("ALL_PROXY", tt.proxy)
		asked.Store(0)
		c, err := llm.New(llm.Config{
			Model: "m", BaseURL: tt.endpoint, Tries: 3, BackoffMin: time.Nanosecond, BackoffMax: time.Nanosecond,
		})
		require.NoError(t, err)
		_, err = c.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "q"}}}, nil)
		require.ErrorContains(t, err, tt.says)
		require.NotContains(t, err.Error(), "secret")
		require.LessOrEqual(t, asked.Load(), int32(1))
	}
}
