package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/runner/trajectory"
)

// wire is a WebSocket connection.
type wire struct {
	t    testing.TB
	conn *websocket.Conn
	n    int
	kept []object // messages before a reply
}

// socket opens a connection.
func (s *site) socket() *wire {
	s.t.Helper()
	conn, res, err := websocket.Dial(s.t.Context(), s.url+"api/v1/socket",
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + s.token}}})
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusSwitchingProtocols, res.StatusCode)
	conn.SetReadLimit(64 << 20)
	s.t.Cleanup(func() { _ = conn.CloseNow() })
	return &wire{t: s.t, conn: conn}
}

func (w *wire) write(text string) {
	w.t.Helper()
	require.NoError(w.t, w.conn.Write(w.t.Context(), websocket.MessageText, []byte(text)))
}

// next returns the next message of any kind.
func (w *wire) next() object {
	w.t.Helper()
	if len(w.kept) > 0 {
		m := w.kept[0]
		w.kept = w.kept[1:]
		return m
	}
	return w.read()
}

func (w *wire) read() object {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Minute)
	defer cancel()
	_, b, err := w.conn.Read(ctx)
	require.NoError(w.t, err)
	var out object
	require.NoError(w.t, json.Unmarshal(b, &out), "%s", b)
	return out
}

// order sends a request and returns the reply. Earlier messages are kept.
func (w *wire) order(o object) object {
	w.t.Helper()
	w.n++
	o["id"] = fmt.Sprint(w.n)
	b, err := json.Marshal(o)
	require.NoError(w.t, err)
	w.write(string(b))
	for {
		m := w.read()
		if m["id"] == o["id"] {
			return m
		}
		w.kept = append(w.kept, m)
	}
}

// do sends a request that must succeed.
func (w *wire) do(o object) object {
	w.t.Helper()
	a := w.order(o)
	require.Less(w.t, a["status"], 300.0, "%v: %v", o, a)
	return a.at("answer")
}

// until reads messages of a session up to an event for which found is true; it returns the events and the reader's
// position.
func (w *wire) until(session string, found func(message) bool) (all []message, after int64) {
	w.t.Helper()
	for {
		m := w.next()
		if m.text("session") != session {
			continue
		}
		n, _ := m["after"].(float64)
		after = int64(n)
		there := false
		for _, ev := range m.list("events") {
			all = append(all, message{session: session, event: ev})
			there = there || found(all[len(all)-1])
		}
		if there {
			return all, after
		}
	}
}

// durable returns the numbers of the events that are in the log, in order of arrival.
func durable(messages []message) (seqs []int64) {
	transient := map[string]bool{
		"state": true, "reply_delta": true, "cell_printed": true, "spent": true, "calls": true,
		"failed": true, "gone": true,
	}
	for _, m := range messages {
		if !transient[m.kind()] {
			seqs = append(seqs, m.number())
		}
	}
	return seqs
}

// TestSocketIsTheAPI: HTTP requests work over the socket too, with the same replies and the same events.
func TestSocketIsTheAPI(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence(`x := llm_query("sub")` + "\nfmt.Println(x)"), fence("FINAL(x)")}})
	w := s.socket()
	require.Equal(t, "test", w.do(object{"do": "GET about"}).text("version"))
	id := w.do(object{
		"do":   "POST sessions",
		"body": object{"name": "mine", "texts": []object{{"name": "a", "text": "text"}}},
	}).text("id")
	require.Equal(t, s.call("GET", "sessions/"+id, nil)["name"], "mine")
	require.Equal(t, id, w.do(object{"do": "follow", "session": id[:len(id)-1]}).text("session"),
		"the whole id, of its beginning")
	w.until(id, free)
	require.Equal(t, "ask", w.do(object{
		"do": "POST sessions/" + id + "/ask", "key": "k", "body": object{"question": "q"},
	}).at("state").text("doing"))
	w.until(id, ofKind("run_ended"))
	require.Equal(t, "re: sub", s.call("GET", "sessions/"+id, nil).text("answer"))
	again := w.do(object{"do": "POST sessions/" + id + "/ask", "key": "k", "body": object{"question": "q"}})
	require.Equal(t, true, again["again"], "once for each key: %v", again)
	require.Equal(t, "text\n", w.do(object{"do": "GET sessions/" + id + "/text?lines=1"}).text("text")+"\n")

	// All events of the session, from the stream.
	var want []int64
	st := s.follow("session="+id+":0", "")
	for _, m := range st.until(free) {
		if m.id != "" {
			want = append(want, m.number())
		}
	}
	other := s.socket()
	other.do(object{"do": "follow", "session": id})
	all, after := other.until(id, free)
	require.Equal(t, want, durable(all))
	require.Equal(t, want[len(want)-1], after)

	for _, c := range []struct {
		o      object
		status float64
		code   string
	}{
		{object{"do": "GET sessions/absent"}, 404, "not_found"},
		{object{"do": "GET nothing"}, 404, "not_found"},
		{object{"do": "GET events?session=" + id}, 404, "not_found"},
		{object{"do": "PUT sessions"}, 404, "not_found"},
		{object{"do": "GET ../../v1/models"}, 404, "not_found"},
		{object{"do": ""}, 404, "not_found"},
		{object{"do": "B(D x"}, 400, "bad_request"},
		{object{"do": "POST sessions/" + id + "/ask", "body": object{"question": ""}}, 400, "bad_request"},
		{object{"do": "POST sessions/" + id + "/ask", "body": object{"nope": 1}}, 400, "bad_request"},
		{
			object{"do": "POST sessions/" + id + "/ask", "key": "k", "body": object{"question": "another"}},
			422,
			"key_used",
		},
		{
			object{"do": "POST sessions/" + id + "/ask", "key": "a\nb", "body": object{"question": "q"}},
			400,
			"bad_request",
		},
		{object{"do": "follow", "session": id}, 400, "bad_request"},
		{object{"do": "follow", "session": "absent"}, 404, "not_found"},
		{object{"do": "follow", "session": id, "after": -1}, 400, "bad_request"},
		{object{"do": "unfollow", "session": "absent"}, 404, "not_found"},
	} {
		a := w.order(c.o)
		require.Equal(t, c.status, a["status"], "%v: %v", c.o, a)
		require.Equal(t, c.code, a.at("error").text("code"), "%v: %v", c.o, a)
		require.NotEmpty(t, a.at("error").text("message"))
	}
	w.do(object{"do": "unfollow", "session": id})
	w.kept = nil
	w.do(object{"do": "POST sessions/" + id + "/cells", "body": object{"source": "y := 1"}})
	s.settled(id)
	w.do(object{"do": "GET about"})
	require.Empty(t, w.kept, "nothing comes of a session that is not followed any more")
}

// TestSocketOfManySessions: one connection follows many concurrent runs, and the list; each session's events
// arrive in order and completely.
func TestSocketOfManySessions(t *testing.T) {
	t.Parallel()
	const sessions = 4
	s := start(t, &talker{replies: []string{fence("x := 1"), fence("x++"), fence("FINAL(x)")}}, func(c *api.Config) {
		c.MaxRuns = sessions
	})
	w := s.socket()
	w.do(object{"do": "follow", "session": "*"})
	got, ended, listed := map[string][]message{}, map[string]bool{}, map[string]bool{}
	var ids []string
	for range sessions {
		id := w.do(object{"do": "POST sessions", "body": object{}}).text("id")
		w.do(object{"do": "follow", "session": id})
		ids = append(ids, id)
	}
	for _, id := range ids {
		w.write(fmt.Sprintf(`{"id":"ask","do":"POST sessions/%s/ask","body":{"question":"q"}}`, id))
	}
	for len(ended) < sessions || len(listed) < sessions {
		m := w.next()
		session := m.text("session")
		for _, ev := range m.list("events") {
			got[session] = append(got[session], message{session: session, event: ev})
			switch {
			case session == "*" && ev.text("type") == "session" && ev.at("data").text("status") == "completed":
				listed[ev.at("data").text("id")] = true
			case ev.text("type") == "run_ended":
				ended[session] = true
			}
		}
	}
	for _, id := range ids {
		for i, seq := range durable(got[id]) {
			require.Equal(t, int64(i+1), seq, "no gaps")
		}
	}

	var last object
	for i := range mostWatched - sessions {
		id := fmt.Sprintf("copy-%02d", i)
		require.NoError(t, os.CopyFS(
			filepath.Join(trajectory.RunsDir(s.dir), id), os.DirFS(filepath.Join(trajectory.RunsDir(s.dir), ids[0]))))
		last = w.order(object{"do": "follow", "session": id})
	}
	require.Equal(t, "limit", last.at("error").text("code"), "the list is one of them: %v", last)
}

// mostWatched is the number of sessions that a connection can follow, according to the server's documentation.
const mostWatched = 64

// TestSocketComesBack: a reader that was cut off at any point, even by the end of the server, continues after the
// last event received.
func TestSocketComesBack(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence("x := 1"), fence("FINAL(x)"), fence("FINAL(2)")}})
	id := s.session()
	s.do(id, "ask", object{"question": "q"})
	w := s.socket()
	w.do(object{"do": "follow", "session": id})
	all, last := w.until(id, free)
	seqs := durable(all)
	require.Greater(t, len(seqs), 10)
	for i := range seqs {
		back := s.socket()
		back.do(object{"do": "follow", "session": id, "after": i})
		rest, after := back.until(id, free)
		require.Equal(t, seqs[i:], durable(rest))
		require.Equal(t, last, after)
		require.NoError(t, back.conn.Close(websocket.StatusNormalClosure, ""))
	}

	var err error
	var reading sync.WaitGroup
	reading.Go(func() { // while the server ends, because it waits for an answer to its close frame
		for err == nil {
			_, _, err = w.conn.Read(t.Context())
		}
	})
	s.end()
	reading.Wait()
	require.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(err), "%v", err)
	s = startIn(t, s.dir, &talker{replies: []string{fence("FINAL(3)")}})
	w = s.socket()
	w.do(object{"do": "follow", "session": id, "after": last})
	rest, now := w.until(id, free)
	require.Empty(t, durable(rest))
	require.Equal(t, last, now)
	w.do(object{"do": "POST sessions/" + id + "/cells", "body": object{"source": "n := 7"}})
	rest, _ = w.until(id, ofKind("cell_ended"))
	require.Equal(t, last+1, durable(rest)[0], "nothing is lost")
}

// TestSocketInSums: a reader that wants no details gets none of a cell's calls, but its cursor moves past them.
func TestSocketInSums(t *testing.T) {
	t.Parallel()
	const calls = 700
	s := start(t, &talker{replies: []string{fence(fmt.Sprintf(`prompts := make([]string, %d)
for i := range prompts { prompts[i] = fmt.Sprint("prompt ", i) }
FINAL(len(llm_query_batched(prompts)))`, calls))}})
	id := s.session()
	w := s.socket()
	w.do(object{"do": "follow", "session": id, "detail": "brief"})
	w.until(id, free)
	w.do(object{"do": "POST sessions/" + id + "/ask", "body": object{"question": "q"}})
	all, after := w.until(id, ofKind("run_ended"))
	for _, m := range all {
		require.NotContains(t, []string{"sub_call_started", "sub_call_ended"}, m.kind())
	}
	require.Greater(t, after, int64(2*calls))
}

// TestSocketThatIsNotRead: a reader that reads nothing blocks neither the run nor other readers.
func TestSocketThatIsNotRead(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence(`for i := range 3000 { fmt.Println(i, strings.Repeat("-", 1000)) }
FINAL("done")`)}})
	id := s.session()
	for range 20 {
		stuck := s.socket() // reads nothing more
		stuck.write(`{"do":"follow","session":"` + id + `"}`)
	}
	w := s.socket()
	w.do(object{"do": "follow", "session": id})
	w.until(id, free)
	w.do(object{"do": "POST sessions/" + id + "/ask", "body": object{"question": "q"}})
	w.until(id, ofKind("run_ended"))
	s.settled(id)
	require.Equal(t, "done", s.call("GET", "sessions/"+id, nil).text("answer"))
}

// TestSocketOfASessionThatGoes: followers are told that the session was deleted, and the connection stays open.
func TestSocketOfASessionThatGoes(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	id := s.session()
	w := s.socket()
	w.do(object{"do": "follow", "session": id})
	w.until(id, free)
	s.call("DELETE", "sessions/"+id, nil)
	all, _ := w.until(id, ofKind("gone"))
	require.Equal(t, "not_found", all[len(all)-1].data().text("code"))
	a := w.order(object{"do": "follow", "session": id})
	require.Equal(t, 404.0, a["status"])
	require.Equal(t, "test", w.do(object{"do": "GET about"}).text("version"))
}

// TestSocketAndWhatIsNoOrder: invalid messages are answered with an error and do no harm; one that is too large
// ends the connection.
func TestSocketAndWhatIsNoOrder(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	w := s.socket()
	for text, says := range map[string]string{
		"":                              "JSON",
		"nonsense":                      "JSON",
		"[1,2]":                         "JSON",
		`{"do":"GET about"} {}`:         "after its end",
		`{"do":1}`:                      "JSON",
		`{"do":"GET about","extra":1}`:  "extra",
		`{"do":"follow","after":1e400}`: "JSON",
		strings.Repeat("[", 20_000):     "JSON",
		`{"id":"x","do":"POST sessions","body":` + strings.Repeat("[", 20_000): "JSON",
		"\x00\xff": "JSON",
	} {
		w.write(text)
		m := w.next()
		require.Equal(t, 400.0, m["status"], "%v", m)
		require.Equal(t, "bad_request", m.at("error").text("code"))
		require.Contains(t, m.at("error").text("message"), says)
	}
	w.write(`{"id":"named","dew":1}`)
	require.Equal(t, "named", w.next().text("id"), "the answer has the id where one can be read")
	require.NoError(t, w.conn.Write(t.Context(), websocket.MessageBinary, []byte(`{"do":"GET about"}`)))
	require.Equal(t, 400.0, w.next()["status"])
	require.Equal(t, "test", w.do(object{"do": "GET about"}).text("version"), "the connection lives")

	// A body up to the limit is accepted, a larger one is not.
	large := w.do(object{
		"do":   "POST sessions",
		"body": object{"texts": []object{{"name": "a", "text": strings.Repeat("x", 7<<20)}}},
	})
	require.NotEmpty(t, large.text("id"))
	// The write fails when the server closes the connection.
	go func() { _ = w.conn.Write(t.Context(), websocket.MessageText, make([]byte, 32<<20)) }()
	_, _, err := w.conn.Read(t.Context())
	require.Error(t, err)
	s.call("GET", "about", nil)
}

// TestSocketIsGuarded: the socket checks user, host name and origin like all routes; a removed user is no longer
// served.
func TestSocketIsGuarded(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	ada, bob := s.user("ada"), s.user("bob")
	for name, c := range map[string]struct {
		change func(o *websocket.DialOptions)
		status int
	}{
		"no token":      {func(o *websocket.DialOptions) { o.HTTPHeader = nil }, 401},
		"a wrong token": {func(o *websocket.DialOptions) { o.HTTPHeader.Set("Authorization", "Bearer x") }, 401},
		"another site's page": {func(o *websocket.DialOptions) {
			o.HTTPHeader.Set("Origin", "https://evil.example")
		}, 403},
		"a page of another port": {func(o *websocket.DialOptions) {
			o.HTTPHeader.Set("Origin", "http://127.0.0.1:1")
		}, 403},
		"no page's":    {func(o *websocket.DialOptions) { o.HTTPHeader.Set("Origin", "null") }, 403},
		"another name": {func(o *websocket.DialOptions) { o.Host = "evil.example" }, 421},
		"its own page": {func(o *websocket.DialOptions) {
			o.HTTPHeader.Set("Origin", strings.TrimSuffix(s.url, "/"))
		}, 101},
		"with no frill": {func(*websocket.DialOptions) {}, 101},
	} {
		o := &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + s.token}}}
		c.change(o)
		conn, res, _ := websocket.Dial(t.Context(), s.url+"api/v1/socket", o)
		require.NotNil(t, res, name)
		require.Equal(t, c.status, res.StatusCode, name)
		if conn != nil {
			require.NoError(t, conn.CloseNow())
		}
	}
	s.refused("bad_request", "GET", "socket", nil)
	s.refused("method", "POST", "socket", object{})

	id := ada.session()
	hers, his := ada.socket(), bob.socket()
	hers.do(object{"do": "follow", "session": id})
	a := his.order(object{"do": "follow", "session": id})
	require.Equal(t, 404.0, a["status"])
	a = his.order(object{"do": "POST sessions/" + id + "/cells", "body": object{"source": "1"}})
	require.Equal(t, 404.0, a["status"])
	require.NoError(t, api.OpenUsers(s.dir).Remove("bob"))
	// The connection may be closed already.
	_ = his.conn.Write(t.Context(), websocket.MessageText, []byte(`{"id":"late","do":"GET about"}`))
	for {
		_, data, err := his.conn.Read(t.Context())
		if err != nil {
			require.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(err), err)
			break
		}
		require.Contains(t, string(data), `"status":4`)
	}
	require.Equal(t, "ada", hers.do(object{"do": "GET about"}).text("user"))
}

// TestASocketEndsWithItsUser: the socket of a removed user ends long before the next ping, but only after its
// running commands are answered.
func TestASocketEndsWithItsUser(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	bob := s.user("bob")
	pinged := make(chan struct{}, 10)
	first, _, err := websocket.Dial(t.Context(), s.url+"api/v1/socket", &websocket.DialOptions{
		HTTPHeader:     http.Header{"Authorization": {"Bearer " + s.token}},
		OnPingReceived: func(context.Context, []byte) bool { pinged <- struct{}{}; return true },
	})
	require.NoError(t, err)
	defer func() { _ = first.CloseNow() }()
	go func() { _, _, _ = first.Read(t.Context()) }() // answers pings
	his := bob.socket()
	require.NoError(t, api.OpenUsers(s.dir).Remove("bob"))
	_, _, err = his.conn.Read(t.Context())
	require.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(err), err)
	require.Empty(t, pinged, "the other connection is the older one")
}
