package corpus_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/internal/corpus"
)

// build makes a text that is closed at the end of the test.
func build(t *testing.T, sources ...corpus.Source) *corpus.Text {
	t.Helper()
	text, err := corpus.Build(context.Background(), sources)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, text.Close()) })
	return text
}

func content(t *testing.T, text *corpus.Text) string {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(text, 0, text.Size()))
	require.NoError(t, err)
	return string(b)
}

// tree creates files below a new folder; a name that ends in / is a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(p, 0o755))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(data), 0o644))
	}
	return dir
}

func TestSingleDocumentIsVerbatim(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": "one\ntwo"})
	text := build(t, corpus.Source{Path: filepath.Join(dir, "a.txt")})
	require.Equal(t, "one\ntwo", content(t, text))
	require.Equal(t, int64(7), text.Size())
	f := text.Facts()
	require.Equal(t, int64(2), f.Lines)
	require.Equal(t, "one\ntwo", f.Head)
}

func TestSeveralDocuments(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.txt": "one\ntwo", "b/c.md": "three\n", "z.png": "\x89PNG\r\n\x1a\n\x00\x00\x00",
	})
	text := build(t, corpus.Source{Path: dir}, corpus.Source{Name: "stdin", Reader: strings.NewReader("four")})
	require.Equal(t, "=== document 1: "+dir+"/a.txt ===\none\ntwo\n\n"+
		"=== document 2: "+dir+"/b/c.md ===\nthree\n\n"+
		"=== document 3: stdin ===\nfour", content(t, text))
	require.Equal(t, []corpus.SkippedFile{{Name: dir + "/z.png", Reason: "binary (image/png)"}}, text.Skipped())
	var got []string
	for _, d := range text.Documents() {
		got = append(got, content(t, text)[d.Offset:d.Offset+d.Size])
	}
	require.Equal(t, []string{"one\ntwo", "three\n", "four"}, got)
}
