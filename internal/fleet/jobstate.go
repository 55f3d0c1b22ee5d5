package fleet

import (
	"context"
	"encoding/json"
	"fmt"
)

// knownJob is a job in the queue: its last entry and its last result.
type knownJob struct {
	entry
	result  *Result // nil if the job has none
	results counts  // results of all its tries
}

// waits reports whether the job is in the queue without a result of its current try.
func (k *knownJob) waits() bool { return k.result == nil || k.result.Try < k.Try }

// dropped reports whether the job is no longer part of its batch.
func (k *knownJob) dropped() bool { return !k.waits() && k.result.State == Dropped }

// known returns the jobs of a batch in the queue, by key.
func (q *Queue) known(ctx context.Context, batch string) (map[string]*knownJob, error) {
	known := map[string]*knownJob{}
	for msg, err := range q.messages(ctx, q.jobs, jobsSubject+batch, 0, false) {
		if err != nil {
			return nil, err
		}
		var s jobMessage
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
