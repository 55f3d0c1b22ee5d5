package fleet_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// served are the jobs that each node of a test has run, by node name.
type served struct {
	mu   sync.Mutex
	jobs map[string][]string
}

// node returns a node that has some models, and records the jobs that it runs.
func (s *served) node(t *testing.T, q *fleet.Queue, name string, slots int, models ...string) *fleet.Node {
	t.Helper()
	n := nodeOf(q, t.TempDir(), slots, &model{})
	setup := n.Setup
	n.Models = append([]string{"own"}, models...)
	n.Setup = func(ctx context.Context, j fleet.Job) (llm.Model, []runner.Option, error) {
		for _, m := range []string{j.Model, j.SubModel} {
			if m != "" && !slices.Contains(n.Models, m) {
				return nil, nil, fmt.Errorf("%s has no model %s", name, m)
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.jobs == nil {
			s.jobs = map[string][]string{}
		}
		s.jobs[name] = append(s.jobs[name], j.ID)
		return setup(ctx, j)
	}
	return n
}

// by counts the jobs that a node has run, each once: a job that is returned to the queue while it runs is run
// twice.
func (s *served) by(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(slices.Compact(slices.Sorted(slices.Values(s.jobs[name]))))
}

func submit(t *testing.T, q *fleet.Queue, batch string, list []fleet.Job) {
	t.Helper()
	_, err := fleet.Submit(t.Context(), q, fleet.Batch{ID: batch}, list, fleet.Submission{})
	require.NoError(t, err)
}

func allDone(t *testing.T, got map[string]fleet.Result, jobs int) {
	t.Helper()
	require.Len(t, got, jobs)
	for _, r := range got {
		require.Equal(t, fleet.Done, r.State, "%s: %s", r.ID, r.Reason)
	}
}

// named returns n jobs. Of each three, the first has a model, the second a model for its sub-calls, and the third
// none.
func named(n int) []fleet.Job {
	list := jobs(n)
	for i := range list {
		switch i % 3 {
		case 0:
			list[i].Model = "large"
		case 1:
			list[i].SubModel = "small"
		}
	}
	return list
}

// A job reaches a node that has its models, whichever node the queue offers it to first.
func TestJobsGoWhereTheirModelsAre(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	var s served
	stop := working(t, s.node(t, q, "plain", 4), s.node(t, q, "large", 1, "large"), s.node(t, q, "small", 1, "small"))
	submit(t, q, "b", named(12))
	got, err := awaited(t, q, "b")
	require.NoError(t, err)
	require.NoError(t, stop())
	allDone(t, got, 12)
	require.GreaterOrEqual(t, s.by("large"), 4)
	require.GreaterOrEqual(t, s.by("small"), 4)
}

// A job also reaches a node that has its models if jobs share a message, even if they name different models.
func TestManyJobsGoWhereTheirModelsAre(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	q.SetSpans(200)
	list := jobs(400)
	for i := range list {
		list[i].Model = []string{"large", "small"}[i%2]
	}
	submit(t, q, "b", list)
	var s served
	working(t, s.node(t, q, "a", 2, "large"), s.node(t, q, "b", 2, "small"))
	for r, err := range fleet.Await(t.Context(), q, "b", 0, nil) {
		require.NoError(t, err)
		require.Equal(t, fleet.Done, r.State, r.Reason)
		if s.by("a") >= 6 && s.by("b") >= 6 {
			return
		}
	}
}

// Jobs that no node can run do not delay others. The batch's status shows what they wait for, and they run when a
// node with their model joins.
func TestJobsWaitForANodeWithTheirModel(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	q.HurryModels(10)
	var s served
	list := jobs(20)
	for i := range 14 {
		list[i].Model = "large" // jobs at the head of the queue
	}
	stop := working(t, s.node(t, q, "plain", 1))
	submit(t, q, "b", list)
	submit(t, q, "other", jobs(5))
	got, err := awaited(t, q, "other")
	require.NoError(t, err)
	allDone(t, got, 5)
	var status fleet.Status
	require.Eventually(t, func() bool {
		status, err = q.Status(t.Context(), "b")
		return err == nil && status.Done == 6 && len(status.Lacks) > 0
	}, time.Minute, 10*time.Millisecond, "%+v", status)
	require.Equal(t, []string{"large"}, status.Lacks[0].Models)
	require.Equal(t, `no node has the model "large"`, status.Lacks[0].String())
	require.Equal(t, 5*time.Minute, status.Lacks[0].Until.Sub(status.Lacks[0].Since))
	require.Zero(t, status.Dead)

	working(t, s.node(t, q, "large", 4, "large"))
	got, err = awaited(t, q, "b")
	require.NoError(t, err)
	require.NoError(t, stop())
	allDone(t, got, 20)
	require.Equal(t, 14, s.by("large"))
	status, err = q.Status(t.Context(), "b")
	require.NoError(t, err)
	require.Empty(t, status.Lacks)
}

// A job is set aside if no node has had its models for a long time. Its result has that reason, and it can be
// retried like any other job.
func TestAJobWithoutANodeIsSetAside(t *testing.T) {
	t.Parallel()
	q := hubQueue(t)
	q.HurryModels(10)
	var s served
	list := jobs(8)
	for i := range 4 {
		list[i].Model, list[i].SubModel = "large", "small"
	}
	nodes := []*fleet.Node{s.node(t, q, "plain", 2), s.node(t, q, "half", 2, "large")}
	for _, n := range nodes {
		n.Patience = time.Millisecond
	}
	working(t, nodes...)
	submit(t, q, "b", list)
	got, err := awaited(t, q, "b")
	require.NoError(t, err)
	require.Len(t, got, 8)
	for _, r := range got {
		if r.Index >= 4 {
			require.Equal(t, fleet.Done, r.State, r.Reason)
			continue
		}
		require.Equal(t, fleet.Dead, r.State)
		require.Equal(t, `no node has had the models "large" and "small" for 1ms`, r.Reason)
	}

	working(t, s.node(t, q, "both", 2, "large", "small"))
	var latest []fleet.Result
	require.Eventually(t, func() bool {
		latest, err = fleet.Latest(t.Context(), q, "b")
		if err == nil && len(latest) == 8 &&
			!slices.ContainsFunc(latest, func(r fleet.Result) bool { return r.State != fleet.Done }) {
			return true
		}
		_, err = fleet.Retry(t.Context(), q, "b", "") // repeated, because the new node may not have joined yet
		return false
	}, time.Minute, 100*time.Millisecond, "%v %+v", err, latest)
	require.Equal(t, 4, s.by("both"))
}
