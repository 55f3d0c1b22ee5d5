package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// smallDisk mounts a small disk and returns its folder and a function that fills it.
func smallDisk(t *testing.T, size string) (dir string, fill func()) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("SKIPPED: a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir, func() {
		f, err := os.Create(dir + "/filler")
		require.NoError(t, err)
		defer f.Close()
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		require.ErrorIs(t, err, unix.ENOSPC)
	}
}

// A full disk is reported once, in one line, with advice; the run continues from there when there is space.
func TestFullDisk(t *testing.T) {
	// Not parallel: it mounts a disk.
	dir, fill := smallDisk(t, "128k")
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "```go\nFINAL(\"done\")\n```"}})
	defer s.Close()
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	command := func(args ...string) (cmd *exec.Cmd, stdout, stderr *shared) {
		cmd = exec.Command(bin, args...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "RLM_DATA_DIR="+dir,
			"OPENAI_BASE_URL="+s.URL(),
			"OPENAI_API_KEY="+canary, "RLM_MODEL=root", "NO_PROXY=127.0.0.1")
		stdout, stderr = &shared{}, &shared{}
		cmd.Stdout, cmd.Stderr = stdout, stderr
		return cmd, stdout, stderr
	}
	const told = "the disk is full: nothing more can be recorded in "

	cmd, stdout, _ := command("chat")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.WriteString(in, "> 1 + 1\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return strings.Contains(stdout.String(), "= 2")
	}, 2*time.Minute, 5*time.Millisecond)
	fill()
	_, err = io.WriteString(in, "what is it?\n> strings.Repeat(\"x\", 20000)\n/undo\nand what now?\n")
	require.NoError(t, err)
	require.NoError(t, in.Close())
	require.Error(t, cmd.Wait())
	require.Equal(t, 1, strings.Count(stdout.String(), told), stdout.String())
	require.Contains(t, stdout.String(), "free some space, then continue with: rlm open ")

	cmd, _, stderr := command("run", "-q", "what is it?")
	require.Error(t, cmd.Run())
	require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
	require.Contains(t, stderr.String(), told)
	require.NoError(t, os.Remove(dir+"/filler"))
	cmd, stdout, stderr = command("open", "last")
	cmd.Stdin = strings.NewReader("what is it?\n")
	require.NoError(t, cmd.Run(), stderr.String())
	require.Contains(t, stdout.String(), "done")
}

// A server on a full disk says so without its paths, and nothing looks as if it ran on.
func TestAServerOnAFullDisk(t *testing.T) {
	// Not parallel: it mounts a disk.
	dir, fill := smallDisk(t, "1m")
	s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Content: "```go\nFINAL(\"done\")\n```"}})
	defer s.Close()
	cmd := exec.Command("rlm", "serve", "--json", "--no-open", "--listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "RLM_DATA_DIR="+dir, "OPENAI_BASE_URL="+s.URL(),
		"OPENAI_API_KEY="+canary, "RLM_MODEL=root", "NO_PROXY=127.0.0.1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	var at struct{ URL, Token string }
	require.NoError(t, json.NewDecoder(out).Decode(&at))
	type answer struct {
		ID, Status string
		State      struct{ Doing string }
		Error      struct{ Message string }
	}
	call := func(method, path, body string) (got answer) {
		t.Helper()
		req, err := http.NewRequest(method, at.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+at.Token)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		require.NoError(t, json.NewDecoder(res.Body).Decode(&got))
		return got
	}
	id := call("POST", "api/v1/sessions", "{}").ID
	require.NotEmpty(t, id)
	fill()
	for path, body := range map[string]string{
		"api/v1/sessions":     "{}",
		"v1/chat/completions": `{"model":"rlm","messages":[{"role":"user","content":"which?"}]}`,
	} {
		message := call("POST", path, body).Error.Message
		require.Contains(t, message, "the disk is full")
		require.NotContains(t, message, dir)
	}
	call("POST", "api/v1/sessions/"+id+"/ask", `{"question":"which?"}`)
	require.Eventually(t, func() bool {
		return call("GET", "api/v1/sessions/"+id, "").State.Doing == ""
	}, 30*time.Second, 10*time.Millisecond)
	require.Contains(t, []string{"open", "interrupted"}, call("GET", "api/v1/sessions/"+id, "").Status)
}

// A command whose output does not fit on the disk fails, whatever it prints.
func TestFullDiskTakesNoOutput(t *testing.T) {
	t.Parallel()
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	for _, args := range []string{"--help", "run --help", "config", "prompt", "completion bash", "version"} {
		cmd := exec.Command(bin, strings.Fields(args)...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "RLM_DATA_DIR="+t.TempDir())
		stderr := &shared{}
		cmd.Stdout, cmd.Stderr = full, stderr
		require.Error(t, cmd.Run(), args)
		require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
		require.Contains(t, stderr.String(), "no space left on device", args)
	}
}
