package api_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAPersonIsToldInWords: a browser without access, for example from an old bookmark, shows what to do; a program
// gets JSON, whatever its Accept header.
func TestAPersonIsToldInWords(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	for _, c := range []struct {
		path, accept, host string
		status             int
		kind, says         string
	}{
		{
			"s/abc?view=trace", "text/html,*/*;q=0.8", "", 401, "text/html; charset=utf-8",
			"<p>Open the address that rlm serve printed: it lets this browser in.</p>",
		},
		{
			"?token=old", "text/html", "", 401, "text/html; charset=utf-8",
			"<p>This is not the server&#39;s token: open the address that rlm serve printed.</p>",
		},
		{
			"", "text/html", "evil.example", 421, "text/html; charset=utf-8",
			"<p>This server does not answer to the name evil.example; ",
		},
		{"", "*/*", "", 401, "application/json; charset=utf-8", `"code":"token"`},
		{"api/v1/about", "text/html", "", 401, "application/json; charset=utf-8", `"code":"token"`},
		{"v1/models", "text/html", "", 401, "application/json", `invalid_api_key`},
	} {
		req, err := http.NewRequest("GET", s.url+c.path, nil)
		require.NoError(t, err)
		req.Header.Set("Accept", c.accept)
		req.Host = c.host
		res, err := noRedirects().Do(req)
		require.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, c.status, res.StatusCode, c.path)
		require.Contains(t, res.Header.Get("Content-Type"), c.kind, c.path)
		require.Contains(t, string(text), c.says)
		require.Contains(t, res.Header.Get("Content-Security-Policy"), "default-src 'none'")
	}
}
