package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContextIsReadInWindows(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "line %d of the first\n", i+1)
	}
	id := s.session(object{"name": "dir/first.txt", "text": b.String()},
		object{"name": "second.txt", "text": "one\ntwo ü\nthree\n"})
	docs := s.call("GET", "sessions/"+id+"/documents", nil)
	require.Equal(t, float64(2), docs["total"])
	first, second := docs.list("documents")[0], docs.list("documents")[1]
	require.Equal(t, "dir/first.txt", first.text("name"))
	require.Len(t, s.call("GET", "sessions/"+id+"/documents?q=SECOND", nil).list("documents"), 1)

	text := func(query string) object { return s.call("GET", "sessions/"+id+"/text?"+query, nil) }
	w := text("document=second.txt&lines=2")
	require.Equal(t, "one\ntwo ü\n", w.text("text"))
	require.Equal(t, second["offset"], w["offset"])
	require.Equal(t, float64(1), w["line"])
	next := text(fmt.Sprintf("document=second.txt&lines=5&offset=%.0f", w["end"]))
	require.Equal(t, "three\n", next.text("text"))
	require.Equal(t, float64(3), next["line"])
	back := text(fmt.Sprintf("document=second.txt&lines=-1&offset=%.0f", next["offset"]))
	require.Equal(t, "two ü\n", back.text("text"))
	require.Equal(t, "line 4321 of the first\n",
		text("document="+url.QueryEscape("dir/first.txt")+"&line=4321&lines=1").text("text"))
	require.Empty(t, text("document=second.txt&line=99").text("text"))
	s.refused("not_found", "GET", "sessions/"+id+"/text?document=absent", nil)
	s.refused("bad_request", "GET", "sessions/"+id+"/text?offset=x", nil)

	hits := s.call("GET", "sessions/"+id+"/find?q="+url.QueryEscape("two ü"), nil).list("hits")
	require.Len(t, hits, 1)
	require.Equal(t, "second.txt", hits[0].text("document"))
	require.Equal(t, float64(2), hits[0]["line"])
	require.Equal(t, float64(len("two ü")), hits[0]["length"])
	some := s.call("GET", "sessions/"+id+"/find?how=regular&limit=2&q="+url.QueryEscape(`line \d{4} `), nil)
	require.Equal(t, true, some["more"])
	require.Equal(t, float64(1000), some.list("hits")[0]["line"])
	more := s.call("GET", fmt.Sprintf(
		"sessions/%s/find?how=regular&limit=1&from=%.0f&q=%s", id, some["next"], url.QueryEscape(`line \d{4} `)), nil)
	require.Equal(t, float64(1002), more.list("hits")[0]["line"])
	s.refused("bad_request", "GET", "sessions/"+id+"/find?how=regular&q="+url.QueryEscape("("), nil)
	s.refused("bad_request", "GET", "sessions/"+id+"/find?how=magic&q=a", nil)
}

// A ranked search through much text can be done in parts: each part reports its progress, and cells can run between
// them.
func TestASearchGoesOnBetweenCells(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	id := s.session()
	status, out, _ := s.uploads(id, map[string]string{"ledger.txt": strings.Repeat(
		"nothing of interest stands in this line of the ledger\n", 400_000) + "the valve is corroded\n"})
	require.Equal(t, http.StatusAccepted, status, "%v", out)
	s.settled(id)
	find := func() object {
		return s.call("GET", "sessions/"+id+"/find?how=ranked&limit=3&partly=true&q=corroded+valve", nil)
	}
	got := find()
	for read, n := 0.0, 1; got["more"] == true; n++ {
		require.Empty(t, got.list("hits"))
		require.Greater(t, got["next"], read)
		read = got["next"].(float64)
		s.do(id, "cells", object{"source": fmt.Sprintf("n := %d", n)})
		require.Equal(t, fmt.Sprint(n), s.values(id)["n"])
		got = find()
	}
	hit := got.list("hits")[0]
	require.Contains(t, hit.text("text"), "nothing of interest")
	require.Equal(t, "ledger.txt", hit.text("document"))
	require.Equal(t, got["hits"],
		s.call("GET", "sessions/"+id+"/find?how=ranked&limit=3&q=corroded+valve", nil)["hits"])
	literal := s.call("GET", "sessions/"+id+"/find?partly=true&q=corroded", nil)
	require.Equal(t, float64(400_001), literal.list("hits")[0]["line"])
}

func TestUploadsBecomeDocuments(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	id := s.session(object{"name": "old.txt", "text": "old text"})
	status, out, _ := s.uploads(id, map[string]string{"notes/a.txt": "uploaded text", "../../b.txt": "other"})
	require.Equal(t, http.StatusAccepted, status, "%v", out)
	s.settled(id)
	var names []string
	for _, d := range s.call("GET", "sessions/"+id+"/documents", nil).list("documents") {
		names = append(names, d.text("name"))
	}
	require.ElementsMatch(t, []string{"old.txt", "notes/a.txt", "../../b.txt"}, names, "a name is only a name")
	require.Contains(t, s.call("GET", "sessions/"+id+"/text", nil).text("text"), "uploaded text")
	outside, err := filepath.Glob(filepath.Join(s.dir, "rlm", "**", "b.txt"))
	require.NoError(t, err)
	require.Empty(t, outside)
	left, err := filepath.Glob(filepath.Join(s.dir, "rlm", "runs", id, "upload-*"))
	require.NoError(t, err)
	require.Empty(t, left, "uploads are deleted when they have been read")

	s.call("DELETE", "sessions/"+id+"/documents?name=old.txt", nil)
	s.settled(id)
	require.NotContains(t, s.call("GET", "sessions/"+id+"/text", nil).text("text"), "old text")
	status, _, _ = s.uploads(id, map[string]string{})
	require.Equal(t, http.StatusBadRequest, status)
	s.refused("media_type", "POST", "sessions/"+id+"/uploads", object{})
}

func TestSearchThroughAllSessions(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence("needleVariable := 1"), "The Needle is in the hay."}})
	id := s.session()
	s.do(id, "ask", object{"question": "Where is the needle?"})
	s.call("PATCH", "sessions/"+id, object{"name": "needles"})
	in := map[string]bool{}
	for _, h := range s.call("GET", "search?q=NEEDLE", nil).list("hits") {
		in[h.text("in")] = true
		at, length := int(h["at"].(float64)), int(h["length"].(float64))
		require.True(t, strings.EqualFold("needle", h.text("text")[at:at+length]), "%v", h)
	}
	require.Equal(t, map[string]bool{"question": true, "answer": true, "cell": true, "name": true}, in)
	require.Empty(t, s.call("GET", "search?q=absent", nil).list("hits"))
	s.refused("bad_request", "GET", "search?q=", nil)
	listed := s.call("GET", "sessions?q=hay", nil)
	require.Equal(t, float64(1), listed["total"], "answers are looked through in the list")
}

func TestEventsOfARunInPages(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{"yes"}})
	id := s.session()
	s.do(id, "ask", object{"question": "q"})
	page := s.call("GET", "sessions/"+id+"/events?limit=3", nil)
	require.Equal(t, true, page["more"])
	require.Len(t, page.list("events"), 3)
	require.Empty(t, s.call("GET", "sessions/"+id+"/events?path=1.1/1", nil).list("events"))
	require.Empty(t, s.call("GET", "sessions/"+id+"/marks", nil).list("marks"))
}
