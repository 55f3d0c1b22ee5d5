package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/stretchr/testify/require"
)

// TestAPersonIsAskedOnATerminal: a tool that is not read-only is called after a yes, and not after a no.
func TestAPersonIsAskedOnATerminal(t *testing.T) {
	for _, answer := range []string{"y", "n"} {
		t.Run(answer, func(t *testing.T) {
			bin, err := exec.LookPath("rlm")
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(dir+"/cells.md", []byte("```go\nfmt.Println(open_notebook(OpenNotebookOptions{Text: \"abc\"}).Size)\n```\n"), 0o600))
			cmd := exec.Command(bin, "exec", "--mcp", bin+" mcp", "cells.md")
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "RLM_DATA_DIR=" + dir + "/data", "TERM=xterm"}
			master, slave, err := pty.Open()
			require.NoError(t, err)
			defer master.Close()
			require.NoError(t, pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 200}))
			stdout, screen := &shared{}, &shared{}
			cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, stdout, slave
			require.NoError(t, cmd.Start())
			require.NoError(t, slave.Close())
			go func() { _, _ = io.Copy(screen, master) }() // ends with the terminal
			require.Eventually(t, func() bool { return strings.Contains(screen.String(), "a: all calls of it") }, 4*time.Minute, 5*time.Millisecond)
			require.Contains(t, screen.String(), `call open_notebook, which may change things, with {"text":"abc"}`)
			_, err = master.Write([]byte("what?\n" + answer + "\n"))
			require.NoError(t, err)
			err = cmd.Wait()
			require.Eventually(t, func() bool { return strings.Count(screen.String(), "a: all calls of it") == 2 }, time.Minute, 5*time.Millisecond, "it asks again")
			if answer == "y" {
				require.NoError(t, err)
				require.Contains(t, stdout.String(), "\n3\n")
				return
			}
			require.Error(t, err)
			require.Contains(t, stdout.String(), "a person did not allow this call")
		})
	}
}

// TestABearerTokenOfAVariable: a server with a URL is sent what the variable holds, beside its other headers.
func TestABearerTokenOfAVariable(t *testing.T) {
	t.Setenv("TICKETS_TOKEN", "secret")
	s, err := mcpServer{URL: "https://tickets.example/mcp", TokenEnv: "TICKETS_TOKEN", Headers: map[string]llm.Secret{"X-Team": llm.NewSecret("a")}}.server("tickets")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"Authorization": "Bearer secret", "X-Team": "a"}, s.Headers)
	s, err = mcpServer{URL: "https://tickets.example/mcp"}.server("tickets")
	require.NoError(t, err)
	require.Empty(t, s.Headers)
}
