package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/runner/trajectory"
)

func keyed(key string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Idempotency-Key", key) }
}

// TestTheSameKeyIsTheSameRun: a repeated request begins nothing, neither during its run nor afterwards; a
// different request with the same key is refused.
func TestTheSameKeyIsTheSameRun(t *testing.T) {
	t.Parallel()
	on, asked := make(chan struct{}), make(chan struct{}, 9)
	model := &talker{replies: []string{fence("n := 1"), fence("FINAL(n)"), fence("FINAL(2)")}, half: func(turn int) {
		asked <- struct{}{}
		if turn == 0 {
			<-on
		}
	}}
	s := start(t, model)
	post := func(path string, body any, key string) (int, object) {
		status, out, _ := s.send("POST", "api/v1/"+path, body, keyed(key))
		return status, out
	}
	status, made := post("sessions", object{"name": "one"}, "make")
	require.Equal(t, http.StatusOK, status)
	id := made.text("id")
	_, same := post("sessions", object{"name": "one"}, "make")
	require.Equal(t, id, same.text("id"))
	status, _ = post("sessions", object{"name": "two"}, "make")
	require.Equal(t, http.StatusUnprocessableEntity, status)

	ask := "sessions/" + id + "/ask"
	status, begun := post(ask, object{"question": "q"}, "ask")
	require.Equal(t, http.StatusAccepted, status)
	require.Nil(t, begun["again"])
	<-asked
	status, begun = post(ask, object{"question": "q"}, "ask")
	require.Equal(t, http.StatusAccepted, status)
	require.Equal(t, true, begun["again"])
	for _, other := range []object{{"question": "another"}, {"question": "q", "mode": "task"}} {
		status, refused := post(ask, other, "ask")
		require.Equal(t, http.StatusUnprocessableEntity, status, "while it goes on, too")
		require.Equal(t, "key_used", refused.at("error").text("code"))
	}
	status, _ = post(ask, object{"question": "q"}, "another")
	require.Equal(t, http.StatusConflict, status, "another request waits for its turn by itself")
	close(on)
	s.settled(id)
	_, begun = post(ask, object{"question": "q"}, "ask")
	require.Equal(t, true, begun["again"])
	started := s.call("GET", "sessions/"+id+"/events/"+fmt.Sprint(begun["seq"]), nil)
	require.Equal(t, "q", started.at("data").text("question"))
	status, refused := post(ask, object{"question": "another"}, "ask")
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "key_used", refused.at("error").text("code"))
	require.Equal(t, float64(1), s.call("GET", "sessions/"+id, nil)["questions"])

	for range 2 {
		post("sessions/"+id+"/cells", object{"source": "n++"}, "cell")
		s.settled(id)
	}
	require.Equal(t, "2", s.values(id)["n"])
	_, fork := post("sessions/"+id+"/fork", object{"turn": 1}, "fork")
	s.settled(fork.text("id"))
	_, forkAgain := post("sessions/"+id+"/fork", object{"turn": 1}, "fork")
	require.Equal(t, fork.text("id"), forkAgain.text("id"))
	require.Len(t, asked, 2, "the second turn, and that of the fork")
	status, _ = post(ask, object{"question": "q"}, strings.Repeat("k", 256))
	require.Equal(t, http.StatusBadRequest, status)
}

// TestAKeyIsAnsweredWhateverTheSessionDoes: the run of an earlier key is returned while the session is busy, to a
// user whose budget is used up, and after the session was deleted. A key with which nothing began stays free.
func TestAKeyIsAnsweredWhateverTheSessionDoes(t *testing.T) {
	t.Parallel()
	on, asked := make(chan struct{}), make(chan struct{}, 9)
	model := &talker{replies: slices.Repeat([]string{fence("FINAL(1)")}, 5)}
	s := start(t, model)
	ada := s.user("ada", api.Limits{Runs: 1})
	post := func(path string, body any, key string) (int, object) {
		status, out, _ := ada.send("POST", "api/v1/"+path, body, keyed(key))
		return status, out
	}
	_, made := post("sessions", object{"empty": true}, "make")
	id := made.text("id")
	ask := "sessions/" + id + "/ask"
	status, _ := post(ask, object{"question": "first"}, "one")
	require.Equal(t, http.StatusAccepted, status)
	ada.settled(id)
	model.half = func(int) {
		asked <- struct{}{}
		<-on
	}
	status, _ = post(ask, object{"question": "second"}, "two")
	require.Equal(t, http.StatusAccepted, status)
	<-asked
	status, begun := post(ask, object{"question": "first"}, "one")
	require.Equal(t, http.StatusAccepted, status, "%v", begun)
	require.Equal(t, true, begun["again"])
	status, _ = post(ask, object{"question": "third"}, "three")
	require.Equal(t, http.StatusConflict, status)
	_, other := post("sessions", object{"empty": true}, "other")
	status, refused := post("sessions/"+other.text("id")+"/ask", object{"question": "elsewhere"}, "four")
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Equal(t, "limit", refused.at("error").text("code"))
	close(on)
	ada.settled(id)
	status, begun = post(ask, object{"question": "another third"}, "three")
	require.Equal(t, http.StatusAccepted, status, "%v: nothing began with the key", begun)
	require.Nil(t, begun["again"])
	ada.settled(id)
	require.Equal(t, http.StatusNoContent, ada.gone(id))
	status, refused = post("sessions", object{"empty": true}, "make")
	require.Equal(t, http.StatusGone, status)
	require.Equal(t, "deleted", refused.at("error").text("code"))
}

func (s *site) gone(id string) int {
	s.t.Helper()
	status, _, _ := s.send("DELETE", "api/v1/sessions/"+id, nil)
	return status
}

// TestAKeyResumesOnce: a run that reached a limit is resumed once for each key.
func TestAKeyResumesOnce(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{
		fence("n := 1"), fence("n++"), fence("n++"), fence("n++"), fence("n++"), fence("n++"),
	}})
	id := s.session()
	s.do(id, "ask", object{"question": "q", "budgets": object{"iterations": 1}})
	resume := func(key string) object {
		status, begun, _ := s.send(
			"POST", "api/v1/sessions/"+id+"/resume", object{"budgets": object{"iterations": 3}}, keyed(key))
		require.Equal(t, http.StatusAccepted, status, "%v", begun)
		s.settled(id)
		return begun
	}
	require.Nil(t, resume("a")["again"])
	turns := s.call("GET", "sessions/"+id, nil)["turns"]
	again := resume("a")
	require.Equal(t, true, again["again"])
	require.Greater(t, again["seq"], float64(1))
	require.Equal(t, turns, s.call("GET", "sessions/"+id, nil)["turns"])
}

// TestKeysOfUsersAreTheirOwn: if two users of a shared session choose the same key, they ask two questions.
func TestKeysOfUsersAreTheirOwn(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence("FINAL(1)")}})
	ada := s.user("ada")
	id := s.session()
	s.call("PATCH", "sessions/"+id, object{"shared": true})
	for _, as := range []*site{s, ada, ada} {
		status, _, _ := as.send("POST", "api/v1/sessions/"+id+"/cells", object{"source": "n := 1"}, keyed("k"))
		require.Equal(t, http.StatusAccepted, status)
		s.settled(id)
	}
	require.Equal(t, float64(2), s.call("GET", "sessions/"+id, nil)["cells"])
}

// TestKeysOutliveTheServer: the server is killed repeatedly while clients ask and retry until they have their
// answers. Every key has one run, and no call with a recorded reply is repeated. RLM_LONG=1 kills it a hundred
// times under twenty clients.
func TestKeysOutliveTheServer(t *testing.T) {
	t.Parallel()
	kills, clients, longest := 4, 4, 700
	if os.Getenv("RLM_LONG") != "" {
		kills, clients, longest = 100, 20, 1700
	}
	dir := t.TempDir()
	var mu sync.Mutex
	answered := map[string]string{} // sessions by question
	var over atomic.Bool
	next := make([]int, clients)
	for kill := range kills + 1 {
		s, cmd := alone(t, dir, "counted")
		ctx, cancel := context.WithCancel(context.Background())
		var asking sync.WaitGroup
		for c := range clients {
			asking.Go(func() {
				for {
					question := fmt.Sprintf("client %d question %d", c, next[c])
					id, err := s.answered(ctx, question)
					if err != nil {
						return
					}
					mu.Lock()
					answered[question] = id
					mu.Unlock()
					next[c]++
					if over.Load() {
						return
					}
				}
			})
		}
		if kill == kills {
			over.Store(true)
			asking.Wait()
		} else {
			time.Sleep(time.Duration(200+rand.IntN(longest-200)) * time.Millisecond)
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		cancel()
		asking.Wait()
	}
	t.Logf("%d questions of %d clients through %d kills", len(answered), clients, kills)
	require.GreaterOrEqual(t, len(answered), clients, "in the end each has an answer")
	requireOneRunEach(t, dir, answered)
}

// answered asks a question with the same keys until it is answered. It fails when the server is gone.
func (s *site) answered(ctx context.Context, question string) (id string, err error) {
	var made struct{ ID, Status string }
	if err := s.try(ctx, "POST", "sessions", object{"name": question}, "make "+question, &made); err != nil {
		return "", err
	}
	id = made.ID
	for {
		if err := s.try(ctx, "POST", "sessions/"+id+"/ask", object{"question": question}, "ask "+question,
			nil); err != nil {
			return "", err
		}
		if err := s.try(ctx, "GET", "sessions/"+id, nil, "", &made); err != nil {
			return "", err
		}
		if made.Status == "completed" {
			return id, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// try makes a request; the server may be down.
func (s *site) try(ctx context.Context, method, path string, body any, key string, out any) error {
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.url+"api/v1/"+path, strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if !assert.Less(s.t, res.StatusCode, 300, "%s %s: %s", method, path, res.Status) {
		return errors.New(res.Status)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(res.Body).Decode(out)
}

// requireOneRunEach compares the logs with what the model noted.
func requireOneRunEach(t *testing.T, dir string, answered map[string]string) {
	t.Helper()
	recorded := map[string]int64{} // numbers of the replies in the log, by question and step
	runs := map[string]int{}
	number := regexp.MustCompile(`reply (\d+)`)
	all, err := trajectory.List(trajectory.RunsDir(dir))
	require.NoError(t, err)
	for _, sum := range all {
		question := ""
		for ev, err := range trajectory.Read(sum.Dir) {
			require.NoError(t, err)
			step, text := "", ""
			switch d := ev.Data.(type) {
			case trajectory.RunStarted:
				question = d.Question
				runs[question]++
			case trajectory.ReplyReceived:
				step, text = fmt.Sprint("turn ", ev.Turn-1), d.Content.String()
			case trajectory.SubCallEnded:
				step, text = "sub-call", d.Reply.String()
			}
			if found := number.FindStringSubmatch(text); found != nil {
				recorded[question+" "+step], err = strconv.ParseInt(found[1], 10, 64)
				require.NoError(t, err)
			}
		}
	}
	for question := range maps.Keys(answered) {
		require.Equal(t, 1, runs[question], question)
	}
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	require.NoError(t, err)
	for line := range strings.Lines(string(asked)) {
		step, n, ok := cutLast(strings.TrimSpace(line))
		require.True(t, ok)
		if in, ok := recorded[step]; ok {
			require.LessOrEqual(t, n, in, "%s was asked again after its reply was recorded", step)
		}
	}
}

func cutLast(line string) (before string, number int64, ok bool) {
	i := strings.LastIndexByte(line, ' ')
	n, err := strconv.ParseInt(line[i+1:], 10, 64)
	return line[:max(i, 0)], n, i > 0 && err == nil
}
