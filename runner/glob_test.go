package runner_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
)

// Existing folders at the start of a pattern are taken literally; the rest is a pattern.
func TestPatternsBelowFoldersWithBrackets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{
		"app/[[...slug]]/page.tsx", "app/[id]/{a}/x.tsx", "app/i/{a}/y.tsx",
		"app/(shop)/*odd?/z.tsx", "other/b.tsx", "back\\slash/s.tsx",
	} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.WriteFile(at, []byte("x"), 0o600))
	}
	for pattern, want := range map[string][]string{
		"app/[[...slug]]/*.tsx":  {"app/[[...slug]]/page.tsx"},
		"app/[id]/{a}/*.tsx":     {"app/[id]/{a}/x.tsx"},
		"app/[id]/*/*.tsx":       {"app/[id]/{a}/x.tsx"},
		"app/[ij]/**/*.tsx":      {"app/i/{a}/y.tsx"},
		"app/(shop)/*odd?/*.tsx": {"app/(shop)/*odd?/z.tsx"},
		"[no]ther/?.tsx":         {"other/b.tsx"},
		"back\\slash/*.tsx":      {"back\\slash/s.tsx"},
	} {
		inputs, err := runner.Glob(dir + "/" + pattern)
		require.NoError(t, err, pattern)
		var got []runner.Input
		for _, name := range want {
			got = append(got, runner.Path(filepath.Join(dir, filepath.FromSlash(name))))
		}
		require.Equal(t, got, inputs, pattern)
	}
	_, err := runner.Glob(dir + "/app/[[...slug]]/*.go")
	require.ErrorContains(t, err, "no file matches the pattern "+dir+"/app/[[...slug]]/*.go")
}
