package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/mcp"
)

// scripted is the environment variable with the script file that this binary follows as a server; see TestMain.
const scripted = "RLM_TEST_MCP_SCRIPT"

// script is a server's literal output: an SDK would not let it send what real servers send.
type script struct {
	Tools  []json.RawMessage          `json:"tools"`
	Result map[string]json.RawMessage `json:"result"` // results by tool
	Before string                     `json:"before"` // printed before each result; %s is the request
	Calls  string                     `json:"calls"`  // the file that gets a line of arguments for each call
}

// write makes a server of a script.
func (s script) write(t *testing.T) (mcp.Server, *script) {
	t.Helper()
	dir := t.TempDir()
	s.Calls = filepath.Join(dir, "calls")
	text, err := json.Marshal(s)
	require.NoError(t, err)
	file := filepath.Join(dir, "script")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	self, err := os.Executable()
	require.NoError(t, err)
	return mcp.Server{Name: "scripted", Command: []string{self}, Env: map[string]string{scripted: file}}, &s
}

// calls returns the arguments of the calls that took effect.
func (s *script) calls(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(s.Calls)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// tool returns a read-only tool with an input and an output schema; "" omits one.
func tool(name, input, output string) json.RawMessage {
	if input == "" {
		input = `{"type":"object"}`
	}
	if output != "" {
		output = `,"outputSchema":` + output
	}
	return json.RawMessage(fmt.Sprintf(
		`{"name":%q,"annotations":{"readOnlyHint":true},"inputSchema":%s%s}`, name, input, output))
}

// follow runs the server that a script describes.
func follow(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var s script
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
				Version   string          `json:"protocolVersion"`
			} `json:"params"`
		}
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			return err
		}
		var result any = json.RawMessage(`{}`)
		switch {
		case len(m.ID) == 0:
			continue
		case m.Method == "initialize":
			result = map[string]any{"protocolVersion": m.Params.Version, "capabilities": map[string]any{
				"tools": map[string]any{},
			}, "serverInfo": map[string]any{"name": "scripted", "version": "1"}}
		case m.Method == "tools/list":
			result = map[string]any{"tools": s.Tools}
		case m.Method == "tools/call":
			calls, err := os.OpenFile(s.Calls, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			fmt.Fprintf(calls, "%s\n", m.Params.Arguments)
			if err := calls.Close(); err != nil {
				return err
			}
			if result = s.Result[m.Params.Name]; result.(json.RawMessage) == nil {
				result = json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`)
			}
			fmt.Print(strings.ReplaceAll(s.Before, "%s", in.Text()))
		}
		answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
		if err != nil {
			return err
		}
		fmt.Printf("%s\n", answer)
	}
	return in.Err()
}
