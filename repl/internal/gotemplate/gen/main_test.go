package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheCopyIsTheReleases fails when the copy was changed by hand.
func TestTheCopyIsTheReleases(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, write(dir))
	for _, file := range files {
		name := filepath.Base(file)
		got, err := os.ReadFile(filepath.Join("..", name))
		require.NoError(t, err)
		first, _, _ := strings.Cut(string(got), "\n")
		if !strings.Contains(first, " of "+runtime.Version()+";") {
			t.Skipf("this is %s: go generate ./repl/internal/gotemplate takes its template package over",
				runtime.Version())
		}
		want, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%s: run go generate ./repl/internal/gotemplate", name)
	}
}
