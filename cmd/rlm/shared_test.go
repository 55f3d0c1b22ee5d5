package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// sharer is 'rlm serve' and other commands over one data folder.
type sharer struct {
	t          *testing.T
	bin        string
	env        []string
	process    *exec.Cmd
	URL, Token string
}

// object is a response in JSON.
type object map[string]any

func (o object) text(name string) string { s, _ := o[name].(string); return s }
func (o object) at(name string) object   { m, _ := o[name].(map[string]any); return m }

func (o object) first(name string) object {
	list, _ := o[name].([]any)
	if len(list) == 0 {
		return nil
	}
	m, _ := list[0].(map[string]any)
	return m
}

// start starts the server.
func (s *sharer) start() {
	s.t.Helper()
	s.process = exec.Command(s.bin, "serve", "--json", "--no-open", "--listen", "127.0.0.1:0")
	s.process.Env, s.process.Stderr = s.env, os.Stderr
	out, err := s.process.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, s.process.Start())
	require.NoError(s.t, json.NewDecoder(out).Decode(s))
}

// kill ends the server like a power failure.
func (s *sharer) kill() {
	_ = s.process.Process.Kill() // the process may have ended
	_ = s.process.Wait()
}

// terminal runs another command in another process.
func (s *sharer) terminal(args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), s.bin, args...)
	cmd.Env = s.env
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(s.t, err, "rlm %s: %s%s", strings.Join(args, " "), said.String(), out)
	return string(out)
}

// open makes a request with a key, "" for none. The caller closes the body.
func (s *sharer) open(method, path, key string, body object) *http.Response {
	s.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(s.t, err)
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, bytes.NewReader(text))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.Token)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	return res
}

// call makes a request that must return a status.
func (s *sharer) call(status int, method, path, key string, body object) (out object) {
	s.t.Helper()
	res := s.open(method, path, key, body)
	defer res.Body.Close()
	require.NoError(s.t, json.NewDecoder(res.Body).Decode(&out))
	require.Equal(s.t, status, res.StatusCode, "%s %s: %v", method, path, out)
	return out
}

// respond makes a request to the OpenAI-compatible API.
func (s *sharer) respond(key string, body object) object {
	s.t.Helper()
	body["model"] = "rlm"
	return s.call(http.StatusOK, "POST", "v1/responses", key, body)
}

// answerOf follows a session until the end of its n-th run and returns that run's answer.
func (s *sharer) answerOf(session string, n int) string {
	s.t.Helper()
	res := s.open("GET", "api/v1/events?session="+session+":0", "", nil)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m object
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || json.Unmarshal([]byte(data), &m) != nil || m.at("event").text("type") != "run_ended" {
			continue
		}
		if n--; n == 0 {
			return m.at("event").at("data").text("answer")
		}
	}
	require.Fail(s.t, "the stream ended")
	return ""
}

var toldSteps = regexp.MustCompile(`do: (.*)`)

// obedient is a model that writes the cells that the last question asks for: those after "do: ", one per turn,
// separated by " ;; ".
func obedient(req fakeapi.Request) fakeapi.Reply {
	steps, turn := "", 0
	for _, m := range req.Messages {
		if all := toldSteps.FindAllStringSubmatch(m.Content, -1); m.Role == "user" && all != nil {
			steps, turn = all[len(all)-1][1], 0
		} else if m.Role == "assistant" {
			turn++
		}
	}
	if cells := strings.Split(steps, " ;; "); steps != "" && turn < len(cells) {
		return fakeapi.Reply{Content: "Next step.\n\n" + goCell(cells[turn])}
	}
	return fakeapi.Reply{Content: "re: " + req.Last()}
}

// TestRunsAreShared: a run started through the API and cut off with its server can be shown, resumed and forked
// in a terminal, and the API returns the answer from there; a run of the terminal can be shown, asked again and
// forked through the API.
func TestRunsAreShared(t *testing.T) {
	t.Parallel()
	const steps = "do: x := 20 ;; x++ ;; FINAL(2*x)"
	arrived, opened := make(chan struct{}, 1), make(chan struct{})
	waited := false
	model := fakeapi.StartFunc(func(req fakeapi.Request) fakeapi.Reply {
		if strings.Contains(string(req.Body), "x := 20") && len(req.Messages) == 6 && !waited { // the third turn
			waited = true
			arrived <- struct{}{}
			<-opened
		}
		return obedient(req)
	})
	t.Cleanup(model.Close)
	t.Cleanup(func() { close(opened) })
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	s := &sharer{t: t, bin: bin, env: terminalEnv(model, t.TempDir())}
	s.start()
	t.Cleanup(func() { s.kill() })
	begun := s.respond("shared", object{"input": steps, "background": true})
	<-arrived
	id := s.call(http.StatusOK, "GET", "api/v1/sessions", "", nil).first("sessions").text("id")
	s.kill()
	require.Contains(t, s.terminal("ls"), "interrupted")
	require.Contains(t, s.terminal("resume", id), "42")
	require.Contains(t, s.terminal("show", id), "42")
	require.Contains(t, s.terminal("fork", id, "--turn", "1"), "42")
	s.start()

	again := s.respond("shared", object{"input": steps, "background": true})
	require.Equal(t, begun.text("id"), again.text("id"), "the same key is the same run")
	require.Equal(t, "completed", again.text("status"))
	require.Equal(t, "42", again.first("output").first("content").text("text"))
	next := s.respond("", object{"input": "do: FINAL(x+1)", "previous_response_id": begun.text("id")})
	require.Equal(t, "22", next.first("output").first("content").text("text"), "the notebook has its variables")
	require.Equal(t, id, next.at("rlm").text("session"))

	var ran struct {
		RunID string `json:"run_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(s.terminal("run", "--json", "-q", "do: y := 6 ;; FINAL(7*y)")), &ran))
	require.Equal(t, "42", s.call(http.StatusOK, "GET", "api/v1/sessions/"+ran.RunID, "", nil).text("answer"))
	fork := s.call(http.StatusOK, "POST", "api/v1/sessions/"+ran.RunID+"/fork", "fork", object{}).text("id")
	require.NotEqual(t, ran.RunID, fork)
	s.call(http.StatusAccepted, "POST", "api/v1/sessions/"+fork+"/ask", "ask", object{"question": "do: FINAL(y+1)"})
	require.Equal(t, "7", s.answerOf(fork, 2), "the fork has the variables of the terminal's run")
}

// TestServedDocumentsAreNamedAfterTheirFolder: a server started with an absolute path does not name its documents
// by where they lie, since users of shared sessions see the names.
func TestServedDocumentsAreNamedAfterTheirFolder(t *testing.T) {
	t.Parallel()
	model := fakeapi.StartFunc(obedient)
	t.Cleanup(model.Close)
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	logs := filepath.Join(t.TempDir(), "logs")
	require.NoError(t, os.Mkdir(logs, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(logs, "a.txt"), []byte("text"), 0o600))
	cmd := exec.Command(bin, "serve", logs, "--json", "--no-open", "--listen", "127.0.0.1:0")
	cmd.Env = terminalEnv(model, t.TempDir())
	served := startServing(t, cmd)
	s := &sharer{t: t, URL: served.URL, Token: served.Token}
	id := s.call(http.StatusOK, "POST", "api/v1/sessions", "", object{}).text("id")
	documents := s.call(http.StatusOK, "GET", "api/v1/sessions/"+id+"/documents", "", nil)
	require.Equal(t, "logs/a.txt", documents.first("documents").text("name"))
}

// ownServer is 'rlm serve' in another process.
type ownServer struct {
	t          *testing.T
	URL, Token string
}

// startServing starts a command that serves.
func startServing(t *testing.T, cmd *exec.Cmd) *ownServer {
	t.Helper()
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { endServer(t, cmd) })
	s := &ownServer{t: t}
	require.NoError(t, json.NewDecoder(out).Decode(s))
	return s
}

func endServer(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	defer time.AfterFunc(2*time.Minute, func() {
		t.Error("the server does not end")
		_ = cmd.Process.Kill()
	}).Stop()
	_ = cmd.Wait() // an interruption is not a failure here
}
