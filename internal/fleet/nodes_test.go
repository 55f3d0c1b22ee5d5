package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// hubQueue returns a queue that is shared through a hub.
func hubQueue(t *testing.T) *fleet.Queue {
	t.Helper()
	hub, err := fleet.StartHub(fleet.HubConfig{Listen: "127.0.0.1:0", Dir: t.TempDir(), Nodes: []string{"node"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = hub.Close() })
	return connect(t, hub.URL("node"))
}

func connect(t *testing.T, url string) *fleet.Queue {
	t.Helper()
	q, err := fleet.Connect(t.Context(), fleet.Server{URL: url, DataDir: t.TempDir()})
	require.NoError(t, err)
	q.Hurry(10)
	t.Cleanup(func() { _ = q.Close() })
	return q
}

func nodeOf(q *fleet.Queue, dir string, slots int, m llm.Model) *fleet.Node {
	return &fleet.Node{
		Queue: q, Slots: slots, Dir: dir, Backoff: []time.Duration{time.Millisecond},
		Setup: func(context.Context, fleet.Job) (llm.Model, []runner.Option, error) {
			return m, []runner.Option{
				runner.WithSandbox(sandbox.Basic, sandbox.Limits{}), host.Starter(starter),
			}, nil
		},
	}
}

// awaited returns the results of a batch by job id, and the final error.
func awaited(t *testing.T, q *fleet.Queue, batch string) (map[string]fleet.Result, error) {
	t.Helper()
	got := map[string]fleet.Result{}
	for r, err := range fleet.Await(t.Context(), q, batch, 0, nil) {
		if err != nil {
			return got, err
		}
		require.NotContains(t, got, r.ID)
		got[r.ID] = r
	}
	return got, nil
}

// working runs nodes until stop is called, which returns their errors.
func working(t *testing.T, nodes ...*fleet.Node) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	errs := make([]error, len(nodes))
	var running sync.WaitGroup
	for i, n := range nodes {
		running.Go(func() { errs[i] = n.Run(ctx, ctx) })
	}
	stop = sync.OnceValue(func() error {
		cancel()
		running.Wait()
		return errors.Join(errs...)
	})
	t.Cleanup(func() { _ = stop() })
	return stop
}

// All nodes together keep to the budget of a batch, except for calls in flight; with a larger budget they
// continue.
func TestNodesShareABudget(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	const callTokens, slots = 110, 2
	allowed, all := 8, 30
	if os.Getenv("RLM_LONG") != "" {
		allowed, all = 20, 100
	}
	b := fleet.Batch{ID: "b", Budget: fleet.Budget{Tokens: int64(callTokens * allowed)}}
	list := jobs(all)
	_, err := fleet.Submit(t.Context(), q, b, list, fleet.Submission{})
	require.NoError(t, err)
	m := &model{}
	stop := working(t, nodeOf(q, t.TempDir(), slots, m), nodeOf(q, t.TempDir(), slots, m))
	got, err := awaited(t, q, "b")
	var stopped *fleet.StoppedError
	require.ErrorAs(t, err, &stopped)
	require.Contains(t, err.Error(), "budget of the batch is used up")
	require.GreaterOrEqual(t, m.total(), allowed)
	require.LessOrEqual(t, m.total(), allowed+2*slots)
	require.Less(t, len(got), len(list))

	b.Budget.Tokens = callTokens * 1000
	_, err = fleet.Submit(t.Context(), q, b, list, fleet.Submission{})
	require.NoError(t, err)
	got, err = awaited(t, q, "b")
	require.NoError(t, err)
	require.Len(t, got, len(list))
	require.NoError(t, stop())
	require.Equal(t, len(list), m.total())
}

// A node runs the jobs of all batches, those of a batch with a higher priority first.
func TestNodesServeAllBatches(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	for _, b := range []fleet.Batch{{ID: "low"}, {ID: "high", Priority: 1}} {
		var list []fleet.Job
		for i := range 12 {
			list = append(list, fleet.Job{ID: fmt.Sprint(i), Question: fmt.Sprintf("job-%s-%d", b.ID, i)})
		}
		_, err := fleet.Submit(t.Context(), q, b, list, fleet.Submission{})
		require.NoError(t, err)
	}
	m := &model{}
	stop := working(t, nodeOf(q, t.TempDir(), 1, m))
	for _, id := range []string{"high", "low"} {
		got, err := awaited(t, q, id)
		require.NoError(t, err)
		require.Len(t, got, 12)
		for _, r := range got {
			require.Equal(t, fleet.Done, r.State)
			require.Contains(t, r.Answer, "answer to job-"+id)
		}
	}
	require.NoError(t, stop())
	require.Equal(t, 24, m.total())
}

// Replies, answers and texts of a job that are longer than a message are sent separately.
func TestLongTextsTravel(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	_, err := fleet.Submit(t.Context(), q, fleet.Batch{ID: "b"}, []fleet.Job{{
		ID: "0", Question: "job-0",
		Context: []fleet.Source{{Text: strings.Repeat("a text of a job\n", 90_000), Name: "notes"}},
	}}, fleet.Submission{})
	require.NoError(t, err)
	m := &longModel{}
	stop := working(t, nodeOf(q, t.TempDir(), 1, m))
	got, err := awaited(t, q, "b")
	require.NoError(t, err)
	require.Equal(t, fleet.Done, got["0"].State, got["0"].Reason)
	require.Len(t, got["0"].Answer, 900_000)
	require.NoError(t, stop())
	data := t.TempDir()
	require.NoError(t, fleet.Fetch(t.Context(), q, got["0"].Run, data, true))
	res, err := runner.Collect(trajectory.Read(filepath.Join(data, "rlm", "runs", got["0"].Run)))
	require.NoError(t, err)
	require.Len(t, res.Answer, 900_000)
}

// longModel answers with more than a message can hold.
type longModel struct{}

func (longModel) Name() string { return "model" }

func (longModel) Generate(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
	return llm.Response{
		Content: strings.Repeat("long ", 400_000) +
			"\n\n```go\nif docs[0].Name != \"notes\" || context != strings.Repeat(\"a text of a job\\n\", 90_000) { panic(\"another text\") }\nFINAL(strings.Repeat(\"abc\", 300_000))\n```", Model: "model", FinishReason: "stop", Attempts: 1,
	}, nil
}

// Only a token gives access; an address that others can reach needs a certificate.
func TestAHubLetsInWhoHasAToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hub, err := fleet.StartHub(fleet.HubConfig{Listen: "127.0.0.1:0", Dir: dir, Nodes: []string{"one", "two"}})
	require.NoError(t, err)
	one := hub.URL("one")
	connect(t, one)
	for _, url := range []string{
		strings.Replace(one, "one:", "two:", 1), strings.Replace(one, "one:", "three:", 1),
		"nats://" + one[strings.Index(one, "@")+1:], hub.URL("three"),
	} {
		_, err := fleet.Connect(t.Context(), fleet.Server{URL: url, DataDir: t.TempDir()})
		require.Error(t, err, url)
	}
	_, err = fleet.StartHub(fleet.HubConfig{Listen: "127.0.0.1:0", Dir: dir, Nodes: []string{"one"}})
	require.ErrorContains(t, err, "another hub is using it")
	require.NoError(t, hub.Close())
	_, err = fleet.StartHub(fleet.HubConfig{Listen: "0.0.0.0:0", Dir: dir, Nodes: []string{"one"}})
	require.ErrorContains(t, err, "needs a certificate")
	hub, err = fleet.StartHub(fleet.HubConfig{Listen: "127.0.0.1:0", Dir: dir, Nodes: []string{"one"}})
	require.NoError(t, err)
	require.Contains(t, hub.URL("one"), strings.Split(strings.TrimPrefix(one, "nats://"), "@")[0], "the token stays")
	require.NoError(t, hub.Close())
}

// A node's cache of contexts is bounded; every job gets its context nevertheless.
func TestTheCacheOfContextsIsBounded(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	in := t.TempDir()
	const size, most = 1 << 20, 5 << 19
	var list []fleet.Job
	for i := range 6 {
		path := filepath.Join(in, fmt.Sprint(i))
		require.NoError(t, os.WriteFile(path, []byte(strings.Repeat(fmt.Sprintf("text %d\n", i), size/7)), 0o600))
		list = append(list, fleet.Job{
			ID: fmt.Sprint(i), Question: fmt.Sprintf("job-%d", i), Context: []fleet.Source{{Path: path}},
		})
	}
	_, err := fleet.Submit(t.Context(), q, fleet.Batch{ID: "b"}, list, fleet.Submission{})
	require.NoError(t, err)
	n := nodeOf(q, t.TempDir(), 2, &model{})
	n.CacheSize = most
	stop := working(t, n)
	got, err := awaited(t, q, "b")
	require.NoError(t, err)
	require.Len(t, got, len(list))
	for _, r := range got {
		require.Equal(t, fleet.Done, r.State, r.Reason)
	}
	require.NoError(t, stop())
	total := int64(0)
	kept, err := os.ReadDir(filepath.Join(n.Dir, "contexts"))
	require.NoError(t, err)
	for _, e := range kept {
		info, err := e.Info()
		require.NoError(t, err)
		total += info.Size()
	}
	require.NotZero(t, total)
	require.LessOrEqual(t, total, int64(most))
	left, err := os.ReadDir(filepath.Join(n.Dir, "work"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// A node reads the paths of jobs only in its shared folder, wherever links point.
func TestOnlySharedPathsAreRead(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	shared, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	outside := filepath.Join(t.TempDir(), "secret.txt")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(shared, "a.txt"), []byte("text"), 0o600))
	if err := os.Symlink(outside, filepath.Join(shared, "link.txt")); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	var list []fleet.Job
	for _, name := range []string{"a.txt", "link.txt"} {
		list = append(list, fleet.Job{
			ID: name, Question: "job-1", Context: []fleet.Source{{Path: filepath.Join(shared, name)}},
		})
	}
	for batch, with := range map[string]string{"with": shared, "without": ""} {
		_, err = fleet.Submit(t.Context(), q, fleet.Batch{ID: batch}, list, fleet.Submission{SharedPath: shared})
		require.NoError(t, err)
		n := nodeOf(q, t.TempDir(), 1, &model{})
		n.Batch, n.SharedPath = batch, with
		stop := working(t, n)
		got, err := awaited(t, q, batch)
		require.NoError(t, err)
		require.NoError(t, stop())
		require.Equal(t, fleet.Dead, got["link.txt"].State)
		if with == "" {
			require.Contains(t, got["a.txt"].Reason, "reads no paths named by jobs")
			continue
		}
		require.Equal(t, fleet.Done, got["a.txt"].State, got["a.txt"].Reason)
		require.Contains(t, got["link.txt"].Reason, "is not below")
	}
}
