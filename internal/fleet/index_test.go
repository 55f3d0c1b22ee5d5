package fleet_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// indexed returns the batch's jobs in its index, as ids with states.
func (p dataFolder) indexed(t *testing.T, state fleet.State) (got []string) {
	t.Helper()
	list, total, err := p.queue.Index("b").Jobs(t.Context(), state, 0, 100)
	require.NoError(t, err)
	require.Len(t, list, total)
	for _, j := range list {
		got = append(got, j.Job.ID+" "+string(j.State))
	}
	return got
}

// sameResults checks that the index has the latest results.
func (p dataFolder) sameResults(t *testing.T) {
	t.Helper()
	want, err := fleet.Latest(t.Context(), p.queue, "b")
	require.NoError(t, err)
	var got []fleet.Result
	for r, err := range p.queue.Index("b").Results(t.Context()) {
		require.NoError(t, err)
		got = append(got, r)
	}
	require.Equal(t, want, got)
}

func TestAnIndexFollowsItsBatch(t *testing.T) {
	t.Parallel()
	p, m := newDataFolder(t), &model{}
	down := true
	m.before = func(question string, _ int) error {
		if question == "job-1" && down {
			return &llm.Error{Kind: llm.ErrAuth, Message: "wrong key"}
		}
		return nil
	}
	list := jobs(4)
	list[0].Schema, list[3].Schema = "b string", "a string, b string"
	p.submit(t, fleet.Batch{}, list, fleet.Submission{Limit: 3})
	require.Equal(t, []string{"0 queued", "1 queued", "2 queued"}, p.indexed(t, ""))
	list[0].Schema = ""
	p.submit(t, fleet.Batch{}, list[:3], fleet.Submission{})
	_, err := p.work(t, m)
	require.NoError(t, err)
	require.Equal(t, []string{"0 done", "1 dead", "2 done"}, p.indexed(t, ""))
	require.Equal(t, []string{"1 dead"}, p.indexed(t, fleet.Dead))
	p.sameResults(t)

	// A dead job is tried again, one is new, and one was removed from the batch.
	down = false
	n, err := fleet.Retry(t.Context(), p.queue, "b", trajectory.RunsDir(p.dir))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	p.submit(t, fleet.Batch{}, append(list[:2:2], list[3]), fleet.Submission{})
	require.Equal(t, []string{"0 done", "1 queued", "3 queued"}, p.indexed(t, ""))
	p.sameResults(t)
	columns, err := p.queue.Index("b").Columns(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"b", "a"}, columns)
	one, _, err := p.queue.Index("b").Jobs(t.Context(), fleet.Queued, 0, 1)
	require.NoError(t, err)
	require.Equal(t, fleet.Dead, one[0].Result.State, "what it came to before is known")

	p.submit(t, fleet.Batch{}, list[:2], fleet.Submission{}) // submits no new jobs
	require.Equal(t, []string{"0 done", "1 queued"}, p.indexed(t, ""))

	// A removed batch is forgotten, even if it is submitted again.
	require.NoError(t, fleet.Remove(t.Context(), p.queue, "b"))
	_, _, err = p.queue.Index("b").Jobs(t.Context(), "", 0, 1)
	require.Error(t, err)
	p.submit(t, fleet.Batch{}, jobs(1), fleet.Submission{})
	require.Equal(t, []string{"0 queued"}, p.indexed(t, ""))
}

func TestAnIndexReadsPartsOfALargeBatch(t *testing.T) {
	t.Parallel()
	p := newDataFolder(t)
	p.queue.SetSpans(1000)
	p.submit(t, fleet.Batch{}, jobs(3000), fleet.Submission{}) // several jobs share a message
	list, total, err := p.queue.Index("b").Jobs(t.Context(), fleet.Queued, 2980, 500)
	require.NoError(t, err)
	require.Equal(t, 3000, total)
	require.Len(t, list, 20)
	require.Equal(t, []any{"2980", 2980, "job-2980"}, []any{list[0].Job.ID, list[0].Place, list[0].Job.Question})
}

// told waits for a change for which wanted is true, and returns it.
func told(t *testing.T, changes <-chan fleet.Change, wanted func(fleet.Change) bool) fleet.Change {
	t.Helper()
	var others []fleet.Change
	for end := time.After(2 * time.Minute); ; {
		select {
		case c := <-changes:
			if wanted(c) {
				return c
			}
			others = append(others, c)
		case <-end:
			require.Fail(t, "no such change", "the others: %+v", others)
		}
	}
}

func TestChangesOfBatchesAreTold(t *testing.T) {
	t.Parallel()
	p, m := newDataFolder(t), &model{}
	other := openQueue(t, p.dir) // a second process would open it like this
	changes := make(chan fleet.Change, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for c, err := range fleet.Changes(ctx, other) {
			assert.NoError(t, err)
			changes <- c
		}
	}()
	hold := make(chan struct{})
	m.before = func(string, int) error { <-hold; return nil }
	p.submit(t, fleet.Batch{Name: "the name"}, jobs(3), fleet.Submission{})
	require.Equal(t, "the name", told(t, changes, func(c fleet.Change) bool { return c.Queued == 3 }).Name)
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		for _, err := range p.node(m).Work(t.Context(), t.Context(), 0) {
			assert.NoError(t, err)
		}
	}()
	require.Equal(t, 1, told(t, changes, func(c fleet.Change) bool { return len(c.Running) == 2 }).Nodes)
	close(hold)
	<-worked
	done := told(t, changes, func(c fleet.Change) bool { return c.Done == 3 && c.Nodes == 0 })
	require.EqualValues(t, 3*110, done.Tokens)

	require.NoError(t, p.queue.Close()) // the other process takes the queue over
	p.queue = openQueue(t, p.dir)
	p.submit(t, fleet.Batch{}, jobs(4), fleet.Submission{})
	told(t, changes, func(c fleet.Change) bool { return c.Jobs == 4 && c.Queued == 1 })
	require.NoError(t, fleet.Remove(t.Context(), p.queue, "b"))
	told(t, changes, func(c fleet.Change) bool { return c.Removed && c.ID == "b" })
	cancel()
	<-ended
}

func TestAQueueOnDemandIsLeftWhenNobodyUsesIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var opened atomic.Int32
	d := &fleet.OnDemand{Idle: time.Millisecond, Open: func(ctx context.Context) (*fleet.Queue, error) {
		opened.Add(1)
		return fleet.Open(ctx, fleet.Dir(dir), nil)
	}}
	var first *fleet.Queue
	use := func(do func(*fleet.Queue)) {
		t.Helper()
		require.NoError(t, d.Use(t.Context(), func(q *fleet.Queue) error { do(q); return nil }))
	}
	use(func(q *fleet.Queue) {
		first = q
		use(func(again *fleet.Queue) { require.Same(t, q, again) })
		_, err := q.List(t.Context())
		require.NoError(t, err, "it is not left while somebody uses it")
	})
	require.Eventually(t, func() bool {
		_, err := first.List(t.Context())
		return err != nil
	}, time.Minute, time.Millisecond)
	p := dataFolder{dir, openQueue(t, dir), 1} // opens the released queue as another process would
	p.submit(t, fleet.Batch{}, jobs(1), fleet.Submission{})
	use(func(q *fleet.Queue) {
		s, err := q.Status(t.Context(), "b")
		require.NoError(t, err)
		require.Equal(t, 1, s.Queued)
		require.NoError(t, d.Close())
		_, err = q.Status(t.Context(), "b")
		require.NoError(t, err, "who uses it may go on")
	})
	require.EqualValues(t, 2, opened.Load())
	require.Error(t, d.Use(t.Context(), func(*fleet.Queue) error { return nil }), "it is closed")
}
