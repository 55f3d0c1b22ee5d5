package corpus_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/internal/corpus"
)

func TestSaveAndLoad(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.txt": strings.Repeat("line of text\n", 50_000), "b.txt": "caf\xe9", "c.bin": "\x00\x01",
	})
	text := build(t, corpus.Source{Path: dir})
	run := t.TempDir()
	require.NoError(t, text.Save(run))
	require.NoError(t, text.Save(run))

	loaded, err := corpus.Load(t.Context(), run)
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
		_, err := corpus.Load(t.Context(), dir)
		require.Error(t, err, "cut to %d bytes", cut)
	}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 0x10
		require.NoError(t, os.WriteFile(file, flipped, 0o600))
		if got, err := corpus.Load(t.Context(), dir); err == nil {
			// A flipped bit that does not change the text, like a reserved bit of a header, may go unnoticed.
			require.Equal(t, content(t, text), content(t, got))
			require.NoError(t, got.Close())
		}
	}
}

// A run's folder may come from somebody else: nothing outside it is opened.
func TestLoadFollowsNoLinks(t *testing.T) {
	text := build(t, corpus.Source{String: "somebody's text"})
	for name, make := range map[string]func(t *testing.T, run, dir string){
		"a folder by a link": func(t *testing.T, _, dir string) {
			elsewhere := filepath.Join(t.TempDir(), "context-0")
			require.NoError(t, text.Save(elsewhere))
			symlink(t, elsewhere, dir)
		},
		"a folder by a link in the run": func(t *testing.T, run, dir string) {
			require.NoError(t, text.Save(filepath.Join(run, "other")))
			symlink(t, "other", dir)
		},
		"a file by a link": func(t *testing.T, _, dir string) {
			elsewhere := t.TempDir()
			require.NoError(t, text.Save(elsewhere))
			require.NoError(t, os.Mkdir(dir, 0o700))
			symlink(t, filepath.Join(elsewhere, "text.s2"), filepath.Join(dir, "text.s2"))
		},
		"a folder in its place": func(t *testing.T, _, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "text.s2"), 0o700))
		},
		"a file in place of the folder": func(t *testing.T, _, dir string) {
			require.NoError(t, os.WriteFile(dir, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := t.TempDir()
			dir := filepath.Join(run, "context-0")
			make(t, run, dir)
			_, err := corpus.Load(t.Context(), dir)
			require.ErrorContains(t, err, "load the saved context")
			require.Regexp(t, "is not a (folder|regular file)", err)
		})
	}
}

func symlink(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip("SKIP: no links can be made here: ", err)
	}
}

// A text is not expanded beyond its declared size.
func TestLoadReadsNoMoreThanTheTextHas(t *testing.T) {
	var packed bytes.Buffer
	z := s2.NewWriter(&packed)
	_, err := z.Write([]byte(`{"sha256":"x","size":10}` + "\n"))
	require.NoError(t, err)
	zeros := bytes.Repeat([]byte("0\n"), 512<<10)
	_, err = z.Write(zeros)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text.s2"), packed.Bytes(), 0o600))
	_, err = corpus.Load(t.Context(), dir)
	require.ErrorContains(t, err, "its size is wrong")
}
