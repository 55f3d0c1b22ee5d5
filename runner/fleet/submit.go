package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/nats-io/nats.go/jetstream"
)

// Submission says what is done with the jobs of a batch that is submitted.
type Submission struct {
	// Limit is how many of the jobs are put into the queue at most; 0: all. The others are left for another time.
	Limit int
	// Retry puts jobs into the queue again that were set aside as dead.
	Retry bool
	// RunsDir is the folder for runs of the nodes, if they are on this machine: what can go on of a run that is tried again does.
	RunsDir string
	// SharedPath is a folder that the nodes of a queue elsewhere have, too: they read the paths below it themselves. All other paths of jobs
	// are read here, and what they hold is sent.
	SharedPath string
}

// Submitted says what became of the jobs of a batch.
type Submitted struct {
	New     int // jobs that were put into the queue
	Known   int // jobs that were there already, most with a result
	Changed int // of the new ones, jobs whose id was there with other content
	Gone    int // jobs that are no part of the batch any more
	Retried int // jobs that are tried again
}

// entry is a job in the queue.
type entry struct {
	Job   Job    `json:"job"`
	Key   string `json:"key"`           // identifies the job's content
	Index int    `json:"index"`         // place in the batch
	Run   string `json:"run"`           // the id of its run
	Try   int    `json:"try,omitempty"` // how often the job had a result before
	Paid  spent  `json:"paid,omitzero"` // what results before this one count of the same run
}

// span is a message in the queue: jobs that one node takes together. Each has a result of its own, so only those without one are run when
// another node takes the span over.
type span struct {
	Entries []entry `json:"entries"`
}

// Sizes of spans: a batch of up to spansWanted jobs has spans of one.
const (
	spansWanted = 2000
	longestSpan = 64
)

// stallPatience is how long a disk may take for the messages that are under way.
const stallPatience = 5 * time.Minute

// Submit puts the jobs of a batch into the queue and returns when they are durable. Jobs are known by their content, with that of the files in
// their contexts: those that the queue knows are not put there again, whether they have a result or not, and jobs of the batch that are not
// among them any more are taken out. So submitting a batch again goes on with it. A batch that was cancelled goes on as well.
func Submit(ctx context.Context, q *Queue, batch Batch, jobs []Job, how Submission) (Submitted, error) {
	if err := checkBatch(batch, jobs); err != nil {
		return Submitted{}, err
	}
	wanted, err := entries(jobs)
	if err != nil {
		return Submitted{}, err
	}
	known, err := q.known(ctx, batch.ID)
	if err != nil {
		return Submitted{}, err
	}
	s := newSubmitter(q, batch.ID, how, known)
	s.choose(wanted)
	if err := s.send(ctx); err != nil {
		return s.did, err
	}
	err = q.change(ctx, batch.ID, func(r *record) {
		r.Batch, r.Cancelled, r.Jobs, r.Stale = batch, false, s.jobs, s.stale
		r.Created = cmp.Or(r.Created, time.Now().UTC())
	})
	if err == nil {
		err = s.take(ctx)
	}
	if err == nil {
		err = s.put(ctx)
	}
	return s.did, err
}

// send puts the contexts of jobs that are new where nodes elsewhere find them.
func (s *submitter) send(ctx context.Context) error {
	if !s.queue.remote {
		return nil
	}
	to := &sender{queue: s.queue, shared: s.how.SharedPath, known: map[string]Source{}}
	for i, e := range s.fresh {
		sent, err := to.send(ctx, e.Job)
		if err != nil {
			return err
		}
		s.fresh[i].Job = sent
	}
	return nil
}

func checkBatch(batch Batch, jobs []Job) error {
	if !isWord(batch.ID) {
		return fmt.Errorf("the id of a batch has letters, digits, - and _, unlike %q", batch.ID)
	}
	ids := make(map[string]bool, len(jobs))
	for _, j := range jobs {
		if ids[j.ID] {
			return fmt.Errorf("two jobs are called %q", j.ID)
		}
		ids[j.ID] = true
	}
	return nil
}

func isWord(s string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// entries are jobs with what identifies their content.
func entries(jobs []Job) ([]entry, error) {
	list := make([]entry, len(jobs))
	digests := digester{known: map[string]string{}}
	for i, j := range jobs {
		if err := digests.digest(&j); err != nil {
			return nil, err
		}
		key, err := j.key()
		if err != nil {
			return nil, err
		}
		list[i] = entry{Job: j, Key: key, Index: i}
	}
	return list, nil
}

// knownJob is a job that the queue has: its last entry, and its last result.
type knownJob struct {
	entry
	result  *Result // nil without one
	results counts  // of all its tries
}

// waits says that the job is in the queue and has no result yet.
func (k *knownJob) waits() bool { return k.result == nil || k.result.Try < k.Try }

// dropped says that the job is no part of its batch any more.
func (k *knownJob) dropped() bool { return !k.waits() && k.result.State == Dropped }

// known are the jobs of a batch that are in the queue, by their keys.
func (q *Queue) known(ctx context.Context, batch string) (map[string]*knownJob, error) {
	known := map[string]*knownJob{}
	for msg, err := range q.messages(ctx, jobsStream, jobsSubject+batch, 0, false) {
		if err != nil {
			return nil, err
		}
		var s span
		if err := json.Unmarshal(msg.Data(), &s); err != nil {
			return nil, fmt.Errorf("read the jobs of %s: %w", batch, err)
		}
		for _, e := range s.Entries {
			if k := known[e.Key]; k == nil || k.Try <= e.Try {
				known[e.Key] = &knownJob{entry: e}
			}
		}
	}
	if len(known) == 0 {
		return known, nil
	}
	for r, err := range q.all(ctx, batch, 0, false) {
		if err != nil {
			return nil, err
		}
		if k := known[r.Key]; k != nil {
			k.results.add(r.State)
			if k.result == nil || k.result.Try <= r.Try {
				k.result = &r
			}
		}
	}
	return known, nil
}

// submitter puts the jobs of one batch into the queue.
type submitter struct {
	queue *Queue
	batch string
	how   Submission
	known map[string]*knownJob
	taken map[string]bool // ids of runs

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
	var acks []jetstream.PubAckFuture
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

// Retry puts the dead jobs of a batch into the queue again, or only those with the given ids.
func Retry(ctx context.Context, q *Queue, batch, runsDir string, ids ...string) (retried int, err error) {
	before, _, err := q.record(ctx, batch)
	if err != nil {
		return 0, err
	}
	known, err := q.known(ctx, batch)
	if err != nil {
		return 0, err
	}
	s := newSubmitter(q, batch, Submission{Retry: true, RunsDir: runsDir}, known)
	list := slices.SortedFunc(maps.Values(known), func(a, b *knownJob) int { return cmp.Compare(a.Index, b.Index) })
	for _, k := range list {
		if len(ids) == 0 || slices.Contains(ids, k.Job.ID) {
			s.again(k, k.Index)
		}
	}
	err = q.change(ctx, batch, func(r *record) {
		r.Cancelled = false
		r.Stale.Dead = before.Stale.Dead + s.did.Retried
	})
	if err == nil {
		err = s.put(ctx)
	}
	return s.did.Retried, err
}

// Cancel takes a batch out of the queue: jobs that run are stopped, those that wait stay. Submitting or retrying it lets it go on.
func Cancel(ctx context.Context, q *Queue, batch string) error {
	if _, _, err := q.record(ctx, batch); err != nil {
		return err
	}
	return q.change(ctx, batch, func(r *record) { r.Cancelled = true })
}
