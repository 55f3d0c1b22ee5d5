package fleet

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/gorlm/rlm/runner/host"
)

// Submission says what is done with the jobs of a batch that is submitted.
type Submission struct {
	// Limit is how many of the jobs are in the queue at most, the first ones; 0: all. The others are left for another time.
	Limit int
	// Version is that of the program. What another one made stays.
	Version string
	// Retry puts jobs into the queue again that were set aside as dead.
	Retry bool
	// RunsDir is the folder for runs of the nodes, if they are on this machine: what can go on of a run that is tried again does.
	RunsDir string
	// SharedPath is a folder that the nodes of a queue elsewhere have, too: they read the paths below it themselves. All other paths of jobs
	// are read here, and what they hold is sent.
	SharedPath string
}

// SubmitResult says what became of the jobs of a batch.
type SubmitResult struct {
	New     int // jobs that were put into the queue
	Known   int // jobs that were there already, most with a result
	Changed int // of the new ones, jobs whose id was there with other content
	Gone    int // jobs that are no part of the batch any more
	Retried int // jobs that are tried again
	// Versions are those of other programs that jobs with a result were submitted by, in order.
	Versions []string
}

// entry is a job in the queue.
type entry struct {
	Job   Job         `json:"job"`
	Key   string      `json:"key"`           // identifies the job's content
	Index int         `json:"index"`         // place in the batch
	Run   string      `json:"run"`           // the id of its run
	Try   int         `json:"try,omitempty"` // how often the job had a result before
	Paid  usage       `json:"paid,omitzero"` // what results before this one count of the same run
	Under traceParent `json:"under,omitzero"`
	// Version is that of the program that submitted the job.
	Version string `json:"version,omitempty"`
}

// traceParent is the span of a trace on whose behalf a job was put into the queue. It is no part of the job's content: a job that is submitted again
// below another span is the same one.
type traceParent struct {
	Traceparent string `json:"traceparent,omitempty"`
	Tracestate  string `json:"tracestate,omitempty"`
}

// jobMessage is a message in the queue: jobs that one node takes together. Each has a result of its own, so only those without one are run when
// another node takes the span over.
type jobMessage struct {
	Entries []entry `json:"entries"`
}

// Sizes of spans: a batch of up to spansWanted jobs has spans of one.
const (
	spansWanted = 2000
	longestSpan = 64
)

// Submit puts the jobs of a batch into the queue and returns when they are durable. Jobs are known by their content, with that of the files in
// their contexts: those that the queue knows are not put there again, whether they have a result or not, and jobs of the batch that are not
// among them any more are taken out. So submitting a batch again goes on with it. A batch that was cancelled goes on as well. The span of
// host.UnderSpan goes along: runs belong to it wherever they are made.
func Submit(ctx context.Context, q *Queue, batch Batch, jobs []Job, how Submission) (SubmitResult, error) {
	if err := checkBatch(batch, jobs); err != nil {
		return SubmitResult{}, err
	}
	wanted, err := entries(jobs)
	if err != nil {
		return SubmitResult{}, err
	}
	known, err := q.known(ctx, batch.ID)
	if err != nil {
		return SubmitResult{}, err
	}
	s := newSubmitter(q, batch.ID, how, known)
	s.under.Traceparent, s.under.Tracestate = host.SpanOf(ctx)
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
	if !s.queue.conn.Remote {
		return nil
	}
	to := &sender{queue: s.queue, shared: s.how.SharedPath, known: map[string]Source{}, uses: map[string]int{}}
	for i, e := range s.fresh {
		sent, err := to.send(ctx, e.Job)
		if err != nil {
			return err
		}
		s.fresh[i].Job = sent
	}
	for _, e := range s.fresh {
		to.preferred(e.Job)
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
