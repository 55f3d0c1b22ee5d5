package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/files"
)

type line struct {
	Key  string `json:"key"`
	N    int    `json:"n"`
	Gone bool   `json:"gone,omitempty"`
}

func journal(t *testing.T, file string, most int) (j *files.Journal[string, line], all []line) {
	t.Helper()
	j = &files.Journal[string, line]{
		Key: func(l line) string { return l.Key }, Counts: func(l line) bool {
			return l.Key != ""
		}, Gone: func(l line) bool { return l.Gone }, Most: most,
	}
	all, err := j.Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, j.Close()) })
	return j, all
}

// A key's last line wins, also in the next process; incomplete lines and the oldest ones are dropped.
func TestJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "lines")
	j, all := journal(t, file, 4)
	require.Empty(t, all)
	for _, l := range []line{{"a", 1, false}, {"b", 2, false}, {"a", 3, false}, {"c", 4, false}, {"c", 5, true}} {
		require.NoError(t, j.Put(l))
	}
	got, ok := j.Get("a")
	require.True(t, ok)
	require.Equal(t, 3, got.N)
	_, ok = j.Get("c")
	require.False(t, ok)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(`{"key":"half`)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	j, all = journal(t, file, 4)
	require.Equal(t, []line{{"b", 2, false}, {"a", 3, false}}, all)
	_, ok = j.Get("b")
	require.True(t, ok)
	_, all = journal(t, file, 1)
	require.Equal(t, []line{{"a", 3, false}}, all)
}

// A growing file is rewritten from time to time.
func TestAJournalStaysShort(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lines")
	j, _ := journal(t, file, 10)
	for i := range 5000 {
		require.NoError(t, j.Put(line{Key: "one", N: i}))
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Less(t, strings.Count(string(text), "\n"), 1100)
	got, ok := j.Get("one")
	require.True(t, ok)
	require.Equal(t, 4999, got.N)
}
