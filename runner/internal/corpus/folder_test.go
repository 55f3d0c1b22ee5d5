package corpus_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/internal/corpus"
)

// about maps each file to its document's text, or to the reason why it was skipped.
func about(t *testing.T, dir string, text *corpus.Text) map[string]string {
	t.Helper()
	out := map[string]string{}
	all := content(t, text)
	for _, d := range text.Documents() {
		out[strings.TrimPrefix(d.Name, dir+"/")] = all[d.Offset : d.Offset+d.Size]
	}
	for _, s := range text.Skipped() {
		out[strings.TrimPrefix(s.Name, dir+"/")] = s.Reason
	}
	return out
}

func TestWhatAFolderHolds(t *testing.T) {
	dir := tree(t, map[string]string{
		"a/one.txt":  "one",
		"a.txt":      "a",
		"empty.txt":  "",
		"nul.log":    strings.Repeat("a line of a log\n", 500) + "\x00\n",
		"doc.pdf":    "%PDF-1.7\nlooks like text",
		"prog":       "\x7fELF\x02\x01\x01\x00" + strings.Repeat("\x00\x01", 100),
		"zip.docx":   "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00",
		"BM.txt":     "BM25 ranks documents",
		"esc.log":    "\x1b[31mred\x1b[0m\n",
		"é ü.txt":    "name",
		".hidden":    "hidden",
		"empty-dir/": "",
	})
	text := build(t, corpus.Source{Path: dir})
	require.Equal(t, map[string]string{
		"a/one.txt": "one", "a.txt": "a", "empty.txt": "",
		"nul.log": strings.Repeat("a line of a log\n", 500) + "\x00\n",
		"BM.txt":  "BM25 ranks documents", "esc.log": "\x1b[31mred\x1b[0m\n", "é ü.txt": "name", ".hidden": "hidden",
		"doc.pdf": "binary (application/pdf)", "prog": "binary (application/octet-stream)",
		"zip.docx": "binary (application/zip)",
	}, about(t, dir, text))
	require.Equal(t, ".hidden", filepath.Base(text.Documents()[0].Name))
	again := build(t, corpus.Source{Path: dir})
	require.Equal(t, text.Facts(), again.Facts(), "the same folder makes the same text")
}

func TestLinksAndOddFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIP TestLinksAndOddFiles: symbolic links need a privilege on windows")
	}
	outside := tree(t, map[string]string{"secret.txt": "secret"})
	dir := tree(t, map[string]string{"a.txt": "a", "sub/b.txt": "b"})
	require.NoError(t, os.Symlink(outside+"/secret.txt", dir+"/leak.txt"))
	require.NoError(t, os.Symlink(outside, dir+"/leaks"))
	require.NoError(t, os.Symlink("..", dir+"/sub/loop"))
	require.NoError(t, os.Symlink("nowhere", dir+"/dangling"))
	require.NoError(t, os.Symlink("a.txt", dir+"/z.txt"))
	text := build(t, corpus.Source{Path: dir})
	require.NotContains(t, content(t, text), "secret")
	got := about(t, dir, text)
	for _, name := range []string{"leak.txt", "leaks", "sub/loop", "dangling", "z.txt"} {
		require.Contains(t, got[name], "symbolic link", name)
	}
	require.Len(t, text.Documents(), 2)

	// Links that are named as sources are followed.
	require.Equal(t, "secret", content(t, build(t, corpus.Source{Path: dir + "/leak.txt"})))
	require.Equal(t, "secret", content(t, build(t, corpus.Source{Path: dir + "/leaks"})))
	_, err := corpus.Build(t.Context(), []corpus.Source{{Path: dir + "/dangling"}})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// onRead is a reader that calls a function when it is read. Sources are read after all folders were listed.
type onRead func()

func (f onRead) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

func TestAFileThatBecomesALinkLeadsNowhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIP TestAFileThatBecomesALinkLeadsNowhere: symbolic links need a privilege on windows")
	}
	outside := tree(t, map[string]string{"secret.txt": "secret"})
	dir := tree(t, map[string]string{"a.txt": "a"})
	swap := onRead(func() {
		require.NoError(t, os.Remove(dir+"/a.txt"))
		require.NoError(t, os.Symlink(outside+"/secret.txt", dir+"/a.txt"))
	})
	text := build(t, corpus.Source{Name: "stdin", Reader: swap}, corpus.Source{Path: dir})
	require.NotContains(t, content(t, text), "secret")
	require.Contains(t, about(t, dir, text)["a.txt"], "unreadable: ")
}

func TestNamedTwice(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": "a", "b.txt": "b"})
	text := build(t, corpus.Source{Path: dir + "/b.txt"}, corpus.Source{Path: dir}, corpus.Source{Path: dir})
	require.Len(t, text.Documents(), 2)
	require.Contains(t, about(t, dir, text), "b.txt")
	require.Equal(t, "named twice", text.Skipped()[0].Reason)
}

func TestErrorsSayWhatToDo(t *testing.T) {
	dir := tree(t, map[string]string{
		"x.png": "\x89PNG\r\n\x1a\n\x00\x00\x00", "ign/.gitignore": "*", "ign/a.txt": "a", "void/": "",
	})
	for path, want := range map[string][]string{
		dir + "/missing.txt": {"missing.txt", "check the path"},
		dir: {
			"nothing here can be read as text", "x.png: binary (image/png)",
			"ign/a.txt: ignored by",
		},
		dir + "/x.png": {"x.png: binary (image/png)"},
		dir + "/void":  {"empty"},
	} {
		_, err := corpus.Build(t.Context(), []corpus.Source{{Path: path}})
		for _, part := range want {
			require.ErrorContains(t, err, part)
		}
	}
	if os.Getuid() == 0 {
		t.Log("SKIP part of TestErrorsSayWhatToDo: root may read everything")
		return
	}
	require.NoError(t, os.WriteFile(dir+"/locked.txt", nil, 0))
	_, err := corpus.Build(t.Context(), []corpus.Source{{Path: dir + "/locked.txt"}})
	require.ErrorIs(t, err, os.ErrPermission)
	require.ErrorContains(t, err, "make it readable")
}

func TestUnreadableFileIsAnErrorOnlyWhenNamed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIP TestUnreadableFileIsAnErrorOnlyWhenNamed: it needs a file of linux that cannot be read")
	}
	const unreadable = "/proc/self/task"
	_, err := corpus.Build(t.Context(), []corpus.Source{{Path: "/proc/self/mem"}})
	require.ErrorContains(t, err, `"/proc/self/mem"`)
	text, err := corpus.Build(t.Context(), []corpus.Source{{Path: unreadable}})
	require.NoError(t, err)
	defer text.Close()
	var reasons []string
	for _, s := range text.Skipped() {
		if filepath.Base(s.Name) == "mem" {
			reasons = append(reasons, s.Reason)
		}
	}
	require.NotEmpty(t, reasons)
	require.Contains(t, reasons[0], "unreadable: ")
}

func TestNoSourcesMakeAnEmptyText(t *testing.T) {
	text := build(t)
	require.Zero(t, text.Size())
	require.Empty(t, text.Documents())
	dir := tree(t, map[string]string{"empty.txt": ""})
	text = build(t, corpus.Source{Path: dir + "/empty.txt"})
	require.Zero(t, text.Size())
	require.Len(t, text.Documents(), 1)
}

func TestAppendKeepsOffsets(t *testing.T) {
	text := build(t, corpus.Source{Name: "first", String: "one"})
	for i, more := range []string{"two\n", "three", ""} {
		grown, err := text.Append(t.Context(), []corpus.Source{{Name: more, String: more}})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, grown.Close()) })
		require.True(t, strings.HasPrefix(content(t, grown), content(t, text)))
		require.Equal(t, text.Documents(), grown.Documents()[:i+1])
		last := grown.Documents()[i+1]
		require.Equal(t, more, content(t, grown)[last.Offset:last.Offset+last.Size])
		whole := build(t, corpus.Source{String: content(t, grown)})
		require.Equal(t, whole.Facts().SHA256, grown.Facts().SHA256)
		require.Equal(t, whole.Facts().Lines, grown.Facts().Lines)
		text = grown
	}
	require.Equal(t, "one\n\n=== document 2: two� ===\ntwo\n\n=== document 3: three ===\nthree\n\n=== document 4:  ===\n", content(t, text))
}

func TestAReaderThatBlocksIsGivenUp(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		_, _ = w.Write([]byte(strings.Repeat("some text\n", 5000))) // so much that Build is in progress
		cancel(io.ErrNoProgress)
	}()
	done := make(chan error)
	go func() {
		_, err := corpus.Build(ctx, []corpus.Source{{Name: "stdin", Reader: r}})
		done <- err
	}()
	select {
	case err := <-done:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(2 * time.Minute):
		require.Fail(t, "Build waits for a reader that gives nothing")
	}
}

func TestAReaderThatFailsIsAnError(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		_, _ = w.Write([]byte(strings.Repeat("some text\n", 5000)))
		_ = w.CloseWithError(io.ErrClosedPipe)
	}()
	_, err := corpus.Build(t.Context(), []corpus.Source{{Name: "stdin", Reader: r}})
	require.ErrorIs(t, err, io.ErrClosedPipe)
	require.ErrorContains(t, err, "stdin")
}
