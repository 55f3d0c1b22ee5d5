package corpus_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"github.com/gorlm/rlm/runner/internal/corpus"
)

// In a text whose lines all end in carriage returns, they become newlines. Carriage returns in a text with other
// line ends are unchanged.
func TestReturnsAreLineEnds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Größe\rand more\r", 5000)
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(long)
	require.NoError(t, err)
	for in, want := range map[string]string{
		"one\rtwo\r":                         "one\ntwo\n",
		"one\r\ntwo\r\n":                     "one\r\ntwo\r\n",
		"10%\r20%\rdone\nnext":               "10%\r20%\rdone\nnext",
		"one\r":                              "one\r",
		long:                                 strings.ReplaceAll(long, "\r", "\n"),
		wide:                                 strings.ReplaceAll(long, "\r", "\n"),
		strings.Repeat("a\r", 8<<10) + "\nb": strings.Repeat("a\n", 8<<10) + "b",
	} {
		text := build(t, corpus.Source{Reader: strings.NewReader(in)})
		require.True(t, want == content(t, text))
		require.True(t, want == content(t, build(t, corpus.Source{Reader: iotest.HalfReader(strings.NewReader(in))})))
	}
}

// A copy of converted documents is loaded together with the unchanged files next to it.
func TestReturnsInAFileThatIsReadAgain(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"old.txt": "one\rtwo\r"})
	text := build(t, corpus.Source{Path: filepath.Join(dir, "old.txt")})
	require.Equal(t, "one\ntwo\n", content(t, text))
	require.NoError(t, text.SaveDerived(filepath.Join(dir, "kept")))
	again, err := corpus.Load(t.Context(), filepath.Join(dir, "kept"))
	require.NoError(t, err)
	defer again.Close()
	require.Equal(t, "one\ntwo\n", content(t, again))
}
