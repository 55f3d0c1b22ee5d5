package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// Index knows each job's message and result state in a batch, in a few hundred bytes per job, so that any part of a
// large batch can be read without the rest. Each call first reads the new messages. It is safe for concurrent use.
type Index struct {
	queue *Queue
	batch string

	mu      sync.Mutex
	created time.Time // when the batch was created; if it was removed and submitted again, this differs
	jobs    uint64    // sequence of the last job message that was read
	results uint64
	known   map[string]*jobEntry // jobs by key
	order   []*jobEntry          // the jobs of the batch, in order; nil: outdated
	forms   map[string]int       // schemas, each with the index of the first job that has it
}

// jobEntry is what the index knows about a job.
type jobEntry struct {
	key, run   string
	place, try int
	at         uint64 // sequence of the job's message
	tried      int    // the try of the last result; -1: none
	state      State  // state of that result
}

func (e *jobEntry) waits() bool { return e.tried < e.try }

// indexes caches the indexes of the most recently used batches.
type indexes struct {
	mu   sync.Mutex
	list []*Index
}

const mostIndexes = 4

// Index returns the index of a batch. A few are kept while the queue is open.
func (q *Queue) Index(batch string) *Index {
	q.indexes.mu.Lock()
	defer q.indexes.mu.Unlock()
	list := q.indexes.list
	i := slices.IndexFunc(list, func(x *Index) bool { return x.batch == batch })
	x := &Index{queue: q, batch: batch}
	if i >= 0 {
		x = list[i]
		list = slices.Delete(list, i, i+1)
	}
	list = append(list, x)
	q.indexes.list = list[max(0, len(list)-mostIndexes):]
	return x
}

// JobStatus is the progress of a job.
type JobStatus struct {
	Job     Job
	Place   int // index in the batch, from 0
	State   State
	Run     string
	Running *RunningJob // set while the job runs
	Result  *Result     // the last result, even while the job is retried; nil: none
}

// Jobs returns some of the jobs in a state (empty: any), in order, and the number of all of them.
func (x *Index) Jobs(ctx context.Context, state State, offset, limit int) (list []JobStatus, total int, err error) {
	r, err := x.queue.record(ctx, x.batch)
	if err != nil {
		return nil, 0, err
	}
	running := map[string]*RunningJob{} // running jobs by run
	reports, _ := x.queue.live(x.batch)
	for _, l := range reports {
		for _, one := range l.Running {
			running[one.Run] = &one
		}
	}
	var part []jobEntry
	x.mu.Lock()
	err = x.read(ctx, r)
	for _, e := range x.order {
		if state != "" && x.stateOf(e, running) != state {
			continue
		}
		if total >= offset && len(part) < limit {
			part = append(part, *e)
		}
		total++
	}
	x.mu.Unlock()
	if err != nil {
		return nil, 0, err
	}
	spans := map[uint64][]entry{}
	for _, e := range part {
		s, err := x.status(ctx, &e, spans)
		if err != nil {
			return nil, 0, err
		}
		s.State, s.Running = x.stateOf(&e, running), running[e.run]
		list = append(list, s)
	}
	return list, total, nil
}

func (x *Index) stateOf(e *jobEntry, running map[string]*RunningJob) State {
	now := running[e.run]
	switch {
	case !e.waits():
		return e.state
	case now == nil:
		return Queued
	case now.Waits:
		return Failed
	}
	return Underway
}

// status reads a job and its result. spans caches messages read for other jobs.
func (x *Index) status(ctx context.Context, e *jobEntry, spans map[uint64][]entry) (JobStatus, error) {
	entries, read := spans[e.at]
	if !read {
		msg, err := jet.Ask(ctx, x.queue.conn, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
			return x.queue.jobs.GetMsg(ctx, e.at)
		})
		var s jobMessage
		if err == nil {
			err = json.Unmarshal(msg.Data, &s)
		}
		if err != nil {
			return JobStatus{}, fmt.Errorf("read the jobs of %s: %w", x.batch, x.queue.why(err))
		}
		entries = s.Entries
		spans[e.at] = entries
	}
	s := JobStatus{Place: e.place, Run: e.run}
	if i := slices.IndexFunc(entries, func(o entry) bool { return o.Key == e.key }); i >= 0 {
		s.Job = entries[i].Job
	}
	if e.tried >= 0 {
		r, found, err := x.queue.result(ctx, x.batch, e.key, e.tried)
		if err != nil {
			return s, err
		}
		if found {
			s.Result = &r
		}
	}
	return s, nil
}

// Results yields the results that count, in job order.
func (x *Index) Results(ctx context.Context) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		order, _, err := x.now(ctx)
		if err != nil {
			yield(Result{}, err)
			return
		}
		for _, e := range order {
			if e.waits() {
				continue
			}
			r, found, err := x.queue.result(ctx, x.batch, e.key, e.tried)
			if err == nil && found {
				r, err = x.queue.whole(ctx, r)
			}
			if (found || err != nil) && (!yield(r, err) || err != nil) {
				return
			}
		}
	}
}

// Write adds the results that count to an output, in the order of the jobs.
func (x *Index) Write(ctx context.Context, out *Output) error {
	for r, err := range x.Results(ctx) {
		if err == nil {
			err = out.Add(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Columns returns the fields of typed answers of the jobs, in the order of their first appearance.
func (x *Index) Columns(ctx context.Context) ([]string, error) {
	_, forms, err := x.now(ctx)
	if err != nil {
		return nil, err
	}
	schemas := slices.SortedFunc(maps.Keys(forms), func(a, b string) int { return cmp.Compare(forms[a], forms[b]) })
	jobs := make([]Job, len(schemas))
	for i, s := range schemas {
		jobs[i].Schema = s
	}
	return Columns(jobs), nil
}

// now updates the index and returns its contents.
func (x *Index) now(ctx context.Context) (order []jobEntry, forms map[string]int, err error) {
	r, err := x.queue.record(ctx, x.batch)
	if err != nil {
		return nil, nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.read(ctx, r); err != nil {
		return nil, nil, err
	}
	for _, e := range x.order {
		order = append(order, *e)
	}
	return order, maps.Clone(x.forms), nil
}
