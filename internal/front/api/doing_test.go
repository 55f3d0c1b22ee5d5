package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

func TestCellsRunWithoutAModel(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{}, func(c *api.Config) { c.NoModel, c.ModelName = "name a model first", "" })
	require.Equal(t, "name a model first", s.call("GET", "about", nil).text("no_model"))
	id := s.session()
	require.Equal(t, "name a model first",
		s.refused("no_model", "POST", "sessions/"+id+"/ask", object{"question": "q"}).text("message"))
	s.do(id, "cells", object{"source": "n := 40\nn + 2"})
	require.Equal(t, "40", s.values(id)["n"])
	s.do(id, "cells", object{"source": "n = 7", "replaces": 1})
	require.Equal(t, "7", s.values(id)["n"])
	s.refused("bad_request", "POST", "sessions/"+id+"/cells", object{"source": "\n"})
	s.refused("not_found", "POST", "sessions/demo", object{})
}

func TestNotebookHelpsWhoWrites(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	id := s.session()
	s.do(id, "cells", object{"source": "total := 3"})
	done := s.call("POST", "sessions/"+id+"/complete", object{"before": "x := tot", "after": ""})
	require.Equal(t, "tot", done.text("prefix"))
	require.Equal(t, object{"name": "total", "kind": "variable", "detail": "int"}, done.list("items")[0])
	sig := s.call("POST", "sessions/"+id+"/signature", object{"before": "grep(\"a\", "})
	require.Equal(t, "grep", sig.text("name"))
	require.Equal(t, float64(1), sig["active"])
	require.Empty(t, s.call("POST", "sessions/"+id+"/signature", object{"before": "total"}).text("name"))
	wrong := s.call("POST", "sessions/"+id+"/check", object{"source": "total = 1\ntotal = \"x\""})
	require.Equal(t, false, wrong["ok"])
	require.Equal(t, float64(2), wrong["line"])
	require.Equal(t, true, s.call("POST", "sessions/"+id+"/check", object{"source": "total++"})["ok"])
	require.NotEmpty(t, s.call("GET", "sessions/"+id+"/builtins", nil).list("builtins"))
	require.Contains(t, s.call("POST", "sessions/"+id+"/members", object{"operand": "strings"})["members"], "ToUpper")
}

// One client at a time works in a session. Others are told which client that is, and their requests do not begin.
func TestBusySessionSaysWhoIsAtIt(t *testing.T) {
	t.Parallel()
	halfway, on := make(chan struct{}), make(chan struct{})
	s := start(t, &talker{replies: []string{"an answer"}, half: func(int) { close(halfway); <-on }})
	id := s.session()
	status, _, _ := s.send("POST", "api/v1/sessions/"+id+"/ask", object{"question": "q"}, func(r *http.Request) {
		r.Header.Set("Rlm-Client", "window1")
	})
	require.Equal(t, http.StatusAccepted, status)
	<-halfway
	for path, body := range map[string]object{
		"ask": {"question": "other"}, "cells": {"source": "1"}, "undo": {}, "complete": {"before": "x"},
		"documents": {"texts": []object{{"name": "a", "text": "b"}}}, "fork": {},
	} {
		told := s.refused("busy", "POST", "sessions/"+id+"/"+path, body)
		require.Equal(t, "ask", told.at("state").text("doing"))
		require.Equal(t, "owner", told.at("state").text("by"))
		require.Equal(t, "window1", told.at("state").text("client"))
	}
	s.refused("busy", "DELETE", "sessions/"+id, nil)
	require.Equal(t, "log", s.call("GET", "sessions/"+id+"/variables", nil).text("from"))
	s.call("GET", "sessions/"+id+"/documents", nil)
	s.call("GET", "sessions/"+id+"/text", nil)
	require.Equal(t, false, s.call("GET", "sessions/"+id+"/settings", nil)["pending"])
	close(on)
	s.settled(id)
	require.Equal(t, "completed", s.call("GET", "sessions/"+id, nil).text("status"))
	require.Equal(t, "an answer", s.call("GET", "sessions/"+id, nil).text("answer"))
}

// Runs beyond --max-runs wait, which clients can see, and can be stopped while they wait.
func TestRunsWaitTheirTurn(t *testing.T) {
	t.Parallel()
	halfway, on := make(chan struct{}, 8), make(chan struct{})
	s := start(t, &talker{replies: []string{"an answer"}, half: func(int) { halfway <- struct{}{}; <-on }},
		func(c *api.Config) { c.MaxRuns = 1 })
	first, second, third := s.session(), s.session(), s.session()
	s.call("POST", "sessions/"+first+"/ask", object{"question": "q"})
	<-halfway
	s.call("POST", "sessions/"+second+"/ask", object{"question": "q"})
	st := s.follow("session="+second+":0", "")
	st.until(func(m message) bool { return m.kind() == "state" && m.data()["ahead"] == float64(0) })
	s.call("POST", "sessions/"+third+"/ask", object{"question": "q"})
	other := s.follow("session="+third+":0", "")
	other.until(func(m message) bool { return m.kind() == "state" && m.data()["ahead"] == float64(1) })
	s.call("POST", "sessions/"+second+"/stop", nil)
	st.until(free)
	other.until(func(m message) bool { return m.kind() == "state" && m.data()["ahead"] == float64(0) })
	close(on)
	other.until(ofKind("run_ended"))
	s.settled(first)
	require.Zero(t, s.call("GET", "sessions/"+second, nil)["questions"])
}

func TestStopUndoForkAndReplay(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence("a := 1"), fence("a++"), fence("FINAL(a)")}})
	id := s.session()
	s.do(id, "ask", object{"question": "q"})
	require.Equal(t, "2", s.call("GET", "sessions/"+id, nil).text("answer"))

	copied := s.call("POST", "sessions/"+id+"/fork", nil).text("id")
	require.Equal(t, "2", s.values(copied)["a"])
	turn := s.call("POST", "sessions/"+id+"/fork", object{"turn": 1, "run": 1}).text("id")
	s.settled(turn)
	require.Equal(t, "2", s.call("GET", "sessions/"+turn, nil).text("answer"), "it went on from turn 1")
	s.refused("failed", "POST", "sessions/"+id+"/fork", object{"turn": 9})

	told := s.call("GET", "sessions/"+id+"/messages?run=1&turn=2", nil)
	require.Equal(t, told["count"], float64(len(told.list("messages"))))
	var fresh []string
	for _, m := range told.list("messages") {
		if m["new"] == true {
			fresh = append(fresh, m.text("kind"))
		}
	}
	require.Equal(t, []string{"reply", "observation"}, fresh)
	s.refused("not_found", "GET", "sessions/"+id+"/messages?run=1&turn=7", nil)

	req, err := http.NewRequest("POST", s.url+"api/v1/sessions/"+id+"/replay", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	cells := 0
	for lines := bufio.NewScanner(res.Body); lines.Scan(); cells++ {
		var cell object
		require.NoError(t, json.Unmarshal(lines.Bytes(), &cell))
		require.Equal(t, true, cell["same"], "%v", cell)
	}
	require.Equal(t, 3, cells)

	s.do(id, "undo", nil)
	require.NotContains(t, s.values(id), "a")
	require.Zero(t, s.call("GET", "sessions/"+id, nil)["questions"])
	require.Equal(t, "task", s.call(
		"PATCH", "sessions/"+id+"/settings", object{"mode": "task", "budgets": object{"cost": 2}}).text("mode"))
	require.Equal(t, float64(2), s.call("GET", "sessions/"+id+"/settings", nil).at("budgets")["cost"])
	verified := s.call("POST", "sessions/"+turn+"/verify", nil)
	require.True(t, verified["holds"] == true)
	require.NotEmpty(t, verified.at("grounding").text("verdict"))
}

// Verify names the documents whose files have changed, as the command does.
func TestVerifySaysWhatHasChanged(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.log")
	require.NoError(t, os.WriteFile(file, []byte("one\ntwo\n"), 0o600))
	s := start(t, &talker{replies: []string{fence("FINAL(len(docs[0].Text))")}},
		func(c *api.Config) { c.Files = []string{file} })
	id := s.call("POST", "sessions", object{"paths": []string{file}}).text("id")
	s.do(id, "ask", object{"question": "q"})
	require.Empty(t, s.call("POST", "sessions/"+id+"/verify", nil).list("changed"))
	require.NoError(t, os.WriteFile(file, []byte("one\ntwo\nthree\n"), 0o600))
	changed := s.call("POST", "sessions/"+id+"/verify", nil).list("changed")
	require.Len(t, changed, 1)
	require.Contains(t, changed[0].text("name"), "a.log")
	require.Equal(t, "grown", changed[0].text("state"))
}

// What an answer of an earlier version rests on, which its log does not record, is traced for all who read it.
func TestReadersOfAnOldLogSeeWhatItRestsOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := startIn(t, dir, &talker{replies: []string{
		fence(`fmt.Println("n", len(context))`), fence("FINAL(len(context))"),
	}})
	id := first.session(object{"name": "a.txt", "text": strings.Repeat("one\n", 5000)})
	first.do(id, "ask", object{"question": "how long?"})
	first.end()
	file := filepath.Join(dir, "rlm", "runs", id, "trajectory.jsonl")
	log, err := os.ReadFile(file)
	require.NoError(t, err)
	old := regexp.MustCompile(`,"grounding":\{.*\}(\}\})`).ReplaceAll(log, []byte("$1"))
	require.NotContains(t, string(old), "grounded")
	require.NoError(t, os.WriteFile(file, old, 0o600))
	s := startIn(t, dir, &talker{})
	all := s.follow("session="+id+":0", "").until(ofKind("run_ended"))
	ended := all[len(all)-1]
	require.Equal(t, "grounded", ended.data().at("grounding").text("verdict"), "%v", ended.data())
	one := s.call("GET", fmt.Sprintf("sessions/%s/events/%d", id, ended.number()), nil)
	require.Equal(t, "grounded", one.at("data").at("grounding").text("verdict"))
}

// If a task fails after it was accepted, readers of the event stream are notified.
func TestFailureOfWhatWasBegunIsTold(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	id := s.session()
	st := s.follow("session="+id+":0", "")
	st.until(free)
	s.call("POST", "sessions/"+id+"/undo", nil)
	all := st.until(ofKind("failed"))
	require.Equal(t, "undo", all[len(all)-1].data().text("doing"))
	require.Contains(t, all[len(all)-1].data().text("message"), "no question")
}

// An idle session releases its worker, and its variables are back when it is used again.
func TestIdleSessionRestsAndComesBack(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{}, func(c *api.Config) { c.IdleAfter = 50 * time.Millisecond })
	id := s.session()
	st := s.follow("session="+id+":0", "")
	s.call("POST", "sessions/"+id+"/cells", object{"source": "kept := 42"})
	st.until(ofKind("cell_ended"))
	st.until(func(m message) bool { return m.kind() == "state" && m.data()["open"] == false })
	require.Equal(t, "42", s.values(id)["kept"], "from the log, without a worker")
	s.call("POST", "sessions/"+id+"/cells", object{"source": "kept++"})
	st.until(ofKind("cell_ended"))
	st.until(free)
	require.Equal(t, "43", s.values(id)["kept"])
}

// Only a few of many idle sessions keep their workers.
func TestOnlyAFewUnusedSessionsKeepTheirWorkers(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{}, func(c *api.Config) { c.MaxIdle, c.IdleAfter = 2, time.Hour })
	var ids []string
	var queries []string
	for range 5 {
		id := s.session()
		ids, queries = append(ids, id), append(queries, "session="+id+":0")
	}
	open := map[string]bool{}
	for _, id := range ids {
		open[id] = true
	}
	st := s.follow(strings.Join(queries, "&"), "")
	st.until(func(m message) bool {
		if m.kind() == "state" && m.data()["open"] == false {
			delete(open, m.session)
		}
		return len(open) == 2
	})
	require.Equal(t, map[string]bool{ids[3]: true, ids[4]: true}, open, "those that were used last")
	s.do(ids[0], "cells", object{"source": "back := 1"})
	require.Equal(t, "1", s.values(ids[0])["back"])
}

// A server killed in the middle of a reply restarts at the same address with the same token; the page's stream
// continues, and no recorded call is paid for again.
func TestServerKilledInTheMiddleOfAReply(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, cmd := alone(t, dir, "patient")
	id := s.session(object{"name": "a", "text": "text"})
	s.do(id, "cells", object{"source": "mine := 7"})
	st := s.follow("session="+id+":0", "")
	s.call("POST", "sessions/"+id+"/ask", object{"question": "q"})
	st.until(ofKind("cell_ended"))
	st.until(func(m message) bool { return m.kind() == "reply_delta" && m.event["turn"] == float64(2) })
	last := st.last
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()

	again, cmd := alone(t, dir, "patient")
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	require.Equal(t, s.url, again.url)
	require.Equal(t, s.token, again.token)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	back := again.follow("session="+id+":0", last)
	require.Equal(t, "interrupted", again.call("GET", "sessions/"+id, nil).text("status"))
	require.Equal(t, true, again.call("GET", "sessions/"+id+"/settings", nil)["pending"])
	again.call("POST", "sessions/"+id+"/resume", nil)
	all := back.until(ofKind("run_ended"))
	require.Equal(t, "42", all[len(all)-1].data().text("answer"))
	for _, m := range all {
		require.NotEqual(t, "run_started", m.kind(), "what was heard before does not come again")
	}
	again.settled(id)
	require.Equal(t, "7", again.values(id)["mine"])
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	require.NoError(t, err)
	require.Equal(t, "turn 0\nturn 1\nturn 1\n", string(asked), "the recorded turn was not asked again")
}
