package corpus

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// isThere reports whether a text uses the file that it was read from, and is not a copy.
func isThere(t *testing.T, text *Text, path string) bool {
	t.Helper()
	of, err := text.File().Stat()
	require.NoError(t, err)
	file, err := os.Stat(path)
	require.NoError(t, err)
	return os.SameFile(of, file)
}

func TestAPlainFileThatFitsNoMemoryStaysWhereItIs(t *testing.T) {
	little := Options{memory: 1 << 10}
	plain := bytes.Repeat([]byte("a line of plain text, with an é\n"), 30_000)
	for name, c := range map[string]struct {
		content []byte
		there   bool
	}{
		"plain":          {plain, true},
		"ASCII":          {bytes.Repeat([]byte("abc\n"), 300_000), true},
		"a mark first":   {append([]byte("\xEF\xBB\xBF"), plain...), false},
		"a bad byte":     {append(bytes.Clone(plain), "\xff and on\n"...), false},
		"bad from half":  {append(bytes.Clone(plain), bytes.Repeat([]byte("caf\xe9 "), 100_000)...), false},
		"latin 1":        {bytes.Repeat([]byte("caf\xe9 au lait\n"), 50_000), false},
		"UTF-16":         {bytes.Repeat([]byte("a\x00\n\x00"), 300_000), false},
		"cut at its end": {append(bytes.Clone(plain), 0xC3), false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "big.txt")
			require.NoError(t, os.WriteFile(path, c.content, 0o640))
			want, err := Build(t.Context(), []Source{{Path: path}})
			require.NoError(t, err)
			defer want.Close()
			text, err := little.Build(t.Context(), []Source{{Path: path}})
			require.NoError(t, err)
			defer text.Close()
			require.Equal(t, c.there, isThere(t, text, path))
			require.Equal(t, want.Facts(), text.Facts())
			require.Equal(t, want.Documents(), text.Documents())
			require.Equal(t, all(t, want), all(t, text))
			_, err = text.File().WriteAt([]byte("x"), 0)
			require.Error(t, err)
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o640), info.Mode())
		})
	}
}

func TestATextInPlaceIsReadUpToItsSize(t *testing.T) {
	little := Options{memory: 1 << 10}
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("0123456789\n"), 50_000), 0o600))
	text, err := little.Build(t.Context(), []Source{{Path: path}})
	require.NoError(t, err)
	defer text.Close()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("more")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.EqualValues(t, 550_000, text.Size())

	doc := text.Documents()[0]
	again, err := little.Build(t.Context(), []Source{{Name: doc.Name, File: doc.File}})
	require.NoError(t, err)
	defer again.Close()
	require.True(t, isThere(t, again, path))
	require.Equal(t, text.Facts(), again.Facts(), "the file has grown, the text has not")

	grown, err := little.Append(t.Context(), text, []Source{{Name: "more", String: "more"}})
	require.NoError(t, err)
	defer grown.Close()
	require.False(t, isThere(t, grown, path))
	require.Equal(t, append(all(t, text), "\n=== document 2: more ===\nmore"...), all(t, grown))
}

func TestSeveralFilesThatFitNoMemoryAreCopied(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte("0123456789\n"), 50_000), 0o600))
	}
	text, err := Options{memory: 1 << 10}.Build(t.Context(), []Source{{Path: dir}})
	require.NoError(t, err)
	defer text.Close()
	require.False(t, isThere(t, text, filepath.Join(dir, "a")))
	require.Len(t, text.Documents(), 2)
}

func all(t *testing.T, text *Text) []byte {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(text, 0, text.Size()))
	require.NoError(t, err)
	return b
}
