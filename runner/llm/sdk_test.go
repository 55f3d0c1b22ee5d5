package llm_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// sdkRunner returns a function that makes one call with an official SDK. RLM_SDK names the folder where the
// packages of testdata/sdk are installed (.ci/run sdk does that).
func sdkRunner(t *testing.T) func(t *testing.T, s *fakeapi.Server, sdk, mode, model string) map[string]any {
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
	require.NoError(t, os.Symlink(
		filepath.Join(dir, "node_modules"), filepath.Join(filepath.Dir(script), "node_modules")))
	return func(t *testing.T, s *fakeapi.Server, sdk, mode, model string) map[string]any {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), node, script, sdk, mode, s.URL(), model)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		require.NoError(t, err, "%s", said.String())
		return decodeLine(t, out)
	}
}

// The makers' official SDKs and the fake servers understand each other: results of other tests against these
// servers thus hold for the makers' own. Other providers document OpenAI's SDK for their endpoints; it has a
// separate client for Azure.
func TestOfficialSDKs(t *testing.T) {
	run := sdkRunner(t)
	reply := fakeapi.Reply{
		Content: "a reply of some length, in more than one piece", Reasoning: "let me see",
		PromptTokens: 100, CompletionTokens: 40, CachedTokens: 60, WrittenTokens: 30,
	}
	limited := map[string]any{"error": "RateLimitError", "status": 429.0}
	for _, service := range fakeapi.Services() {
		t.Run(service.Name, func(t *testing.T) {
			next := reply
			s := fakeapi.StartService(service, func(fakeapi.Request) fakeapi.Reply { return next })
			defer s.Close()
			sdk := "openai"
			if service.Name == "azure" {
				sdk = "azure"
			}
			want := map[string]any{
				"text": reply.Content, "thought": "", "stop": "stop", "input": 100.0, "read": 60.0,
				"output": 40.0,
			}
			switch service.Name {
			case "gemini":
				want["text"] = "<thought>let me see</thought>" + reply.Content
			case "openrouter", "vllm":
				want["thought"] = "let me see"
			case "ollama":
				want["thought"], want["read"] = "let me see", 0.0
			}
			require.Equal(t, want, run(t, s, sdk, "whole", service.Model))
			require.Equal(t, want, run(t, s, sdk, "stream", service.Model))
			next = service.Failure("rate_limit", 0)
			require.Equal(t, limited, run(t, s, sdk, "whole", service.Model))
			next = fakeapi.Reply{Content: strings.Repeat("x", 100), Fault: fakeapi.ErrorEvent, Pieces: 1}
			if service.Name != "ollama" { // Ollama's SDK reports no error in a stream
				require.NotEmpty(t, run(t, s, sdk, "stream", service.Model)["error"])
			}
			if sdk == "openai" {
				require.NotEmpty(t, run(t, s, "models", "whole", service.Model)["names"])
			}
			for _, req := range s.Requests() {
				require.False(t, req.Refused, "the maker's own SDK is not refused: %s", req.Body)
			}
		})
	}
	t.Run("anthropic", func(t *testing.T) {
		s := fakeapi.Start(
			fakeapi.Rule{Times: 2, Reply: reply}, fakeapi.Rule{Reply: anthropicErrors[llm.ErrRateLimit]},
			fakeapi.Rule{Reply: fakeapi.Reply{Content: strings.Repeat("x", 100), Fault: fakeapi.ErrorEvent, Pieces: 1}},
		)
		defer s.Close()
		want := map[string]any{
			"text": reply.Content, "thinking": "let me see", "stop": "end_turn", "input": 10.0,
			"read": 60.0, "written": 30.0, "output": 40.0,
		}
		require.Equal(t, want, run(t, s, "anthropic", "whole", "m"))
		require.Equal(t, want, run(t, s, "anthropic", "stream", "m"))
		require.Equal(t, limited, run(t, s, "anthropic", "whole", "m"))
		require.NotEmpty(t, run(t, s, "anthropic", "stream", "m")["error"])
	})
	t.Run("genai", func(t *testing.T) {
		gemini := reply
		gemini.ReasoningTokens = 30
		s := fakeapi.Start(fakeapi.Rule{Times: 2, Reply: gemini}, fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{
			Status: 404, Body: `{"error":{"code":404,"message":"models/m is not found","status":"NOT_FOUND"}}`,
		}})
		defer s.Close()
		want := map[string]any{"text": reply.Content, "input": 100.0, "read": 60.0, "output": 40.0, "thought": 30.0}
		require.Equal(t, want, run(t, s, "genai", "whole", "m"))
		require.Equal(t, want, run(t, s, "genai", "stream", "m"))
		require.Equal(t, map[string]any{"error": "ApiError", "status": 404.0}, run(t, s, "genai", "whole", "m"))
	})
}

func decodeLine(t *testing.T, line []byte) map[string]any {
	t.Helper()
	var got map[string]any
	require.NoError(t, json.Unmarshal(line, &got), "%s", line)
	return got
}
