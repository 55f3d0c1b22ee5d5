package fleet_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/trajectory"
)

// messages counts the messages in each stream of a hub, except in key-value streams, where deletions leave markers.
func messages(t *testing.T, url string) map[string]int {
	t.Helper()
	nc, err := nats.Connect(url)
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	all := map[string]int{}
	list := js.ListStreams(t.Context())
	for info := range list.Info() {
		if !strings.HasPrefix(info.Config.Name, "KV_") {
			all[info.Config.Name] = int(info.State.Msgs)
		}
	}
	require.NoError(t, list.Err())
	return all
}

// All data of a removed batch is removed, except what another batch uses.
func TestARemovedBatchLeavesNothing(t *testing.T) {
	t.Parallel()
	hub, err := fleet.StartHub(fleet.HubConfig{Listen: "127.0.0.1:0", Dir: t.TempDir(), Nodes: []string{"node"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = hub.Close() })
	url := hub.URL("node")
	q := connect(t, url)
	file := filepath.Join(t.TempDir(), "shared.txt")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("a text that both use\n", 20_000)), 0o600))
	for _, id := range []string{"one", "two"} {
		_, err := fleet.Submit(t.Context(), q, fleet.Batch{ID: id}, []fleet.Job{
			{
				ID: "0", Question: "job-0",
				Context: []fleet.Source{{Path: file}, {Text: strings.Repeat(id+" alone\n", 90_000), Name: "own"}},
			},
		}, fleet.Submission{})
		require.NoError(t, err)
	}
	stop := working(t, nodeOf(q, t.TempDir(), 1, &model{}))
	for _, id := range []string{"one", "two"} {
		got, err := awaited(t, q, id)
		require.NoError(t, err)
		require.Equal(t, fleet.Done, got["0"].State, got["0"].Reason)
	}
	require.NoError(t, stop())
	both := messages(t, url)

	require.NoError(t, fleet.Remove(t.Context(), q, "one"))
	require.NoError(t, fleet.Sweep(t.Context(), q, time.Hour))
	require.Equal(t, both["OBJ_rlm_objects"], messages(t, url)["OBJ_rlm_objects"],
		"what was sent of late may be named by a batch that is being submitted")
	require.NoError(t, fleet.Sweep(t.Context(), q, 0))
	left := messages(t, url)
	require.Equal(t, []int{1, 1}, []int{left["rlm_jobs"], left["rlm_results"]})
	for _, stream := range []string{"rlm_runs", "OBJ_rlm_objects"} {
		require.Less(t, left[stream], both[stream], stream)
		require.NotZero(t, left[stream], stream)
	}
	list, err := q.List(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	latest, err := fleet.Latest(t.Context(), q, "two")
	require.NoError(t, err)
	data := t.TempDir()
	require.NoError(t, fleet.Fetch(t.Context(), q, latest[0].Run, data, true), "its contexts are there")

	// A removed batch can be submitted again, and is paid for again.
	m := &model{}
	_, err = fleet.Submit(t.Context(), q, fleet.Batch{ID: "one"}, jobs(1), fleet.Submission{})
	require.NoError(t, err)
	stop = working(t, nodeOf(q, t.TempDir(), 1, m))
	_, err = awaited(t, q, "one")
	require.NoError(t, err)
	require.NoError(t, stop())
	require.Equal(t, 1, m.total())

	removed, err := fleet.Expire(t.Context(), q, time.Hour)
	require.NoError(t, err)
	require.Empty(t, removed)
	removed, err = fleet.Expire(t.Context(), q, time.Nanosecond)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"one", "two"}, removed)
	require.NoError(t, fleet.Sweep(t.Context(), q, 0))
	require.Equal(t, map[string]int{"rlm_jobs": 0, "rlm_results": 0, "rlm_runs": 0, "OBJ_rlm_objects": 0},
		messages(t, url))
}

// A hub removes old batches automatically.
func TestAHubDoesNotFillItsDisk(t *testing.T) {
	t.Parallel()
	hub, err := fleet.StartHub(fleet.HubConfig{Listen: "127.0.0.1:0", Dir: t.TempDir(), Nodes: []string{"node"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = hub.Close() })
	q := connect(t, hub.URL("node"))
	_, err = fleet.Submit(t.Context(), q, fleet.Batch{ID: "old"}, jobs(3), fleet.Submission{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	removed, ended := make(chan string, 10), make(chan error, 1)
	go func() {
		ended <- hub.Watch(ctx, time.Nanosecond, func(batch string, err error) {
			if err == nil {
				removed <- batch
			}
		})
	}()
	require.Equal(t, "old", <-removed)
	cancel()
	require.NoError(t, <-ended)
	list, err := q.List(t.Context())
	require.NoError(t, err)
	require.Empty(t, list)
}

// A batch with running jobs is not removed.
func TestARunningBatchStays(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	m, begun := &model{}, make(chan struct{}, 10)
	m.hangs = func() bool { begun <- struct{}{}; return true }
	_, err := fleet.Submit(t.Context(), q, fleet.Batch{ID: "b"}, jobs(1), fleet.Submission{})
	require.NoError(t, err)
	stop := working(t, nodeOf(q, t.TempDir(), 1, m))
	<-begun
	require.ErrorIs(t, fleet.Remove(t.Context(), q, "b"), fleet.ErrRunning)
	require.NoError(t, fleet.Cancel(t.Context(), q, "b"))
	require.Eventually(t, func() bool {
		return fleet.Remove(t.Context(), q, "b") == nil
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, stop())
}

// A node on a busy machine may answer late: its jobs, which are being paid for, are not removed meanwhile.
func TestABatchOfASilentNodeStays(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	_, err := fleet.Submit(t.Context(), q, fleet.Batch{ID: "b"}, jobs(1), fleet.Submission{})
	require.NoError(t, err)
	stop, err := q.Mute("b")
	require.NoError(t, err)
	err = fleet.Remove(t.Context(), q, "b")
	require.ErrorIs(t, err, fleet.ErrRunning)
	require.ErrorContains(t, err, "does not answer")
	s, err := q.Status(t.Context(), "b")
	require.NoError(t, err)
	require.False(t, s.Cancelled)
	require.NoError(t, stop())
	require.NoError(t, fleet.Remove(t.Context(), q, "b"))
}

// The span under which a batch was submitted is passed on to its runs, wherever they are.
func TestTheSpanOfASubmissionGoesToItsRuns(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	const span = "00-11111111111111111111111111111111-2222222222222222-01"
	_, err := fleet.Submit(host.UnderSpan(t.Context(), span, "vendor=1"), q, fleet.Batch{ID: "b"}, jobs(1),
		fleet.Submission{})
	require.NoError(t, err)
	did, err := fleet.Submit(host.UnderSpan(t.Context(), "00-33333333333333333333333333333333-4444444444444444-01", ""),
		q, fleet.Batch{ID: "b"}, jobs(1), fleet.Submission{})
	require.NoError(t, err)
	require.Equal(t, fleet.SubmitResult{Known: 1}, did, "a span is no part of a job")
	stop := working(t, nodeOf(q, t.TempDir(), 1, &model{}))
	got, err := awaited(t, q, "b")
	require.NoError(t, err)
	require.NoError(t, stop())
	data := t.TempDir()
	require.NoError(t, fleet.Fetch(t.Context(), q, got["0"].Run, data, false))
	for ev, err := range trajectory.Read(filepath.Join(trajectory.RunsDir(data), got["0"].Run)) {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.RunStarted); ok {
			require.JSONEq(t, `{"span": {"traceparent": "`+span+`", "tracestate": "vendor=1"}}`, string(d.Metadata))
		}
	}
}
