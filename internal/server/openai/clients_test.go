package openai_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClients: clients for JavaScript that nobody here wrote do with the endpoint what they do with OpenAI's. RLM_API_CLIENTS names the
// folder into which the packages of testdata/clients were installed (.ci/run api does that).
func TestClients(t *testing.T) {
	packages := os.Getenv("RLM_API_CLIENTS")
	node, err := exec.LookPath("node")
	switch {
	case packages == "":
		t.Skip("SKIP TestClients: RLM_API_CLIENTS names no folder with openai, ai and @langchain/openai installed (.ci/run api)")
	case err != nil:
		t.Skip("SKIP TestClients: there is no node")
	}
	s := serve(t)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")))
	script, err := os.ReadFile(filepath.Join("testdata", "clients", "client.mjs"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "client.mjs"), script, 0o600))
	for client, want := range map[string]string{
		"openai": `{
			"chat": ["41", "42"], "sameNotebook": true, "streamed": "2000", "thought": true, "usage": true,
			"parsed": {"n": 3, "words": ["a", "b"]}, "parsedResponse": {"n": 3, "words": ["a", "b"]},
			"response": ["1", "2", "completed", ["reasoning", "message"]], "retrieved": "1", "background": "later",
			"types": [
				"response.created", "response.in_progress", "response.output_item.added", "response.reasoning_summary_part.added",
				"response.reasoning_summary_text.delta", "response.reasoning_summary_text.done", "response.reasoning_summary_part.done",
				"response.output_item.done", "response.content_part.added", "response.output_text.delta", "response.output_text.done",
				"response.content_part.done", "response.completed"
			],
			"file": ["hay.txt", 30000], "fromFile": "30000", "fromResponseFile": "30000", "listed": true, "content": true, "deleted": true,
			"models": ["rlm", "rlm/fake"], "model": "rlm/fake", "aborted": "stopped",
			"refused": {
				"stop": [400, "stop", "unsupported_parameter"], "n": [400, "n", "unsupported_parameter"], "model": [404, "model", "model_not_found"],
				"tools": [400, "tools", "unsupported_parameter"], "key": [401, null, "invalid_api_key"]
			}
		}`,
		"ai":        `{"text": "1", "again": "2", "streamed": "streamed", "reasoning": true, "usage": true, "finish": "stop", "object": {"n": 7}}`,
		"langchain": `{"text": "1", "again": "2", "streamed": "streamed", "usage": true, "object": {"n": 7}, "response": "responded"}`,
	} {
		t.Run(client, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), node, "client.mjs", client, s.url, s.token)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
			var said bytes.Buffer
			cmd.Stderr = &said
			out, err := cmd.Output()
			require.NoError(t, err, "%s", said.String())
			require.JSONEq(t, want, string(out), "%s", said.String())
			require.True(t, json.Valid(out))
		})
	}
}
