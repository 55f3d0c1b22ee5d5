package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// all yields the results of a batch after a sequence number, including those of jobs that were dropped or are
// retried.
func (q *Queue) all(ctx context.Context, batch string, after uint64, wait bool) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for msg, err := range q.messages(ctx, q.results, resultsSubject+batch+".*.*", after+1, wait) {
			var r Result
			if err == nil {
				r, err = decodeResult(batch, msg)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func decodeResult(batch string, msg jetstream.Msg) (r Result, err error) {
	meta, err := msg.Metadata()
	if err == nil {
		err = json.Unmarshal(msg.Data(), &r)
	}
	if err != nil {
		return r, fmt.Errorf("read a result of %s: %w", batch, err)
	}
	r.Batch, r.Seq = batch, meta.Sequence.Stream
	return r, nil
}

// ResultQuery selects results.
type ResultQuery struct {
	Seq  uint64 // only results after this one
	Wait bool   // also yield new results, until all jobs of the batch have one
}

// Results yields the results of a batch that count, in the order of arrival. With Wait it ends when every job has
// one, or, without an error, when ctx is done.
func Results(ctx context.Context, q *Queue, batch string, since ResultQuery) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		known, err := q.known(ctx, batch)
		if err != nil {
			if ctx.Err() == nil {
				yield(Result{}, err)
			}
			return
		}
		left := map[string]int{} // try of each job without a result, by key
		for _, k := range known {
			if k.waits() {
				left[k.Key] = k.Try
			}
		}
		last := since.Seq
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for r, err := range q.all(ctx, batch, last, since.Wait && len(left) > 0) {
			if err != nil {
				yield(r, err)
				return
			}
			if try, ok := left[r.Key]; ok && r.Try >= try {
				delete(left, r.Key)
			}
			k := known[r.Key]
			if r, err = q.whole(ctx, r); err != nil {
				yield(r, err)
				return
			}
			if counts := r.State != Dropped && k != nil && !k.dropped() && r.Try >= k.Try; counts && !yield(r, nil) {
				return
			}
			if since.Wait && len(left) == 0 && r.Seq >= newest(known) {
				return
			}
		}
	}
}

// newest returns the sequence of the last known result.
func newest(known map[string]*knownJob) uint64 {
	last := uint64(0)
	for _, k := range known {
		if k.result != nil {
			last = max(last, k.result.Seq)
		}
	}
	return last
}

// Latest returns the results of a batch that count, one for each job that has one, in the order of the jobs.
func Latest(ctx context.Context, q *Queue, batch string) ([]Result, error) {
	known, err := q.known(ctx, batch)
	if err != nil {
		return nil, err
	}
	var list []Result
	for _, k := range known {
		if !k.waits() && !k.dropped() {
			r, err := q.whole(ctx, *k.result)
			if err != nil {
				return nil, err
			}
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b Result) int { return cmp.Compare(a.Index, b.Index) })
	return list, nil
}
