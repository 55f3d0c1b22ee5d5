package fleet

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/gorlm/rlm/internal/kit/files"
)

// ErrClaimed means that another process has claimed a batch.
var ErrClaimed = errors.New("another process is running this batch: wait for it to finish, or stop it")

// Claim makes this process the only one on its machine that submits and runs a batch, until release is called or
// the process ends. The error wraps ErrClaimed if another process has claimed it.
func (q *Queue) Claim(batch string) (release func(), err error) {
	if err := os.MkdirAll(q.claims, 0o700); err != nil {
		return nil, fmt.Errorf("claim the batch %s: %w", batch, err)
	}
	lock := flock.New(filepath.Join(q.claims, batch), flock.SetPermissions(0o600))
	got, err := files.TryLock(lock)
	if err == nil && !got {
		err = fmt.Errorf("%w (%s)", ErrClaimed, files.HolderOf(lock.Path()))
	}
	if err != nil {
		return nil, fmt.Errorf("batch %s: %w", batch, err)
	}
	files.Sign(lock.Path())
	return func() { _ = lock.Close() }, nil // the end of the process releases the lock in any case
}

// Work runs the jobs of a node's batch and yields the results after a sequence number: first the existing ones,
// then new ones, until every job has one. When ctx is done, the node takes no more jobs, and the results end once
// the running jobs have ended; when kill is done, too, the running jobs are stopped. The last error is a
// *StoppedError if the remaining jobs may not run now.
func (n *Node) Work(ctx, kill context.Context, since uint64) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		kill, stop := context.WithCancel(kill)
		defer stop()
		running, enough := context.WithCancel(ctx)
		defer enough()
		reading, over := context.WithCancel(kill)
		defer over()
		ended := make(chan error, 1)
		go func() {
			err := n.Run(running, kill)
			over() // no more results will come
			ended <- err
		}()
		last, failed, left := since, error(nil), false
		read := func(ctx context.Context, wait bool) {
			for r, err := range Results(ctx, n.Queue, n.Batch, ResultQuery{Seq: last, Wait: wait}) {
				if err != nil {
					failed = err
					return
				}
				last = r.Seq
				if left = !yield(r, nil); left {
					return
				}
			}
		}
		read(reading, true)
		enough()
		if left || failed != nil {
			stop()
		}
		err := <-ended
		if left {
			return
		}
		if failed == nil {
			read(context.WithoutCancel(ctx), false) // results that arrived while the node was ending
		}
		if err = errors.Join(failed, err); err != nil && !left {
			yield(Result{}, err)
		}
	}
}
