package openai_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// TestAbuse: whatever is sent, the server refuses or accepts it, and answers the next request.
func TestAbuse(t *testing.T) {
	// Not parallel: a flood would slow the other tests down.
	s := start(t, obedient, func(c *api.Config) { c.MaxUpload = 1 << 20 })
	address := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/")
	nested := func(open, end string, n int) []byte {
		return []byte(`{"model":"rlm","input":` + strings.Repeat(open, n) + strings.Repeat(end, n) + `}`)
	}
	for name, c := range map[string]struct {
		body   []byte
		status int
	}{
		"nested lists":   {nested("[", "]", 1_000_000), 400},
		"nested objects": {nested(`{"a":`, "}", 1_000_000), 400},
		"many items":     {[]byte(`{"model":"rlm","input":[` + strings.Repeat(`{},`, 1_000_000) + `{}]}`), 400},
		"many fields":    {[]byte(`{` + strings.Repeat(`"a":1,`, 1_000_000) + `"b":1}`), 400},
		"a number": {[]byte(
			`{"model":"rlm","input":"x","max_output_tokens":` + strings.Repeat("9", 1_000_000) + `}`), 400},
		"no UTF-8":         {[]byte("{\"model\":\"\xff\xfe\",\"input\":\"x\"}"), 404},
		"a long model":     {[]byte(`{"model":"` + strings.Repeat("m", 1_000_000) + `","input":"x"}`), 404},
		"no JSON":          {bytes.Repeat([]byte{0}, 1_000_000), 400},
		"nothing":          {nil, 415},
		"a long key field": {[]byte(`{"` + strings.Repeat("k", 1_000_000) + `":1}`), 400},
	} {
		t.Run(name, func(t *testing.T) {
			var body any
			if c.body != nil {
				body = c.body
			}
			change := func(r *http.Request) {
				if c.body == nil {
					r.Header.Del("Content-Type")
				}
			}
			res := s.open(t.Context(), "POST", "v1/responses", body, change)
			defer res.Body.Close()
			text, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.Equal(t, c.status, res.StatusCode, "%.200s", text)
			require.Less(t, len(text), 4<<10, "what was sent comes back short")
		})
	}
	session := s.call("POST", "api/v1/sessions", object{}).text("id")
	form := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
	for path, body := range map[string]string{
		"v1/responses": `{"input":"`, "v1/chat/completions": `{"user":"`, "v1/files": form,
		"api/v1/sessions": `{"name":"`, "api/v1/sessions/" + session + "/uploads": form, "mcp": `{"jsonrpc":"`,
	} {
		media := "application/json"
		if body == form {
			media = "multipart/form-data; boundary=x"
		}
		refused := func(t *testing.T, length string, send func(net.Conn)) {
			conn, err := net.Dial("tcp", address)
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			_, err = fmt.Fprintf(conn, "POST /%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n"+
				"Accept: application/json, text/event-stream\r\n%s\r\n\r\n", path, address, s.token, media, length)
			require.NoError(t, err)
			send(conn)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			require.Positive(t, res.ContentLength,
				"who waits for the end of the refusal does not wait for that of the body")
			text, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.Equal(t, http.StatusRequestEntityTooLarge, res.StatusCode, "%s", text)
			e := decoded(t, string(text)).at("error")
			require.NotEmpty(t, e.text("message"))
			if strings.HasPrefix(path, "v1") {
				require.Equal(t, "invalid_request_error", e.text("type"))
			}
		}
		t.Run("a body that is too large for "+path, func(t *testing.T) { // it is refused before it arrives
			refused(t, "Content-Length: 90000000000", func(conn net.Conn) { _, _ = io.WriteString(conn, body) })
		})
		t.Run("a body without a length that is too large for "+path, func(t *testing.T) {
			refused(t, "Transfer-Encoding: chunked", func(conn net.Conn) { // some clients send all before they read
				_, err := fmt.Fprintf(conn, "%x\r\n%s\r\n", len(body), body)
				piece := strings.Repeat("a", 1<<20)
				for range 70 {
					require.NoError(t, err)
					_, err = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(piece), piece)
				}
				require.NoError(t, err)
				_, err = io.WriteString(conn, "0\r\n\r\n")
				require.NoError(t, err)
			})
		})
	}
	t.Run("bodies that break", func(t *testing.T) { // in their chunks, or before their end
		for _, body := range []string{
			"Transfer-Encoding: chunked\r\n\r\nzz\r\n{\r\n", "Content-Length: 9000\r\n\r\n{\"model\"",
		} {
			for _, path := range []string{"v1/responses", "v1/chat/completions"} {
				conn, err := net.Dial("tcp", address)
				require.NoError(t, err)
				t.Cleanup(func() { _ = conn.Close() })
				_, err = fmt.Fprintf(conn, "POST /%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
					"Content-Type: application/json\r\n%s", path, address, s.token, body)
				require.NoError(t, err)
				require.NoError(t, conn.(*net.TCPConn).CloseWrite())
				res, err := http.ReadResponse(bufio.NewReader(conn), nil)
				require.NoError(t, err)
				text, err := io.ReadAll(res.Body)
				require.NoError(t, err)
				require.Equal(t, http.StatusBadRequest, res.StatusCode, "%s", text)
				require.Equal(t, "invalid_request_error", decoded(t, string(text)).at("error").text("type"))
			}
		}
	})
	t.Run("nothing that asks", func(t *testing.T) {
		for _, input := range []any{[]any{}, "", []object{{"role": "assistant", "content": "so"}}} {
			for path, field := range map[string]string{"v1/responses": "input", "v1/chat/completions": "messages"} {
				if input == "" && field == "messages" {
					continue
				}
				status, out, _ := s.send("POST", path, object{"model": "rlm", field: input})
				require.Equal(t, http.StatusBadRequest, status)
				require.Equal(t, field, out.at("error").text("param"), "%v", out)
			}
		}
	})
	t.Run("slow bodies", func(t *testing.T) { // they have a right key; the server gives up on them after a while
		for range 50 {
			conn, err := net.Dial("tcp", address)
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			_, err = fmt.Fprintf(conn,
				"POST /v1/responses HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{", address, s.token)
			require.NoError(t, err)
		}
	})
	t.Run("header flood", func(t *testing.T) {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer conn.Close()
		go func() {
			_, _ = fmt.Fprintf(conn, "GET /v1/models HTTP/1.1\r\nHost: %s\r\n", address)
			for i := range 100_000 {
				if _, err := fmt.Fprintf(conn, "X-%d: %s\r\n", i, strings.Repeat("x", 100)); err != nil {
					return // the server has cut the connection
				}
			}
		}()
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err == nil { // the response may be lost with the connection
			require.Contains(t, line, "431")
		}
	})
	t.Run("wrong keys", func(t *testing.T) {
		for range 100 {
			status, _, _ := s.send("GET", "v1/models", nil, as("sk-wrong"))
			require.Contains(t, []int{401, 429}, status)
		}
	})
	require.Equal(t, "1", s.chat(object{"messages": says("do: FINAL(1)")}).answer())
}
