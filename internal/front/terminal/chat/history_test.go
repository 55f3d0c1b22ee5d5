package chat

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHistoryAcrossSessions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "history")
	h, err := openHistory(path)
	require.NoError(t, err)
	for _, e := range []string{"one", "two\nlines", "two\nlines", "three"} {
		require.NoError(t, h.add(e))
	}

	h, err = openHistory(path)
	require.NoError(t, err)
	require.Equal(t, []string{"one", "two\nlines", "three"}, h.entries)

	walk := func(s string, ok bool) string { require.True(t, ok); return s }
	require.Equal(t, "three", walk(h.up("draft")))
	require.Equal(t, "two\nlines", walk(h.up("three")))
	require.Equal(t, "three", walk(h.down()))
	require.Equal(t, "draft", walk(h.down()))
	_, ok := h.down()
	require.False(t, ok)
}

func TestHistoryIsCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var text []byte
	for i := range 2*historyKept + 1 {
		text = append(text, historyLine(strconv.Itoa(i))...)
	}
	require.NoError(t, os.WriteFile(path, text, 0o600))
	h, err := openHistory(path)
	require.NoError(t, err)
	require.Len(t, h.entries, historyKept)
	require.Equal(t, strconv.Itoa(2*historyKept), h.entries[historyKept-1])

	again, err := openHistory(path)
	require.NoError(t, err)
	require.Equal(t, h.entries, again.entries)
}

func TestHistoryThatCannotBeRead(t *testing.T) {
	h, err := openHistory(t.TempDir()) // a folder in place of the file
	require.Error(t, err)
	require.Empty(t, h.entries)
}
