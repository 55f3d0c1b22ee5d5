package api_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// TestLoad: many readers, and many concurrent runs of one turn. All runs are answered, and all readers stay
// connected. RLM_LONG=1 uses a thousand readers and two hundred runs.
func TestLoad(t *testing.T) {
	// Not parallel: a flood would slow the other tests down.
	readers, runs := 50, 10
	if os.Getenv("RLM_LONG") != "" {
		readers, runs = 1000, 200
	}
	s := start(t, &talker{replies: []string{fence("FINAL(1)")}}, func(c *api.Config) { c.MaxRuns = 16 })
	quiet := s.session()
	idle := make([]*stream, readers)
	for i := range idle {
		idle[i] = s.follow("session="+quiet+":0&detail=brief", "")
		idle[i].until(free)
	}
	took := make([]time.Duration, runs)
	answers := make([]string, runs)
	var all sync.WaitGroup
	for i := range runs {
		all.Go(func() {
			began := time.Now()
			status, out, _ := s.send("POST", "v1/chat/completions",
				object{"model": "rlm", "messages": []object{{"role": "user", "content": fmt.Sprint("question ", i)}}})
			if list := out.list("choices"); status == http.StatusOK && len(list) == 1 {
				answers[i] = list[0].at("message").text("content")
			}
			took[i] = time.Since(began)
		})
	}
	all.Wait()
	for i, answer := range answers {
		require.Equal(t, "1", answer, "run %d", i)
	}
	slices.Sort(took)
	t.Logf("%d runs beside %d readers: half within %v, all within %v", runs, readers, took[runs/2], took[runs-1])
	s.do(quiet, "cells", object{"source": "1"})
	for _, st := range idle {
		st.until(ofKind("cell_ended"))
	}
}

// TestLargeAndDeepBodies: every API refuses large and deeply nested bodies with an error while others are served.
func TestLargeAndDeepBodies(t *testing.T) {
	// Not parallel: a flood would slow the other tests down.
	s := start(t, &talker{})
	id := s.session()
	for _, path := range []string{"api/v1/sessions/" + id + "/ask", "api/v1/sessions", "mcp"} {
		for name, body := range map[string]string{
			"nested lists":    strings.Repeat("[", 1_000_000),
			"nested objects":  strings.Repeat(`{"question":`, 500_000),
			"nested in field": `{"question":` + strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) + `}`,
			"many fields":     "{" + strings.Repeat(`"a":1,`, 500_000) + `"b":1}`,
			"a long name":     `{"` + strings.Repeat("k", 1_000_000) + `":1}`,
			"a long number":   `{"question":` + strings.Repeat("9", 1_000_000) + `}`,
			"zeros":           strings.Repeat("\x00", 1_000_000),
			"too large":       `{"question":"` + strings.Repeat("q", 9<<20) + `"}`,
		} {
			req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+path, strings.NewReader(body))
			require.NoError(t, err)
			req.Header = http.Header{
				"Authorization": {"Bearer " + s.token}, "Content-Type": {"application/json"},
				"Accept": {"application/json, text/event-stream"},
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil { // the server closed the connection early
				require.Equal(t, "too large", name)
				continue
			}
			text, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.GreaterOrEqual(t, res.StatusCode, 400, "%s to %s: %.200s", name, path, text)
			require.Less(t, res.StatusCode, 500, "%s to %s: %.200s", name, path, text)
			require.Less(t, len(text), 2<<20, "%s to %s", name, path)
		}
	}
	require.Equal(t, float64(1), s.call("GET", "sessions", nil)["total"])
}

// TestWhoIsInStaysInUnderAFlood: connections without a request do not block requests, streams or WebSockets of
// known users. RLM_LONG=1 opens ten thousand, more than the server accepts.
func TestWhoIsInStaysInUnderAFlood(t *testing.T) {
	// Not parallel: a flood would slow the other tests down.
	flood := 300
	if os.Getenv("RLM_LONG") != "" {
		flood = 10_000
	}
	s := start(t, &talker{})
	id := s.session()
	kept := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer kept.CloseIdleConnections()
	about := func() {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"api/v1/about", nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+s.token)
		res, err := kept.Do(req)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode)
	}
	about()
	w, st := s.socket(), s.follow("session="+id+":0", "")
	st.until(free)

	var all sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	for range 100 {
		all.Go(func() {
			for range flood / 100 {
				conn, err := net.DialTimeout("tcp", s.address(), time.Minute)
				if err != nil {
					continue // the system's accept queue is full
				}
				_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: local") // it may have been cut off
				mu.Lock()
				open = append(open, conn)
				mu.Unlock()
			}
		})
	}
	for i := range 20 {
		about()
		w.do(object{"do": "POST sessions/" + id + "/cells", "body": object{"source": fmt.Sprint("x := ", i)}})
		st.until(ofKind("cell_ended"))
		st.until(free)
	}
	all.Wait()
	about()
	mu.Lock()
	defer mu.Unlock()
	t.Logf("%d connections were taken", len(open))
	for _, conn := range open {
		_ = conn.Close() // the server may have closed it already
	}
}

// TestManyWrongKeys: every API throttles wrong keys while right ones are served.
func TestManyWrongKeys(t *testing.T) {
	// Not parallel: a flood would slow the other tests down.
	s := start(t, &talker{})
	var all sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]int{}
	for i := range 20 {
		all.Go(func() {
			for j := range 10 {
				path := []string{"api/v1/about", "v1/models", "mcp", "api/v1/socket"}[(i+j)%4]
				status, _, _ := s.send("GET", path, nil, func(r *http.Request) {
					r.Header.Set("Authorization", "Bearer "+s.token[:len(s.token)-1-i])
				})
				mu.Lock()
				seen[status]++
				mu.Unlock()
			}
		})
	}
	for range 20 {
		s.call("GET", "about", nil)
	}
	all.Wait()
	require.Positive(t, seen[http.StatusTooManyRequests])
	require.Equal(t, 200, seen[http.StatusTooManyRequests]+seen[http.StatusUnauthorized], "%v", seen)
}

// TestSlowAgents: agents that send half of a body, or read nothing of a stream, do not block others.
func TestSlowAgents(t *testing.T) {
	// Not parallel: a flood would slow the other tests down.
	s := start(t, &talker{})
	for range 50 {
		for _, path := range []string{"mcp", "v1/responses"} {
			s.dial("POST /" + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.token +
				"\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{\"jsonrpc\":")
		}
	}
	var out struct{ Session string }
	require.Empty(t, use(t, s.agent(nil), "open_notebook", object{"text": "abc"}, &out))
	require.NotEmpty(t, out.Session)
	conn := s.dial("GET /api/v1/socket HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.token +
		"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n\x81\xfe\xff\xff\x00\x00\x00\x00{")
	head := make([]byte, 12)
	_, err := io.ReadFull(conn, head)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 101", string(head))
	require.Equal(t, "test", s.socket().do(object{"do": "GET about"}).text("version"))
	if os.Getenv("RLM_LONG") != "" { // the server gives up on the incomplete message
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(2*time.Minute)))
		rest, err := io.ReadAll(conn)
		require.True(t, err == nil || !errors.Is(err, os.ErrDeadlineExceeded), "%v", err)
		require.False(t, bytes.Contains(rest, []byte("answer")))
	}
}
