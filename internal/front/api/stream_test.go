package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A reader that reconnects gets every durable event once and in order, wherever it was cut off.
func TestStreamGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence("x := 1"), fence("FINAL(x)")}})
	id := s.session(object{"name": "a", "text": "text"})
	s.do(id, "ask", object{"question": "q"})
	whole := s.follow("session="+id+":0", "")
	var seqs []int64
	ids := []string{""}
	for _, m := range whole.until(free) {
		if m.id != "" {
			seqs, ids = append(seqs, m.number()), append(ids, m.id)
		}
	}
	for i, seq := range seqs {
		require.Equal(t, int64(i+1), seq, "no gaps")
	}
	require.Greater(t, len(seqs), 10)
	for i, last := range ids {
		var got []int64
		st := s.follow("session="+id+":0", last)
		for _, m := range st.until(free) {
			if m.id != "" {
				got = append(got, m.number())
			}
		}
		st.close()
		require.Equal(t, seqs[i:], append([]int64{}, got...), "after %q", last)
	}
	for _, bad := range []string{
		"", "session=" + id + ":x", "session=" + id + ":-1", strings.Repeat("session="+id+"&", 70),
	} {
		s.refused("bad_request", "GET", "events?"+bad, nil)
	}
	s.refused("not_found", "GET", "events?session=absent", nil)
}

// A reader that joins or reconnects in the middle of a reply gets the text so far first.
func TestReaderWhoJoinsInTheMiddleGetsTheTextSoFar(t *testing.T) {
	t.Parallel()
	reply := "The first half of an answer, " + "and then the second half of it."
	halfway, on := make(chan struct{}), make(chan struct{})
	s := start(t, &talker{replies: []string{reply}, half: func(int) { close(halfway); <-on }})
	id := s.session()
	s.call("POST", "sessions/"+id+"/ask", object{"question": "q"})
	<-halfway
	text := func(messages []message) (out string) {
		for _, m := range messages {
			if m.kind() == "reply_delta" {
				if m.data()["restart"] == true {
					out = ""
				}
				out += m.data().text("content")
			}
		}
		return out
	}
	// The delta may still be on its way to the feed; a reader gets it either way.
	have := func(st *stream) (all []message) {
		for text(all) != reply[:len(reply)/2] {
			m, ok := st.next()
			require.True(t, ok)
			all = append(all, m)
		}
		return all
	}
	first := s.follow("session="+id+":0", "")
	seen := have(first)
	second := s.follow("detail=brief&session="+id+":0", "")
	joined := have(second)
	back := s.follow("session="+id+":0", first.last)
	again := have(back)
	require.True(t, joined[len(joined)-1].data()["restart"] == true, "it joined after the half had come")
	close(on)
	for _, c := range []struct {
		st   *stream
		seen []message
	}{{first, seen}, {second, joined}, {back, again}} {
		rest := c.st.until(ofKind("reply_received"))
		require.Equal(t, reply, text(append(c.seen, rest...)))
		require.Equal(t, reply, rest[len(rest)-1].data().text("content"))
		c.st.until(ofKind("run_ended"))
	}
}

// A page does not receive thousands of prompts: it gets totals, and can fetch the calls in parts.
func TestCellWithThousandsOfCallsIsToldInSums(t *testing.T) {
	t.Parallel()
	const calls = 2000
	s := start(t, &talker{replies: []string{
		fence(fmt.Sprintf(`prompts := make([]string, %d)
for i := range prompts { prompts[i] = fmt.Sprintf("prompt %%d %%s", i, strings.Repeat("long ", 1000)) }
got := llm_query_batched(prompts)
FINAL(len(got))`, calls)),
	}})
	id := s.session()
	st := s.follow("detail=brief&session="+id+":0", "")
	s.call("POST", "sessions/"+id+"/ask",
		object{"question": "q", "budgets": object{"sub_calls": calls + 10, "tokens": -1}})
	bytes, ended := 0, false
	var last, spent object
	for last == nil || last["ended"] != float64(calls) || !ended {
		m, ok := st.next()
		require.True(t, ok)
		require.NotContains(t, []string{"sub_call_started", "sub_call_ended"}, m.kind())
		for _, c := range m.data().list("cells") {
			last = c
		}
		if m.kind() == "spent" {
			spent = m.data()
		}
		ended = ended || m.kind() == "run_ended"
		bytes += len(fmt.Sprint(m.event))
	}
	require.Less(t, bytes, calls*200)
	require.Equal(t, float64(calls), last["total"])
	require.Equal(t, float64(calls*15), last["tokens"])
	require.Zero(t, last["failed"])
	require.NotNil(t, spent)

	page := s.call("GET", "sessions/"+id+"/calls?cell=1&offset=1990&limit=100", nil)
	require.Equal(t, float64(calls), page["total"])
	list := page.list("calls")
	require.Len(t, list, 10)
	require.Contains(t, list[0].text("prompt"), "prompt 1990 long")
	require.Less(t, len(list[0].text("prompt")), 400)
	require.Equal(t, "done", list[0].text("status"))
	whole := s.call("GET", fmt.Sprintf("sessions/%s/events/%.0f", id, list[0]["seq"]), nil)
	require.Contains(t, whole.at("data").text("prompt"), strings.Repeat("long ", 1000))
	require.Empty(t, s.call("GET", "sessions/"+id+"/calls?cell=1&status=failed", nil).list("calls"))
	require.Len(t, s.call("GET", "sessions/"+id+"/calls?cell=1&sort=-duration&limit=5", nil).list("calls"), 5)
	s.refused("failed", "GET", "sessions/"+id+"/calls?cell=1&sort=color", nil)

	trace := s.call("GET", "sessions/"+id+"/trace?run=1", nil)
	require.GreaterOrEqual(t, len(trace.list("spans")), calls+4)
	for _, sp := range trace.list("spans") {
		require.NotEqual(t, "running", sp.text("status"), "%v", sp)
	}

	// Later readers get the totals too, and little else.
	later := s.follow("detail=brief&session="+id+":0", "")
	for _, m := range later.until(ofKind("calls")) {
		require.NotContains(t, []string{"sub_call_started", "sub_call_ended"}, m.kind())
	}
}

// Each of many readers sees the whole run, and a reader that reads nothing blocks nobody.
func TestManyReadersAndAStuckOne(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence(`for i := range 2000 { fmt.Println(i, strings.Repeat("-", 100)) }
FINAL("done")`)}})
	id := s.session()
	stuck := s.follow("session="+id+":0", "") // reads nothing more
	defer stuck.close()
	var readers sync.WaitGroup
	ended := make([]bool, 50)
	for i := range ended {
		st := s.follow("session="+id+":0", "")
		readers.Go(func() {
			for {
				m, ok := st.next()
				if !ok || m.kind() == "run_ended" {
					ended[i] = ok
					return
				}
			}
		})
	}
	s.call("POST", "sessions/"+id+"/ask", object{"question": "q"})
	readers.Wait()
	require.NotContains(t, ended, false)
}

// One connection follows several sessions and the list.
func TestOneStreamForSeveralSessions(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	a, b := s.session(), s.session()
	st := s.follow("list=1&session="+a+":0&session="+b+":0", "")
	s.call("POST", "sessions/"+a+"/cells", object{"source": "inA := 1"})
	s.call("POST", "sessions/"+b+"/cells", object{"source": "inB := 1"})
	ended := map[string]bool{}
	st.until(func(m message) bool {
		if m.kind() == "cell_ended" {
			ended[m.session] = true
		}
		return len(ended) == 2
	})
	require.Contains(t, st.last, a+":")
	require.Contains(t, st.last, b+":")
	made := s.session()
	st.until(func(m message) bool { return m.session == "*" && m.kind() == "session" && m.data().text("id") == made })
	s.call("DELETE", "sessions/"+b, nil)
	gone, removed := false, false
	st.until(func(m message) bool {
		if m.kind() == "gone" && m.session == b {
			gone = true
			require.Equal(t, "the session was deleted", m.data().text("message"))
		}
		removed = removed || m.kind() == "removed" && m.data().text("id") == b
		return gone && removed
	})
	s.do(a, "cells", object{"source": "inA"})
	st.until(func(m message) bool { return m.session == a && m.kind() == "cell_ended" })

	again := s.follow("list=1&session="+b+":0&session="+a+":0", "")
	var there bool
	gone = false
	again.until(func(m message) bool {
		gone = gone || m.kind() == "gone" && m.session == b && m.data().text("code") == "not_found"
		there = there || m.kind() == "state" && m.session == a
		return gone && there
	})
}
