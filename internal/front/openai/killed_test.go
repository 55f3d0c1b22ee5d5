package openai_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/trajectory"
)

// TestKilledServer: a server killed at any moment under 20 clients has one run for each key, and repeats no
// recorded call. The clients know nothing but their keys.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	kills := 4
	if os.Getenv("RLM_LONG") != "" {
		kills = 100
	}
	ledger := &ledger{recorded: map[string]bool{}}
	model := fakeapi.StartFunc(ledger.answer)
	t.Cleanup(model.Close)
	c := &mortal{t: t, dir: t.TempDir(), model: model.URL()}
	c.start()
	t.Cleanup(c.kill)

	enough := make(chan struct{})
	var all sync.WaitGroup
	for client := range 20 {
		all.Go(func() {
			for n := 0; ; n++ {
				id := fmt.Sprintf("q%d-%d", client, n)
				text := fmt.Sprintf(`do: x := %d /* %s */ ;; y := llm_query("%s") ;; FINAL(fmt.Sprint(x, y))`, n, id,
					id)
				want := fmt.Sprintf("%dre: %s", n, id)
				assert.Equal(t, want, c.insist(id, text), "the answer to %s", id)
				select {
				case <-enough:
					return
				default:
				}
			}
		})
	}
	for range kills {
		time.Sleep(time.Duration(rand.IntN(500)) * time.Millisecond)
		c.kill()
		ledger.read(t, c.dir)
		c.start()
	}
	close(enough)
	all.Wait()
	asked := ledger.read(t, c.dir)
	require.GreaterOrEqual(t, len(asked), 20)
	for id, n := range asked {
		require.Equal(t, 1, n, "runs of key %s", id)
	}
	require.Empty(t, ledger.repeated, "recorded calls that were made again")
}

// ledger is a model that knows which of its replies are in a log.
type ledger struct {
	mu       sync.Mutex
	recorded map[string]bool
	repeated []string
}

var questionID = regexp.MustCompile(`q\d+-\d+`)

func (l *ledger) answer(req fakeapi.Request) fakeapi.Reply {
	turns := 0
	for _, m := range req.Messages {
		if m.Role == "assistant" {
			turns++
		}
	}
	call := questionID.FindString(string(req.Body)) + callOf(len(req.Messages) > 1, turns+1)
	l.mu.Lock()
	if l.recorded[call] {
		l.repeated = append(l.repeated, call)
	}
	l.mu.Unlock()
	return obedient(req)
}

// callOf names a call for a question: a turn, or its sub-call.
func callOf(turn bool, n int) string {
	if turn {
		return fmt.Sprint(" turn ", n)
	}
	return " sub-call"
}

// read notes which calls are recorded, and counts the runs of each question. No server may be active.
func (l *ledger) read(t *testing.T, dir string) (runs map[string]int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	runs = map[string]int{}
	all, err := trajectory.List(trajectory.RunsDir(dir))
	require.NoError(t, err)
	for _, sum := range all {
		id := ""
		for ev, err := range trajectory.Read(sum.Dir) {
			require.NoError(t, err)
			switch d := ev.Data.(type) {
			case trajectory.RunStarted:
				id = questionID.FindString(d.Question)
				runs[id]++
			case trajectory.ReplyReceived:
				l.recorded[id+callOf(true, ev.Turn)] = true
			case trajectory.SubCallEnded:
				if d.Error == "" {
					l.recorded[id+callOf(false, 0)] = true
				}
			}
		}
	}
	return runs
}

// mortal is a server in a separate process.
type mortal struct {
	t          testing.TB
	dir, model string

	mu         sync.Mutex
	process    *exec.Cmd
	url, token string
}

func (c *mortal) start() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RLM_TEST_SERVER="+c.dir, "RLM_TEST_MODEL="+c.model)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(c.t, err)
	require.NoError(c.t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(c.t, lines.Scan(), "the server says where it is")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.process = cmd
	_, err = fmt.Sscan(lines.Text(), &c.url, &c.token)
	require.NoError(c.t, err)
}

func (c *mortal) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.process.Process.Kill() // unless it is dead already
	_ = c.process.Wait()
}

// insist asks with a key until there is an answer.
func (c *mortal) insist(key, text string) string {
	body, err := json.Marshal(object{"model": "rlm", "messages": says(text)})
	if err != nil {
		return err.Error()
	}
	for c.t.Context().Err() == nil {
		c.mu.Lock()
		url, token := c.url, c.token
		c.mu.Unlock()
		if got, ok := c.try(url, token, key, body); ok {
			return got
		}
		time.Sleep(20 * time.Millisecond) // the server is down, or was killed meanwhile
	}
	return "no answer"
}

func (c *mortal) try(url, token, key string, body []byte) (answer string, ok bool) {
	req, err := http.NewRequest("POST", url+"v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err.Error(), true
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", false
	}
	defer res.Body.Close()
	var out object
	if json.NewDecoder(res.Body).Decode(&out) != nil {
		return "", false
	}
	if res.StatusCode != http.StatusOK {
		return out.at("error").text("message"), true
	}
	return out.answer(), true
}

// serveAlone runs a server in a separate process, for a test to kill.
func serveAlone(dir, model string) {
	cfg, err := config(dir, model)
	cfg.MaxRuns = 64
	if err == nil {
		var s *api.Server
		if s, err = api.New(cfg); err == nil {
			if err = s.Listen(""); err == nil {
				fmt.Println(s.URL(), s.Token())
				err = s.Serve(context.Background())
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
