package fleet

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/gorlm/rlm/runner/host"
)

// Submission configures what happens to the jobs of a submitted batch.
type Submission struct {
	// Limit is the maximal number of jobs to put into the queue, from the first; 0: all. The others are left for
	// another submission.
	Limit int
	// Version is the version of the program. Results of other versions stay valid.
	Version string
	// Retry puts dead jobs into the queue again.
	Retry bool
	// RunsDir is the nodes' folder for runs, if they are on this machine: a retried run continues if it can.
	RunsDir string
	// SharedPath is a folder that the nodes of a shared queue can also read: they read the paths below it
	// themselves. All other paths of jobs are read here, and their contents are sent.
	SharedPath string
}

// SubmitResult reports what happened to the jobs of a batch.
type SubmitResult struct {
	New     int // jobs that were put into the queue
	Known   int // jobs that were already in the queue, most with a result
	Changed int // new jobs that replace a job with the same id and other content
	Gone    int // jobs that are no longer part of the batch
	Retried int // jobs that are retried
	// Versions are the other program versions that submitted jobs of the batch, sorted.
	Versions []string
}

// entry is a job in the queue.
type entry struct {
	Job   Job         `json:"job"`
	Key   string      `json:"key"`           // identifies the job's content
	Index int         `json:"index"`         // index in the batch
	Run   string      `json:"run"`           // the id of its run
	Try   int         `json:"try,omitempty"` // how many results the job had before
	Paid  usage       `json:"paid,omitzero"` // usage of the same run that earlier results count
	Under traceParent `json:"under,omitzero"`
	// Version is the version of the program that submitted the job.
	Version string `json:"version,omitempty"`
}

// traceParent is the trace span under which a job was put into the queue. It is not part of the job's content: a
// job that is submitted again under another span is the same job.
type traceParent struct {
	Traceparent string `json:"traceparent,omitempty"`
	Tracestate  string `json:"tracestate,omitempty"`
}

// jobMessage is a message in the queue: a span of jobs that one node takes together. Each job has its own result,
// so a node that takes over the span runs only the jobs without one.
type jobMessage struct {
	Entries []entry `json:"entries"`
}

// Sizes of spans: in a batch of fewer than twice spansWanted jobs, each span is a single job.
const (
	spansWanted = 2000
	longestSpan = 64
)

// Submit puts the jobs of a batch into the queue and returns when they are durable. Jobs are identified by their
// content, including that of the files in their contexts: jobs that the queue knows, with or without a result, are
// not added again, and jobs of the batch that are no longer in the list are removed. So submitting a batch again
// continues it, even if it was cancelled. Runs belong to the trace span of ctx (host.UnderSpan) on any node.
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

// send stores the contexts of new jobs where remote nodes can read them.
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
		return fmt.Errorf("the id of a batch may contain only letters, digits, - and _, unlike %q", batch.ID)
	}
	ids := make(map[string]bool, len(jobs))
	for _, j := range jobs {
		if ids[j.ID] {
			return fmt.Errorf("two jobs have the id %q", j.ID)
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

// entries returns jobs with the keys that identify their content.
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
