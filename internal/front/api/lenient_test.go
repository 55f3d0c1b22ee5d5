package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// ask sends a request unchanged, and returns the whole response.
func (s *site) ask(method, path string, body []byte, headers map[string]string) (status int, kind, text string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		req.Header.Set(name, value)
		if value == "" {
			req.Header[name] = nil
		}
	}
	res, err := noRedirects().Do(req)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, res.Body.Close()) }()
	all, err := io.ReadAll(res.Body)
	require.NoError(s.t, err)
	return res.StatusCode, res.Header.Get("Content-Type"), string(all)
}

// TestWhatClientsSend: requests with an unmistakable meaning are accepted, and others are refused with the reason.
func TestWhatClientsSend(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	for path, body := range map[string]string{
		"api/v1/sessions":     `{"empty": true}`,
		"v1/chat/completions": `{"model": "rlm"}`,
	} {
		kind := map[string]string{"Content-Type": "Application/JSON ; charset=UTF-8"}
		status, _, text := s.ask("POST", path, []byte(body), kind)
		require.NotEqual(t, 415, status, text)
	}
	for _, scheme := range []string{"bearer ", "BEARER  "} {
		status, _, _ := s.ask("GET", "v1/models", nil, map[string]string{"Authorization": scheme + s.token})
		require.Equal(t, 200, status, scheme)
	}
	for name, c := range map[string]struct {
		auth, header, key string
		status            int
	}{
		"a wrong token": {"bearer wrong", "Api-Key", "", 401},
		"a key alone":   {"", "Api-Key", s.token, 200},
		"a key alone, as another client sends it": {"", "X-Api-Key", s.token, 200},
		"a wrong key":                             {"", "Api-Key", "wrong", 401},
		"the key beside a password of a proxy":    {"Basic dTpw", "X-Api-Key", s.token, 200},
		"a password of a proxy":                   {"Basic dTpw", "X-Api-Key", "", 401},
		"a key beside a token, which decides":     {"Bearer " + s.token, "X-Api-Key", "wrong", 200},
		"the key beside a token that is wrong":    {"Bearer wrong", "X-Api-Key", s.token, 401},
		"the key beside a token without a scheme": {"wrong", "Api-Key", s.token, 401},
	} {
		status, _, text := s.ask("GET", "v1/models", nil, map[string]string{"Authorization": c.auth, c.header: c.key})
		require.Equal(t, c.status, status, "%s: %s", name, text)
	}
	status, _, _ := s.send("POST", "api/v1/sessions", object{}, strange, func(r *http.Request) {
		r.Header.Set("Api-Key", s.token)
		r.Header.Set("Origin", "https://evil.example")
	})
	require.Equal(t, 403, status)
	status, _, _ = s.send("GET", "api/v1/about", nil, s.browser(), func(r *http.Request) {
		r.Header.Set("Authorization", "Basic dTpw") // as a browser does behind a proxy with passwords
	})
	require.Equal(t, 200, status)

	initialize := []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	for _, path := range []string{"mcp", "mcp/"} {
		for accept, want := range map[string]string{
			"application/json": "application/json", "": "application/json", "*/*": "application/json",
			"application/json, text/event-stream": "text/event-stream",
			"text/event-stream":                   "text/event-stream",
		} {
			status, kind, text := s.ask("POST", path, initialize, map[string]string{"Accept": accept})
			require.Equal(t, 200, status, "%s: %s", accept, text)
			require.Contains(t, kind, want, accept)
			require.Contains(t, text, `"serverInfo"`)
		}
	}

	for _, path := range []string{
		".well-known/oauth-protected-resource/mcp", ".well-known/oauth-authorization-server",
		"models", "chat/completions",
	} {
		for _, token := range []string{"Bearer " + s.token, "Bearer x"} {
			status, kind, text := s.ask(
				"GET", path, nil, map[string]string{"Authorization": token, "Accept": "application/json"})
			require.Contains(t, kind, "application/json", path)
			if strings.HasPrefix(path, ".well") || token != "Bearer x" {
				require.Equal(t, 404, status, "%s: %s", path, text)
			}
		}
	}
	status, kind, text := s.ask("POST", "chat/completions", []byte(`{"model":"rlm"}`), nil)
	require.Equal(t, 404, status)
	require.Contains(t, kind+text, "application/json")
	require.Contains(t, text, "/v1")
	for path, want := range map[string]int{
		"": 200, "s/absent": 200, "batches": 200, "demo": 200, "anything": 404, "chat/completions": 404,
	} {
		status, kind, text := s.ask("GET", path, nil, map[string]string{"Accept": "text/html,*/*"})
		require.Equal(t, want, status, path)
		require.Contains(t, kind, "text/html", path)
		require.Equal(t, want == 200, strings.Contains(text, "<script"), "%s: the page alone has scripts", path)
	}

	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(`{"model":"rlm","messages":[{"role":"user","content":"hi"}]}`))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	status, _, text = s.ask("POST", "v1/chat/completions", packed.Bytes(),
		map[string]string{"Content-Encoding": "gzip"})
	require.Equal(t, 415, status)
	var told struct{ Error struct{ Message string } }
	require.NoError(t, json.Unmarshal([]byte(text), &told), text)
	require.Contains(t, told.Error.Message, "Content-Encoding gzip")
	_, _, header := s.send("POST", "v1/chat/completions", nil, func(r *http.Request) {
		r.Header.Set("Content-Encoding", "gzip")
	})
	require.Equal(t, "identity", header.Get("Accept-Encoding"), "how a client can send it")
}

// TestBodiesOfTheNativeAPI: over HTTP and WebSocket, texts may stand in for numbers and lists. Refusals do not
// contain the words of a Go decoder.
func TestBodiesOfTheNativeAPI(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence("FINAL(1)")}})
	id := s.session()
	w := s.socket()
	for _, one := range []struct {
		route, body string
		status      int
		told        string
	}{
		{"POST sessions", `{"empty":"true","texts":"[{\"name\":\"a\",\"text\":\"b\"}]"}`, 200, ""},
		{"POST sessions", `{"paths":"absent-file"}`, 403, "absent-file"},
		{"POST sessions", `{"paths":5}`, 400, "'paths' is a number, not a list"},
		{"POST sessions", `[]`, 400, "it is an array, not an object"},
		{"POST sessions", `{"other":5}`, 400, "unknown field"},
		{"POST sessions", `{} {}`, 400, "after its end"},
		{"POST sessions", `{"name":true}`, 400, "'name' is true or false, not a text"},
		{"POST sessions/" + id + "/ask", `{"question":5}`, 400, "'question' is a number, not a text"},
		{
			"POST sessions/" + id + "/cells", `{"source":"1","replaces":"x"}`, 400,
			"'replaces' is a string, not a whole number",
		},
		{"POST sessions/" + id + "/ask", `{"question":"x","budgets":{"iterations":"3","cost":"1.5"}}`, 202, ""},
	} {
		method, path, _ := strings.Cut(one.route, " ")
		status, _, text := s.ask(method, "api/v1/"+path, []byte(one.body), nil)
		require.Equal(t, one.status, status, "%s: %s", one.body, text)
		require.Contains(t, text, one.told)
		require.NotContains(t, text, "Go ")
		if one.status < 400 || !json.Valid([]byte(one.body)) {
			continue
		}
		reply := w.order(object{"do": one.route, "body": json.RawMessage(one.body)})
		require.EqualValues(t, one.status, reply["status"], one.body)
		require.Contains(t, fmt.Sprint(reply["error"]), one.told)
	}
	w.write(`{"id":"last","do":"follow","session":"` + id + `","after":"0"}`)
	require.EqualValues(t, 200, w.next()["status"])
}

// TestBodiesOutOfFiles: bodies may have byte order marks and encodings as PowerShell and editors on Windows write
// them.
func TestBodiesOutOfFiles(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence("FINAL(1)"), fence("FINAL(1)")}})
	wide := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	for _, enc := range []encoding.Encoding{unicode.UTF8BOM, wide} {
		for path, body := range map[string]string{
			"api/v1/sessions":     `{"name":"Größe"}`,
			"v1/chat/completions": `{"model":"rlm","messages":[{"role":"user","content":"Größe?"}]}`,
			"mcp":                 `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		} {
			encoded, err := enc.NewEncoder().String(body + "\r\n")
			require.NoError(t, err)
			status, _, text := s.ask("POST", path, []byte(encoded), nil)
			require.Equal(t, 200, status, "%s: %s", path, text)
		}
	}
	_, _, text := s.ask("GET", "api/v1/sessions", nil, nil)
	require.Contains(t, text, "Größe")
}

// TestALargeBodyHearsItsRefusal: even a client that sends the whole body before it reads gets the refusal.
func TestALargeBodyHearsItsRefusal(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	for token, want := range map[string]string{"wrong": "HTTP/1.1 401", s.token: "HTTP/1.1 413"} {
		c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/"))
		require.NoError(t, err)
		const size = 70 << 20
		head := "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(size) +
			"\r\nConnection: close\r\n\r\n{\"model\":\"rlm\",\"messages\":\""
		_, err = io.WriteString(c, head)
		require.NoError(t, err)
		left := size - len("{\"model\":\"rlm\",\"messages\":\"")
		for piece := bytes.Repeat([]byte("x"), 1<<20); left > 0; left -= len(piece) {
			_, err = c.Write(piece[:min(left, len(piece))])
			require.NoError(t, err, "%d bytes are left", left)
		}
		answer, err := io.ReadAll(c)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(answer), want), "%.200s", answer)
		require.NoError(t, c.Close())
	}
}
