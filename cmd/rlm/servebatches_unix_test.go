//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/trajectory"
)

func (s *ownServer) ask(method, path string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+"api/v1/"+path, nil)
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.Token)
	res, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	return res
}

func (s *ownServer) get(method, path string, v any) {
	s.t.Helper()
	res := s.ask(method, path)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, res.StatusCode, "%s", body)
	require.NoError(s.t, json.Unmarshal(body, v), "%s", body)
}

// watch returns the states of batches as a page receives them.
func (s *ownServer) watch() <-chan api.Batch {
	s.t.Helper()
	res := s.ask("GET", "events?batches=1")
	require.Equal(s.t, http.StatusOK, res.StatusCode)
	told := make(chan api.Batch, 10_000)
	go func() {
		defer res.Body.Close()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			var m struct {
				Event struct{ Data api.Batch }
			}
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok && json.Unmarshal([]byte(text), &m) == nil {
				told <- m.Event.Data
			}
		}
	}()
	return told
}

func toldOf(t *testing.T, told <-chan api.Batch, wanted func(api.Batch) bool) api.Batch {
	t.Helper()
	var last api.Batch
	for end := time.After(4 * time.Minute); ; {
		select {
		case last = <-told:
			if wanted(last) {
				return last
			}
		case <-end:
			require.Fail(t, "it was not told", "the last was %+v", last)
		}
	}
}

// Whether a server owns the queue or uses that of a batch command, batches can start, be killed and continue, and
// are shown.
func TestBatchesAreWatchedFromAServer(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 12, 0)
	serve, _ := b.command("serve", "--json", "--no-open", "--listen", "127.0.0.1:0")
	s := startServing(t, serve)
	require.NoDirExists(t, fleet.Dir(filepath.Join(b.dir, "data")), "a server makes no queue")
	var list api.BatchList
	s.get("GET", "batches", &list)
	require.Empty(t, list.Batches)
	told := s.watch()

	for range 2 { // the server takes the queue over from the first; the second uses the server's queue
		cmd, said := b.command()
		require.NoError(t, cmd.Start())
		running := toldOf(t, told, func(b api.Batch) bool { return b.State == "running" && b.Running == bulkSlots })
		require.Equal(t, []any{12, 0, 1}, []any{running.Jobs, running.Dead, running.Nodes}, said)
		require.NotEmpty(t, running.Slowest.Run)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		waiting := toldOf(t, told, func(b api.Batch) bool { return b.State == "waiting" })
		require.Contains(t, waiting.Command, "batch jobs.jsonl -o out.jsonl")
	}
	close(b.gate)
	cmd, said := b.command()
	require.NoError(t, cmd.Run(), said)
	done := toldOf(t, told, func(b api.Batch) bool { return b.State == "complete" && b.Nodes == 0 })
	b.check(t)

	var jobs api.BatchJobs
	s.get("GET", "batches/"+done.ID+"/jobs?state=done&offset=10", &jobs)
	require.Equal(t, 12, jobs.Total)
	require.Equal(t, []string{"10", "11"}, []string{jobs.Jobs[0].ID, jobs.Jobs[1].ID})
	require.Equal(t, "known of job-10", jobs.Jobs[0].Answer)
	var copied session.Summary
	s.get("POST", "batches/"+done.ID+"/runs/"+jobs.Jobs[0].Run, &copied)
	require.Equal(t, "known of job-10", copied.Answer)
	res := s.ask("GET", "batches/"+done.ID+"/results?format=jsonl")
	defer res.Body.Close()
	results, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	again, written := b.command("batch", "results", "out.jsonl")
	require.NoError(t, again.Run(), written)
	require.Equal(t, written.String(), string(results))
	require.Equal(t, 12, strings.Count(string(results), "known of job-"))

	// Actions on the server have the same effect as the commands.
	cmd, said = b.command("batch", "jobs.jsonl", "-o", "other.jsonl", "--limit", "3")
	require.NoError(t, cmd.Run(), said)
	s.get("GET", "batches", &list)
	require.Equal(t, []int{2, 3}, []int{list.Total, list.Batches[0].Done})
	var cancelled api.Batch
	s.get("POST", "batches/"+list.Batches[0].ID+"/cancel", &cancelled)
	require.Equal(t, "cancelled", cancelled.State)
	status, told2 := b.command("batch", "status", list.Batches[0].ID)
	require.NoError(t, status.Run())
	require.Contains(t, told2.String(), "cancelled")
	var retried api.RetryResult
	s.get("POST", fmt.Sprintf("batches/%s/retry", list.Batches[0].ID), &retried)
	require.Equal(t, []any{0, "complete"}, []any{retried.Retried, retried.Batch.State})
}

// A server on a machine that runs nothing shows the batches of a fleet, and fetches the runs of their jobs.
func TestBatchesOfAFleetAreWatchedFromAServer(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 6, 0)
	address := b.machine(t).hub(t)
	b.machine(t).node(t, address, "--slots", "2")
	m := b.machine(t)
	serve, _ := m.command(false, "serve", "--json", "--no-open", "--listen", "127.0.0.1:0", "--nats", address)
	s := startServing(t, serve)
	told := s.watch()
	batch, said := b.submitter(t).command(false, "batch", "jobs.jsonl", "-o", "out.jsonl", "--nats", address)
	started(t, batch)
	running := toldOf(t, told, func(b api.Batch) bool { return b.Running == 2 })
	var jobs api.BatchJobs
	require.Eventually(t, func() bool { // on a busy machine the node may not answer in time
		s.get("GET", "batches/"+running.ID+"/jobs?state=queued", &jobs)
		return jobs.Total == 4
	}, 2*time.Minute, 10*time.Millisecond, said)
	close(b.gate)
	done := toldOf(t, told, func(b api.Batch) bool { return b.State == "complete" })
	require.Equal(t, 6, done.Done)
	s.get("GET", "batches/"+done.ID+"/jobs?state=done", &jobs)
	require.NoDirExists(t, filepath.Join(trajectory.RunsDir(filepath.Join(m.dir, "data")), jobs.Jobs[5].Run))
	var copied session.Summary
	s.get("POST", "batches/"+done.ID+"/runs/"+jobs.Jobs[5].Run, &copied)
	require.Equal(t, []any{"known of job-5", 1, 1}, []any{copied.Answer, copied.Questions, copied.SubCalls})
	require.NoDirExists(t, filepath.Join(m.dir, "data", "rlm", "fleet", "store"), "the queue is elsewhere")
}
