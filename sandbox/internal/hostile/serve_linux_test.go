package hostile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/sandbox/internal/hostile"
)

// brief has limits that soon end cells that hang.
var brief = runner.WithSandbox(sandbox.Basic, sandbox.Limits{CellTime: 2 * time.Second, ReplayTime: 2 * time.Second})

// site is a server under test.
type site struct {
	t          *testing.T
	url, token string
	client     http.Client
}

// serve runs a server until the test ends.
func serve(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	model := llm.ScriptedFunc("m", func(context.Context, llm.Request, int) (llm.Response, error) {
		return llm.Response{Content: "reply"}, nil
	})
	r, err := runner.New(model, runner.WithDataDir(dir), brief, runner.WithBudgets(runner.Budgets{SubCalls: 50}))
	require.NoError(t, err)
	s, err := api.New(api.Config{Runner: r, DataDir: dir, Version: "test", ModelName: "m"})
	require.NoError(t, err)
	require.NoError(t, s.Listen("127.0.0.1:0"))
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	out := &site{t: t, url: s.URL() + "api/v1/", token: s.Token(), client: http.Client{Transport: &http.Transport{}}}
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-served)
		r.Close()
		out.client.CloseIdleConnections()
	})
	return out
}

// call makes a request and decodes the response.
func (s *site) call(method, path string, body, out any) (status int) {
	s.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(s.t, err)
	req, err := http.NewRequest(method, s.url+path, bytes.NewReader(text))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(req)
	require.NoError(s.t, err)
	defer func() { _ = res.Body.Close() }()
	require.NoError(s.t, json.NewDecoder(res.Body).Decode(out))
	return res.StatusCode
}

func (s *site) session() string {
	s.t.Helper()
	var made struct{ ID string }
	require.Less(s.t, s.call("POST", "sessions", map[string]any{"empty": true}, &made), 300)
	return made.ID
}

// ended is a cell's outcome, as in its event.
type ended struct {
	OK     bool
	Result struct {
		Value string
		Error *struct{ Kind, Message string }
	}
}

// cell runs a cell and waits for its end.
func (s *site) cell(session, source string) (last ended) {
	s.t.Helper()
	_, before := s.ended(session)
	var begun map[string]any
	require.Eventually(s.t, func() bool { // the session is busy a little longer than its cell
		status := s.call("POST", "sessions/"+session+"/cells", map[string]any{"source": source}, &begun)
		require.True(s.t, status < 300 || status == http.StatusConflict, "%v", begun)
		return status < 300
	}, time.Minute, time.Millisecond)
	require.Eventually(s.t, func() bool {
		var n int
		last, n = s.ended(session)
		return n > before
	}, time.Minute, 5*time.Millisecond)
	return last
}

// ended returns the last cell that has ended in a session, and how many have.
func (s *site) ended(session string) (last ended, n int) {
	s.t.Helper()
	var all struct {
		Events []struct {
			Type string
			Data json.RawMessage
		}
	}
	require.Less(s.t, s.call("GET", "sessions/"+session+"/events", nil, &all), 300)
	for _, ev := range all.Events {
		if ev.Type == "cell_ended" {
			last = ended{}
			require.NoError(s.t, json.Unmarshal(ev.Data, &last))
			n++
		}
	}
	return last, n
}

// In a session with a hostile worker, the cell ends with a readable error. The session continues, as do the server
// and the other sessions.
func TestAServerMeetsHostileWorkers(t *testing.T) {
	inOwnHost(t, func(t *testing.T, next func(act string)) {
		for _, act := range acts() {
			t.Run(act, func(t *testing.T) {
				s := serve(t)
				next(act)
				bad := s.session()
				res := s.cell(bad, "x := 1")
				if res.Result.Error != nil {
					require.NotEmpty(t, res.Result.Error.Message)
					t.Log(res.Result.Error.Message)
				}
				good := s.session()
				require.Equal(t, "3", s.cell(good, "1 + 2").Result.Value)
				value := ""
				for cells := 0; cells < 10 && value != "5"; cells++ {
					value = s.cell(bad, "2 + 3").Result.Value
				}
				if hostile.Native[act] != nil { // workers with other acts may follow the rules
					require.Equal(t, "5", value)
				}
				require.Equal(t, "4", s.cell(good, "2 + 2").Result.Value)
			})
		}
	})
}

// questions are what people ask about a notebook.
var questions = []struct{ method, path, body string }{
	{"POST", "complete", `{"before": "strings."}`},
	{"POST", "signature", `{"before": "strings.Repeat("}`},
	{"POST", "check", `{"source": "x := 1"}`},
	{"POST", "members", `{"operand": "strings"}`},
	{"GET", "variables", `{}`},
	{"GET", "find?q=x", `{}`},
}

// A server also survives workers that answer these questions oddly.
func TestAServerMeetsOddAnswers(t *testing.T) {
	inOwnHost(t, func(t *testing.T, next func(act string)) {
		for i, act := range slices.Sorted(maps.Keys(hostile.Odd)) {
			for j, q := range questions {
				if (i+j)%3 != 0 && os.Getenv("RLM_LONG") == "" {
					continue
				}
				t.Run(act+" to "+q.path, func(t *testing.T) {
					s := serve(t)
					next(act)
					session := s.session()
					var out struct{ Error struct{ Message string } }
					if status := s.call(q.method, "sessions/"+session+"/"+q.path, json.RawMessage(q.body),
						&out); status >= 400 {
						require.NotEmpty(t, out.Error.Message)
						t.Log(status, out.Error.Message)
					}
					// The worker may have been killed, and this cell with it.
					if res := s.cell(session, "2 + 3").Result; res.Error != nil {
						require.NotEmpty(t, res.Error.Message)
						require.Equal(t, "5", s.cell(session, "2 + 3").Result.Value)
					}
					require.Equal(t, "5", s.cell(s.session(), "2 + 3").Result.Value)
				})
			}
		}
	})
}
