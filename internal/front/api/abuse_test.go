package api_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/testing/certificate"
)

func (s *site) address() string { return strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/") }

// dial opens a connection and writes the beginning of a request.
func (s *site) dial(begin string) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.address())
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, begin)
	require.NoError(s.t, err)
	return conn
}

// TestTLS: with a certificate of a real chain, the server speaks only TLS, and the cookie is never sent without
// it.
func TestTLS(t *testing.T) {
	t.Parallel()
	config, authority := certificate.New(t)
	s := start(t, &talker{}, func(c *api.Config) { c.TLS = config })
	require.True(t, strings.HasPrefix(s.url, "https://"))
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(authority))
	client := noRedirects()
	client.Transport = &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
	}
	defer client.CloseIdleConnections()

	res, err := client.Get(s.url + "?token=" + s.token)
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, http.StatusSeeOther, res.StatusCode)
	require.True(t, res.Cookies()[0].Secure)
	req, err := http.NewRequest("GET", s.url+"api/v1/about", nil)
	require.NoError(t, err)
	req.AddCookie(res.Cookies()[0])
	about, err := client.Do(req)
	require.NoError(t, err)
	defer about.Body.Close()
	require.Equal(t, http.StatusOK, about.StatusCode)

	_, err = noRedirects().Get(s.url)
	require.ErrorContains(t, err, "certificate", "another client does not trust it")
	plain, err := noRedirects().Get("http" + strings.TrimPrefix(s.url, "https") + "api/v1/about")
	require.NoError(t, err)
	defer plain.Body.Close()
	require.Equal(t, http.StatusBadRequest, plain.StatusCode)
}

// TestSlowClientsHoldNobodyUp: clients that send half of a header or of a body block no others. RLM_LONG=1 also
// waits until they are cut off.
func TestSlowClientsHoldNobodyUp(t *testing.T) {
	// Not parallel: 300 connections would slow the other tests down.
	s := start(t, &talker{})
	id := s.session()
	request := func(line, token string) string {
		return line + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\n"
	}
	const half = "Content-Length: 1000\r\n\r\n{\"question\":"
	head := request("POST /api/v1/sessions/"+id+"/ask", s.token)
	unasked := []net.Conn{ // bodies for routes without a body
		s.dial(request("GET /api/v1/sessions", s.token) + half),
		s.dial(request("POST /api/v1/sessions/"+id+"/stop", s.token) + "Transfer-Encoding: chunked\r\n\r\n5\r\n{"),
	}
	all := []net.Conn{ // half bodies for routes with a body
		s.dial(request("POST /api/v1/sessions/"+id+"/ask", "wrong") + half),
		s.dial(request("POST /api/v1/nowhere", s.token) + half),
		s.dial(request("POST /mcp", s.token) + half), s.dial(request("POST /v1/responses", s.token) + half),
		s.dial(request("POST /v1/chat/completions", "wrong") + half),
		s.dial(request("POST /api/v1/sessions/"+id+"/uploads", s.token) + half),
		s.dial(request("POST /api/v1/sessions/0zzzzzzzzz/uploads", s.token) + half),
		s.dial(head + "Content-Length: 1000\r\n\r\n{\"question\":\"complete\"}"), // whole JSON, but not the whole body
	}
	for range 100 {
		all = append(all, s.dial("GET / HT"), s.dial(head), s.dial(head+half))
	}
	s.call("GET", "about", nil)
	s.do(id, "cells", object{"source": "n := 1"})
	if os.Getenv("RLM_LONG") == "" {
		return
	}
	for i, conn := range append(all, unasked...) {
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(2*time.Minute)))
		answer, err := io.ReadAll(conn)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "connection %d is still held: %q", i, answer)
		if i < len(all) {
			require.False(t, strings.HasPrefix(string(answer), "HTTP/1.1 2"), "%s", answer)
		}
	}
}

// TestFloodsOfHeaders: large headers are refused while others are served.
func TestFloodsOfHeaders(t *testing.T) {
	// Not parallel: a flood would slow the other tests down.
	s := start(t, &talker{})
	for name, header := range map[string]string{
		"one":      "X: " + strings.Repeat("h", 200<<10) + "\r\n",
		"many":     strings.Repeat("X: "+strings.Repeat("h", 100)+"\r\n", 2000),
		"a cookie": "Cookie: " + strings.Repeat("rlm-1=x; ", 20_000) + "\r\n",
		"a line":   "",
	} {
		begin := "GET / HTTP/1.1\r\nHost: localhost\r\n" + header
		if name == "a line" {
			begin = "GET /" + strings.Repeat("a", 200<<10) + " HTTP/1.1\r\nHost: localhost\r\n"
		}
		conn, err := net.Dial("tcp", s.address())
		require.NoError(t, err)
		_, _ = io.WriteString(conn, begin+"\r\n")                            // the server may close it early
		if line, err := bufio.NewReader(conn).ReadString('\n'); err == nil { // else the server closed it early
			require.Contains(t, line, "431", name)
		}
		require.NoError(t, conn.Close())
		s.call("GET", "about", nil)
	}
}

// TestConnectionsAreBounded: connections beyond the limit wait, and are served once others end. The test opens four
// thousand, so it runs only with RLM_LONG=1.
func TestConnectionsAreBounded(t *testing.T) {
	// Not parallel: a flood would slow the other tests down.
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("SKIP TestConnectionsAreBounded: it opens four thousand connections; RLM_LONG=1 runs it")
	}
	s := start(t, &talker{})
	for range 4096 + 100 {
		s.dial("G")
	}
	began := time.Now()
	s.call("GET", "about", nil)
	t.Logf("served after %v, when those that send no header were cut off", time.Since(began))
}

// TestOtherUsersSessionsAreNotThere: every route treats another user's session like one that does not exist.
func TestOtherUsersSessionsAreNotThere(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence("FINAL(1)")}})
	ada, bob := s.user("ada"), s.user("bob")
	id := ada.session(object{"name": "a", "text": "hers"})
	ada.do(id, "ask", object{"question": "hers"})
	for _, route := range []string{
		"GET ", "PATCH ", "DELETE ", "GET /settings", "PATCH /settings", "GET /export?format=html", "POST /ask",
		"POST /cells", "POST /stop", "POST /undo", "POST /resume",
		"POST /review", "POST /fork", "POST /replay", "POST /verify", "GET /variables", "GET /builtins",
		"POST /complete", "POST /signature", "POST /check",
		"POST /members", "GET /documents", "POST /documents", "DELETE /documents?name=a", "POST /reread",
		"GET /parts?document=a", "GET /text", "GET /find?q=h",
		"GET /marks", "GET /events", "GET /events/1", "GET /calls?cell=1", "GET /messages?run=1&turn=1", "GET /trace",
		"POST /uploads",
	} {
		method, path, _ := strings.Cut(route, " ")
		var body any
		if method == "POST" || method == "PATCH" {
			body = object{}
		}
		switch path {
		case "/ask":
			body = object{"question": "q"}
		case "/cells", "/check":
			body = object{"source": "1"}
		case "/documents":
			body = object{"texts": []object{{"name": "x", "text": "x"}}}
		}
		theirs, told, _ := bob.send(method, "api/v1/sessions/"+id+path, body)
		absent, same, _ := bob.send(method, "api/v1/sessions/0zzzzzzzzz"+path, body)
		require.Equal(t, http.StatusNotFound, theirs, "%s %v", route, told)
		require.Equal(t, absent, theirs, route)
		require.Equal(t, strings.ReplaceAll(fmt.Sprint(told), id, "ID"),
			strings.ReplaceAll(fmt.Sprint(same), "0zzzzzzzzz", "ID"), route)
	}
	status, _, _ := bob.send("GET", "api/v1/events?session="+id+":0", nil)
	require.Equal(t, http.StatusNotFound, status)
	require.Empty(t, bob.call("GET", "search?q=hers", nil).list("hits"))
	require.Empty(t, bob.call("GET", "sessions", nil).list("sessions"))
	require.NotEmpty(t, ada.call("GET", "search?q=hers", nil).list("hits"))
}

// TestNewTokenLocksOut: once the token is replaced, the old one and the browsers it let in are refused.
func TestNewTokenLocksOut(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	_, _, h := s.send("GET", "?token="+s.token, nil, func(r *http.Request) { r.Header.Del("Authorization") })
	cookie := (&http.Response{Header: h}).Cookies()[0]
	s.end()
	same := startIn(t, s.dir, &talker{})
	require.Equal(t, s.token, same.token)
	same.end()
	again := startIn(t, s.dir, &talker{}, func(c *api.Config) { c.NewToken = true })
	require.NotEqual(t, s.token, again.token)
	again.call("GET", "about", nil)
	status, _, _ := again.send(
		"GET", "api/v1/about", nil, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token) })
	require.Equal(t, http.StatusUnauthorized, status)
	status, _, _ = again.send("GET", "api/v1/about", nil, func(r *http.Request) {
		r.Header.Del("Authorization")
		cookie.Name = "rlm-" + port(again)
		r.AddCookie(cookie)
	})
	require.Equal(t, http.StatusUnauthorized, status)
}

// TestReviewOverTheAPI: a person sends an answer back with a note, then approves the next one.
func TestReviewOverTheAPI(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence(`finish_task("a draft")`), fence(`finish_task("a longer draft")`)}})
	id := s.session()
	s.do(id, "ask", object{"question": "write", "mode": "task"})
	got := s.call("GET", "sessions/"+id, nil)
	require.Equal(t, "pending_review", got.text("status"))
	st := s.follow("session="+id+":0", "")
	st.until(free) // follows the stream from the idle state on
	s.call("POST", "sessions/"+id+"/review", object{"approved": false})
	all := st.until(ofKind("failed"))
	require.Contains(t, all[len(all)-1].data().text("message"), "note")
	s.do(id, "review", object{"approved": false, "note": "longer"})
	got = s.call("GET", "sessions/"+id, nil)
	require.Equal(t, "a longer draft", got.text("answer"))
	require.Equal(t, "pending_review", got.text("status"))
	s.do(id, "review", object{"approved": true})
	require.Equal(t, "approved", s.call("GET", "sessions/"+id, nil).text("status"))
}

// TestChildRunIsOpened: the events of a child run are found by its path, which the call that started it names.
func TestChildRunIsOpened(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{
		fence(`if context == "part" { FINAL("of the child") }` + "\n" + `FINAL(rlm_query("look", "part"))`),
	}})
	id := s.session(object{"name": "a", "text": "the whole"})
	s.do(id, "ask", object{"question": "q"})
	require.Equal(t, "of the child", s.call("GET", "sessions/"+id, nil).text("answer"))
	calls := s.call("GET", "sessions/"+id+"/calls?cell=1", nil).list("calls")
	require.Len(t, calls, 1)
	path := calls[0].text("child")
	require.NotEmpty(t, path)
	events := s.call("GET", "sessions/"+id+"/events?path="+url.QueryEscape(path), nil).list("events")
	kinds := map[string]int{}
	for _, e := range events {
		require.Equal(t, path, e.text("path"))
		kinds[e.text("type")]++
	}
	require.Equal(t, 1, kinds["run_started"])
	require.Equal(t, 1, kinds["cell_ended"])
	require.Equal(t, 1, kinds["run_ended"])
	told := s.call("GET", "sessions/"+id+"/messages?run=1&turn=1&path="+url.QueryEscape(path), nil)
	require.Contains(t, fmt.Sprint(told), "look")
}
