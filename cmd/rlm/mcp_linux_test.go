package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/stretchr/testify/require"
)

// TestAPersonIsAskedOnATerminal: a tool that is not read-only is called after the key y, and not after n. Text
// typed before the question is not an answer and is not lost, and the terminal is restored.
func TestAPersonIsAskedOnATerminal(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"y", "n", "\x1b"} {
		t.Run(fmt.Sprintf("%q", key), func(t *testing.T) {
			bin, err := exec.LookPath("rlm")
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(dir+"/cells.md",
				[]byte("```go\nfmt.Println(open_notebook(OpenNotebookOptions{Text: \"abc\"}).Size)\n```\n"), 0o600))
			cmd := exec.Command(bin, "exec", "--mcp", bin+" mcp", "cells.md")
			cmd.Dir = dir
			cmd.Env = []string{
				"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "RLM_DATA_DIR=" + dir + "/data",
				"TERM=xterm",
			}
			master, slave := openTerminal(t, 200)
			before, err := term.GetState(slave.Fd())
			require.NoError(t, err)
			_, err = master.WriteString("yes, the next command")
			require.NoError(t, err)
			stdout, screen := &shared{}, &shared{}
			cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, stdout, slave
			require.NoError(t, cmd.Start())
			go func() { _, _ = io.Copy(screen, master) }() // ends with the terminal
			require.Eventually(t, func() bool {
				return strings.Contains(screen.String(), "[n]o ›")
			}, 4*time.Minute, 5*time.Millisecond)
			require.Contains(t, screen.String(), `call open_notebook, which may change things, with {"text":"abc"}`)
			_, err = master.WriteString("what?\n\x1b[A")
			require.NoError(t, err)
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for waiting := true; waiting; { // a key that arrives together with others is not an answer
				_, err = master.WriteString(key)
				require.NoError(t, err)
				select {
				case err = <-ended:
					waiting = false
				case <-time.After(50 * time.Millisecond):
				}
			}
			after, failed := term.GetState(slave.Fd())
			require.NoError(t, failed)
			require.Equal(t, before, after)
			said := func() bool {
				return strings.Contains(screen.String(), "does not count as an answer: yes, the next command")
			}
			// The copy of the screen may lag behind the command.
			require.Eventually(t, said, time.Minute, 5*time.Millisecond, screen)
			if key == "y" {
				require.NoError(t, err)
				require.Contains(t, stdout.String(), "\n3\n")
				return
			}
			require.Error(t, err)
			require.Contains(t, stdout.String(), "a person did not allow this call")
		})
	}
}
