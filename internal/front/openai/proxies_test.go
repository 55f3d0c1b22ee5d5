package openai_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/testing/certificate"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// nginx is the configuration that its manual recommends for streams and WebSockets, below a path; %s are its
// folder and the upstream directives.
const nginx = `user root; daemon off; pid %[1]s/pid; worker_processes 1; error_log stderr;
events {}
http {
  access_log off; client_max_body_size 64m;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  server {
    listen unix:%[1]s/socket ssl http2;
    ssl_certificate %[1]s/cert.pem; ssl_certificate_key %[1]s/key.pem;
    location /rlm/ {
      %[2]s
      proxy_http_version 1.1; proxy_read_timeout 25s; proxy_set_header Host $host; proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
    }
  }
}
`

const caddy = `{
  admin off
  auto_https off
  storage file_system %[1]s/storage
}
https://localhost {
  bind unix/%[1]s/socket
  tls %[1]s/cert.pem %[1]s/key.pem
  %[2]s
}
`

// secure sets the header that Caddy itself sets only for clients with an address, which clients over a Unix socket
// lack.
const secure = "header_up X-Forwarded-Proto https"

// way is a way to a server: direct, or through a proxy.
type way struct {
	client *http.Client // follows no redirect
	plain  *http.Client // for HTTP/1.1
	site   *site        // a copy with the URL of this way
	// breaks means that a response over HTTP/1.1 may break off before its first byte: proxies made with Go break it
	// off if it begins before they have read the whole request.
	breaks bool
}

// TestWaysToTheServer: through every proxy and over both HTTP versions, streams arrive as they are written, in
// small events; sockets work, the page finds its path, and a disconnected client is noticed. RLM_LONG=1 also uses
// a model that is silent for longer than the proxy's timeout.
func TestWaysToTheServer(t *testing.T) {
	t.Parallel()
	for name, lead := range map[string]func(t *testing.T, gate chan struct{}) way{
		"its own TLS": func(t *testing.T, gate chan struct{}) way {
			config, authority := certificate.New(t)
			s := start(t, gated(gate), func(c *api.Config) { c.TLS, c.BasePath = config, "/rlm" })
			s.url += "rlm/"
			return over(t, s, "tcp", strings.Split(s.url, "/")[2], authority)
		},
		"nginx, with X-Forwarded-Prefix": func(t *testing.T, gate chan struct{}) way {
			s := start(t, gated(gate))
			return behind(t, s, nginx, "proxy_set_header X-Forwarded-Prefix /rlm; proxy_pass "+s.url+";", "nginx", "-c")
		},
		"nginx, with a base path": func(t *testing.T, gate chan struct{}) way {
			s := start(t, gated(gate), func(c *api.Config) { c.BasePath = "/rlm" })
			return behind(t, s, nginx, "proxy_pass "+strings.TrimSuffix(s.url, "/")+";", "nginx", "-c")
		},
		"Caddy, with X-Forwarded-Prefix": func(t *testing.T, gate chan struct{}) way {
			s := start(t, gated(gate))
			to := strings.Split(s.url, "/")[2]
			return behind(t, s, caddy,
				"handle_path /rlm/* {\n reverse_proxy "+to+" {\n"+secure+"\n header_up X-Forwarded-Prefix /rlm\n }\n }",
				"caddy", "run", "--adapter", "caddyfile", "--config")
		},
		"Caddy, with a base path": func(t *testing.T, gate chan struct{}) way {
			s := start(t, gated(gate), func(c *api.Config) { c.BasePath = "/rlm" })
			return behind(t, s, caddy, "reverse_proxy "+strings.Split(s.url, "/")[2]+" {\n"+secure+"\n }", "caddy",
				"run", "--adapter", "caddyfile", "--config")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := make(chan struct{})
			w := lead(t, gate)
			w.streams(gate)
			w.page()
			w.socket()
			w.leaving()
			w.agent()
			if os.Getenv("RLM_LONG") != "" {
				w.silence()
			}
		})
	}
}

// gated returns an obedient model that waits if a cell printed that it is at the gate.
func gated(gate <-chan struct{}) func(fakeapi.Request) fakeapi.Reply {
	return func(req fakeapi.Request) fakeapi.Reply {
		if strings.Contains(req.Last(), "at the gate\n") {
			<-gate
		}
		return obedient(req)
	}
}

// behind returns the way through a proxy below /rlm, which is started with a configuration and a command.
func behind(t *testing.T, s *site, config, passes string, command ...string) way {
	t.Helper()
	program, err := exec.LookPath(command[0])
	if err != nil {
		t.Skipf("SKIP %s: there is no %s", t.Name(), command[0])
	}
	dir, err := os.MkdirTemp("", "proxy") // a socket's path must be short
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	secured, authority := certificate.New(t)
	key, err := x509.MarshalPKCS8PrivateKey(secured.Certificates[0].PrivateKey)
	require.NoError(t, err)
	for name, content := range map[string][]byte{
		"cert.pem": authority, "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
		"config": fmt.Appendf(nil, config, dir, passes),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	cmd := exec.Command(program, append(command[1:], filepath.Join(dir, "config"))...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	said, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	log := make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(said)
		log <- string(all)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if text := <-log; t.Failed() {
			t.Log(text)
		}
		_ = cmd.Wait() // the exit status does not matter
	})
	through := *s
	through.url = "https://localhost/rlm/"
	w := over(t, &through, "unix", filepath.Join(dir, "socket"), authority)
	w.breaks = command[0] == "caddy"
	require.Eventually(t, func() bool {
		res, err := w.client.Get(through.url)
		if err != nil {
			return false
		}
		return res.Body.Close() == nil
	}, time.Minute, 20*time.Millisecond, "%s does not come up", command[0])
	return w
}

// over returns a way with clients for both HTTP versions, which dial an address.
func over(t *testing.T, s *site, network, address string, authority []byte) way {
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(authority))
	client := func(second bool) *http.Client {
		protocols := new(http.Protocols)
		protocols.SetHTTP2(second)
		protocols.SetHTTP1(!second)
		transport := &http.Transport{
			Protocols: protocols, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, address)
			},
		}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
	}
	return way{client(true), client(false), s, false}
}

// ask sends a question, streamed or not.
func (w way) ask(ctx context.Context, client *http.Client, question string, stream bool) *http.Response {
	w.site.t.Helper()
	body, err := json.Marshal(object{"model": "rlm", "messages": says(question), "stream": stream})
	require.NoError(w.site.t, err)
	const tries = 20
	for range tries {
		res := w.do(ctx, client, "POST", "v1/chat/completions", bytes.NewReader(body))
		if client != w.plain || !w.breaks {
			return res
		}
		begins := bufio.NewReader(res.Body)
		if _, err = begins.Peek(1); err == nil {
			res.Body = io.NopCloser(begins)
			return res
		}
	}
	require.NoError(w.site.t, err, "the proxy has broken off %d answers before their first byte", tries)
	return nil
}

func (w way) do(ctx context.Context, client *http.Client, method, path string, body io.Reader) *http.Response {
	t := w.site.t
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, w.site.url+path, body)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+w.site.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// streams asks over both HTTP versions, and opens the gate once the first has reached it.
func (w way) streams(gate chan struct{}) {
	t := w.site.t
	t.Helper()
	const question = "do: fmt.Println(`at the gate`) ;; FINAL(strings.Repeat(`abc `, 200_000))"
	for n, client := range []*http.Client{w.client, w.plain} {
		res := w.ask(t.Context(), client, question, true)
		require.Equal(t, []int{200, 2 - n}, []int{res.StatusCode, res.ProtoMajor})
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 1<<20)
		var thought, answer strings.Builder
		last := ""
		for open := n > 0; lines.Scan(); {
			require.LessOrEqual(t, len(lines.Text()), 16_000, "%.1000s", lines.Text())
			last = lines.Text() + last[:min(len(last), 1000)]
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok || data == "[DONE]" {
				continue
			}
			for _, choice := range decoded(t, data).list("choices") {
				thought.WriteString(choice.at("delta").text("reasoning_content"))
				answer.WriteString(choice.at("delta").text("content"))
			}
			if !open && strings.Contains(thought.String(), "printed]\nat the gate") { // the model waits at the gate
				close(gate)
				open = true
			}
		}
		require.NoError(t, lines.Err())
		require.True(t, strings.Repeat("abc ", 200_000) == answer.String(), "%d of %d bytes, then: %.1000s",
			answer.Len(), 800_000, last)
	}
	whole := w.ask(t.Context(), w.client, "do: FINAL(strings.Count(context, `hay`)) // "+strings.Repeat("hay ", 1<<20),
		false)
	var out object
	require.NoError(t, json.NewDecoder(whole.Body).Decode(&out))
	require.Equal(t, 200, whole.StatusCode, "%v", out)
}

// page follows the link that lets a browser in.
func (w way) page() {
	t := w.site.t
	t.Helper()
	res, err := w.client.Get(w.site.url + "s/abc?token=" + w.site.token)
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, "/rlm/s/abc", res.Header.Get("Location"))
	require.Equal(t, "/rlm/", res.Cookies()[0].Path)
	req, err := http.NewRequestWithContext(t.Context(), "GET", w.site.url, nil)
	require.NoError(t, err)
	req.AddCookie(res.Cookies()[0])
	page, err := w.client.Do(req)
	require.NoError(t, err)
	defer page.Body.Close()
	html, err := io.ReadAll(page.Body)
	require.NoError(t, err)
	require.Contains(t, string(html), `src="/rlm/assets/app`)
}

// socket opens a WebSocket as a browser does.
func (w way) socket() {
	t := w.site.t
	t.Helper()
	conn, res, err := websocket.Dial(t.Context(), w.site.url+"api/v1/socket", &websocket.DialOptions{
		HTTPClient: w.plain, HTTPHeader: http.Header{
			"Authorization": {"Bearer " + w.site.token}, "Origin": {"https://" + strings.Split(w.site.url, "/")[2]},
		},
	})
	if err != nil {
		b, _ := io.ReadAll(res.Body)
		t.Fatalf("%s: %s", err, b)
	}
	defer conn.CloseNow()
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(`{"id": "1", "do": "GET about"}`)))
	_, b, err := conn.Read(t.Context())
	require.NoError(t, err)
	require.Contains(t, string(b), `"version":"test"`)
}

// leaving disconnects a stream in the middle of a cell.
func (w way) leaving() {
	t := w.site.t
	t.Helper()
	for n, client := range []*http.Client{w.client, w.plain} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		res := w.ask(ctx, client, fmt.Sprintf("do: for { time.Sleep(time.Millisecond) } // leaving %d", n), true)
		session := ""
		for lines := bufio.NewScanner(res.Body); session == "" && lines.Scan(); {
			if _, rest, ok := strings.Cut(lines.Text(), "Session "); ok {
				session = rest[:strings.IndexAny(rest, "\\\"")]
			}
		}
		cancel()
		require.NotEmpty(t, session, "the stream ended before it said its session")
		require.Eventually(t, func() bool {
			var out object
			state := w.do(t.Context(), w.client, "GET", "api/v1/sessions/"+session, nil)
			return json.NewDecoder(state.Body).Decode(&out) == nil && out.text("status") == "stopped" &&
				out.at("state")["doing"] == nil
		}, time.Minute, 50*time.Millisecond, "the run goes on without its client")
	}
}

// agent asks over MCP.
func (w way) agent() {
	t := w.site.t
	t.Helper()
	client := *w.client
	client.Transport = bearer{client.Transport, w.site.token}
	to := &sdk.StreamableClientTransport{Endpoint: w.site.url + "mcp", HTTPClient: &client}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), to, nil)
	require.NoError(t, err)
	res, err := c.CallTool(t.Context(),
		&sdk.CallToolParams{Name: "ask", Arguments: object{"question": "do: x := 41 ;; FINAL(x+1)", "text": "hay"}})
	require.NoError(t, err)
	require.Contains(t, res.Content[0].(*sdk.TextContent).Text, "42")
	require.NoError(t, c.Close())
}

type bearer struct {
	http.RoundTripper
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.RoundTripper.RoundTrip(r)
}

// silence asks a model that is silent for longer than the proxy's timeout.
func (w way) silence() {
	t := w.site.t
	t.Helper()
	all, err := io.ReadAll(w.ask(t.Context(), w.client, "lat:32000 do: FINAL(`late`)", true).Body)
	require.NoError(t, err)
	require.Contains(t, string(all), `"content":"late"`)
	require.Contains(t, string(all), "\n: \n")
}
