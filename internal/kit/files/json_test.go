package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/files"
)

func TestJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "state.json")
	state := map[string]int{"before": 1}
	require.NoError(t, files.ReadJSON(path, &state))
	require.Equal(t, map[string]int{"before": 1}, state, "there is no file")
	require.NoError(t, files.ReplaceJSON(path, map[string]int{"a": 2}))
	state = nil
	require.NoError(t, files.ReadJSON(path, &state))
	require.Equal(t, map[string]int{"a": 2}, state)
	require.Error(t, files.ReplaceJSON(path, func() {}), "what cannot be JSON leaves the file as it is")
	require.NoError(t, files.ReadJSON(path, &state))
	require.NoError(t, os.WriteFile(path, []byte(`{"a":`), 0o600))
	require.Error(t, files.ReadJSON(path, &state))
}
