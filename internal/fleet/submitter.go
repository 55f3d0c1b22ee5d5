package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/nats-io/nats.go/jetstream"
)

// submitter puts the jobs of one batch into the queue.
type submitter struct {
	queue *Queue
	batch string
	how   Submission
	known map[string]*knownJob
	taken map[string]bool // ids of runs
	under traceParent     // trace span of the jobs being added

	did   SubmitResult
	jobs  int     // jobs with or without a result
	stale counts  // results of jobs that are not, or no longer, in the batch
	fresh []entry // entries to add to the queue
	drop  []*knownJob
}

func newSubmitter(q *Queue, batch string, how Submission, known map[string]*knownJob) *submitter {
	s := &submitter{queue: q, batch: batch, how: how, known: known, taken: map[string]bool{}}
	for _, k := range known {
		s.taken[k.Run] = true
	}
	return s
}

// choose decides which wanted jobs are new, known or retried, and which known ones to drop.
func (s *submitter) choose(wanted []entry) {
	ids := map[string]bool{} // ids of jobs in the queue
	for _, k := range s.known {
		if !k.dropped() {
			ids[k.Job.ID] = true
		}
	}
	keys := make(map[string]bool, len(wanted))
	for _, e := range wanted {
		keys[e.Key] = true
		k := s.known[e.Key]
		late := s.how.Limit > 0 && e.Index >= s.how.Limit
		if late && (k == nil || k.dropped() || k.waits()) {
			if k != nil && k.waits() { // the job is dropped until it is submitted again
				s.drop = append(s.drop, k)
			}
			continue
		}
		if k != nil && !k.dropped() {
			s.jobs++
			s.did.Known++
			s.other(k.Version)
			s.again(k, e.Index)
			continue
		}
		s.jobs++
		s.did.New++
		if k == nil && ids[e.Job.ID] {
			s.did.Changed++
		}
		if k != nil { // submitted again after it was dropped: its run can continue
			e.Run, e.Try, e.Paid = k.Run, k.result.Try+1, k.result.spent()
		} else {
			e.Run = s.newRun()
		}
		s.fresh = append(s.fresh, e)
	}
	for _, k := range s.known {
		s.stale.Done += k.results.Done
		s.stale.Dead += k.results.Dead
		switch {
		case keys[k.Key] && !k.waits() && k.result.State == Done:
			s.stale.Done--
		case keys[k.Key] && !k.waits() && k.result.State == Dead && !s.retries(k):
			s.stale.Dead--
		case !keys[k.Key] && !k.dropped():
			s.did.Gone++
			s.drop = append(s.drop, k)
		}
	}
	s.did.Gone = max(0, s.did.Gone-s.did.Changed)
}

// other records the version of the program that submitted a known job.
func (s *submitter) other(version string) {
	if version != "" && version != s.how.Version && !slices.Contains(s.did.Versions, version) {
		s.did.Versions = append(s.did.Versions, version)
		slices.Sort(s.did.Versions)
	}
}

// retries reports whether a dead job should be retried. A job that failed because its files had changed always is,
// because no question was asked.
func (s *submitter) retries(k *knownJob) bool {
	return !k.waits() && k.result.State == Dead && (s.how.Retry || k.result.Kind == changedKind)
}

// again puts a dead job back into the queue if it should be retried.
func (s *submitter) again(k *knownJob, index int) {
	if !s.retries(k) {
		return
	}
	e := k.entry
	e.Index, e.Try = index, k.result.Try+1
	if k.result.Kind != changedKind && s.goesOn(k.Run) {
		e.Paid = k.result.spent()
	} else {
		e.Run, e.Paid = s.newRun(), usage{}
	}
	s.did.Retried++
	s.fresh = append(s.fresh, e)
}

// goesOn reports whether the run of a dead job can continue.
func (s *submitter) goesOn(run string) bool {
	if s.queue.conn.Remote {
		return s.queue.goesOn(runKey{s.batch, run})
	}
	return s.how.RunsDir != "" && goesOn(s.how.RunsDir, run)
}

// newRun returns an id that no other job of the batch has.
func (s *submitter) newRun() string {
	for now := time.Now(); ; now = now.Add(time.Second / 32) {
		id := trajectory.NewID(now)
		if !s.taken[id] {
			s.taken[id] = true
			return id
		}
	}
}

// take removes jobs from the batch by storing a special result, so that no node runs them.
func (s *submitter) take(ctx context.Context) error {
	for _, k := range s.drop {
		r := Result{Batch: s.batch, Key: k.Key, ID: k.Job.ID, Index: k.Index, State: Dropped, Run: k.Run, Try: k.Try}
		if !k.waits() {
			r.Try = k.result.Try + 1
			// If the job is submitted again, its next result does not count this usage twice.
			r.Cost, r.Tokens, r.Paid = k.result.Cost, k.result.Tokens, k.result.spent()
		}
		if _, err := s.queue.publish(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// put adds the new jobs to the queue, in order.
func (s *submitter) put(ctx context.Context) error {
	most := min(max(1, len(s.fresh)/s.queue.spans), longestSpan)
	if s.queue.conn.Remote && most > 1 { // a node runs all jobs of a span, so group them by model
		slices.SortStableFunc(s.fresh, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.Job.Model, b.Job.Model), cmp.Compare(a.Job.SubModel, b.Job.SubModel))
		})
	}
	var acks []jetstream.PubAckFuture
	for i := range s.fresh {
		s.fresh[i].Under, s.fresh[i].Version = s.under, s.how.Version
	}
	for len(s.fresh) > 0 {
		data, n, err := pack(s.fresh, most)
		if err != nil {
			return err
		}
		s.fresh = s.fresh[n:]
		ack, err := s.queue.conn.Publish(jobsSubject+s.batch, data)
		if err != nil {
			return fmt.Errorf("put jobs into the queue: %w", s.queue.why(err))
		}
		acks = append(acks, ack)
	}
	for _, ack := range acks {
		if err := s.acknowledged(ctx, ack); err != nil {
			return err
		}
	}
	if !s.queue.conn.Remote || len(acks) == 0 {
		return nil
	}
	return s.queue.change(ctx, s.batch, func(r *record) { r.Puts++ })
}

// acknowledged waits until a message is durable, or until the server has failed: a server that cannot write does
// not answer.
func (s *submitter) acknowledged(ctx context.Context, ack jetstream.PubAckFuture) error {
	const look = 100 * time.Millisecond
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-ack.Ok():
			return nil
		case err := <-ack.Err():
			return fmt.Errorf("put jobs into the queue: %w", s.queue.why(err))
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
			if err := s.queue.conn.Failed(); err != nil {
				return fmt.Errorf("put jobs into the queue: %w", err)
			}
		}
	}
}

// pack encodes a message with the first jobs of a list: no more than most, and as many as fit.
func pack(list []entry, most int) (data []byte, n int, err error) {
	for n = min(most, len(list)); ; n = max(1, n/2) {
		if data, err = json.Marshal(jobMessage{Entries: list[:n]}); err != nil {
			return nil, 0, fmt.Errorf("put jobs into the queue: %w", err)
		}
		if len(data) <= mostBytes+1000 {
			return data, n, nil
		}
		if n == 1 {
			return nil, 0, errors.New("put jobs into the queue: the job " + list[0].Job.ID +
				" is too long: put long text into files and name their paths")
		}
	}
}
