package api_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/session/client"
	"github.com/gorlm/rlm/internal/session/formats"
)

// exported requests an export as a browser does.
func (s *site) exported(id, format string) (status int, text string, h http.Header, err error) {
	s.t.Helper()
	req, err := http.NewRequest("GET", s.url+"api/v1/sessions/"+id+"/export?format="+format, nil)
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), res.Header, err
}

// withRun makes a session with a number of turns, whose replies have a given size.
func withRun(t *testing.T, dir string, turns, size int) (id string) {
	t.Helper()
	var replies []string
	for n := range turns - 1 {
		replies = append(replies, strings.Repeat(fmt.Sprintf("word %d ", n), size/7)+fence(fmt.Sprint("x := ", n)))
	}
	s := startIn(t, dir, &talker{replies: append(replies, fence(`FINAL("all of it")`))})
	defer s.end()
	id = s.session()
	s.do(id, "ask", object{"question": "What is kept?"})
	for format := range formats.All() {
		status, text, h, err := s.exported(id, format)
		require.NoError(t, err)
		require.Equal(t, 200, status)
		require.Equal(t, `attachment; filename="`+id+formats.Ending(format)+`"`, h.Get("Content-Disposition"))
		require.True(t, strings.Contains(text, "all of it"), format)
	}
	return id
}

// Exporting a session that cannot be read completely is refused with an error, or ends as a broken transfer; it
// never looks complete.
func TestExportsThatBreakOffDoNotLookWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(id, name string) string { return filepath.Join(dir, "rlm", "runs", id, name) }
	small, missing, large := withRun(t, dir, 2, 100), withRun(t, dir, 2, 4000), withRun(t, dir, 25, 200_000)
	log, err := os.ReadFile(file(small, "trajectory.jsonl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(
		file(small, "trajectory.jsonl"), []byte(strings.Replace(string(log), `"type"`, `"typ`, 1)), 0o600))
	require.NoError(t, os.Remove(file(missing, "texts.zst")))
	texts, err := os.Stat(file(large, "texts.zst"))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(file(large, "texts.zst"), texts.Size()/2))

	s := startIn(t, dir, &talker{})
	for format := range formats.All() {
		for _, id := range []string{small, missing} {
			message := s.refused("failed", "GET", "sessions/"+id+"/export?format="+format, nil).text("message")
			require.Contains(t, message, "rlm repair "+id, format)
			require.NotContains(t, message, dir, "where a server keeps things is told to nobody")
		}
	}
	status, text, _, err := s.exported(large, "html")
	require.Equal(t, 200, status, "what is large is written while it is read")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.True(t, strings.Contains(text, "word 1 word 1"))
	c, err := client.New(s.url, s.token)
	require.NoError(t, err)
	require.ErrorContains(t, c.Export(t.Context(), large, "html", io.Discard), "incomplete")
}
