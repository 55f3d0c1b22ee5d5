package api_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
)

type greetRequest struct {
	Name string `json:"name"`
}

type greeting struct {
	Text    string `json:"text"`
	Session string `json:"session"`
}

// TestOneMoreCommand: a command that is defined once has a route, is in the document, works over WebSocket, and is
// a tool for agents. Package chat tests that it can be typed.
func TestOneMoreCommand(t *testing.T) {
	t.Parallel()
	greet := session.Define(session.Command{
		Name: "greet", Group: "Doing", Route: "POST sessions/{id}/greetings/{language}", Access: session.Read,
	},
		"Greet somebody.", func(_ context.Context, c *session.Call, in greetRequest) (greeting, error) {
			if c.Params["language"] != "en" {
				return greeting{}, &session.Error{Code: session.NotFound, Message: "that language is not spoken here"}
			}
			return greeting{"hello " + in.Name, c.Session}, nil
		})

	operation := described(t, greet).at("paths").at("/api/v1/sessions/{id}/greetings/{language}").at("post")
	require.Equal(t, "Greet somebody.", operation.text("summary"))
	require.Equal(t, "#/components/schemas/Greeting",
		operation.at("responses").at("200").at("content").at("application/json").at("schema").text("$ref"))
	require.Empty(t, described(t).at("paths").at("/api/v1/sessions/{id}/greetings/{language}"))

	s := serving(t, greet)
	id := s.session()
	status, body := s.post("sessions/"+id+"/greetings/en", `{"name":"Ada"}`)
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"text":"hello Ada","session":"`+id+`"}`, body)
	status, body = s.post("sessions/"+id+"/greetings/fr", `{}`)
	require.Equal(t, http.StatusNotFound, status)
	require.JSONEq(t, `{"error":{"code":"not_found","message":"that language is not spoken here"}}`, body)
	status, _ = s.post("sessions/nobody/greetings/en", `{}`)
	require.Equal(t, http.StatusNotFound, status)
	status, _ = s.post("sessions/"+id+"/greetings/en", `{"age":1}`)
	require.Equal(t, http.StatusBadRequest, status)

	head, err := http.NewRequest(http.MethodHead, s.url+"api/v1/sessions/"+id, nil)
	require.NoError(t, err)
	head.Header.Set("Authorization", "Bearer "+s.token)
	res, err := http.DefaultClient.Do(head)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode, "who gets may ask for the head alone")

	w := s.socket()
	said := w.order(object{"do": "POST sessions/" + id + "/greetings/en", "body": object{"name": "Bob"}})
	require.Equal(t, object{"text": "hello Bob", "session": id}, said.at("answer"))
	refused := w.order(object{"do": "POST sessions/" + id + "/greetings/fr"})
	require.Equal(t, float64(http.StatusNotFound), refused["status"])
	require.Equal(t, "that language is not spoken here", refused.at("error").text("message"))

	wave := session.Define(session.Command{
		Name: "wave-at", Group: "Doing", Route: "POST sessions/{id}/waves", Access: session.Read, Tool: true,
	},
		"Wave at somebody.", func(_ context.Context, c *session.Call, in greetRequest) (greeting, error) {
			return greeting{"waves at " + in.Name, c.Session}, nil
		})
	s = serving(t, wave)
	id = s.session()
	agent := s.agent(nil)
	tools, err := agent.ListTools(t.Context(), nil)
	require.NoError(t, err)
	at := slices.IndexFunc(tools.Tools, func(tool *sdk.Tool) bool { return tool.Name == "wave_at" })
	require.GreaterOrEqual(t, at, 0)
	require.Equal(t, "Wave at somebody.", tools.Tools[at].Description)
	var waved greeting
	require.Empty(t, use(t, agent, "wave_at", object{"session": id, "name": "Ada"}, &waved))
	require.Equal(t, greeting{"waves at Ada", id}, waved)
	require.Contains(t, use(t, agent, "wave_at", object{"session": "nobody", "name": "Ada"}, nil),
		"there is no session")
	var docs session.Documents
	require.Empty(t, use(t, agent, "documents", object{"session": id, "limit": 1}, &docs),
		"commands of the table are tools in the same way")
	require.Zero(t, docs.Total)
}

func described(t *testing.T, more ...session.Command) (document object) {
	t.Helper()
	require.NoError(t, json.Unmarshal(api.Document(t, more...), &document))
	return document
}

// serving runs a server with additional commands until the test ends.
func serving(t *testing.T, more ...session.Command) *site {
	t.Helper()
	dir := t.TempDir()
	r, err := runner.New(&talker{}, runner.WithDataDir(dir))
	require.NoError(t, err)
	s, err := api.NewWith(api.Config{Runner: r, DataDir: dir}, more...)
	require.NoError(t, err)
	require.NoError(t, s.Listen("127.0.0.1:0"))
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-served)
	})
	return &site{t: t, url: s.URL(), token: s.Token(), dir: dir}
}

// post makes a request whose route is not in the document.
func (s *site) post(path, body string) (status int, answer string) {
	s.t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.url+"api/v1/"+path, strings.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(s.t, err)
	return res.StatusCode, string(b)
}
