package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/stretchr/testify/require"
)

// TestASecondTerminalFollows: a second 'rlm open' of a session shows what happens in the first one and can use
// it; when the first one is killed, the second reports that and takes over the session.
func TestASecondTerminalFollows(t *testing.T) {
	t.Parallel()
	s := fakeapi.StartFunc(func(r fakeapi.Request) fakeapi.Reply {
		if strings.Contains(r.Last(), "never") {
			return fakeapi.Reply{Content: "never", Fault: fakeapi.Hang}
		}
		return fakeapi.Reply{Content: goCell(`FINAL(fmt.Sprint("kept is ", kept))`)}
	})
	defer s.Close()
	dir := t.TempDir()
	first := newTerminal(t, s, dir, "chat")
	first.line("> kept := 41")
	first.sees("✓ cell 1")
	id := lastRun(t, dir)
	second := newTerminal(t, s, dir, "open", id)
	second.sees("in another terminal")
	second.sees("kept := 41")
	second.line("what is kept?")
	first.sees("what is kept?")
	first.sees("kept is 41")
	second.sees("kept is 41")
	first.idle()
	first.line("it is never answered")
	second.sees("another terminal: ask")
	pid := strings.TrimSpace(first.tmux("display-message", "-p", "-t", "rlm", "#{pane_pid}"))
	require.NoError(t, exec.Command("kill", "-9", pid).Run())
	second.sees("is gone; /take-over continues the")
	second.line("/take-over")
	second.sees("this terminal now has the session open")
	second.line("> kept + 1")
	second.sees("= 42")
	second.line("/quit")
}
