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

// stallPatience is how long a disk may take for the messages that are under way.
const stallPatience = 5 * time.Minute

// submitter puts the jobs of one batch into the queue.
type submitter struct {
	queue *Queue
	batch string
	how   Submission
	known map[string]*knownJob
	taken map[string]bool // ids of runs
	under under           // of jobs that are put into the queue

	did   Submitted
	jobs  int     // that have or get a result
	stale counts  // results that are not, or not any more, that of a job of the batch
	fresh []entry // to be put into the queue
	drop  []*knownJob
}

func newSubmitter(q *Queue, batch string, how Submission, known map[string]*knownJob) *submitter {
	s := &submitter{queue: q, batch: batch, how: how, known: known, taken: map[string]bool{}}
	for _, k := range known {
		s.taken[k.Run] = true
	}
	return s
}

// choose sorts the jobs that are wanted, and those that are known and not wanted any more.
func (s *submitter) choose(wanted []entry) {
	ids := map[string]bool{} // of jobs that the queue has
	for _, k := range s.known {
		if !k.dropped() {
			ids[k.Job.ID] = true
		}
	}
	keys := make(map[string]bool, len(wanted))
	room := s.how.Limit
	for _, e := range wanted {
		keys[e.Key] = true
		k := s.known[e.Key]
		if k != nil && !k.dropped() {
			s.jobs++
			s.did.Known++
			s.again(k, e.Index)
			continue
		}
		if room--; s.how.Limit > 0 && room < 0 {
			continue
		}
		s.jobs++
		s.did.New++
		if k == nil && ids[e.Job.ID] {
			s.did.Changed++
		}
		if k != nil { // it was dropped and is wanted again: what it came to stands in the log of its run
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

// retries says that a job is dead and is to be tried again.
func (s *submitter) retries(k *knownJob) bool {
	return s.how.Retry && !k.waits() && k.result.State == Dead
}

// again puts a job into the queue again if it is dead and to be tried again.
func (s *submitter) again(k *knownJob, index int) {
	if !s.retries(k) {
		return
	}
	e := k.entry
	e.Index, e.Try = index, k.result.Try+1
	if s.goesOn(k.Run) {
		e.Paid = k.result.spent()
	} else {
		e.Run, e.Paid = s.newRun(), spent{}
	}
	s.did.Retried++
	s.fresh = append(s.fresh, e)
}

// goesOn says that the run of a dead job can go on.
func (s *submitter) goesOn(run string) bool {
	if s.queue.remote {
		return s.queue.goesOn(runOf{s.batch, run})
	}
	return s.how.RunsDir != "" && goesOn(s.how.RunsDir, run)
}

// newRun is an id that no other job of the batch has.
func (s *submitter) newRun() string {
	for now := time.Now(); ; now = now.Add(time.Second / 32) {
		id := trajectory.NewID(now)
		if !s.taken[id] {
			s.taken[id] = true
			return id
		}
	}
}

// take takes jobs out of the batch: a result of their own says so, and no node runs them.
func (s *submitter) take(ctx context.Context) error {
	for _, k := range s.drop {
		r := Result{Batch: s.batch, Key: k.Key, ID: k.Job.ID, Index: k.Index, State: Dropped, Run: k.Run, Try: k.Try}
		if !k.waits() {
			r.Try = k.result.Try + 1
			r.Cost, r.Tokens, r.Paid = k.result.Cost, k.result.Tokens, k.result.spent() // for the next one of this run
		}
		if _, err := s.queue.publish(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// put puts the jobs that are new into the queue, in order.
func (s *submitter) put(ctx context.Context) error {
	most := min(max(1, len(s.fresh)/spansWanted), longestSpan)
	if s.queue.remote && most > 1 { // a node runs all jobs of a span: let those have the same models
		slices.SortStableFunc(s.fresh, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.Job.Model, b.Job.Model), cmp.Compare(a.Job.SubModel, b.Job.SubModel))
		})
	}
	var acks []jetstream.PubAckFuture
	for i := range s.fresh {
		s.fresh[i].Under = s.under
	}
	for len(s.fresh) > 0 {
		data, n, err := pack(s.fresh, most)
		if err != nil {
			return err
		}
		s.fresh = s.fresh[n:]
		ack, err := s.queue.js.PublishAsync(jobsSubject+s.batch, data, jetstream.WithStallWait(stallPatience))
		if err != nil {
			return fmt.Errorf("put jobs into the queue: %w", s.queue.why(err))
		}
		acks = append(acks, ack)
	}
	for _, ack := range acks {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return fmt.Errorf("put jobs into the queue: %w", s.queue.why(err))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if !s.queue.remote || len(acks) == 0 {
		return nil
	}
	return s.queue.change(ctx, s.batch, func(r *record) { r.Puts++ })
}

// pack makes a message of the first jobs, of as many as may be and fit.
func pack(list []entry, most int) (data []byte, n int, err error) {
	for n = min(most, len(list)); ; n = max(1, n/2) {
		if data, err = json.Marshal(span{Entries: list[:n]}); err != nil {
			return nil, 0, fmt.Errorf("put jobs into the queue: %w", err)
		}
		if len(data) <= mostBytes+1000 {
			return data, n, nil
		}
		if n == 1 {
			return nil, 0, errors.New("put jobs into the queue: the job " + list[0].Job.ID + " is too long: put long text into files and name their paths")
		}
	}
}
