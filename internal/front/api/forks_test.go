package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
)

// TestAForkKeepsTheTextItHad: a user who forked a shared session sees the text of that time, and not what its files
// contain later, even if the text is too long for sessions to keep a copy.
func TestAForkKeepsTheTextItHad(t *testing.T) {
	t.Parallel()
	dir, docs := t.TempDir(), t.TempDir()
	file := filepath.Join(docs, "a.txt")
	write := func(line string) {
		require.NoError(t, os.WriteFile(file, []byte(strings.Repeat(line+"\n", 17<<20/(len(line)+1))), 0o600))
	}
	write("before")
	in := func(cfg *api.Config) { cfg.Folders = []string{docs} }
	s := startIn(t, dir, &talker{replies: []string{fence("FINAL(1)")}}, in)
	id := s.call("POST", "sessions", object{"paths": []string{file}}).text("id")
	s.do(id, "ask", object{"question": "q"})
	s.call("PATCH", "sessions/"+id, object{"shared": true})
	bob := s.user("bob")
	forks := []string{bob.call("POST", "sessions/"+id+"/fork", object{}).text("id")}
	write("after!")
	status, out, _ := bob.send("POST", "api/v1/sessions/"+id+"/fork", object{"run": 1, "turn": 0})
	require.Equal(t, 422, status, out)
	require.Contains(t, out.at("error").text("message"), "changed")
	require.NotContains(t, out.at("error").text("message"), docs)
	write("before")
	forks = append(forks, bob.call("POST", "sessions/"+id+"/fork", object{"run": 1, "turn": 0}).text("id"))
	bob.settled(forks[1])
	s.call("PATCH", "sessions/"+id, object{"shared": false})
	s.end()

	write("secret")
	again := startIn(t, dir, &talker{}, in)
	bob.url = again.url
	for _, fork := range forks {
		text := bob.call("GET", "sessions/"+fork+"/text?lines=2", nil).text("text")
		require.Equal(t, "before\nbefore\n", text)
	}
	require.Equal(t, 404, bob.status("api/v1/sessions/"+id))
	require.Contains(t, again.call("GET", "sessions/"+id+"/text?lines=2", nil).text("text"), "secret")
	require.Len(t, again.call("GET", "sessions", nil).list("sessions"), 3, "a refused fork leaves nothing")
}
