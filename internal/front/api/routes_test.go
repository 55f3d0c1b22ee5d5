package api_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// TestOtherMethods: the response to a wrong method on an existing path lists the right ones; an unknown path gives
// 404 with any method.
func TestOtherMethods(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"POST", "api/v1/about", 405, "GET"},
		{"OPTIONS", "api/v1/sessions", 405, "GET, POST"},
		{"PUT", "api/v1/sessions/x", 405, "GET, PATCH, DELETE"},
		{"GET", "api/v1/sessions/x/ask", 405, "POST"},
		{"DELETE", "api/v1/events", 405, "GET"},
		{"POST", "api/v1/openapi.json", 405, "GET"},
		{"POST", "reference", 405, "GET"},
		{"POST", "", 405, "GET"},
		{"PUT", "s/x", 405, "GET"},
		{"POST", "healthz", 405, "GET"},
		{"GET", "v1/chat/completions", 405, "POST"},
		{"PUT", "mcp", 405, "GET, POST, DELETE"},
		{"POST", "api/v1/nothing", 404, ""},
		{"GET", "api", 404, ""},
		{"GET", "api/v1", 404, ""},
		{"POST", "api/v2/about", 404, ""},
		{"POST", "v1", 404, ""},
		{"POST", "mcp/other", 404, ""},
	} {
		status, _, header := s.send(c.method, c.path, nil)
		require.Equal(t, c.status, status, "%s %s", c.method, c.path)
		require.Equal(t, c.allow, header.Get("Allow"), "%s %s", c.method, c.path)
	}
	for _, path := range []string{"api/v1/sessions/", "api/", "v1/", "v1/models/", "v1/responses/"} {
		_, out, _ := s.send("GET", path+strings.Repeat("i", 10_000), nil)
		require.NotEmpty(t, out["error"], path)
		require.Less(t, len(fmt.Sprint(out)), 1000, "%s: what was sent comes back short", path)
	}
}

// TestTheHeadOfAStream: it has no body, so the next request on its connection is answered at once.
func TestTheHeadOfAStream(t *testing.T) {
	t.Parallel()
	answers := make(chan struct{})
	defer close(answers)
	s := start(t, &talker{replies: []string{fence("FINAL(1)")}, half: func(int) { <-answers }})
	status, out, _ := s.send("POST", "v1/responses", object{"model": "rlm", "input": "q", "background": true})
	require.Equal(t, 200, status, out)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	for _, path := range []string{
		"api/v1/events?list=1", "api/v1/events?session=" + s.session() + ":0",
		"v1/responses/" + out.text("id") + "?stream=true",
	} {
		for range 2 {
			req, err := http.NewRequestWithContext(ctx, "HEAD", s.url+path, nil)
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+s.token)
			res, err := client.Do(req)
			require.NoError(t, err, path)
			require.NoError(t, res.Body.Close())
			require.Contains(t, res.Header.Get("Content-Type"), "text/event-stream")
		}
	}
}

// TestSlashesTooMany: clients join a base URL ending in a slash with paths beginning with one. The server does not
// redirect: not every client would resend its body, or know the prefix of a proxy.
func TestSlashesTooMany(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/tools/rlm"} {
		s := start(t, &talker{}, func(c *api.Config) { c.BasePath = base })
		ask := func(path string) int {
			req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+s.address()+path, nil)
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+s.token)
			res, err := noRedirects().Do(req)
			require.NoError(t, err)
			defer res.Body.Close()
			_, err = io.Copy(io.Discard, res.Body)
			require.NoError(t, err)
			return res.StatusCode
		}
		for _, path := range []string{
			base + "/v1//models", base + "//v1/models", base + "/api/v1//about", base + "///api//v1/about",
		} {
			require.Equal(t, 200, ask(path), path)
		}
		require.Equal(t, 404, ask(base+"/v1"))
	}
}
