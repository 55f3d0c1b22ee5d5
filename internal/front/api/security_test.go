package api_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/runner/trajectory"
)

func TestOnlyWhoIsKnownGetsIn(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"the token":           {func(*http.Request) {}, 200},
		"no token":            {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"wrong token":         {func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401},
		"a token's beginning": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token[:10]) }, 401},
		"another scheme":      {func(r *http.Request) { r.Header.Set("Authorization", "Basic "+s.token) }, 401},
		"the token in a query of the API": {func(r *http.Request) {
			r.Header.Del("Authorization")
			r.URL.RawQuery = "token=" + s.token
		}, 401},
		"the token as a cookie": {func(r *http.Request) {
			r.Header.Del("Authorization")
			r.AddCookie(&http.Cookie{Name: "rlm-" + port(s), Value: s.token})
		}, 401},
		"another name for this machine": {func(r *http.Request) { r.Host = "evil.example" }, 421},
		"a name that looks local":       {func(r *http.Request) { r.Host = "localhost.evil.example:80" }, 421},
		"another address":               {func(r *http.Request) { r.Host = "192.168.1.10:" + port(s) }, 421},
		"localhost by a tunnel's port":  {func(r *http.Request) { r.Host = "localhost:9999" }, 200},
		"the loopback of version 6":     {func(r *http.Request) { r.Host = "[::1]:" + port(s) }, 200},
		"another site's page": {
			func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403,
		},
		"a page of another port":   {func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, 403},
		"a page without an origin": {func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"its own page": {
			func(r *http.Request) { r.Header.Set("Origin", strings.TrimSuffix(s.url, "/")) }, 200,
		},
		"a request across sites": {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
	} {
		status, out, h := s.send("GET", "api/v1/about", nil, c.change)
		require.Equal(t, c.status, status, "%s: %v", name, out)
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), name)
		require.Equal(t, "no-referrer", h.Get("Referrer-Policy"), name)
		require.Contains(t, h.Get("Content-Security-Policy"), "default-src 'none'", name)
		require.NotContains(t, h.Get("Content-Security-Policy"), "unsafe", name)
		require.Empty(t, h.Get("Access-Control-Allow-Origin"), name)
	}
	for _, path := range []string{
		"api/v1/events?session=x:0", "api/v1/sessions", "assets/licences.txt", "", "api/v1/nothing",
	} {
		status, _, _ := s.send("GET", path, nil, func(r *http.Request) { r.Header.Del("Authorization") })
		require.Equal(t, 401, status, path)
		status, _, _ = s.send("GET", path, nil, func(r *http.Request) {
			r.Header.Set("Origin", "https://evil.example")
		})
		require.Equal(t, 403, status, path)
	}
	status, _, _ := s.send("POST", "api/v1/sessions", object{}, func(r *http.Request) {
		r.Header.Set("Origin", "https://evil.example")
	})
	require.Equal(t, 403, status)
}

func port(s *site) string {
	u, _ := url.Parse(s.url)
	return u.Port()
}

// The printed token is exchanged once for a cookie, which is a different secret, and disappears from the address.
func TestTokenBecomesACookie(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	alone := func(r *http.Request) { r.Header.Del("Authorization") }
	status, _, h := s.send("GET", "session/abc/turn/2?token="+s.token+"&x=1", nil, alone)
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, "/session/abc/turn/2?x=1", h.Get("Location"))
	cookie := (&http.Response{Header: h}).Cookies()[0]
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, cookie.SameSite)
	require.NotContains(t, cookie.Value, s.token)
	with := func(r *http.Request) { alone(r); r.AddCookie(cookie) }
	status, _, _ = s.send("GET", "api/v1/about", nil, with)
	require.Equal(t, 200, status)
	status, _, _ = s.send("GET", "api/v1/about", nil, func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+cookie.Value)
	})
	require.Equal(t, 401, status, "the cookie is no token")
	_, _, h = s.send("GET", "//evil.example/?token="+s.token, nil, alone)
	require.Equal(t, "/evil.example/", h.Get("Location"), "no redirect leads elsewhere")
	status, _, _ = s.send("GET", "?token=wrong", nil, alone)
	require.Equal(t, 401, status)

	info, err := os.Stat(filepath.Join(s.dir, "server.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	kept, err := os.ReadFile(filepath.Join(s.dir, "server.json"))
	require.NoError(t, err)
	require.NotContains(t, string(kept), cookie.Value, "cookies are kept as hashes")
}

// Browsers send a cookie to all ports of a host: somebody else's server that gets it there can change nothing with
// it.
func TestACookieAloneChangesNothing(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	_, _, h := s.send("GET", "?token="+s.token, nil, func(r *http.Request) { r.Header.Del("Authorization") })
	cookie := (&http.Response{Header: h}).Cookies()[0]
	from := func(page string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Del("Authorization")
			r.AddCookie(cookie)
			if page != "" {
				r.Header.Set("Rlm-Page", page)
			}
		}
	}
	try := func(method, path string, with func(*http.Request)) int {
		status, _, _ := s.send(method, "api/v1/"+path, object{}, with)
		return status
	}
	require.Equal(t, 200, try("GET", "about", from("the page")))
	require.Equal(t, 200, try("POST", "sessions", from("the page")))
	for _, page := range []string{"", "another page"} {
		require.Equal(t, 401, try("POST", "sessions", from(page)))
		require.Equal(t, 401, try("DELETE", "browsers/all", from(page)))
		require.Equal(t, 401, try("GET", "socket", func(r *http.Request) {
			from(page)(r)
			r.Header.Set("Connection", "Upgrade")
			r.Header.Set("Upgrade", "websocket")
		}))
		require.Equal(t, 200, try("GET", "about", from(page)), "what a browser opens by itself is shown")
	}
	require.Equal(t, 200, try("POST", "sessions", from("the page")))
}

// TestANameIsNoIdentity: a user's things belong to that user, not to a later one with the same name.
func TestANameIsNoIdentity(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	enter := func(user *site) func(*http.Request) {
		_, _, h := user.send("GET", "?token="+user.token, nil, func(r *http.Request) { r.Header.Del("Authorization") })
		cookie := (&http.Response{Header: h}).Cookies()[0]
		return func(r *http.Request) { r.Header.Del("Authorization"); r.AddCookie(cookie) }
	}
	bob := s.user("bob")
	browser, id := enter(bob), bob.session(object{"name": "a.txt", "text": "private"})
	status, _, _ := bob.send("POST", "api/v1/sessions", object{"name": "first"}, keyed("k"))
	require.Equal(t, 200, status)
	status, _, _ = bob.send("GET", "api/v1/sessions/"+id, nil, browser)
	require.Equal(t, 200, status)
	stream := bob.follow("session="+id+":0", "")
	defer stream.close()

	require.NoError(t, api.OpenUsers(s.dir).Remove("bob"))
	other := s.user("bob")
	status, _, _ = bob.send("GET", "api/v1/sessions", nil, browser)
	require.Equal(t, 401, status, "the browser was let in for another one")
	stream.until(func(m message) bool { return m.kind() == "gone" && m.data().text("code") == "token" })
	_, more := stream.next()
	require.False(t, more, "the stream ends with the user, who is told why")
	status, _, _ = other.send("GET", "api/v1/sessions/"+id, nil)
	require.Equal(t, 404, status)
	require.Empty(t, other.call("GET", "sessions", nil).list("sessions"))
	status, out, _ := other.send("POST", "api/v1/sessions", object{"name": "second"}, keyed("k"))
	require.Equal(t, 200, status, "keys are not those of the one before: %v", out)
	require.Equal(t, "bob", s.call("GET", "sessions/"+id, nil).text("owner"), "the owner of the folder sees all")
	status, _, _ = other.send("GET", "api/v1/sessions", nil, enter(other))
	require.Equal(t, 200, status)
}

func TestWrongTokensAreSlowedDownAndRightOnesAreNot(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	limited := 0
	for range 60 {
		status, _, h := s.send("GET", "api/v1/about", nil, func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer guess")
		})
		if status == http.StatusTooManyRequests {
			limited++
			require.NotEmpty(t, h.Get("Retry-After"))
		}
	}
	require.Positive(t, limited)
	s.call("GET", "about", nil)
}

func TestUsersSeeTheirOwnSessions(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	users := api.OpenUsers(s.dir)
	tokens := map[string]string{}
	for _, name := range []string{"ann", "bob"} {
		token, err := users.Add(name, api.Limits{}, time.Now())
		require.NoError(t, err)
		tokens[name] = token
	}
	for _, name := range []string{"ann", "Ann", "owner", "", "a b", "../x", strings.Repeat("a", 40)} {
		_, err := users.Add(name, api.Limits{}, time.Now())
		require.Error(t, err, name)
	}
	kept, err := os.ReadFile(filepath.Join(s.dir, "server-users.json"))
	require.NoError(t, err)
	require.NotContains(t, string(kept), tokens["ann"])

	owner := s.session()
	ann, bob := *s, *s
	ann.token, bob.token = tokens["ann"], tokens["bob"]
	own := ann.session(object{"name": "a.txt", "text": "of ann"})
	require.Len(t, ann.call("GET", "sessions", nil).list("sessions"), 1)
	require.Empty(t, bob.call("GET", "sessions", nil).list("sessions"))
	require.Len(t, s.call("GET", "sessions", nil).list("sessions"), 2)
	for _, path := range []string{
		"", "/variables", "/text", "/documents", "/trace", "/events", "/export?format=html", "/settings", "/marks",
	} {
		bob.refused("not_found", "GET", "sessions/"+own+path, nil)
		bob.refused("not_found", "GET", "sessions/"+owner+path, nil)
		bob.refused("not_found", "GET", "sessions/"+own[:5]+path, nil)
	}
	bob.refused("not_found", "GET", "events?session="+own+":0", nil)
	bob.refused("not_found", "POST", "sessions/"+own+"/cells", object{"source": "1"})
	bob.refused("not_found", "DELETE", "sessions/"+own, nil)
	bob.refused("not_found", "POST", "sessions/"+own+"/fork", object{})
	require.Empty(t, bob.call("GET", "search?q=ann", nil).list("hits"))

	ann.call("PATCH", "sessions/"+own, object{"shared": true})
	require.Equal(t, "ann", bob.call("GET", "sessions/"+own, nil).text("owner"))
	bob.refused("forbidden", "DELETE", "sessions/"+own, nil)
	bob.refused("forbidden", "PATCH", "sessions/"+own, object{"shared": false})
	bob.do(own, "cells", object{"source": "n := 3"})
	require.Equal(t, "3", ann.values(own)["n"])

	require.NoError(t, users.Remove("bob"))
	status, _, _ := bob.send("GET", "api/v1/about", nil)
	require.Equal(t, 401, status)
	ann.call("GET", "about", nil)
}

// A page can add only files below the folders that the server was started with.
func TestPathsStayInTheFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	open, secret := filepath.Join(root, "open"), filepath.Join(root, "secret")
	for file, text := range map[string]string{
		filepath.Join(open, "a.txt"): "open text", filepath.Join(open, "sub", "b.txt"): "b",
		filepath.Join(open, ".hidden"):   "h",
		filepath.Join(secret, "key.txt"): "the key", filepath.Join(root, "open-too", "c.txt"): "c",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink(secret, filepath.Join(open, "link")))
	require.NoError(t, os.Symlink(filepath.Join(secret, "key.txt"), filepath.Join(open, "key.txt")))
	s := start(t, &talker{}, func(c *api.Config) { c.Folders = []string{open} })
	id := s.session()
	for _, path := range []string{
		secret, filepath.Join(secret, "key.txt"), filepath.Join(open, "..", "secret"), open + "/../secret/key.txt",
		filepath.Join(open, "link"),
		filepath.Join(open, "link", "key.txt"), filepath.Join(open, "key.txt"), root + "/open-too/c.txt", "/etc/passwd",
		"/", "", filepath.Join(open, "absent"), open + "/./../secret",
	} {
		s.refused("path", "POST", "sessions/"+id+"/documents", object{"paths": []string{path}})
		s.refused("path", "POST", "sessions", object{"paths": []string{path}})
		if path != "" {
			s.refused("path", "GET", "folders?path="+url.QueryEscape(path), nil)
		}
	}
	s.refused("bad_request", "POST", "sessions/"+id+"/documents", object{"paths": []string{open + "\x00"}})
	names := []string{}
	for _, e := range s.call("GET", "folders?path="+url.QueryEscape(open), nil).list("entries") {
		names = append(names, e.text("name"))
	}
	require.Equal(t, []string{"sub", "a.txt"}, names)
	s.do(id, "documents", object{"paths": []string{filepath.Join(open, "a.txt")}})
	require.Contains(t, s.call("GET", "sessions/"+id+"/text", nil).text("text"), "open text")
}

func TestOversizedAndMalformedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{}, func(c *api.Config) { c.MaxUpload = 1 << 20 })
	id := s.session()
	s.refused("too_large", "POST", "sessions/"+id+"/ask", object{"question": strings.Repeat("a", 9<<20)})
	s.refused("bad_request", "POST", "sessions/"+id+"/ask", object{"question": " "})
	s.refused("bad_request", "POST", "sessions/"+id+"/ask", object{"question": "q", "base_url": "http://evil.example"})
	s.refused("bad_request", "POST", "sessions/"+id+"/ask", object{"question": "q", "model": "openai/gpt-other"})
	s.refused("bad_request", "POST", "sessions", object{"texts": []object{{"name": "", "text": "x"}}})
	s.refused("bad_request", "POST", "sessions", object{"texts": []object{{"name": "a\x1bb", "text": "x"}}})
	for _, body := range []string{
		"{", "[]", `{"question":1}`, `{"question":"q"} {"question":"q"}`, strings.Repeat("[", 100_000), "null null",
	} {
		status, out, _ := s.send("POST", "api/v1/sessions/"+id+"/ask", nil, func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
			r.Header.Set("Content-Type", "application/json")
		})
		require.Equal(t, 400, status, "%.20s %v", body, out)
	}
	status, _, _ := s.send("POST", "api/v1/sessions/"+id+"/ask", object{"question": "q"}, func(r *http.Request) {
		r.Header.Set("Content-Type", "text/plain")
	})
	require.Equal(t, http.StatusUnsupportedMediaType, status, "a form of another site could send it")

	status, out, _ := s.uploads(id, map[string]string{"big.txt": strings.Repeat("b", 2<<20)})
	require.Equal(t, http.StatusRequestEntityTooLarge, status, "%v", out)
	left, err := filepath.Glob(filepath.Join(s.dir, "rlm", "runs", id, "upload-*"))
	require.NoError(t, err)
	require.Empty(t, left)
	for _, path := range []string{
		"sessions/..%2f..%2fetc", "sessions/%2e%2e", "sessions/absent",
		"sessions/" + id + "/events/x", "sessions/" + id + "/events/99999", "nothing",
	} {
		status, _, _ := s.send("GET", "api/v1/"+path, nil)
		require.Contains(t, []int{400, 404}, status, path)
	}
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/"))
	require.NoError(t, err)
	defer conn.Close()
	_, _ = fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n", strings.Repeat("h", 200<<10))
	answer := make([]byte, 12)
	_, err = io.ReadFull(conn, answer)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 431", string(answer))
}

// uploads sends files by name.
func (s *site) uploads(
	id string, files map[string]string, change ...func(*http.Request),
) (int, object, http.Header) {
	s.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for name, text := range files {
		w, err := form.CreateFormFile(name, "file")
		require.NoError(s.t, err)
		_, err = io.WriteString(w, text)
		require.NoError(s.t, err)
	}
	require.NoError(s.t, form.Close())
	return s.send("POST", "api/v1/sessions/"+id+"/uploads", nil, append([]func(*http.Request){func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(&b), int64(b.Len())
		r.Header.Set("Content-Type", form.FormDataContentType())
	}}, change...)...)
}

// Text by models and documents is only served as JSON, as events or as an attachment.
func TestWhatOthersWroteIsNeverAPage(t *testing.T) {
	t.Parallel()
	const hostile = `<script>alert(1)</script><img src=x onerror=alert(1)> [a](javascript:alert(1))`
	s := start(t, &talker{replies: []string{hostile}})
	id := s.session(object{"name": hostile, "text": hostile})
	s.call("PATCH", "sessions/"+id, object{"name": hostile})
	s.do(id, "ask", object{"question": hostile})
	for _, path := range []string{
		"", "/documents", "/text", "/messages?run=1&turn=1", "/events", "/trace", "/variables", "/find?q=script",
	} {
		_, out, h := s.send("GET", "api/v1/sessions/"+id+path, nil)
		require.Equal(t, "application/json; charset=utf-8", h.Get("Content-Type"), path)
		require.NotNil(t, out, path)
	}
	for _, format := range []string{"html", "markdown", "ipynb", "rlm-jsonl"} {
		status, _, h := s.send("GET", "api/v1/sessions/"+id+"/export?format="+format, nil)
		require.Equal(t, 200, status)
		require.Equal(t, "application/octet-stream", h.Get("Content-Type"))
		require.Regexp(t, `^attachment; filename="[a-z0-9]+\.[a-z]+"$`, h.Get("Content-Disposition"))
	}
	_, _, h := s.send("GET", "session/%3Cscript%3E", nil, func(r *http.Request) { r.Header.Set("Accept", "text/html") })
	require.Equal(t, "text/html; charset=utf-8", h.Get("Content-Type"))
	s.refused("bad_request", "GET", "sessions/"+id+"/export?format=%3Cscript%3E", nil)
}

// Refusals to a named user reveal neither ids of others' sessions nor folders of the machine.
func TestRefusalsTellNothingOfOthers(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{}, func(c *api.Config) { c.Folders = []string{t.TempDir()} })
	var ids []string
	for range 20 { // so many that two begin with the same letter
		_, out, _ := s.send("POST", "api/v1/sessions", object{"texts": []object{}})
		ids = append(ids, out.text("id"))
	}
	bob := s.user("bob")
	require.Len(t, s.call("GET", "about", nil)["folders"], 1)
	require.Empty(t, bob.call("GET", "about", nil)["folders"])
	for _, id := range append([]string{"absent", ids[0][:1], ids[0][:3], ids[0][:len(ids[0])-1]}, ids...) {
		status, out, _ := bob.send("GET", "api/v1/sessions/"+id, nil)
		require.Equal(t, 404, status, id)
		message := out.at("error").text("message")
		require.NotContains(t, message, s.dir)
		for _, other := range ids {
			if other != id {
				require.NotContains(t, message, other)
			}
		}
	}
	own := bob.session(object{"name": "a.txt", "text": "a"})
	log := filepath.Join(trajectory.RunsDir(s.dir), own, "trajectory.jsonl")
	require.NoError(t, os.Rename(log, log+".lost"))
	for _, path := range []string{"", "/events", "/trace", "/messages", "/export?format=html"} {
		status, out, _ := bob.send("GET", "api/v1/sessions/"+own+path, nil)
		require.Equal(t, 404, status, path)
		require.Contains(t, fmt.Sprint(out), "trajectory.jsonl", "%s: it is said what is lost", path)
		require.NotContains(t, fmt.Sprint(out), s.dir, path)
	}
	require.NoError(t, os.Rename(log+".lost", log))
}

// TestNoUserIsCalledOwner: users see who began what by name only.
func TestNoUserIsCalledOwner(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"owner", "Owner"} {
		_, err := api.OpenUsers(t.TempDir()).Add(name, api.Limits{}, time.Now())
		require.ErrorContains(t, err, "must not be")
	}
}
