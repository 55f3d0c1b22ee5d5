package openai_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// clients is a folder with the packages of testdata/clients and its scripts. RLM_API_CLIENTS names the folder into which the packages were
// installed (.ci/run api does that).
func clients(t *testing.T) (node, dir string) {
	t.Helper()
	packages := os.Getenv("RLM_API_CLIENTS")
	node, err := exec.LookPath("node")
	switch {
	case packages == "":
		t.Skipf("SKIP %s: RLM_API_CLIENTS names no folder with the packages of testdata/clients installed (.ci/run api)", t.Name())
	case err != nil:
		t.Skipf("SKIP %s: there is no node", t.Name())
	}
	dir = t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")))
	for _, name := range []string{"client.mjs", "generated.ts"} {
		script, err := os.ReadFile(filepath.Join("testdata", "clients", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), script, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`), 0o600))
	return node, dir
}

// output is what a script prints.
func output(t *testing.T, node, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), node, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", said.String(), out)
	return out
}

// TestClients: clients for JavaScript that nobody here wrote do with the endpoint what they do with OpenAI's.
func TestClients(t *testing.T) {
	node, dir := clients(t)
	s := serve(t)
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
			require.JSONEq(t, want, string(output(t, node, dir, "client.mjs", client, s.url, s.token)))
		})
	}
}

// TestGeneratedClient: the document that the server serves passes a validator that nobody here wrote, and a client that was generated from it
// compiles and works.
func TestGeneratedClient(t *testing.T) {
	node, dir := clients(t)
	s := serve(t)
	res, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"api/v1/openapi.json", nil)
	require.NoError(t, err)
	res.Header.Set("Authorization", "Bearer "+s.token)
	got, err := http.DefaultClient.Do(res)
	require.NoError(t, err)
	defer got.Body.Close()
	document, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "native.json"), document, 0o600))

	valid := output(t, node, dir, "node_modules/@seriousme/openapi-schema-validator/bin/validate-api-cli.js", "native.json")
	require.JSONEq(t, `{"valid": true}`, string(valid))
	output(t, node, dir, "node_modules/openapi-typescript/bin/cli.js", "native.json", "-o", "native.d.ts")
	output(t, node, dir, "node_modules/typescript/bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable", "generated.ts")
	require.JSONEq(t, `{
		"owner": true, "name": "", "answer": "1", "again": [false, true], "variables": ["42"], "found": [4], "listed": 1, "forked": true,
		"missing": "not_found", "removed": 1
	}`, string(output(t, node, dir, "generated.js", s.url, s.token)))
}
