package openai_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("RLM_TEST_SERVER"); dir != "" {
		serveAlone(dir, os.Getenv("RLM_TEST_MODEL"))
		return
	}
	os.Exit(m.Run())
}

// obedient is a model that does what the last question tells it.
func obedient(req fakeapi.Request) fakeapi.Reply { return fakeapi.Obedient(req) }

// site is a server under test, with a model that is called over HTTP.
type site struct {
	t     testing.TB
	url   string
	token string
	dir   string
	model *fakeapi.Server
}

func start(t testing.TB, answer func(fakeapi.Request) fakeapi.Reply, change ...func(*api.Config)) *site {
	t.Helper()
	return startIn(t, t.TempDir(), answer, change...)
}

func startIn(t testing.TB, dir string, answer func(fakeapi.Request) fakeapi.Reply, change ...func(*api.Config)) *site {
	t.Helper()
	model := fakeapi.StartFunc(answer)
	t.Cleanup(model.Close)
	cfg, err := config(dir, model.URL())
	require.NoError(t, err)
	for _, c := range change {
		c(&cfg)
	}
	s, err := api.New(cfg)
	require.NoError(t, err)
	require.NoError(t, s.Listen("127.0.0.1:0"))
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-served)
	})
	return &site{t, s.URL(), s.Token(), dir, model}
}

// starter serves all servers: a spare worker that one leaves behind is used by the next.
var starter = sandbox.NewStarter()

func config(dir, modelURL string) (api.Config, error) {
	m, err := llm.New(llm.Config{Model: "fake", BaseURL: modelURL, APIKey: llm.NewSecret("sk-test")})
	if err != nil {
		return api.Config{}, err
	}
	prices := llm.Prices{"fake": {Input: 1, Output: 2}}
	r, err := runner.New(m, runner.WithDataDir(dir), runner.WithPrices(prices), runner.WithSystem("House rules."),
		host.Starter(starter))
	return api.Config{
		Runner: r, DataDir: dir, Version: "test", System: "House rules.", ModelName: "fake",
		Models: []string{"fake", "other/one"}, MaxRuns: 8,
		Model: func(_ context.Context, name string) (llm.Model, error) {
			return llm.New(llm.Config{Model: name, BaseURL: modelURL, APIKey: llm.NewSecret("sk-test")})
		},
	}, err
}

// object is a JSON object.
type object map[string]any

func (o object) text(name string) string { s, _ := o[name].(string); return s }
func (o object) num(name string) float64 { n, _ := o[name].(float64); return n }
func (o object) at(name string) object   { m, _ := o[name].(map[string]any); return m }
func (o object) list(name string) []object {
	var out []object
	all, _ := o[name].([]any)
	for _, v := range all {
		m, _ := v.(map[string]any)
		out = append(out, m)
	}
	return out
}

// answer returns the answer of a chat completion.
func (o object) answer() string { return o.list("choices")[0].at("message").text("content") }

// open makes a request; the caller closes the body.
func (s *site) open(ctx context.Context, method, path string, body any, change ...func(*http.Request)) *http.Response {
	s.t.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		r = bytes.NewReader(b)
	default:
		text, err := json.Marshal(body)
		require.NoError(s.t, err)
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, r)
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	for _, c := range change {
		c(req)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	return res
}

// send makes a request and returns the response, whatever its status.
func (s *site) send(method, path string, body any, change ...func(*http.Request)) (int, object, http.Header) {
	s.t.Helper()
	res := s.open(context.Background(), method, path, body, change...)
	defer res.Body.Close()
	var out object
	_ = json.NewDecoder(res.Body).Decode(&out)
	return res.StatusCode, out, res.Header
}

// call makes a request that must succeed.
func (s *site) call(method, path string, body any, change ...func(*http.Request)) object {
	s.t.Helper()
	status, out, _ := s.send(method, path, body, change...)
	require.Equal(s.t, http.StatusOK, status, "%s %s: %v", method, path, out)
	return out
}

// refused makes a request that must fail, and returns its error.
func (s *site) refused(status int, method, path string, body any, change ...func(*http.Request)) object {
	s.t.Helper()
	got, out, _ := s.send(method, path, body, change...)
	require.Equal(s.t, status, got, "%s %s: %v", method, path, out)
	e := out.at("error")
	require.NotEmpty(s.t, e.text("message"))
	require.NotEmpty(s.t, e.text("type"))
	require.Contains(s.t, e, "param")
	require.Contains(s.t, e, "code")
	return e
}

// says returns messages of alternating roles, the user's first.
func says(texts ...string) []object {
	var out []object
	for i, text := range texts {
		out = append(out, object{"role": []string{"user", "assistant"}[i%2], "content": text})
	}
	return out
}

// abandon asks a question, and disconnects once the model has it.
func (s *site) abandon(body object, arrived <-chan struct{}, change func(*http.Request)) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		req, _ := http.NewRequestWithContext(ctx, "POST", s.url+"v1/chat/completions", encoded(s.t, body))
		req.Header.Set("Authorization", "Bearer "+s.token)
		req.Header.Set("Content-Type", "application/json")
		change(req)
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}()
	<-arrived
	cancel()
	<-gone
}

func (s *site) chat(body object, change ...func(*http.Request)) object {
	s.t.Helper()
	if body["model"] == nil {
		body["model"] = "rlm"
	}
	return s.call("POST", "v1/chat/completions", body, change...)
}

// key sets the idempotency key of a request.
func key(k string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Idempotency-Key", k) }
}

// events reads a stream of server-sent events to its end.
func events(t testing.TB, body io.Reader) (names []string, data []string) {
	t.Helper()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 16<<20)
	name := ""
	for lines.Scan() {
		if n, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = n
		}
		if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			names, data, name = append(names, name), append(data, d), ""
		}
	}
	return names, data
}

func decoded(t testing.TB, text string) object {
	t.Helper()
	var out object
	require.NoError(t, json.Unmarshal([]byte(text), &out), text)
	return out
}
