package server_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSocketClient: the ws package for JavaScript, which nobody here wrote, follows runs, gives orders and comes back. RLM_SOCKET_CLIENTS
// names the folder into which the packages of testdata/clients were installed (.ci/run api does that).
func TestSocketClient(t *testing.T) {
	packages := os.Getenv("RLM_SOCKET_CLIENTS")
	node, err := exec.LookPath("node")
	switch {
	case packages == "":
		t.Skip("SKIP TestSocketClient: RLM_SOCKET_CLIENTS names no folder with ws installed (.ci/run api)")
	case err != nil:
		t.Skip("SKIP TestSocketClient: there is no node")
	}
	s := start(t, &talker{replies: []string{fence("x := 1"), fence("FINAL(x)")}})
	dir := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")))
	script, err := os.ReadFile(filepath.Join("testdata", "clients", "client.mjs"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "client.mjs"), script, 0o600))
	cmd := exec.CommandContext(t.Context(), node, "client.mjs", s.url, s.token)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(t, err, "%s", said.String())
	require.JSONEq(t, `{
		"version": "test", "began": [202, 202, 202], "answers": ["1", "1", "1"], "pong": true, "bad": "bad_request", "alive": 200, "back": "1",
		"again": false, "keyless": 401, "foreign": 403
	}`, string(out), "%s", said.String())
}
