package runner_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// web returns a server with several kinds of pages, and its number of requests.
func web(t *testing.T) (s *httptest.Server, asked *atomic.Int64) {
	t.Helper()
	pdf, err := os.ReadFile("../internal/documents/testdata/corpus/article.pdf")
	require.NoError(t, err)
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, text := range map[string]string{"log.txt": "the pump failed\n"} {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	pages := map[string]struct {
		kind string
		body []byte
	}{
		"/": {
			"text/html; charset=windows-1251",
			[]byte("<!doctype html><meta charset=utf-8><title>T</title><p>\xcf\xf0\xe8\xe2\xe5\xf2 <a href=/never>here</a><img src=/never>"),
		},
		"/index.php":  {"text/html", []byte("<p>no document type, but a page</p>")},
		"/table.csv":  {"text/csv", []byte("a,b\n1,2\n")},
		"/report":     {"application/octet-stream", pdf},
		"/all":        {"application/zip", packed.Bytes()},
		"/picture":    {"text/html", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x00IHDR")},
		"/empty":      {"text/plain", nil},
		"/second.csv": {"text/csv", []byte("c\n3\n")},
	}
	asked = &atomic.Int64{}
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/table.csv", http.StatusFound)
			return
		}
		p, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", p.kind)
		_, _ = w.Write(p.body)
	}))
	t.Cleanup(s.Close)
	return s, asked
}

// TestURLs: pages of all kinds become documents with their URLs as names, converted by their content. URLs in them
// are not fetched.
func TestURLs(t *testing.T) {
	t.Parallel()
	server, asked := web(t)
	var inputs []runner.Input
	for _, path := range []string{
		"/", "/index.php", "/moved?x=1#part", "/report", "/all", "/picture", "/empty", "/missing", "/#top",
	} {
		inputs = append(inputs, runner.URL(server.URL+path))
	}
	r := newRunner(t, root(nil, nil), runner.WithPrivateURLs(true))
	s, err := r.NewSession(timeout(t), append(inputs, runner.Text("note", "mine"))...)
	require.NoError(t, err)
	defer s.Close()
	require.EqualValues(t, 9, asked.Load(), "each page once, one redirect, and nothing else")

	type seen struct {
		name, kind string
		fetched    bool
	}
	var got []seen
	for _, d := range s.Documents() {
		got = append(got, seen{strings.TrimPrefix(d.Name, server.URL), d.Kind, !d.Fetched.IsZero()})
	}
	require.Equal(t, []seen{
		{"/", "html", true},
		{"/index.php", "html", true},
		{"/moved?x=1", "text", true},
		{"/report", "pdf", true},
		{"/all!/log.txt", "text", true},
		{"note", "text", false},
	}, got)
	added := dataOf[trajectory.ContextAdded](eventsOf(t, r, s.ID()))[0]
	require.Len(t, added.Skipped, 4)
	skipped := strings.Join(added.Skipped, "\n")
	for _, want := range []string{
		"/picture (binary (image/png))", "/empty (the page is empty)",
		"/missing (HTTP 404 Not Found)", "/ (named twice)",
	} {
		require.Contains(t, skipped, server.URL+want)
	}

	res, err := s.Exec(timeout(t), `fmt.Println(docs[0].Text)
fmt.Print(docs[2].Text)
p := docs[3].Parts[1]
fmt.Println(p.Kind, p.Number, strings.Contains(p.Text, "References"), strings.HasPrefix(docs[3].Text, "Fetched: "+docs[3].Name))`)
	require.NoError(t, err)
	require.Contains(t, res.Output, "Fetched: "+server.URL+"/, 20")
	require.Contains(t, res.Output, "Привет [here](/never)")
	require.Contains(t, res.Output, "a,b\n1,2\npage 2 true true", res.Error)
}

// TestURLsWithoutTheNetwork: a run over pages, and over files that are too large to be copied, resumes, opens,
// forks, replays and verifies without the server, over the text that it saw. Only Reread fetches again.
func TestURLsWithoutTheNetwork(t *testing.T) {
	for name, kept := range map[string]int64{"a copy of all": 1 << 20, "a copy of the pages alone": 0} {
		t.Run(name, func(t *testing.T) {
			server, asked := web(t)
			inFolder(t, map[string]string{"logs/a.log": "one\n", "logs/b.log": "two\n"})
			script := []string{
				fence(`x := docs[1].Text`), fence(`FINAL(x + cite("1,2") + cite("two"))`),
				fence(`FINAL(docs[2].Text)`), fence(`FINAL(docs[2].Text)`),
			}
			r := newRunner(t, root(script, nil), runner.WithKeptContext(kept), runner.WithPrivateURLs(true))
			res, err := r.Answer(timeout(t), "q", runner.URL(server.URL), runner.URL(server.URL+"/table.csv"),
				runner.Path("logs"))
			require.NoError(t, err)
			require.Contains(t, res.Answer, "a,b\n1,2\n")
			require.EqualValues(t, 2, asked.Load())
			server.Close()

			dir := killedAfter(t, r, res.RunID, func(ev trajectory.Event) bool { return ev.Turn == 1 && isMessage(ev) })
			again, err := runner.Collect(
				newRunner(t, root(script, nil), runner.WithDataDir(dir)).Resume(timeout(t), res.RunID))
			require.NoError(t, err)
			require.Equal(t, res.Answer, again.Answer)

			v, err := r.Verify(timeout(t), res.RunID)
			require.NoError(t, err)
			require.True(t, v.Holds())
			require.Len(t, v.Passages, 2)
			require.Empty(t, v.Changed)

			for cell, err := range r.Replay(timeout(t), res.RunID) {
				require.NoError(t, err)
				require.True(t, cell.Same, cell.After)
			}

			s, err := r.OpenSession(timeout(t), res.RunID)
			require.NoError(t, err)
			defer s.Close()
			require.Equal(t, server.URL+", "+server.URL+"/table.csv, logs/a.log, logs/b.log", states(s))
			require.False(t, s.Documents()[0].Fetched.IsZero())
			require.NoError(t, s.RemoveContext(timeout(t), "logs/a.log"))
			require.False(t, s.Documents()[1].Fetched.IsZero())

			require.NoError(t, s.Reread(timeout(t)))
			require.Equal(t, "logs/b.log", states(s), "it asks again, and nobody is there")
		})
	}
}

// TestURLsThatAreNone: bad URLs end the session before anything is fetched; a path or a text that looks like a URL
// is not one.
func TestURLsThatAreNone(t *testing.T) {
	t.Parallel()
	server, asked := web(t)
	r := newRunner(t, root(nil, nil), runner.WithPrivateURLs(true))
	for address, want := range map[string]string{
		"ftp://example.com/": "ftp:// cannot be fetched", "example.com": "begin with http", "": "missing protocol",
		"http://a:secret@example.com/": "user name or password",
	} {
		_, err := r.NewSession(timeout(t), runner.URL(server.URL), runner.URL(address))
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := r.NewSession(timeout(t), runner.Path(server.URL))
	require.ErrorContains(t, err, "no file or folder")
	s, err := r.NewSession(timeout(t), runner.Text(server.URL, server.URL))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Zero(t, asked.Load())

	_, err = newRunner(t, root(nil, nil)).NewSession(timeout(t), runner.URL(server.URL))
	require.ErrorIs(t, err, runner.ErrNothingToRead)
	require.ErrorContains(t, err, "127.0.0.1 is not a public address")
	require.Zero(t, asked.Load())
}

// TestPagesOfAContextThatChanged: if the context's files have changed, its pages stay the same, and are not
// fetched.
func TestPagesOfAContextThatChanged(t *testing.T) {
	server, asked := web(t)
	inFolder(t, map[string]string{"logs/a.log": "one\n", "logs/b.log": "two\n"})
	script := []string{
		fence(`FINAL(cite("1,2") + cite("two") + cite("one"))`),
		fence("FINAL(docs[0].Text + docs[1].Text)"),
	}
	r := newRunner(t, root(script, nil), runner.WithKeptContext(0), runner.WithPrivateURLs(true))
	res, err := r.Answer(timeout(t), "q", runner.URL(server.URL+"/table.csv"), runner.Path("logs"))
	require.NoError(t, err)
	require.Len(t, res.Evidence, 3)
	require.NoError(t, os.WriteFile("logs/a.log", []byte("three\n"), 0o600))

	v, err := r.Verify(timeout(t), res.RunID)
	require.NoError(t, err)
	require.Equal(t, []runner.PassageState{runner.PassageHolds, runner.PassageHolds, runner.PassageLost},
		[]runner.PassageState{v.Passages[0].State, v.Passages[1].State, v.Passages[2].State})
	require.False(t, v.Passages[2].Stood, "of the file there is no copy")

	s, err := r.OpenSession(timeout(t), res.RunID)
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, server.URL+"/table.csv, logs/a.log, logs/b.log", states(s))
	require.False(t, s.Documents()[0].Fetched.IsZero())
	var warned []string
	var last trajectory.Event
	for ev, err := range s.Ask(timeout(t), "and now?") {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.Warned); ok && d.About == "context" {
			warned = append(warned, d.Text)
		}
		last = ev
	}
	require.Len(t, warned, 1)
	require.True(t, strings.HasSuffix(warned[0], ": logs/a.log"), warned)
	require.Equal(t, "a,b\n1,2\nthree\n", last.Data.(trajectory.RunEnded).Answer)
	require.EqualValues(t, 1, asked.Load())
}
