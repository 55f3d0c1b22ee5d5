package mcp_test

import (
	"bufio"
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

	inspector := filepath.Join("node_modules", "@modelcontextprotocol", "inspector", "cli", "build", "cli.js")
	try := func(t *testing.T, client, inspected []string) {
		var saw map[string]any
		require.NoError(t, json.Unmarshal(run(append([]string{"client.mjs"}, client...)...), &saw))
		require.Contains(t, saw["asked"], "no model")
		delete(saw, "asked")
		require.Equal(t, map[string]any{
			"server": "rlm", "told": true, "output": "1\n", "wrong": true, "places": 1.0, "outside": true, "resources": 0.0,
			"tools": []any{"ask", "close_notebook", "open_notebook", "read", "run_cell", "search"},
		}, saw)

		inspect := append([]string{inspector, "--cli"}, inspected...)
		var list struct{ Tools []struct{ Name string } }
		require.NoError(t, json.Unmarshal(run(append(inspect, "--method", "tools/list")...), &list))
		require.Len(t, list.Tools, 6)
		opened := run(append(inspect, "--method", "tools/call", "--tool-name", "open_notebook", "--tool-arg", "text=some text")...)
		require.Contains(t, string(opened), "structuredContent")
	}
	t.Run("stdio", func(t *testing.T) { try(t, []string{rlm, folder}, []string{rlm, "mcp", folder}) })
	t.Run("HTTP", func(t *testing.T) {
		url, token := served(t, rlm, dir, folder)
		try(t, []string{url, token}, []string{url, "--transport", "http", "--header", "Authorization: Bearer " + token})
	})
}

// served runs `rlm serve` over a folder and returns where its agents speak to it.
func served(t *testing.T, rlm, home, folder string) (url, token string) {
	cmd := exec.CommandContext(soon(t), rlm, "serve", "--json", "--no-open", "--listen", "127.0.0.1:0", folder)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "RLM_DATA_DIR=" + t.TempDir()}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // how it ends is not what is tested
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	require.NoError(t, err)
	var at struct{ URL, Token string }
	require.NoError(t, json.Unmarshal(line, &at))
	return at.URL + "mcp", at.Token
}
