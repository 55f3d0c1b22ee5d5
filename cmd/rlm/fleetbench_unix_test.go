//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// benchMachine starts a command in a new folder.
func benchMachine(b *testing.B, endpoint string, args ...string) (*exec.Cmd, *shared) {
	b.Helper()
	bin, err := exec.LookPath("rlm")
	require.NoError(b, err)
	dir := b.TempDir()
	cmd := exec.Command(bin, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "RLM_DATA_DIR="+filepath.Join(dir, "data"),
		"NO_PROXY=127.0.0.1",
		"OPENAI_BASE_URL="+endpoint, "OPENAI_API_KEY="+canary, "RLM_MODEL=root")
	said := &shared{}
	cmd.Stdout, cmd.Stderr = said, said
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Kill() // the process may have ended
		_ = cmd.Wait()
	})
	return cmd, said
}

func benchAddress(b *testing.B, said *shared) string {
	b.Helper()
	var address string
	require.Eventually(b, func() bool {
		_, err := fmt.Sscanf(said.String(), "rlm node %s\nrlm: the hub is ready", &address)
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	return address
}

// BenchmarkHub submits 100 000 jobs to a hub in another process, queries the batch's status, and reports the
// hub's memory.
func BenchmarkHub(b *testing.B) {
	list := make([]fleet.Job, 100_000)
	for i := range list {
		list[i] = fleet.Job{ID: fmt.Sprint(i), Question: fmt.Sprintf("job-%d", i)}
	}
	for b.Loop() {
		hub, said := benchMachine(b, "", "hub", "--listen", "127.0.0.1:0")
		q, err := fleet.Connect(b.Context(), fleet.Server{URL: benchAddress(b, said), DataDir: b.TempDir()})
		require.NoError(b, err)
		start := time.Now()
		_, err = fleet.Submit(b.Context(), q, fleet.Batch{ID: "b"}, list, fleet.Submission{})
		require.NoError(b, err)
		b.ReportMetric(time.Since(start).Seconds(), "s/submit")
		start = time.Now()
		s, err := q.Status(b.Context(), "b")
		require.NoError(b, err)
		b.ReportMetric(time.Since(start).Seconds(), "s/status")
		require.Equal(b, len(list), s.Queued)
		b.ReportMetric(residentMB(hub.Process.Pid), "hub-MB")
		require.NoError(b, q.Close())
	}
}

// residentMB returns the resident memory of a process; 0 if the system does not provide it.
func residentMB(pid int) float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, pages int64
	_, _ = fmt.Sscan(string(data), &size, &pages) // both stay 0 on failure
	return float64(pages*int64(os.Getpagesize())) / 1e6
}

// BenchmarkHandOver kills a node and measures the time until another one continues its run.
func BenchmarkHandOver(b *testing.B) {
	for b.Loop() {
		gate := make(chan struct{})
		endpoint := fakeapi.StartFunc(func(fakeapi.Request) fakeapi.Reply {
			<-gate
			return fakeapi.Reply{Content: "```go\nFINAL(1)\n```"}
		})
		_, said := benchMachine(b, "", "hub", "--listen", "127.0.0.1:0")
		address := benchAddress(b, said)
		q, err := fleet.Connect(b.Context(), fleet.Server{URL: address, DataDir: b.TempDir()})
		require.NoError(b, err)
		_, err = fleet.Submit(b.Context(), q, fleet.Batch{ID: "b"}, []fleet.Job{{ID: "0", Question: "q"}},
			fleet.Submission{})
		require.NoError(b, err)
		first, _ := benchMachine(b, endpoint.URL(), "node", address)
		calls := func(n int) func() bool { return func() bool { return len(endpoint.Requests()) == n } }
		require.Eventually(b, calls(1), time.Minute, time.Millisecond)
		_, told := benchMachine(b, endpoint.URL(), "node", address)
		require.Eventually(b, func() bool { s, err := q.Status(b.Context(), "b"); return err == nil && s.Nodes == 2 },
			time.Minute, 10*time.Millisecond, "%s", told)
		start := time.Now()
		require.NoError(b, first.Process.Kill())
		require.Eventually(b, calls(2), time.Minute, time.Millisecond)
		b.ReportMetric(time.Since(start).Seconds(), "s/hand-over")
		close(gate)
		require.NoError(b, q.Close())
		endpoint.Close()
	}
}
