package mcp_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/clients"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// TestOfficialClients: the official client for JavaScript and the inspector work with the command as installed.
// RLM_MCP_SILENCE=5m makes the model silent for that long.
func TestOfficialClients(t *testing.T) {
	t.Parallel()
	packages := clients.New(t, "RLM_MCP_CLIENTS", "mcp")
	silence, err := time.ParseDuration(cmp.Or(os.Getenv("RLM_MCP_SILENCE"), "15s"))
	require.NoError(t, err)
	model := fakeapi.StartFunc(fakeapi.Obedient)
	t.Cleanup(model.Close)
	rlm, folder := filepath.Join(packages.Path, "rlm"), docs(t)
	out, err := exec.Command(
		"go", "build", "-ldflags=-s -w", "-o", rlm, "github.com/gorlm/rlm/cmd/rlm").CombinedOutput()
	require.NoError(t, err, "%s", out)
	var table clients.Table
	t.Cleanup(func() { t.Log("\n" + table.String()) })

	try := func(kind string, client, inspected []string) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var saw map[string]any
			require.NoError(t, json.Unmarshal(packages.Output(t, append([]string{"client.mjs"}, client...)...), &saw))
			require.Equal(t, map[string]any{
				"server": "rlm", "told": true, "output": "1\n", "wrong": true, "places": 1.0, "outside": true,
				"resources": 0.0,
				"tools": []any{
					"ask", "close_notebook", "documents", "open_notebook", "read", "run_cell", "search",
					"variables",
				},
			}, saw)
			var cells map[string]string
			out := packages.Output(t, slices.Concat(
				[]string{"table.mjs"}, client, []string{model.URL(), strconv.FormatInt(silence.Milliseconds(), 10)})...)
			require.NoError(t, json.Unmarshal(out, &cells), "%s", out)
			table.Add(t, "sdk, "+kind, cells, nil)

			i := inspector{t, packages, inspected, kind == "stdio"}
			var list struct{ Tools []struct{ Name string } }
			require.NoError(t, json.Unmarshal(i.call("tools/list"), &list))
			require.Len(t, list.Tools, 8)
			table.Add(t, "inspector, "+kind, i.cells(silence), i.missing())
		})
	}
	url, token := served(t, rlm, model.URL(), folder)
	try("stdio", []string{rlm, folder}, []string{
		rlm, "mcp", folder, "-e", "OPENAI_API_KEY=sk-test", "-e",
		"OPENAI_BASE_URL=" + model.URL(), "-e", "RLM_MODEL=fake",
	})
	try("HTTP", []string{url, token},
		[]string{url, "--transport", "http", "--header", "Authorization: Bearer " + token})
}

// inspector is the inspector's command line, which makes one call.
type inspector struct {
	t      *testing.T
	folder clients.Folder
	where  []string
	stdio  bool
}

func (i inspector) call(method string, args ...string) []byte {
	i.t.Helper()
	cli := filepath.Join("node_modules", "@modelcontextprotocol", "inspector", "cli", "build", "cli.js")
	return i.folder.Output(i.t, slices.Concat([]string{cli, "--cli"}, i.where, []string{"--method", method}, args)...)
}

// ask asks a question with arguments of the form name=value.
func (i inspector) ask(args ...string) (answer, session string) {
	i.t.Helper()
	all := []string{"--tool-name", "ask"}
	for _, a := range args {
		all = append(all, "--tool-arg", a)
	}
	var out struct {
		StructuredContent struct{ Answer, Session string }
	}
	require.NoError(i.t, json.Unmarshal(i.call("tools/call", all...), &out))
	return out.StructuredContent.Answer, out.StructuredContent.Session
}

// missing returns the table's cells for tests that a command with a single call cannot do.
func (i inspector) missing() map[string]string {
	out := map[string]string{
		"stream": "its command line prints the result alone", "abort": "its command line has no way to give up a call",
	}
	if i.stdio {
		out["second turn"] = "rlm mcp, which has the session, ends with its one call"
	}
	return out
}

// cells returns the inspector's row of the table.
func (i inspector) cells(silence time.Duration) map[string]string {
	i.t.Helper()
	first, session := i.ask("question=do: x := 41 ;; FINAL(x)", "text=hay")
	require.Equal(i.t, "41", first)
	if !i.stdio {
		second, _ := i.ask("question=do: x++; FINAL(x)", "session="+session)
		require.Equal(i.t, "42", second)
	}
	typed, _ := i.ask("question=do: FINAL(Answer{N: 7})", "text=hay",
		`schema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}`)
	file, _ := i.ask(`question=do: FINAL(strings.Count(context, "ERROR"))`, `paths=["a.log"]`)
	late, _ := i.ask(fmt.Sprintf(`question=lat:%d do: FINAL("late")`, silence.Milliseconds()), "text=hay")
	require.Equal(i.t, []string{`{"n":7}`, "1", "late"}, []string{typed, file, late})
	out := i.missing()
	for _, column := range clients.Columns {
		out[column] = cmp.Or(out[column], "+")
	}
	return out
}

// served runs `rlm serve` over a folder and returns the address and token for agents.
func served(t *testing.T, rlm, model, folder string) (url, token string) {
	cmd := exec.CommandContext(
		soon(t), rlm, "serve", "--json", "--no-open", "--max-runs", "8", "--listen", "127.0.0.1:0", folder)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "RLM_DATA_DIR=" + t.TempDir(), "OPENAI_API_KEY=sk-test",
		"OPENAI_BASE_URL=" + model, "RLM_MODEL=fake",
	}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // the exit status does not matter
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	require.NoError(t, err)
	var at struct{ URL, Token string }
	require.NoError(t, json.Unmarshal(line, &at))
	return at.URL + "mcp", at.Token
}
