package openai_test

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/clients"
)

// TestClients: third-party clients for JavaScript work with the endpoint as with OpenAI's.
func TestClients(t *testing.T) {
	t.Parallel()
	compare(t, clients.New(t, "RLM_API_CLIENTS", "api"), []string{"table.mjs"}, map[string]map[string]string{
		"openai/chat": nil, "openai/responses": nil, "openai4/chat": nil, "openai4/responses": nil,
		"ai/responses": nil, "ai/unstored": nil, "ai/chat": nil, "ai/compatible": nil, "langchain/chat": nil,
		"langchain/responses":     nil,
		"agents/chat_completions": nil, "agents/responses": nil, "instructor": nil,
		"llamaindex": {"abort": "it takes no signal, and hands out nothing before the text of the answer, so that there is nothing to leave"},
	})
}

// TestGoClients: third-party clients for Go work with the endpoint, too. They are in a separate module in
// testdata/goclients.
func TestGoClients(t *testing.T) {
	t.Parallel()
	compare(t, clients.Built(t, "RLM_API_GO_CLIENTS", "libraries"), nil, map[string]map[string]string{
		"openai-go/chat": nil, "openai-go/responses": nil, "go-openai/responses": nil,
		"go-openai/chat": {"files": "its chat messages have parts for text and pictures only"},
		"langchaingo":    {"files": "it sends a file as a part of the type binary, which OpenAI does not know, and cannot name one that was uploaded"},
	})
}

// compare lets a program fill the rows of a table, whose cells say what a client lacks. RLM_API_SILENCE=5m30s
// makes the model, and answers in one piece, silent for that long.
func compare(t *testing.T, folder clients.Folder, program []string, rows map[string]map[string]string) {
	t.Helper()
	s := serve(t)
	silence, err := time.ParseDuration(cmp.Or(os.Getenv("RLM_API_SILENCE"), "16s")) // long enough for one comment
	require.NoError(t, err)
	var table clients.Table
	t.Cleanup(func() { t.Log("\n" + table.String()) })
	for client, missing := range rows {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			var saw map[string]string
			args := slices.Concat(program,
				[]string{client, s.url, s.token, strconv.FormatInt(silence.Milliseconds(), 10)})
			out := folder.Output(t, args...)
			require.NoError(t, json.Unmarshal(out, &saw), "%s", out)
			table.Add(t, client, saw, missing)
		})
	}
}

// TestOpenAIClient: what the table does not cover works with OpenAI's own client.
func TestOpenAIClient(t *testing.T) {
	t.Parallel()
	folder := clients.New(t, "RLM_API_CLIENTS", "api")
	s := serve(t)
	require.JSONEq(t, `{
		"chat": ["41", "42"], "sameNotebook": true, "streamed": "2000", "thought": true, "usage": true,
		"response": ["1", "2", "completed", ["reasoning", "message"]], "retrieved": ["2", ["reasoning", "message"], true, true], "background": "later",
		"types": [
			"response.created", "response.in_progress", "response.output_item.added", "response.reasoning_summary_part.added",
			"response.reasoning_summary_text.delta", "response.reasoning_summary_text.done", "response.reasoning_summary_part.done",
			"response.output_item.done", "response.content_part.added", "response.output_text.delta", "response.output_text.done",
			"response.content_part.done", "response.completed"
		],
		"file": ["hay.txt", 30000], "listed": true, "content": true, "deleted": true, "models": ["rlm", "rlm/fake"], "model": "rlm/fake",
		"refused": {
			"stop": [400, "stop", "unsupported_parameter"], "n": [400, "n", "unsupported_parameter"], "model": [404, "model", "model_not_found"],
			"tools": [400, "tools", "unsupported_parameter"], "key": [401, null, "invalid_api_key"]
		}
	}`, string(folder.Output(t, "client.mjs", s.url, s.token)))
}

// TestGeneratedClient: the served document passes a third-party validator, and a client generated from it compiles
// and works.
func TestGeneratedClient(t *testing.T) {
	t.Parallel()
	folder := clients.New(t, "RLM_API_CLIENTS", "api")
	s := serve(t)
	res, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"api/v1/openapi.json", nil)
	require.NoError(t, err)
	res.Header.Set("Authorization", "Bearer "+s.token)
	got, err := http.DefaultClient.Do(res)
	require.NoError(t, err)
	defer got.Body.Close()
	document, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder.Path, "native.json"), document, 0o600))

	valid := folder.Output(t, "node_modules/@seriousme/openapi-schema-validator/bin/validate-api-cli.js", "native.json")
	require.JSONEq(t, `{"valid": true}`, string(valid))
	folder.Output(t, "node_modules/openapi-typescript/bin/cli.js", "native.json", "-o", "native.d.ts")
	folder.Output(t, "node_modules/typescript/bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext",
		"--lib", "es2022,dom,dom.iterable", "generated.ts")
	require.JSONEq(t, `{
		"owner": true, "name": "", "answer": "1", "again": [false, true], "variables": ["42"], "found": [4], "listed": 1, "forked": true,
		"missing": "not_found", "removed": 1
	}`, string(folder.Output(t, "generated.js", s.url, s.token)))
}
