package files_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/files"
)

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "file")
	for _, text := range []string{"first", "", "third"} {
		require.NoError(t, files.Replace(path, []byte(text)))
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(b))
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestReplaceLeavesNothingBehindWhenItFails(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "folder", "inside"), 0o700))
	require.Error(t, files.Replace(filepath.Join(dir, "folder"), []byte("text")))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}
