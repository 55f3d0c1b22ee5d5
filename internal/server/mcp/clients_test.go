package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOfficialClients: the client for JavaScript and the inspector, which nobody here wrote, work with the command as it is installed.
// RLM_MCP_CLIENTS names the folder into which the packages of testdata/clients were installed (.ci/run mcp does that).
func TestOfficialClients(t *testing.T) {
	packages := os.Getenv("RLM_MCP_CLIENTS")
	node, err := exec.LookPath("node")
	switch {
	case packages == "":
		t.Skip("SKIP TestOfficialClients: RLM_MCP_CLIENTS names no folder with @modelcontextprotocol/sdk and inspector installed (.ci/run mcp)")
	case err != nil:
		t.Skip("SKIP TestOfficialClients: there is no node")
	}
	dir := t.TempDir()
	rlm := filepath.Join(dir, "rlm")
	out, err := exec.Command("go", "build", "-o", rlm, "github.com/gorlm/rlm/cmd/rlm").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")))
	folder := docs(t)
	script, err := os.ReadFile(filepath.Join("testdata", "clients", "client.mjs"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "client.mjs"), script, 0o600))
	run := func(args ...string) []byte {
		cmd := exec.CommandContext(soon(t), node, args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		require.NoError(t, err, "%s", said.String())
		return out
	}

	var saw map[string]any
	require.NoError(t, json.Unmarshal(run("client.mjs", rlm, folder), &saw))
	require.Contains(t, saw["asked"], "no model")
	delete(saw, "asked")
	require.Equal(t, map[string]any{
		"server": "rlm", "told": true, "output": "1\n", "wrong": true, "places": 1.0, "outside": true, "resources": 0.0,
		"tools": []any{"ask", "close_notebook", "open_notebook", "read", "run_cell", "search"},
	}, saw)

	var list struct{ Tools []struct{ Name string } }
	inspector := filepath.Join("node_modules", "@modelcontextprotocol", "inspector", "cli", "build", "cli.js")
	require.NoError(t, json.Unmarshal(run(inspector, "--cli", rlm, "mcp", folder, "--method", "tools/list"), &list))
	require.Len(t, list.Tools, 6)
	opened := run(inspector, "--cli", rlm, "mcp", folder, "--method", "tools/call", "--tool-name", "open_notebook", "--tool-arg", "text=some text")
	require.Contains(t, string(opened), "structuredContent")
}
