package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
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

// fence makes a reply of one cell.
func fence(source string) string { return "Next step.\n\n```go\n" + source + "\n```\n" }

// talker is a model whose replies come in two pieces.
type talker struct {
	replies []string       // replies to turns; the reply to a sub-call depends on its prompt
	half    func(turn int) // called between the pieces of a turn's reply
	takes   time.Duration  // time for each sub-call

	mu    sync.Mutex
	calls int
}

func (m *talker) Name() string { return "talker" }

func (m *talker) Generate(ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	m.mu.Lock()
	m.calls++
	m.mu.Unlock()
	text := "re: " + req.Messages[len(req.Messages)-1].Content
	if req.Key.Cell == 0 {
		if req.Key.N >= len(m.replies) {
			return llm.Response{}, &llm.Error{Kind: llm.ErrNotRecorded, Message: "the script is at its end"}
		}
		text = m.replies[req.Key.N]
		if on != nil {
			on(llm.Delta{Content: text[:len(text)/2]})
		}
		if m.half != nil {
			m.half(req.Key.N)
		}
		if on != nil {
			on(llm.Delta{Content: text[len(text)/2:]})
		}
	}
	if req.Key.Cell != 0 {
		time.Sleep(m.takes)
	}
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	return llm.Response{
		Content: text, Model: "talker", FinishReason: "stop", Attempts: 1,
		Usage: llm.Usage{Prompt: 10, Completion: 5},
	}, nil
}

// site is a server under test.
type site struct {
	t     testing.TB
	url   string
	token string
	dir   string
	end   func() // shuts the server down and waits for it
}

// starter serves all servers: a spare worker that one leaves behind is used by the next.
var starter = sandbox.NewStarter()

// start runs a server until the test ends.
func start(t testing.TB, model llm.Model, change ...func(*api.Config)) *site {
	t.Helper()
	return startIn(t, t.TempDir(), model, change...)
}

func startIn(t testing.TB, dir string, model llm.Model, change ...func(*api.Config)) *site {
	t.Helper()
	return startAt(t, "127.0.0.1:0", dir, model, change...)
}

func startAt(t testing.TB, addr, dir string, model llm.Model, change ...func(*api.Config)) *site {
	t.Helper()
	r, err := runner.New(model, runner.WithDataDir(dir), host.Starter(starter))
	require.NoError(t, err)
	cfg := api.Config{
		Runner: r, DataDir: dir, Version: "test", ModelName: model.Name(), Models: []string{"talker"},
		Model: func(context.Context, string) (llm.Model, error) {
			return model, nil
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	s, err := api.New(cfg)
	require.NoError(t, err)
	require.NoError(t, s.Listen(addr))
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	var once sync.Once
	end := func() {
		once.Do(func() {
			cancel()
			require.NoError(t, <-served)
		})
	}
	t.Cleanup(end)
	return &site{t, s.URL(), s.Token(), dir, end}
}

// object is a JSON object.
type object map[string]any

func (o object) text(name string) string { s, _ := o[name].(string); return s }
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

// send makes a request with a token and returns the response, whatever its status.
func (s *site) send(method, path string, body any, change ...func(*http.Request)) (int, object, http.Header) {
	s.t.Helper()
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		require.NoError(s.t, err)
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, s.url+path, r)
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, c := range change {
		c(req)
	}
	res, err := noRedirects().Do(req)
	require.NoError(s.t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(s.t, err)
	if strings.HasPrefix(path, "api/") {
		contractOf(s.t).answer(s.t, req, res.StatusCode, b)
	}
	var out object
	_ = json.Unmarshal(b, &out)
	return res.StatusCode, out, res.Header
}

func noRedirects() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// call makes a request below /api/v1 that must succeed.
func (s *site) call(method, path string, body any) object {
	s.t.Helper()
	status, out, _ := s.send(method, "api/v1/"+path, body)
	require.Less(s.t, status, 300, "%s %s: %v", method, path, out)
	return out
}

// refused makes a request that must fail with this code.
func (s *site) refused(code, method, path string, body any) object {
	s.t.Helper()
	status, out, _ := s.send(method, "api/v1/"+path, body)
	require.GreaterOrEqual(s.t, status, 400, "%s %s", method, path)
	require.Equal(s.t, code, out.at("error").text("code"), "%s %s: %v", method, path, out)
	return out.at("error")
}

func (s *site) session(texts ...object) string {
	s.t.Helper()
	return s.call("POST", "sessions", object{"texts": texts}).text("id")
}

// message is a message of an event stream.
type message struct {
	id      string
	session string
	event   object
}

func (m message) kind() string  { return m.event.text("type") }
func (m message) data() object  { return m.event.at("data") }
func (m message) number() int64 { n, _ := m.event["seq"].(float64); return int64(n) }

// stream reads events.
type stream struct {
	t      testing.TB
	body   io.ReadCloser
	lines  *bufio.Reader
	cancel context.CancelFunc
	last   string // id of the last message
	seen   map[string]int
}

// follow opens an event stream; last is the id that a browser reconnects with.
func (s *site) follow(query, last string) *stream {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	req, err := http.NewRequestWithContext(ctx, "GET", s.url+"api/v1/events?"+query, nil)
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, res.StatusCode)
	require.Equal(s.t, "text/event-stream", res.Header.Get("Content-Type"))
	st := &stream{t: s.t, body: res.Body, lines: bufio.NewReader(res.Body), cancel: cancel, seen: map[string]int{}}
	s.t.Cleanup(st.close)
	return st
}

func (st *stream) close() {
	st.cancel()
	_ = st.body.Close()
}

// next returns the next message; ok is false at the end of the stream.
func (st *stream) next() (m message, ok bool) {
	for {
		line, err := st.lines.ReadString('\n')
		if err != nil {
			return m, false
		}
		line = strings.TrimSuffix(line, "\n")
		if id, is := strings.CutPrefix(line, "id: "); is {
			m.id, st.last = id, id
		}
		if data, is := strings.CutPrefix(line, "data: "); is {
			var v object
			if !assert.NoError(st.t, json.Unmarshal([]byte(data), &v), "a message is no JSON") {
				return m, false
			}
			m.session, m.event = v.text("session"), v.at("event")
			if st.seen[m.kind()]++; st.seen[m.kind()] < 5 { // log only a few messages of each kind
				contractOf(st.t).event(st.t, []byte(data))
			}
			return m, true
		}
	}
}

// until reads up to a message for which found is true, and returns all messages read.
func (st *stream) until(found func(message) bool) []message {
	st.t.Helper()
	var all []message
	for {
		m, ok := st.next()
		require.True(st.t, ok, "the stream ended; the last of %d messages: %+v", len(all), all[max(0, len(all)-3):])
		all = append(all, m)
		if found(m) {
			return all
		}
	}
}

// ofKind matches events of one type.
func ofKind(kind string) func(message) bool { return func(m message) bool { return m.kind() == kind } }

// free matches the state of an idle session.
func free(m message) bool { return m.kind() == "state" && m.data().text("doing") == "" }

// settled waits until a session is idle.
func (s *site) settled(id string) {
	s.t.Helper()
	st := s.follow("session="+id+":0", "")
	defer st.close()
	st.until(free)
}

// do begins a task and waits for its end.
func (s *site) do(id, path string, body any) {
	s.t.Helper()
	s.call("POST", "sessions/"+id+"/"+path, body)
	s.settled(id)
}

// values returns a session's variables by name.
func (s *site) values(id string) map[string]string {
	s.t.Helper()
	out := map[string]string{}
	for _, v := range s.call("GET", "sessions/"+id+"/variables", nil).list("variables") {
		out[v.text("name")] = v.text("preview")
	}
	return out
}

// user adds a named user and returns the server as that user sees it.
func (s *site) user(name string, limits ...api.Limits) *site {
	s.t.Helper()
	token, err := api.OpenUsers(s.dir).Add(name, append(limits, api.Limits{})[0], time.Now())
	require.NoError(s.t, err)
	return &site{s.t, s.url, token, s.dir, s.end}
}
