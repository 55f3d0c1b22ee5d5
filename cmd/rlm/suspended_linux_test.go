package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/stretchr/testify/require"
)

// mentions waits until the output names a process as suspended.
func (p *shellEnvironment) mentions(said *shared, cmd *exec.Cmd) {
	p.Helper()
	for _, want := range []string{
		fmt.Sprintf("process %d on ", cmd.Process.Pid),
		fmt.Sprintf("which is suspended (fg or kill -CONT %d resumes it)", cmd.Process.Pid),
	} {
		require.Eventually(p, func() bool {
			return strings.Contains(said.String(), want)
		}, 2*time.Minute, 5*time.Millisecond, said)
	}
}

// While the process that has a session open is suspended, opening the session reports that, and follows it when
// the process continues.
func TestASuspendedSessionIsNamed(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	holder, said := p.command(p.bin, "chat", "data.txt")
	typed, err := holder.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	_, err = io.WriteString(typed, "> kept := 7\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return strings.Contains(said.String(), "✓ cell 1")
	}, 2*time.Minute, 5*time.Millisecond, said)
	resume := suspend(t, holder)
	open, told := p.command(p.bin, "open", "last")
	open.Stdin = strings.NewReader("> fmt.Println(\"kept\", kept)\n")
	require.NoError(t, open.Start())
	p.mentions(told, holder)
	resume()
	require.NoError(t, open.Wait(), told)
	require.Contains(t, told.String(), "kept 7")
	require.NoError(t, typed.Close())
	require.NoError(t, holder.Wait(), said)
}

// While the server of a data folder is suspended, a second server and the first one's clients report its
// process.
func TestASuspendedServerIsNamed(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	server, _ := p.command(p.bin, "serve", "--json", "--no-open", "--listen", "127.0.0.1:0")
	at := startServing(t, server)
	resume := suspend(t, server)
	second, told := p.command(p.bin, "serve", "--json", "--no-open")
	require.Error(t, second.Run())
	p.mentions(told, server)
	web, told := p.command(p.bin, "run", "--web", "how many lines?", "data.txt")
	require.Error(t, web.Run())
	p.mentions(told, server)
	require.Empty(t, p.endpoint.Requests(), "nothing is paid for")
	ls, told := p.command(p.bin, "ls", "--server", at.URL+"?token="+at.Token)
	require.NoError(t, ls.Start())
	p.mentions(told, server)
	require.NotContains(t, told.String(), at.Token)
	resume()
	require.NoError(t, ls.Wait(), told)
}

// A client that is uploading a text when the server is suspended reports that as well, and the whole text arrives
// when the server continues.
func TestAServerIsSuspendedWhileItIsSentAText(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.open()
	server, _ := p.command(p.bin, "serve", "--json", "--no-open", "--listen", "127.0.0.1:0")
	at := startServing(t, server)
	run, told := p.command(p.bin, "run", "--server", at.URL+"?token="+at.Token, "how many lines?", "-")
	text, err := run.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, run.Start())
	line := strings.Repeat("x", 1<<10) + "\n"
	for range 2 << 10 { // more than the buffers hold, so the server has begun to read
		_, err = io.WriteString(text, line)
		require.NoError(t, err)
	}
	resume := suspend(t, server)
	_, err = io.WriteString(text, line)
	require.NoError(t, err)
	require.NoError(t, text.Close())
	// On a busy machine the client may already have reported a server that was only slow.
	require.Eventually(t, func() bool { return strings.Contains(told.String(), "rlm: waiting for the server at ") },
		2*time.Minute, 5*time.Millisecond, told)
	resume()
	require.NoError(t, run.Wait(), told)
	require.Contains(t, told.String(), "2049")
}

// While the process that has the queue is suspended, others report that, and continue when it does.
func TestASuspendedBatchIsNamed(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.write("jobs.jsonl", `{"question": "q", "context": ["data.txt"]}`+"\n")
	cmd, said := p.command(p.bin, "batch", "jobs.jsonl", "-o", "out.jsonl")
	require.NoError(t, cmd.Start())
	p.asked(1)
	resume := suspend(t, cmd)
	ls, told := p.command(p.bin, "batch", "ls")
	require.NoError(t, ls.Start())
	named := fmt.Sprintf("process %d on ", cmd.Process.Pid)
	require.Eventually(t, func() bool {
		return strings.Contains(told.String(), named)
	}, 2*time.Minute, 5*time.Millisecond, told)
	require.Contains(t, told.String(),
		fmt.Sprintf("which is suspended (fg or kill -CONT %d resumes it)", cmd.Process.Pid))
	resume()
	require.NoError(t, ls.Wait(), told)
	p.open()
	require.NoError(t, cmd.Wait(), said)
}

// SIGQUIT and Ctrl-\ leave a session: the terminal is restored, and unsent input is in the history.
func TestAQuitLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	for _, quit := range []func(*os.File, *os.Process) error{
		func(master *os.File, _ *os.Process) error { _, err := master.WriteString("\x1c"); return err },
		func(_ *os.File, p *os.Process) error { return p.Signal(syscall.SIGQUIT) },
	} {
		p := newShellEnvironment(t)
		master, slave := openTerminal(t, 80)
		before, err := term.GetState(slave.Fd())
		require.NoError(t, err)
		cmd, screen := p.command(p.bin, "chat", "data.txt")
		cmd.Env = append(cmd.Env, "TERM=xterm")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
		require.NoError(t, cmd.Start())
		go func() { _, _ = io.Copy(screen, master) }() // ends with the terminal
		shows := func(text string) {
			t.Helper()
			require.Eventually(t, func() bool {
				return strings.Contains(screen.String(), text)
			}, 2*time.Minute, 5*time.Millisecond, screen)
		}
		shows("sandbox ")
		_, err = master.WriteString("half-a-thought¶")
		require.NoError(t, err)
		shows("¶") // a text of several letters may be drawn in parts
		require.NoError(t, quit(master, cmd.Process))
		_ = cmd.Wait() // a process that a signal ended returns an error
		after, err := term.GetState(slave.Fd())
		require.NoError(t, err)
		require.Equal(t, before, after)
		shows("continue with: rlm open ")
		require.Greater(t, strings.LastIndex(screen.String(), "\x1b[?2004l"),
			strings.LastIndex(screen.String(), "\x1b[?2004h"), "pastes are as they were")
		require.NotContains(t, screen.String(), "goroutine ")
		require.Contains(t, p.read("data/rlm/history"), "half-a-thought")
	}
}
