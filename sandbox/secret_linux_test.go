package sandbox_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/sandbox"
)

const (
	secretRole = "RLM_TEST_SECRET_ROLE"
	secretHost = "RLM_TEST_SECRET_HOST"
)

// While a host that protects itself starts workers, another process of the same user cannot read the host's
// environment or attach to it.
func TestNobodyReadsTheHostWhileItStartsWorkers(t *testing.T) {
	t.Parallel()
	switch os.Getenv(secretRole) {
	case "host":
		hostWithASecret(t)
		return
	case "spy":
		spyOnAHost()
		return
	}
	var user *syscall.Credential
	if os.Getuid() == 0 {
		user = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	host, toHost, fromHost := role(t, user, "host", "CANARY="+canary)
	ready := await(t, fromHost, "hardened")
	_, toSpy, fromSpy := role(t, user, "spy", fmt.Sprintf("%s=%d", secretHost, host.Process.Pid))
	await(t, fromSpy, "watching")
	_, err := io.WriteString(toHost, "go\n")
	require.NoError(t, err)
	level := await(t, fromHost, "started")
	_, err = io.WriteString(toSpy, "stop\n")
	require.NoError(t, err)
	seen := await(t, fromSpy, "looked")
	_, err = io.WriteString(toHost, "end\n")
	require.NoError(t, err)
	t.Log(ready, level, seen)
	require.Contains(t, seen, "read 0, attached 0")
}

// role starts this test in a separate process that plays a role, with pipes to and from it.
func role(t *testing.T, user *syscall.Credential, name string, env ...string) (*exec.Cmd, io.Writer, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestNobodyReadsTheHostWhileItStartsWorkers$", "-test.v")
	cmd.Env = append(append(os.Environ(), env...), secretRole+"="+name)
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	if user != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: user}
	}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _, _ = in.Close(), cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, in, bufio.NewScanner(out)
}

// await reads lines up to one that starts with the word.
func await(t *testing.T, lines *bufio.Scanner, word string) string {
	t.Helper()
	var all []string
	for lines.Scan() {
		all = append(all, lines.Text())
		if strings.HasPrefix(lines.Text(), word) {
			return lines.Text()
		}
	}
	require.FailNow(t, "never "+word, "%s", strings.Join(all, "\n"))
	return ""
}

func hostWithASecret(t *testing.T) {
	require.NoError(t, sandbox.Harden())
	orders := bufio.NewScanner(os.Stdin)
	fmt.Println("hardened", os.Getpid())
	orders.Scan()
	var level sandbox.Level
	for range 20 {
		s, err := sandbox.New(t.Context(), sandbox.Config{Builtins: standard()})
		require.NoError(t, err)
		level = s.Level()
		require.NoError(t, s.Close())
	}
	fmt.Println("started", level)
	orders.Scan()
}

func spyOnAHost() {
	stop := make(chan struct{})
	host := os.Getenv(secretHost)
	read, attached, looks := 0, 0, 0
	fmt.Println("watching", host)
	go func() {
		bufio.NewScanner(os.Stdin).Scan()
		close(stop)
	}()
	for {
		select {
		case <-stop:
			fmt.Printf("looked %d times: read %d, attached %d\n", looks, read, attached)
			return
		default:
		}
		looks++
		if b, err := os.ReadFile("/proc/" + host + "/environ"); err == nil && strings.Contains(string(b), canary) {
			read++
		}
		if f, err := os.Open("/proc/" + host + "/mem"); err == nil {
			attached++
			_ = f.Close()
		}
	}
}
