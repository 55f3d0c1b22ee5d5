package llm_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/stretchr/testify/require"
)

// sdkRunner is a way to make one call with an official SDK. RLM_SDK names the folder into which the packages of
// testdata/sdk were installed (.ci/run sdk does that).
func sdkRunner(t *testing.T) func(t *testing.T, s *fakeapi.Server, sdk, mode string) map[string]any {
	t.Helper()
	dir := os.Getenv("RLM_SDK")
	node, err := exec.LookPath("node")
	switch {
	case dir == "":
		t.Skip("SKIP TestOfficialSDKs: RLM_SDK names no folder with @anthropic-ai/sdk, openai and @google/genai installed (.ci/run sdk)")
	case err != nil:
		t.Skip("SKIP TestOfficialSDKs: there is no node")
	}
	source, err := os.ReadFile(filepath.Join("testdata", "sdk", "call.mjs"))
	require.NoError(t, err)
	script := filepath.Join(t.TempDir(), "call.mjs")
	require.NoError(t, os.WriteFile(script, source, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(dir, "node_modules"), filepath.Join(filepath.Dir(script), "node_modules")))
	return func(t *testing.T, s *fakeapi.Server, sdk, mode string) map[string]any {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), node, script, sdk, mode, s.URL())
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		require.NoError(t, err, "%s", said.String())
		return decodeLine(t, out)
	}
}
