//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An evaluation runs on one machine without a key; the nodes of a fleet make its runs. If it is killed, it
// continues, and nothing is asked twice.
func TestAFleetRunsAnEvaluation(t *testing.T) {
	t.Parallel()
	const items = 6
	b := newBulk(t, t.TempDir(), items, 0)
	address := b.machine(t).hub(t)
	for range 2 {
		b.machine(t).node(t, address, "--slots", "2")
	}
	m := b.machine(t)
	var text strings.Builder
	for i := range items {
		fmt.Fprintf(&text, "{\"id\": \"%d\", \"question\": \"job-%d\", \"context\": %q, \"answer\": \"known of job-%d\"}\n", i, i, strings.Repeat("nothing of use ", 1+i*10_000), i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, "items.jsonl"), []byte(text.String()), 0o600))
	args := []string{
		"eval", "--data", "items.jsonl", "--arms", "rlm", "--nats", address, "--results", "results.jsonl",
		"--parallel", "4", "--json",
	}

	first, said := m.command(false, args...)
	started(t, first)
	// Wait until a node has a job.
	require.Eventually(t, func() bool {
		return len(b.endpoint.Requests()) > 0
	}, time.Minute, time.Millisecond, "%s", said)
	require.NoError(t, first.Process.Kill())
	close(b.gate)

	again, said := m.command(false, args...)
	var out strings.Builder
	again.Stdout = &out
	require.NoError(t, again.Run(), said)
	require.Len(t, b.endpoint.Requests(), items*bulkCalls, "nothing was asked twice")
	var report struct {
		All []struct {
			Arm   string
			N     int
			Score struct{ Mean float64 }
			Turns float64
			Calls int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out.String()), &report), out.String())
	require.Len(t, report.All, 1, out.String())
	require.Equal(t, items, report.All[0].N)
	require.InDelta(t, 1, report.All[0].Score.Mean, 1e-9)
	require.InDelta(t, 2, report.All[0].Turns, 1e-9)
	require.Equal(t, items*bulkCalls, report.All[0].Calls)
}

func TestWhatNodesDecideIsNoSettingOfAnEvaluation(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 0, 0)
	m := b.machine(t)
	for flag, args := range map[string][]string{
		"--temperature": {"--temperature", "0.5"},
		"prompt=small":  {"--prompt", "small"},
		"prompt=short":  {"--arms", "rlm:prompt=short"},
	} {
		cmd, said := m.command(false, append(
			[]string{"eval", "s-niah", "--n", "1", "--length", "8k", "--nats", "nats://127.0.0.1:1"}, args...)...)
		require.Error(t, cmd.Run())
		require.Equal(t, 2, cmd.ProcessState.ExitCode(), said)
		require.Contains(t, said.String(), flag)
		require.Contains(t, said.String(), "of their own")
	}
}
