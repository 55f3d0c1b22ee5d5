package api_test

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/runner"
)

// strange removes the token from a request.
func strange(r *http.Request) { r.Header.Del("Authorization") }

// browser lets a browser in and returns a function that adds its cookie to a request.
func (s *site) browser() func(*http.Request) {
	s.t.Helper()
	status, _, h := s.send("GET", "?token="+s.token, nil, strange)
	require.Equal(s.t, http.StatusSeeOther, status)
	cookie := (&http.Response{Header: h}).Cookies()[0]
	return func(r *http.Request) { strange(r); r.AddCookie(cookie) }
}

func (s *site) status(path string, change ...func(*http.Request)) int {
	s.t.Helper()
	status, _, _ := s.send("GET", path, nil, change...)
	return status
}

// TestOneServerOfADataFolder: a second server reports why it does not start. A server that is started when the
// first has ended gets the same port.
func TestOneServerOfADataFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startIn(t, dir, &talker{})
	r, err := runner.New(&talker{}, runner.WithDataDir(dir))
	require.NoError(t, err)
	_, err = api.New(api.Config{Runner: r, DataDir: dir})
	require.ErrorContains(t, err, "another server is using "+dir)
	s.end()
	startIn(t, dir, &talker{})
}

// TestBrowsersOfAUserAreThatUsers: one user's logins do not log others out, the least recently used browser is
// dropped, and each browser can be listed and logged out, which ends its streams.
func TestBrowsersOfAUserAreThatUsers(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	bob := s.user("bob")
	mine, first := s.browser(), bob.browser()
	for range 64 {
		bob.browser()
	}
	require.Equal(t, 200, s.status("api/v1/about", mine), "logins of bob are not the owner's")
	require.Equal(t, 401, bob.status("api/v1/about", first), "the oldest of bob's makes way")
	require.Len(t, bob.call("GET", "browsers", nil).list("browsers"), 64)

	other := s.browser()
	_, list, _ := s.send("GET", "api/v1/browsers", nil, mine, func(r *http.Request) { r.Header.Set("User-Agent", "x") })
	all := list.list("browsers")
	require.Len(t, all, 2)
	own, foreign := all[0], all[1]
	if own["this"] == nil {
		own, foreign = foreign, own
	}
	require.Equal(t, true, own["this"])
	require.Nil(t, foreign["this"])
	bob.refused("not_found", "DELETE", "browsers/"+foreign.text("id"), nil)

	req, err := http.NewRequest("GET", s.url+"api/v1/events?list=1", nil)
	require.NoError(t, err)
	other(req)
	followed, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer followed.Body.Close()
	status, _, _ := s.send("DELETE", "api/v1/browsers/"+foreign.text("id"), nil, mine)
	require.Equal(t, 204, status)
	_, err = io.Copy(io.Discard, followed.Body) // returns when the stream ends
	require.NoError(t, err)
	require.Equal(t, 401, s.status("api/v1/about", other))
	status, _, _ = s.send("DELETE", "api/v1/browsers/this", nil, mine)
	require.Equal(t, 204, status)
	require.Equal(t, 401, s.status("api/v1/about", mine))
}

// TestALinkDoesNotMakeABrowserSomebodyElses: a browser that follows a link with another user's token is asked
// first, and a form sent from another site is refused.
func TestALinkDoesNotMakeABrowserSomebodyElses(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	bob := s.user("bob")
	mine := s.browser()
	link := func(change ...func(*http.Request)) (int, string, http.Header) {
		req, err := http.NewRequest("GET", s.url+"s/abc?token="+bob.token+"&x=1", nil)
		require.NoError(t, err)
		for _, c := range change {
			c(req)
		}
		res, err := noRedirects().Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, string(b), res.Header
	}
	elsewhere := func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
	}
	for _, change := range [][]func(*http.Request){{mine}, {mine, elsewhere}, {elsewhere}} {
		status, html, h := link(change...)
		require.Equal(t, 200, status)
		require.Contains(t, html, "Continue as bob")
		require.Empty(t, h.Get("Set-Cookie"))
		require.Contains(t, h.Get("Content-Security-Policy"), "form-action 'self'")
	}
	_, html, _ := link(mine)
	require.Contains(t, html, "You are logged in as owner")
	form := url.Values{"token": {bob.token}, "to": {"//evil.example/s/abc?x=1"}}.Encode()
	post := func(change ...func(*http.Request)) (int, http.Header) {
		change = append([]func(*http.Request){func(r *http.Request) {
			strange(r)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(form)), int64(len(form))
		}}, change...)
		status, _, h := s.send("POST", "enter", nil, change...)
		return status, h
	}
	status, _ := post(elsewhere)
	require.Equal(t, 403, status)
	status, h := post(func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") })
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, "/s/abc?x=1", h.Get("Location"))
	require.NotEmpty(t, h.Get("Set-Cookie"))

	status, _, _ = link(func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") })
	require.Equal(t, http.StatusSeeOther, status, "who opens the printed address is let in")
}

// TestARemovedUsersRunEnds: a removed user's run stops and costs nothing more.
func TestARemovedUsersRunEnds(t *testing.T) {
	t.Parallel()
	model := &slow{underWay: make(chan struct{}), on: make(chan struct{})}
	s := start(t, model)
	bob := s.user("bob")
	id := bob.session()
	bob.call("POST", "sessions/"+id+"/ask", object{"question": "q"})
	<-model.underWay
	require.NoError(t, api.OpenUsers(s.dir).Remove("bob"))
	s.settled(id)
	require.Equal(t, 1, model.refused)
}

// TestStrangersKeepNoConnection: the connection of an unknown client is closed after the response, while known
// users keep theirs.
func TestStrangersKeepNoConnection(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	for path, change := range map[string]func(*http.Request){
		"api/v1/about": strange, "healthz": strange, "s/x": func(r *http.Request) {
			strange(r)
			r.Host = "evil.example"
		},
		"v1/models": func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") },
	} {
		req, err := http.NewRequest("GET", s.url+path, nil)
		require.NoError(t, err)
		change(req)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.True(t, res.Close, path)
	}
	req, err := http.NewRequest("GET", s.url+"api/v1/about", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.False(t, res.Close)
}

// TestRequestsOfOneUserAtOnceAreBounded: one user's requests, including streams, are limited; other users are not
// affected.
func TestRequestsOfOneUserAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	bob := s.user("bob")
	for range 256 {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"api/v1/events?list=1", nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+bob.token)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.Equal(t, 200, res.StatusCode)
		t.Cleanup(func() { _ = res.Body.Close() })
	}
	status, out, h := bob.send("GET", "api/v1/about", nil)
	require.Equal(t, 429, status)
	require.Equal(t, "limit", out.at("error").text("code"))
	require.Equal(t, "1", h.Get("Retry-After"))
	s.user("ada").call("GET", "about", nil)
	s.call("GET", "about", nil)
}

// TestProxies: a proxy may drop the port or the Host, or serve the server below a path.
func TestProxies(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{}, func(cfg *api.Config) { cfg.Hosts = []string{"rlm.test"} })
	page := func(host, origin, site string) func(*http.Request) {
		return func(r *http.Request) {
			r.Host = host
			r.Header.Set("Origin", origin)
			if site != "" {
				r.Header.Set("Sec-Fetch-Site", site)
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"a port that is dropped":                {page("127.0.0.1", "http://127.0.0.1:8099", "same-origin"), 200},
		"a browser that says nothing":           {page("rlm.test", "https://rlm.test:8443", ""), 200},
		"another name":                          {page("rlm.test", "https://evil.test", ""), 403},
		"a page of another site":                {page("rlm.test", "https://rlm.test", "cross-site"), 403},
		"another scheme":                        {page("127.0.0.1:"+port(s), "https://127.0.0.1:"+port(s), ""), 403},
		"a port of a name that was not given":   {page("localhost:"+port(s), "http://localhost:1", ""), 403},
		"a request of no browser, without Host": {func(r *http.Request) {}, 200},
	} {
		require.Equal(t, c.status, s.status("api/v1/about", c.change), name)
	}
	below := func(r *http.Request) { r.Header.Set("X-Forwarded-Prefix", "/tools/rlm/") }
	_, _, h := s.send("GET", "s/abc?token="+s.token, nil, strange, below)
	require.Equal(t, "/tools/rlm/s/abc", h.Get("Location"))
	require.Equal(t, "/tools/rlm/", (&http.Response{Header: h}).Cookies()[0].Path)
	for _, hostile := range []string{"//evil.test", `/"><script>`, "/a/../b;x", "/../b", "/a//b", "evil"} {
		_, _, h := s.send("GET", "s/abc?token="+s.token, nil, strange, func(r *http.Request) {
			r.Header.Set("X-Forwarded-Prefix", hostile)
		})
		require.Equal(t, "/s/abc", h.Get("Location"), hostile)
	}

	based := start(t, &talker{}, func(cfg *api.Config) { cfg.BasePath = "/rlm" })
	for _, path := range []string{"rlm/api/v1/about", "api/v1/about"} { // the proxy may remove the prefix or keep it
		require.Equal(t, 200, based.status(path), path)
	}
	require.Equal(t, 404, based.status("rlmx/api/v1/about"))
	req, err := http.NewRequest("GET", based.url+"rlm/", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+based.token)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	html, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Contains(t, string(html), `src="/rlm/assets/app`)
}

// TestTheServersNameIsForThoseWhoMayAsk: a page with another host name does not get the hash of the token.
func TestTheServersNameIsForThoseWhoMayAsk(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	_, _, h := s.send("GET", "api/v1/about", nil, func(r *http.Request) { strange(r); r.Host = "evil.example" })
	require.Empty(t, h.Get("Rlm-Server"))
	_, _, ok := api.Running(t.Context(), s.dir)
	require.True(t, ok)
}

// TestAnAnswerOfARemovedUser: an answer that is under way when its user is removed ends with the reason in the form of
// its API, streamed or whole. Clients would take a stream that just ends for a whole answer.
func TestAnAnswerOfARemovedUser(t *testing.T) {
	t.Parallel()
	answers := make(chan struct{})
	s := start(t, &talker{
		replies: slices.Repeat([]string{fence("FINAL(1)")}, 8),
		half:    func(int) { <-answers },
	})
	defer close(answers)
	bob := s.user("bob")
	var bodies []io.ReadCloser
	for path, body := range map[string]string{
		"v1/chat/completions": `{"model":"rlm","stream":true,"messages":[{"role":"user","content":"chat?"}]}`,
		"v1/responses":        `{"model":"rlm","stream":true,"input":"response?"}`,
	} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+bob.token)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.Equal(t, 200, res.StatusCode)
		bodies = append(bodies, res.Body)
	}
	require.NoError(t, api.OpenUsers(s.dir).Remove("bob"))
	for _, body := range bodies {
		text, err := io.ReadAll(body)
		require.NoError(t, err)
		require.NoError(t, body.Close())
		require.Contains(t, string(text), "invalid_api_key")
		require.Contains(t, string(text), "this user was removed")
		require.NotContains(t, string(text), "[DONE]")
	}
}
