package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// TestAServerThatSaysNothing: a message names what is waited for, and an interrupt ends the wait before
// anything is asked.
func TestAServerThatSaysNothing(t *testing.T) {
	t.Parallel()
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	silent, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("there is no program that says nothing")
	}
	dir := t.TempDir()
	cmd := exec.Command(bin, "exec", "--mcp", silent+" 3600", "-")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "RLM_DATA_DIR=" + dir + "/data"}
	stdout, stderr := &shared{}, &shared{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("fmt.Println(1)"), stdout, stderr
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		return strings.Contains(
			stderr.String(), "waiting for MCP servers: "+silent+" …")
	}, 80*time.Second, 5*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	require.Equal(t, exitcode.Interrupted, cmd.ProcessState.ExitCode(), stderr.String())
	require.Empty(t, stdout.String())
}

// TestABearerTokenOfAVariable: a server with a URL gets the variable's value as a token, besides its other
// headers.
func TestABearerTokenOfAVariable(t *testing.T) {
	t.Setenv("TICKETS_TOKEN", "secret") // a test that sets variables cannot be parallel
	s, err := mcpServer{
		URL: "https://tickets.example/mcp", TokenEnv: "TICKETS_TOKEN",
		Headers: map[string]llm.Secret{"X-Team": llm.NewSecret("a")},
	}.server("tickets")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"Authorization": "Bearer secret", "X-Team": "a"}, s.Headers)
	s, err = mcpServer{URL: "https://tickets.example/mcp"}.server("tickets")
	require.NoError(t, err)
	require.Empty(t, s.Headers)
}
