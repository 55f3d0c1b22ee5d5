package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// children lists this process's worker processes, oldest first.
func children(t testing.TB) []int {
	t.Helper()
	var pids []int
	paths, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		for _, f := range strings.Fields(string(b)) {
			pid, err := strconv.Atoi(f)
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

// workerOf returns the worker of the only session in this process, which is older than the spare. A test that uses
// it is not parallel.
func workerOf(t testing.TB) *os.Process {
	t.Helper()
	pids := children(t)
	require.NotEmpty(t, pids)
	oldest := pids[0]
	for _, pid := range pids {
		oldest = min(oldest, pid)
	}
	p, err := os.FindProcess(oldest)
	require.NoError(t, err)
	return p
}

// resident returns a process's resident set and its private part, in bytes.
func resident(t testing.TB, pid int) (total, private int64) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, 0
	}
	var size, rss, shared int64
	_, err = fmt.Sscan(string(b), &size, &rss, &shared)
	require.NoError(t, err)
	page := int64(os.Getpagesize())
	return rss * page, (rss - shared) * page
}

// watchMemory records the peak of the worker's private memory until stop is called.
func watchMemory(t testing.TB, peak *int64) (stop func()) {
	pid := workerOf(t).Pid
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			_, private := resident(t, pid)
			*peak = max(*peak, private)
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// openFiles lists this process's descriptors and their targets.
func openFiles(t testing.TB) []string {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	var files []string
	for _, n := range names {
		if what, err := os.Readlink("/proc/self/fd/" + n.Name()); err == nil {
			files = append(files, what)
		}
	}
	return files
}

// zombie reports whether a process has ended and waits for its parent to reap it.
func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(after, "Z")
}

// again runs one test of this binary in a separate process and returns its lines.
func again(t testing.TB, test string, attr *syscall.SysProcAttr, env ...string) []string {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	cmd.Dir = "/"
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return strings.Split(string(out), "\n")
}

// cpuTicks returns the CPU time that a process has used, in hundredths of a second.
func cpuTicks(t testing.TB, pid int) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(after)
	var sum int64
	for _, f := range fields[11:13] { // utime and stime
		n, err := strconv.ParseInt(f, 10, 64)
		require.NoError(t, err)
		sum += n
	}
	return sum
}
