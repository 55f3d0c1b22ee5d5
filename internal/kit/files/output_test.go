package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/stretchr/testify/require"
)

func says(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.md")
	require.NoError(t, files.Output(path, says("first")))
	require.NoError(t, files.Output(path, says(strings.Repeat("second ", 10_000))))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("second ", 10_000), string(text))
	require.Equal(t, []string{"run.md"}, names(t, dir))
	if runtime.GOOS == "windows" {
		return
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it may hold what nobody else may read")
	require.NoError(t, os.Chmod(path, 0o644))
	require.NoError(t, files.Output(path, says("third")))
	info, err = os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o644), info.Mode().Perm(), "who allowed others to read it meant that")
}

// A write that fails midway leaves the old contents, or nothing, and no other file.
func TestNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.md")
	full := errors.New("no space left")
	cut := func(w io.Writer) error { return errors.Join(says(strings.Repeat("half ", 10_000))(w), full) }
	require.ErrorIs(t, files.Output(path, cut), full)
	require.Empty(t, names(t, dir))
	require.NoError(t, files.Output(path, says("whole")))
	require.ErrorIs(t, files.Output(path, cut), full)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "whole", string(text))
	require.Equal(t, []string{"run.md"}, names(t, dir))
}

// A link remains, and its target is replaced; a device is written to.
func TestLinksAndDevices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: links and devices are other things on Windows")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "run.md"), filepath.Join(dir, "link.md")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, os.Symlink("run.md", link))
	require.NoError(t, files.Output(link, says("new")))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(text))
	to, err := os.Readlink(link)
	require.NoError(t, err)
	require.Equal(t, "run.md", to)
	require.NoError(t, files.Output(os.DevNull, says("gone")))
	info, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	require.False(t, info.Mode().IsRegular())
}

// The error for a path where no file can be written names the path.
func TestPlace(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "missing", "run.md"), dir} {
		var place *files.PlaceError
		err := files.Output(path, says("text"))
		require.ErrorAs(t, err, &place)
		require.ErrorContains(t, err, path+":")
	}
	require.Empty(t, names(t, dir))
}
