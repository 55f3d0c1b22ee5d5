//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
)

// A job may only name models of a node's configuration, and no other endpoint. If no node has its model, the job
// waits, which its command and the batch's status report, and runs on the first new node with the model.
func TestAJobNamesModelsOfNodes(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 0, 0)
	close(b.gate)
	address := b.machine(t).hub(t)
	b.machine(t).node(t, address, "--slots", "1")
	m := b.machine(t)
	leads := "ollama@" + strings.TrimPrefix(b.endpoint.URL(), "http://") + "/root"
	lines := ""
	for _, model := range []string{leads, "other", "root"} {
		line, err := json.Marshal(map[string]string{"id": model, "question": "job-1", "model": model})
		require.NoError(t, err)
		lines += string(line) + "\n"
	}
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, "jobs.jsonl"), []byte(lines), 0o600))
	cmd, said := m.command(false, "batch", "jobs.jsonl", "-o", "out.jsonl", "--nats", address)
	started(t, cmd)
	until := func(what string, is func(fleet.Status) bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			asked, told := m.command(false, "batch", "status", "--json", "out.jsonl", "--nats", address)
			var s fleet.Status
			return asked.Run() == nil && json.Unmarshal([]byte(told.String()), &s) == nil && is(s)
		}, 2*time.Minute, 10*time.Millisecond, "%s: %s", what, said)
	}
	until("both are looked for", func(s fleet.Status) bool { return s.Done == 1 && len(s.Lacks) == 2 })
	asked, told := m.command(false, "batch", "status", "out.jsonl", "--nats", address)
	require.NoError(t, asked.Run(), told)
	require.Contains(t, told.String(), `jobs are waiting: no node has the model "other"; at `)
	require.Eventually(t, func() bool {
		return strings.Contains(
			said.String(), `jobs are waiting: no node has the model "other"`)
	}, time.Minute, 10*time.Millisecond, "%s", said)

	b.machine(t).node(t, address, "--model", "other")
	until("the job has run", func(s fleet.Status) bool {
		return s.Done == 2 && len(s.Lacks) == 1 && strings.HasPrefix(s.Lacks[0].Models[0], "ollama@")
	})
	cancel, told := m.command(false, "batch", "cancel", "out.jsonl", "--nats", address)
	require.NoError(t, cancel.Run(), told)
	for _, r := range b.endpoint.Requests() {
		require.Contains(t, []string{"root", "other"}, r.Model)
		require.NotContains(t, r.Path, "/api/", "what speaks with Ollama")
	}
	require.Len(t, b.endpoint.Requests(), 2*bulkCalls)
}
