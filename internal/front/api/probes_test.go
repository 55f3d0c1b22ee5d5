package api_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// get fetches a page without a token.
func (s *site) get(path string) (int, string) {
	s.t.Helper()
	resp, err := http.Get(s.url + path)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return resp.StatusCode, string(b)
}

func TestProbesNeedNoToken(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{}, func(c *api.Config) {
		c.Metrics = func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "rlm_run_active 0\n")
			return err
		}
	})
	for path, text := range map[string]string{"healthz": "ok\n", "readyz": "ok\n", "metrics": "rlm_run_active 0\n"} {
		status, body := s.get(path)
		require.Equal(t, 200, status, path)
		require.Equal(t, text, body)
	}
	status, _ := s.get("healthz/../api/v1/sessions")
	require.Equal(t, 401, status)
	status, _, _ = s.send("GET", "metrics", nil, func(r *http.Request) { r.Host = "evil.example" })
	require.Equal(t, 421, status)
	status, _, _ = s.send("GET", "metrics", nil, func(r *http.Request) {
		r.Header.Set("Origin", "https://evil.example")
	})
	require.Equal(t, 403, status)
	status, _, _ = s.send("POST", "metrics", nil, func(r *http.Request) { r.Header.Del("Authorization") })
	require.Equal(t, 401, status)
}

func TestMetricsNeedATokenWhereOthersCanAsk(t *testing.T) {
	t.Parallel()
	s := startAt(t, "0.0.0.0:0", t.TempDir(), &talker{}, func(c *api.Config) {
		c.Insecure = true
		c.Metrics = func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "{}\n")
			return err
		}
	})
	status, _ := s.get("metrics")
	require.Equal(t, 401, status)
	status, _, _ = s.send("GET", "metrics", nil)
	require.Equal(t, 200, status)
	status, _ = s.get("healthz")
	require.Equal(t, 200, status)
}

// TestMetricsAreTheOwners: they tell what all users do, so that neither a user nor who comes through a proxy of this
// machine gets them.
func TestMetricsAreTheOwners(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{}, func(c *api.Config) {
		c.Hosts, c.Metrics = []string{"rlm.test"}, func(context.Context, io.Writer) error { return nil }
	})
	bob := s.user("bob")
	require.Equal(t, 200, s.status("metrics"))
	require.Equal(t, 401, bob.status("metrics"))
	for name, change := range map[string]func(*http.Request){
		"a proxy that says so":      func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") },
		"a proxy that passes Host":  func(r *http.Request) { r.Host = "rlm.test" },
		"a proxy by its own header": func(r *http.Request) { r.Header.Set("Forwarded", "for=192.0.2.1") },
	} {
		require.Equal(t, 401, s.status("metrics", strange, change), name)
		require.Equal(t, 200, s.status("metrics", change), name)
	}
	require.Equal(t, 200, s.status("metrics", strange, func(r *http.Request) { r.Host = "localhost" }))
}
