package api_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/runner"
)

// TestOnlyTheOwnerSeesWhereFilesLie: whoever may read a session sees the names of its documents, which begin with
// the name of a folder of the server, but nothing tells users where the folder lies.
func TestOnlyTheOwnerSeesWhereFilesLie(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	logs, others := filepath.Join(root, "a", "logs"), filepath.Join(root, "b", "logs")
	for _, folder := range []string{filepath.Join(logs, "sub"), others} {
		require.NoError(t, os.MkdirAll(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "x.txt"), []byte("some text"), 0o600))
	}
	s := start(t, &talker{replies: []string{fence("FINAL(docs[0].Name)")}}, func(c *api.Config) {
		c.Folders = []string{logs, others}
	})
	id := s.call("POST", "sessions", object{"paths": []string{logs}}).text("id")
	s.do(id, "ask", object{"question": "Which?"})
	s.do(id, "documents", object{"paths": []string{others}})
	s.call("PATCH", "sessions/"+id, object{"shared": true})
	bob := s.user("bob")
	bob.do(id, "documents", object{"paths": []string{"a/logs/sub/x.txt"}})
	var names []string
	for _, d := range bob.call("GET", "sessions/"+id+"/documents", nil).list("documents") {
		names = append(names, d.text("name"))
	}
	require.Equal(t, []string{"a/logs/sub/x.txt", "b/logs/x.txt", "a/logs/sub/x.txt"}, names)

	read := func(s *site, path string) string {
		req, err := http.NewRequest("GET", s.url+path, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+s.token)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.Equal(t, 200, res.StatusCode, "%s: %s", path, text)
		return string(text)
	}
	base := "api/v1/sessions/" + id
	require.Contains(t, read(s, base+"/events"), root, "the owner sees it")
	require.Equal(t, "a/logs/sub/x.txt", bob.call("GET", "sessions/"+id, nil).text("answer"))
	paths := []string{
		"api/v1/about", "api/v1/sessions", "api/v1/folders", "api/v1/folders?path=" + url.QueryEscape("a/logs"),
		base, base + "/events", base + "/documents", base + "/messages", base + "/trace", base + "/text",
		base + "/settings", base + "/variables", base + "/export?format=html", base + "/export?format=ipynb",
		base + "/export?format=markdown", base + "/export?format=rlm-jsonl",
	}
	for seq := range len(s.call("GET", "sessions/"+id+"/events", nil).list("events")) {
		paths = append(paths, fmt.Sprint(base, "/events/", seq+1))
	}
	for _, path := range paths {
		require.NotContains(t, read(bob, path), root, path)
	}
	for _, detail := range []string{"", "&detail=brief"} { // the ring and the log
		for _, m := range bob.follow("session="+id+":0"+detail, "").until(free) {
			require.NotContains(t, fmt.Sprint(m.event), root)
		}
	}
	agent := bob.agent(nil)
	require.NotContains(t, agent.InitializeResult().Instructions, root)
	require.Contains(t, agent.InitializeResult().Instructions, "a/logs, b/logs")
	refusal := use(t, agent, "open_notebook", object{"paths": []string{"../c"}}, nil)
	require.Contains(t, refusal, "a/logs, b/logs")
	require.NotContains(t, refusal, root)
	var out map[string]any
	require.Empty(t, use(t, agent, "open_notebook", object{"paths": []string{"b/logs/x.txt"}}, &out))
	require.NotContains(t, fmt.Sprint(out), root)
	require.True(t, strings.Contains(fmt.Sprint(out), "b/logs/x.txt"), out)
}

// TestFilesOfTheOwnersTerminal: a session that the owner began in a terminal has files that the server was not started
// with. Users with whom it is shared see their text, but neither where they lie nor what they contain later.
func TestFilesOfTheOwnersTerminal(t *testing.T) {
	t.Parallel()
	private := filepath.Join(t.TempDir(), "private")
	write := func(text string) {
		require.NoError(t, os.MkdirAll(private, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(private, "x.txt"), []byte(text), 0o600))
	}
	write("shared")
	id := ""
	s := start(t, &talker{}, func(c *api.Config) {
		terminal, err := c.Runner.NewSession(t.Context(), runner.Path(private).As("private"))
		require.NoError(t, err)
		id = terminal.ID()
		require.NoError(t, terminal.Close())
	})
	s.call("PATCH", "sessions/"+id, object{"shared": true})
	bob := s.user("bob")
	fork := bob.call("POST", "sessions/"+id+"/fork", object{}).text("id")
	write("later")
	for _, one := range []string{id, fork} {
		docs := bob.call("GET", "sessions/"+one+"/documents", nil).list("documents")
		require.Equal(t, "private/x.txt", docs[0].text("name"))
		require.Empty(t, docs[0].text("path"))
		events := bob.follow("session="+one+":0", "")
		events.until(free)
		bob.call("POST", "sessions/"+one+"/reread", object{})
		failed := events.until(ofKind("failed"))
		require.Equal(t, "path", failed[len(failed)-1].data().text("code"))
		require.NotContains(t, fmt.Sprint(failed), private)
		events.until(free)
		require.Equal(t, "shared", bob.call("GET", "sessions/"+one+"/text", nil).text("text"))
		s.do(one, "reread", object{})
		require.Equal(t, "later", bob.call("GET", "sessions/"+one+"/text", nil).text("text"))
		docs = s.call("GET", "sessions/"+one+"/documents", nil).list("documents")
		require.Equal(t, filepath.Join(private, "x.txt"), docs[0].text("path"))
	}
}
