package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/stretchr/testify/require"
)

// onTerminal runs the command with stderr on a terminal and returns that terminal's screen.
func onTerminal(
	t *testing.T, s *fakeapi.Server, env []string, args ...string) (
	cmd *exec.Cmd, wait func() error, stdout, screen *shared,
) {
	t.Helper()
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/note.txt", []byte("hi\n"), 0o600))
	cmd = exec.Command(bin, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append([]string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "RLM_DATA_DIR=" + dir + "/data", "OPENAI_BASE_URL=" + s.URL(),
		"OPENAI_API_KEY=" + canary, "RLM_MODEL=root", "NO_PROXY=127.0.0.1", "TERM=xterm",
	}, env...)...)
	master, slave, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 60}))
	stdout, screen = &shared{}, &shared{}
	cmd.Stdout, cmd.Stderr = stdout, slave
	require.NoError(t, cmd.Start())
	require.NoError(t, slave.Close())
	read := make(chan struct{})
	go func() {
		io.Copy(screen, master) // ends when the last process on the terminal has ended
		close(read)
	}()
	t.Cleanup(func() { master.Close() })
	wait = func() error {
		err := cmd.Wait()
		<-read
		return err
	}
	return cmd, wait, stdout, screen
}

// shared is a buffer that one goroutine writes and others read.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestLiveDisplay(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(
		fakeapi.Rule{Reply: fakeapi.Reply{
			Delay: 2 * time.Second, Content: "```go\nfmt.Println(\"a cell prints \\x1b[31mred\")\nx := 1\n```",
		}},
		fakeapi.Rule{Reply: fakeapi.Reply{Content: "```go\nFINAL(\"done\")\n```"}},
	)
	defer s.Close()
	_, wait, stdout, screen := onTerminal(t, s, nil, "run", "q", "note.txt")
	require.NoError(t, wait())
	require.Equal(t, "done\n", stdout.String())
	shown := screen.String()
	require.Contains(t, shown, "turn 1 · waiting for the model")
	require.Contains(t, shown, "a cell prints red", "what a cell prints is shown, without what a terminal would obey")
	require.Regexp(t, `(?s)│ fmt\.Println.*│ x := 1.*a cell prints red`, shown, "its code stands above that")
	require.Contains(t, shown, "completed by FINAL")
	require.NotContains(t, shown, canary)
	for _, line := range strings.Split(shown, "\r") {
		require.LessOrEqual(t, len([]rune(line)), 160)
	}
}

func TestNoColor(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Says("```go\nfmt.Println(\"hello\")\nFINAL(\"done\")\n```")...)
	defer s.Close()
	_, wait, _, screen := onTerminal(t, s, []string{"NO_COLOR=1"}, "run", "q", "note.txt")
	require.NoError(t, wait())
	require.Contains(t, screen.String(), "hello")
	require.NotContains(t, screen.String(), "\x1b[2m")
}

// Ctrl-C, a kill or a closed terminal in the middle of a batch of sub-calls ends the command immediately with exit
// code 130 and a hint on how to resume.
func TestInterruptExitCode(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			interruptedBy(t, sig)
		})
	}
}

func interruptedBy(t *testing.T, sig syscall.Signal) {
	s := fakeapi.Start(
		fakeapi.Rule{
			Model: "root",
			Reply: fakeapi.Reply{Content: "```go\nllm_query_batched([]string{\"a\", \"b\", \"c\"})\n```"},
		},
		fakeapi.Rule{Model: "small", Times: -1, Reply: fakeapi.Reply{Delay: time.Minute}},
	)
	defer s.Close()
	// A child inherits an ignored signal, such as nohup's SIGHUP, but not one that has a handler here.
	handled := make(chan os.Signal, 1)
	signal.Notify(handled, sig)
	cmd, wait, stdout, screen := onTerminal(t, s, nil, "run", "--sub-model", "small", "q", "note.txt")
	signal.Stop(handled)
	require.Eventually(t, func() bool { return len(s.Requests()) == 4 }, 2*time.Minute, 5*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(sig))
	err := wait()
	var ended *exec.ExitError
	require.ErrorAs(t, err, &ended)
	require.Equal(t, 130, ended.ExitCode())
	require.Empty(t, stdout.String())
	require.Contains(t, screen.String(), "rlm resume")
}

// Nothing that a command prints of a run can control its terminal: not the answer, output of cells, documents,
// texts of an endpoint or file names. In a file or a pipe all bytes are unchanged.
func TestNoCommandLetsATerminalBeSteered(t *testing.T) {
	t.Parallel()
	const hostile = "\\x1b]52;c;ZXZpbA==\\x07\\x1b]0;title\\x07\\x1b[2J\\u009b31m\\u202egnihton"
	s := fakeapi.Start(
		fakeapi.Rule{Model: "root", Reply: fakeapi.Reply{Content: "\x1b[2Jlook\u202e\n```go\nfmt.Println(\"printed" +
			hostile + "\")\nllm_query(\"x" + hostile + "\")\n```"}},
		fakeapi.Rule{Model: "small", Reply: fakeapi.Reply{Content: "a sub \x1b[2Jreply"}},
		fakeapi.Rule{Model: "root", Reply: fakeapi.Reply{Content: "```go\nFINAL(\"answered" + hostile + "\")\n```"}},
		fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Status: 400, Content: "refused \x1b]0;title\x07\u009b2J"}},
	)
	defer s.Close()
	home := t.TempDir()
	name := "odd\x1b[2J\u202e.txt"
	require.NoError(t, os.WriteFile(
		home+"/"+name, []byte("text \x1b]0;title\x07\n"+strings.Repeat("plain lines of a log\n", 50)), 0o600))
	on := func(args ...string) string {
		t.Helper()
		bin, err := exec.LookPath("rlm")
		require.NoError(t, err)
		master, slave, err := pty.Open()
		require.NoError(t, err)
		defer master.Close()
		cmd := exec.Command(bin, args...)
		cmd.Dir = home
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "RLM_DATA_DIR="+home+"/data",
			"OPENAI_BASE_URL="+s.URL(),
			"OPENAI_API_KEY="+canary, "RLM_MODEL=root", "NO_PROXY=127.0.0.1", "TERM=xterm")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
		require.NoError(t, cmd.Start())
		require.NoError(t, slave.Close())
		shown := &shared{}
		read := make(chan struct{})
		go func() {
			io.Copy(shown, master)
			close(read)
		}()
		cmd.Wait() // some commands fail, and their errors are checked too
		<-read
		return shown.String()
	}
	own := regexp.MustCompile("\x1b\\[[0-9;]*m|\r\x1b\\[K|\r\n") // sent by rlm itself: styles, status line, line ends
	check := func(want string, args ...string) {
		t.Helper()
		text := own.ReplaceAllString(on(args...), "\n")
		require.Contains(t, text, want, args)
		for _, r := range text {
			require.False(t, r != '\n' && r != '\t' && unicode.IsControl(r) ||
				r >= '\u202a' && r <= '\u202e', "%q in %q of %v", r, text, args)
		}
	}
	check("answered", "run", "-v", "--sub-model", "small", "question \x1b[2J", name)
	check("answered", "show", "last")
	check("a sub reply", "show", "--all", "last")
	check("answered", "show", "--json", "last")
	check("U, T", "show", "--sequence", "last")
	check("answered", "export", "last")
	check("iteration", "export", "--format", "rlm-jsonl", "last")
	check("question", "ls")
	check("question", "ls", "--json")
	check("same", "replay", "last")
	check("text", "prompt", "q", name)
	check("refused", "run", "q", name)
	check("refused", "run", "--json", "q", name)
	check("refused", "run", "--events", "q", name)
	check("no run", "show", "odd\x1b[2J")
	require.NoError(t, os.WriteFile(
		home+"/cells.md", []byte("```go\nfmt.Println(context, \"printed"+hostile+"\")\n```\n"), 0o600))
	check("printed", "exec", "-c", name, "cells.md")
}

// Interrupted cells of a command without a model have the same exit code, and the remaining cells do not run.
func TestInterruptedCellsExitCode(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Delay: time.Minute}})
	defer s.Close()
	cells := t.TempDir() + "/cells.md"
	require.NoError(t, os.WriteFile(
		cells, []byte("```go\nllm_query(\"a\")\n```\n\n```go\nfmt.Println(\"after\")\n```\n"), 0o600))
	cmd, wait, stdout, _ := onTerminal(t, s, nil, "exec", "--sub-model", "small", cells)
	require.Eventually(t, func() bool { return len(s.Requests()) == 1 }, 2*time.Minute, 5*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	var ended *exec.ExitError
	require.ErrorAs(t, wait(), &ended)
	require.Equal(t, 130, ended.ExitCode())
	require.NotContains(t, stdout.String(), "after")
}

// Ctrl-C leaves a prompt: what is typed next is meant for the shell, and must not become a key or delete a run.
func TestInterruptedPrompts(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "```go\nFINAL(\"done\")\n```"}})
	defer s.Close()
	dir := t.TempDir()
	_, wait, _, _ := onTerminal(t, s, []string{"RLM_DATA_DIR=" + dir}, "run", "-q", "kept question", "note.txt")
	require.NoError(t, wait())
	for prompt, args := range map[string][]string{
		"it is not shown": {"keys", "set", "anthropic"},
		"delete?":         {"rm", "last"},
		"end with Ctrl-D": {"exec"},
	} {
		t.Run(args[0], func(t *testing.T) {
			master, slave, err := pty.Open()
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, errors.Join(slave.Close(), master.Close())) })
			before, err := term.GetState(slave.Fd())
			require.NoError(t, err)
			bin, err := exec.LookPath("rlm")
			require.NoError(t, err)
			cmd := exec.Command(bin, args...)
			screen := &shared{}
			cmd.Stdin, cmd.Stderr = slave, screen
			cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "RLM_DATA_DIR="+dir)
			require.NoError(t, cmd.Start())
			require.Eventually(t, func() bool {
				now, err := term.GetState(slave.Fd())
				hidden := err == nil && *now != *before
				return strings.Contains(screen.String(), prompt) && (hidden || args[0] != "keys")
			}, 2*time.Minute, 5*time.Millisecond)
			require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
			var ended *exec.ExitError
			require.ErrorAs(t, cmd.Wait(), &ended)
			require.Equal(t, 130, ended.ExitCode(), screen.String())
			after, err := term.GetState(slave.Fd())
			require.NoError(t, err)
			require.Equal(t, before, after, "the terminal shows again what is typed")
		})
	}
	_, wait, stdout, _ := onTerminal(t, s, []string{"RLM_DATA_DIR=" + dir}, "ls")
	require.NoError(t, wait())
	require.Contains(t, stdout.String(), "kept question")
}

// A run takes one line of the list, which fits the terminal even if that is narrow.
func TestARunIsOneLineOfAList(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "```go\nFINAL(\"done\")\n```"}})
	defer s.Close()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/note.txt", []byte("hi\n"), 0o600))
	for range 2 {
		require.NoError(t, command(
			t, s, dir, "run", "kept question that is longer than any terminal of sixty columns", "note.txt").Run())
	}
	for _, columns := range []uint16{60, 80, 120} {
		tty, err := pty.StartWithSize(command(t, s, dir, "ls"), &pty.Winsize{Rows: 24, Cols: columns})
		require.NoError(t, err)
		shown, _ := io.ReadAll(tty) // at its end a terminal returns an error
		lines := strings.Split(strings.TrimSpace(ansi.Strip(string(shown))), "\r\n")
		require.Len(t, lines, 3, "%s", shown)
		for _, line := range lines[1:] {
			require.LessOrEqual(t, ansi.StringWidth(line), int(columns))
			require.Contains(t, line, "completed")
			require.Contains(t, line, "kept")
		}
		require.NoError(t, tty.Close())
	}
}

// A session fed by a pipe also ends with Ctrl-C while it waits for the next line, and prints how to continue.
func TestInterruptedPipe(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "```go\nFINAL(\"done\")\n```"}})
	defer s.Close()
	for _, typed := range []string{"", "what is it?\n", "> if true {\n", "half a line"} {
		bin, err := exec.LookPath("rlm")
		require.NoError(t, err)
		dir := t.TempDir()
		cmd := exec.Command(bin, "chat")
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "RLM_DATA_DIR="+dir,
			"OPENAI_BASE_URL="+s.URL(),
			"OPENAI_API_KEY="+canary, "RLM_MODEL=root", "NO_PROXY=127.0.0.1")
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		stdout, stderr := &shared{}, &shared{}
		cmd.Stdout, cmd.Stderr = stdout, stderr
		require.NoError(t, cmd.Start())
		_, err = io.WriteString(in, typed)
		require.NoError(t, err)
		want := "no context"
		if strings.HasSuffix(typed, "?\n") {
			want = "completed"
		}
		require.Eventually(t, func() bool {
			return strings.Contains(stdout.String(), want)
		}, 2*time.Minute, 5*time.Millisecond)
		require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		var ended *exec.ExitError
		require.ErrorAs(t, cmd.Wait(), &ended)
		require.Equal(t, 130, ended.ExitCode(), stderr.String())
		require.Contains(t, stderr.String(), "rlm: stopped; continue with: rlm open ")
	}
}

// No line of prose is wider than the terminal or breaks within a word.
func TestNarrowTerminal(t *testing.T) {
	t.Parallel()
	const question = "Which of the extraordinarily many services, whose names are mentioned somewhere in this text, failed yesterday evening?"
	s := fakeapi.Start(
		fakeapi.Rule{Times: -1, Match: "second", Reply: fakeapi.Reply{
			Status:  400,
			Content: "refused for reasons that need quite a number of words until they are understood by everybody",
		}},
		fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{
			Content: "I look at the beginning of the text, and then I answer with what stands there, word for word.\n" +
				"```go\nFINAL(\"an answer that needs somewhat more than sixty columns of the terminal, as most answers do\")\n```",
		}},
	)
	defer s.Close()
	home := t.TempDir()
	require.NoError(t, os.WriteFile(home+"/note.txt", []byte("hi\n"), 0o600))
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	words := regexp.MustCompile(`[\pL\pN]{4,}`)
	known := map[string]bool{}
	see := func(columns uint16, args ...string) string {
		t.Helper()
		master, slave, err := pty.Open()
		require.NoError(t, err)
		defer master.Close()
		require.NoError(t, pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: columns}))
		cmd := exec.Command(bin, args...)
		cmd.Dir = home
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "RLM_DATA_DIR="+home+"/data",
			"OPENAI_BASE_URL="+s.URL(),
			"OPENAI_API_KEY="+canary, "RLM_MODEL=root", "NO_PROXY=127.0.0.1", "TERM=xterm", "NO_COLOR=1",
			"OLLAMA_HOST=127.0.0.1:1")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
		require.NoError(t, cmd.Start())
		require.NoError(t, slave.Close())
		shown := &shared{}
		read := make(chan struct{})
		go func() {
			io.Copy(shown, master)
			close(read)
		}()
		cmd.Wait() // some commands fail, and their errors are checked too
		<-read
		return regexp.MustCompile(`[^\n]*\r\x1b\[K`).ReplaceAllString(
			strings.ReplaceAll(shown.String(), "\r\n", "\n"), "")
	}
	for _, args := range [][]string{{"run", question, "note.txt"}, {"show", "last"}} {
		require.Regexp(t, `(?m)^Answer$`, see(60, args...), "an answer has a heading")
	}
	require.Contains(t, see(60, "help", "run"), "\n       is an answer: ", "below its column, in help as well")
	require.NotContains(t, see(40, "ls"), "$", "no price where there is no room for all of it")
	see(400, "batch", question, "--each", "note.txt", "-o", "out.jsonl") // below it is known, at both widths
	for _, args := range [][]string{
		{"run", question, "note.txt"},
		{"show", "last"},
		{"ls"},
		{"batch", question, "--each", "note.txt", "-o", "out.jsonl"},
		{"batch", "ls"},
		{"verify", "last"},
		{"replay", "last"},
		{"run", "the second question", "note.txt"},
		{"show", "last"},
		{"run", "-m", "gpt-5", "--base-url", "ftp://x", question},
		{"help"},
		{"help", "run"},
		{"help", "chat"},
		{"help", "exec"},
		{"help", "keys"},
		{"models"},
		{"ls", "--status", "bogus"},
		{"keys", "ls"},
		{"prompt", question, "note.txt"},
		{"config"},
	} {
		for _, w := range words.FindAllString(see(400, args...), -1) {
			known[w] = true
		}
		code := false
		for line := range strings.Lines(see(60, args...)) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			if code || strings.HasPrefix(args[0], "config") || strings.Contains(line, home) {
				continue
			}
			require.LessOrEqual(t, ansi.StringWidth(line), 60, "%v: %q", args, line)
			for _, w := range words.FindAllString(line, -1) {
				require.True(t, known[w] ||
					strings.ContainsAny(w, "0123456789"), "%v breaks within %q: %q", args, w, line)
			}
		}
	}
}

// openTerminal opens a terminal of 24 lines until the end of the test; what is written to one end can be read
// from the other.
func openTerminal(t testing.TB, columns uint16) (master, slave *os.File) {
	t.Helper()
	master, slave, err := pty.Open()
	require.NoError(t, err)
	t.Cleanup(func() { _ = errors.Join(slave.Close(), master.Close()) }) // a test may have closed one
	require.NoError(t, pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: columns}))
	return master, slave
}
