package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tmuxScreen is the built command in a real terminal (tmux), driven by keys and read like a person would.
type tmuxScreen struct {
	t      *testing.T
	socket string
	dir    string
	env    []string
}

// newTerminal starts rlm with args in a terminal of 80 columns and 24 lines.
func newTerminal(t *testing.T, s *fakeapi.Server, dir string, args ...string) *tmuxScreen {
	t.Helper()
	term := startTerminal(t, terminalEnv(s, dir), dir, args...)
	term.sees("sandbox ") // the status line appears when input is accepted
	return term
}

// startTerminal is newTerminal with an environment, and without waiting for a session.
func startTerminal(t *testing.T, env []string, dir string, args ...string) *tmuxScreen {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("SKIP " + t.Name() + ": tmux is not installed")
	}
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	term := &tmuxScreen{t: t, dir: dir, socket: filepath.Join(t.TempDir(), "tmux"), env: env}
	line := append([]string{
		"-f", "/dev/null", "new-session", "-d", "-s", "rlm", "-x", "80", "-y", "24", "-c", dir,
		"env", "-i",
	}, term.env...)
	term.tmux(append(append(line, bin), args...)...)
	pid, err := strconv.Atoi(strings.TrimSpace(term.tmux("display-message", "-p", "-t", "rlm", "#{pane_pid}")))
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", term.socket, "kill-server").Run()
		term.gone(pid) // rlm closes its log before its folder is deleted
	})
	return term
}

func terminalEnv(s *fakeapi.Server, dir string) []string {
	return []string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + dir + "/config", "RLM_DATA_DIR=" + dir + "/data", "TERM=tmux-256color",
		"LANG=C.UTF-8",
		"OPENAI_BASE_URL=" + s.URL(), "OPENAI_API_KEY=" + canary, "RLM_MODEL=root", "NO_PROXY=127.0.0.1",
		"PATH=" + os.Getenv("PATH"),
	}
}

// gone waits for the end of a process whose terminal was closed.
func (term *tmuxScreen) gone(pid int) {
	p, err := os.FindProcess(pid)
	require.NoError(term.t, err)
	for end := time.Now().Add(2 * time.Minute); p.Signal(syscall.Signal(0)) == nil && !zombie(pid); time.Sleep(
		5 * time.Millisecond) {
		if time.Now().After(end) {
			assert.Fail(term.t, "the session does not end with its terminal")
			return
		}
	}
}

// zombie reports whether a process has ended but was not yet reaped by its parent (on a busy machine, process
// 1). It works only on Linux.
func zombie(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ") // the fields after the process name
	return strings.HasPrefix(after, "Z")
}

func (term *tmuxScreen) tmux(args ...string) string {
	term.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", term.socket}, args...)...).CombinedOutput()
	require.NoError(term.t, err, "tmux %v: %s", args, out)
	return string(out)
}

// keys presses named keys (Enter, C-c, Tab); text types text.
func (term *tmuxScreen) keys(names ...string) {
	term.tmux(append([]string{"send-keys", "-t", "rlm"}, names...)...)
}

func (term *tmuxScreen) text(s string) { term.tmux("send-keys", "-t", "rlm", "-l", s) }

func (term *tmuxScreen) line(s string) { term.text(s); term.keys("Enter") }

// screen returns the visible text; all includes the text above it.
func (term *tmuxScreen) screen() string { return term.tmux("capture-pane", "-p", "-t", "rlm") }

func (term *tmuxScreen) all() string {
	return term.tmux("capture-pane", "-p", "-J", "-S", "-5000", "-t", "rlm")
}

// sees waits until text appears on the screen or in what has scrolled off it.
func (term *tmuxScreen) sees(text string) {
	term.t.Helper()
	term.until("show "+strconv.Quote(text), func() bool { return strings.Contains(term.all(), text) })
}

func (term *tmuxScreen) until(what string, ok func() bool) {
	term.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			require.Fail(term.t, "the terminal did not "+what, "%s", term.all())
		}
	}
}

// idle waits until nothing runs: before that, Ctrl-C would stop the run instead of clearing the input.
func (term *tmuxScreen) idle() {
	term.t.Helper()
	term.until("come to rest", func() bool { return !strings.ContainsAny(term.screen(), "⠋⠙⠸⠴⠦") })
}

func goCell(code string) string { return "```go\n" + code + "\n```" }

func TestChatAskAndOwnCell(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start(fakeapi.Says(
		"I count them.\n\n"+goCell(
			"n := strings.Count(context, \"ERROR\")\nfmt.Println(\"found\", n)\nFINAL(fmt.Sprintf(\"There are **%d** errors.\", n))"),
		goCell("FINAL(fmt.Sprint(\"twice is \", 2*n, \" and yours is \", mine))"),
	)...)
	defer s.Close()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "app.log"), []byte("ERROR a\nok\nERROR b\n"), 0o600))
	term := newTerminal(t, s, dir, "chat", "app.log")
	term.sees("1 document")
	term.line("how many errors?")
	term.sees("› how many errors?")
	term.sees("found 2")
	term.sees("There are 2 errors.")
	term.line("> mine := n + 40")
	term.sees("cell 2 (yours)")
	term.line("/vars")
	term.sees("mine")
	term.line("what is twice that?")
	term.sees("twice is 4 and yours is 42")
	require.NotContains(t, term.all(), canary)

	term.idle()
	term.keys("C-c")
	term.sees("Ctrl-C again leaves")
	term.keys("C-c")
	term.until("end", func() bool {
		return exec.Command("tmux", "-S", term.socket, "has-session", "-t", "rlm").Run() != nil
	})

	again := newTerminal(t, s, dir, "open", lastRun(t, dir))
	again.sees("2 earlier questions")
	again.sees("twice is 4 and yours is 42")
	again.line("> fmt.Println(mine, n)")
	again.sees("42 2")
}

func TestChatInput(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start()
	defer s.Close()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes-of-today.txt"), []byte("hello\n"), 0o600))
	term := newTerminal(t, s, dir, "chat")
	term.sees("no context")

	term.text("/conte")
	term.keys("Tab")
	term.text("add ./notes")
	term.keys("Tab", "Enter")
	term.sees("the context is now 1 document")

	term.text("> wordsOfTheText := 1")
	term.keys("M-Enter")
	term.text("fmt.Println(\"second line\", wordsOfTheText)")
	term.keys("Enter")
	term.sees("second line 1")
	term.sees("✓ cell 1") // the output appears before the variables are known

	term.text("> fmt.Println(wordsOf")
	term.keys("Tab", "BSpace")
	term.line("+41)")
	term.sees("42")

	term.line("```go")
	term.line("fmt.Println(\"in a fence\")")
	term.line("```")
	term.sees("✓ cell 3")
	term.idle()

	term.keys("Up", "Up", "Up", "Up")
	term.until("recall", func() bool { return strings.Contains(term.screen(), "› > fmt.Println(wordsOfTheText+41)") })
	term.keys("C-c")

	term.line("/nonsense")
	term.sees("there is no command /nonsense")
	require.Empty(t, s.Requests(), "nothing of this is a question")
}

func TestChatPasteBecomesDocument(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start()
	defer s.Close()
	term := newTerminal(t, s, t.TempDir(), "chat")
	term.sees("no context")
	file := filepath.Join(t.TempDir(), "long")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("a long line of a pasted text\n", 200)), 0o600))
	term.tmux("load-buffer", file)
	term.tmux("paste-buffer", "-p", "-t", "rlm")
	term.sees("the context is now 1 document")
	term.sees("[paste-1]")
}

func TestChatStopsInTheMiddleOfABatch(t *testing.T) {
	t.Parallel()
	s := fakeapi.StartFunc(func(r fakeapi.Request) fakeapi.Reply {
		if strings.Contains(r.Last(), "item") {
			return fakeapi.Reply{Content: "late", Fault: fakeapi.Hang}
		}
		return fakeapi.Reply{Content: goCell(
			"before := 7\nqs := []string{}\nfor i := range 5 {\n\tqs = append(qs, fmt.Sprint(\"item \", i))\n}\nfmt.Println(llm_query_batched(qs))")}
	})
	defer s.Close()
	term := newTerminal(t, s, t.TempDir(), "chat")
	term.sees("no context")
	term.line("go on")
	term.sees("sub-calls 0/5")
	term.text("typing goes on meanwhile")
	term.until("echo", func() bool { return strings.Contains(term.screen(), "typing goes on meanwhile") })
	term.keys("C-c")
	term.until("stop", func() bool { return !strings.Contains(term.screen(), "sub-calls 0/5") })
	term.keys("C-u")
	term.line("> fmt.Println(\"still here\", 1+1)")
	term.sees("still here 2")
}

// The endpoint refuses calls, and asks for longer waits, until the message was seen: a busy machine may miss a short
// one.
func TestChatSaysThatItWaitsForAnotherTry(t *testing.T) {
	t.Parallel()
	var seen atomic.Bool
	s := fakeapi.StartFunc(func(r fakeapi.Request) fakeapi.Reply {
		if seen.Load() || r.N == 4 { // the last try
			return fakeapi.Reply{Content: goCell(`FINAL("it came")`)}
		}
		slow := fakeapi.Failing(429, "slow down")
		slow.Header = map[string]string{"Retry-After": "19"}
		if r.N == 0 {
			slow.Header["Retry-After"] = "1.5"
		}
		return slow
	})
	defer s.Close()
	term := newTerminal(t, s, t.TempDir(), "chat")
	term.sees("no context")
	term.line("go on")
	term.sees("turn 1 · model root: HTTP 429, trying again in 1")
	seen.Store(true)
	term.sees("it came")
}

func TestChatResize(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start()
	defer s.Close()
	term := newTerminal(t, s, t.TempDir(), "chat")
	term.sees("no context")
	term.text("some words that stand in the input while the window gets narrow")
	term.tmux("resize-window", "-t", "rlm", "-x", "40", "-y", "20")
	term.until("rewrap", func() bool {
		screen := term.screen()
		return strings.Contains(screen, "some words that") &&
			!strings.Contains(screen, "some words that stand in the input while the window gets")
	})
	term.keys("C-u")
	term.line("> fmt.Println(\"after the resize\")")
	term.sees("after the resize")
}

func TestChatHelpInALowScreen(t *testing.T) {
	t.Parallel()
	s := fakeapi.Start()
	defer s.Close()
	term := newTerminal(t, s, t.TempDir(), "chat")
	term.sees("no context")
	term.line("/help")
	term.until("show the end of the help, the prompt and the status line", func() bool {
		screen := term.screen()
		return strings.Contains(screen, "/quit") && strings.Contains(screen, "› Ask") &&
			strings.Contains(screen, "sandbox ")
	})
	require.Contains(t, term.all(), "/context [add|text|rm|ls]")

	term.tmux("resize-window", "-t", "rlm", "-x", "50", "-y", "24")
	term.until("redraw", func() bool { return strings.Contains(term.screen(), "sandbox …") })
	term.tmux("resize-window", "-t", "rlm", "-x", "40", "-y", "24")
	term.until("redraw", func() bool { return strings.Contains(term.screen(), "0 tokens, $0.00 …") })
	term.line("> 1 + 1")
	term.sees("= 2")
	term.until("draw one status line and leave no other behind", func() bool {
		return strings.Count(term.all(), "0 tokens") == 1
	})
}

func TestChatSurvivesKill(t *testing.T) {
	t.Parallel()
	s := fakeapi.StartFunc(func(r fakeapi.Request) fakeapi.Reply {
		if strings.Contains(r.Last(), "first") {
			return fakeapi.Reply{Content: goCell("kept := []int{1, 2, 3}\nFINAL(\"kept\")")}
		}
		return fakeapi.Reply{Content: "never", Fault: fakeapi.Hang}
	})
	defer s.Close()
	dir := t.TempDir()
	term := newTerminal(t, s, dir, "chat")
	term.sees("no context")
	term.line("the first question")
	term.sees("completed")
	term.line("the second question")
	term.until("ask", func() bool { return len(s.Requests()) == 2 })
	pid := strings.TrimSpace(term.tmux("display-message", "-p", "-t", "rlm", "#{pane_pid}"))
	require.NoError(t, exec.Command("kill", "-9", pid).Run())

	again := newTerminal(t, s, dir, "open", lastRun(t, dir))
	again.sees("interrupted; /retry continues it")
	again.line("> fmt.Println(len(kept), \"kept\")")
	again.sees("3 kept")
	require.Len(t, s.Requests(), 2, "opening costs no call")
}

func TestChatManyTurns(t *testing.T) {
	t.Parallel()
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("SKIP TestChatManyTurns: 200 questions; set RLM_LONG=1")
	}
	s := fakeapi.StartFunc(func(r fakeapi.Request) fakeapi.Reply {
		return fakeapi.Reply{Content: goCell("sum += 1\nFINAL(fmt.Sprint(\"sum is \", sum))")}
	})
	defer s.Close()
	dir := t.TempDir()
	term := newTerminal(t, s, dir, "chat")
	term.sees("no context")
	term.line("> sum := 0")
	for i := range 200 {
		term.line(fmt.Sprintf("question %d", i+1))
		term.sees(fmt.Sprintf("sum is %d", i+1))
	}
	term.line("/quit")
	again := newTerminal(t, s, dir, "open", lastRun(t, dir))
	again.sees("200 earlier questions")
	again.line("> fmt.Println(\"the sum is\", sum)")
	again.sees("the sum is 200")
}

// lastRun returns the id of the only session under dir.
func lastRun(t *testing.T, dir string) string {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(dir, "data", "rlm", "runs", "*"))
	require.NoError(t, err)
	require.Len(t, runs, 1)
	return filepath.Base(runs[0])
}
