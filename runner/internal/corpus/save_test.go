package corpus_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/internal/corpus"
)

func TestSaveAndLoad(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": strings.Repeat("line of text\n", 50_000), "b.txt": "caf\xe9", "c.bin": "\x00\x01"})
	text := build(t, corpus.Source{Path: dir})
	run := t.TempDir()
	require.NoError(t, text.Save(run))
	require.NoError(t, text.Save(run))

	loaded, err := corpus.Load(run)
	require.NoError(t, err)
	defer loaded.Close()
	require.Equal(t, content(t, text), content(t, loaded))
	require.Equal(t, text.Documents(), loaded.Documents())
	require.Equal(t, text.Skipped(), loaded.Skipped())
	require.Equal(t, text.Facts(), loaded.Facts())

	grown, err := loaded.Append(t.Context(), []corpus.Source{{Name: "more", String: "more"}})
	require.NoError(t, err)
	defer grown.Close()
	require.True(t, strings.HasPrefix(content(t, grown), content(t, text)))
	require.Len(t, grown.Documents(), 3)
}

func TestLoadRefusesDamage(t *testing.T) {
	text := build(t, corpus.Source{String: strings.Repeat("0123456789", 1000)})
	dir := t.TempDir()
	require.NoError(t, text.Save(dir))
	file := filepath.Join(dir, "text.s2")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for cut := range len(whole) {
		require.NoError(t, os.WriteFile(file, whole[:cut], 0o600))
		_, err := corpus.Load(dir)
		require.Error(t, err, "cut to %d bytes", cut)
	}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 0x10
		require.NoError(t, os.WriteFile(file, flipped, 0o600))
		if got, err := corpus.Load(dir); err == nil {
			// A flipped bit that changes nothing of the text (a reserved bit of a header) may pass.
			require.Equal(t, content(t, text), content(t, got))
			require.NoError(t, got.Close())
		}
	}
}
