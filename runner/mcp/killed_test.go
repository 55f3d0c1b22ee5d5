package mcp_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/mcp"
	"github.com/gorlm/rlm/runner/trajectory"
)

// doomed is the environment variable that makes this binary begin a run, during a call of which it is killed. Its
// value is the run's folder.
const doomed = "RLM_TEST_DOOMED"

// begun is a model that calls a tool that answers immediately, then one that does not answer. The folder's name
// states whether the latter is idempotent.
func begun(dir string) llm.Model {
	tool := "slow"
	if strings.HasSuffix(dir, "idempotent") {
		tool = "slow_idempotent"
	}
	return llm.ScriptedFunc("m", func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if len(req.Messages) > 2 {
			return llm.Response{Content: "```go\nFINAL(first + \", \" + second)\n```"}, nil
		}
		return llm.Response{Content: fmt.Sprintf(
			"```go\nfirst := slow(%q)\nsecond := \"\"\nfunc() {\n\tdefer func() {\n\t\tif p := recover(); p != nil {\n\t\t\tsecond = fmt.Sprint(p)\n\t\t}\n\t}()\n\tsecond = %s(%q)\n}()\n```",
			filepath.Join(dir, "first"), tool, filepath.Join(dir, "second"))}, nil
	})
}

func runDoomed(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	servers, err := mcp.Start(context.Background(),
		[]mcp.Server{{Command: []string{self}, Env: map[string]string{mode: "honest"}}}, mcp.Options{})
	if err != nil {
		return err
	}
	r, err := runner.New(begun(dir), runner.WithDataDir(dir), runner.WithOutsideTools(servers.List))
	if err != nil {
		return err
	}
	_, err = r.Answer(context.Background(), "q")
	return err
}

// TestKilledInTheMiddleOfACall: recorded calls are not repeated, and the call in flight only if its tool is
// idempotent.
func TestKilledInTheMiddleOfACall(t *testing.T) {
	t.Parallel()
	for tool, c := range map[string]struct {
		calls int
		says  string
	}{"slow": {1, "nobody knows whether it took effect"}, "idempotent": {2, "done"}} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), tool)
			for _, name := range []string{"first", "second"} {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
			}
			release(t, dir, "first")
			self, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), doomed+"="+dir)
			require.NoError(t, cmd.Start())
			for deadline := time.Now().Add(4 * time.Minute); called(t, dir, "second") == 0 && time.Now().Before(
				deadline); {
				time.Sleep(5 * time.Millisecond)
			}
			require.Equal(t, 1, called(t, dir, "second"))
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
			release(t, dir, "second")

			servers := start(t, mcp.Options{}, named(t, "honest"))
			r := newRunner(t, begun(dir), dir, servers)
			all, err := trajectory.List(r.RunsDir())
			require.NoError(t, err)
			require.Len(t, all, 1)
			res, err := runner.Collect(r.Resume(soon(t), all[0].ID))
			require.NoError(t, err)
			require.NoError(t, res.Err)
			require.Contains(t, res.Answer, "done, ")
			require.Contains(t, res.Answer, c.says)
			require.Equal(t, 1, called(t, dir, "first"))
			require.Equal(t, c.calls, called(t, dir, "second"))

			withoutServers(t, dir, all[0].ID)
		})
	}
}

// withoutServers: a run replays, and its session opens, without the server; only new calls fail.
func withoutServers(t *testing.T, dir, id string) {
	r, err := runner.New(llm.NewScripted("none"), runner.WithDataDir(dir))
	require.NoError(t, err)
	cells := 0
	for cell, err := range r.Replay(soon(t), id) {
		require.NoError(t, err)
		require.True(t, cell.Same, cell.After)
		cells++
	}
	require.Equal(t, 2, cells)
	s, err := r.OpenSession(soon(t), id)
	require.NoError(t, err)
	defer s.Close()
	out, failed := run(t, s, `fmt.Println(first)`)
	require.Empty(t, failed)
	require.Equal(t, "done\n", out)
	_, failed = run(t, s, `lookup("x")`)
	require.Contains(t, failed, "the MCP server test was not started with this program")
}

func release(t *testing.T, dir, name string) {
	require.NoError(t, os.WriteFile(filepath.Join(dir, name, "go"), nil, 0o600))
}

func called(t *testing.T, dir, name string) int {
	files, err := filepath.Glob(filepath.Join(dir, name, "called*"))
	require.NoError(t, err)
	return len(files)
}
