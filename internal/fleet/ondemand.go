package fleet

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// OnDemand is the queue of a long-lived process that rarely needs it: the first user opens it, and it is closed
// after a while without users, which frees its resources. Other processes can use the same queue before, during and
// after that. The caller must close it.
type OnDemand struct {
	Open func(context.Context) (*Queue, error)
	Idle time.Duration // default: a minute

	mu     sync.Mutex
	queue  *Queue
	users  int
	late   *time.Timer // closes the unused queue
	closed bool
}

const idleQueue = time.Minute

// Use calls do with the queue.
func (d *OnDemand) Use(ctx context.Context, do func(*Queue) error) error {
	q, err := d.take(ctx)
	if err != nil {
		return err
	}
	defer d.give()
	return do(q)
}

func (d *OnDemand) take(ctx context.Context) (*Queue, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, nats.ErrConnectionClosed
	}
	if d.late != nil {
		d.late.Stop()
	}
	if d.queue == nil {
		q, err := d.Open(ctx)
		if err != nil {
			return nil, err
		}
		d.queue = q
	}
	d.users++
	return d.queue, nil
}

// give ends a use of the queue. If the queue has failed, for example because the disk was full, it is closed, so
// that other processes can take it over.
func (d *OnDemand) give() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.users--
	switch {
	case d.users > 0:
	case d.closed || d.queue.broken() != nil:
		_ = d.leave() // the queue's users know the error
	default:
		d.late = time.AfterFunc(cmp.Or(d.Idle, idleQueue), d.unused)
	}
}

// unused closes the queue if it has no users.
func (d *OnDemand) unused() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users == 0 {
		_ = d.leave() // acknowledged messages are safe
	}
}

// leave closes the queue. The caller holds mu.
func (d *OnDemand) leave() error {
	if d.queue == nil {
		return nil
	}
	q := d.queue
	d.queue = nil
	return q.Close()
}

// Close closes the queue, once its users are done.
func (d *OnDemand) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.late != nil {
		d.late.Stop()
	}
	if d.users > 0 {
		return nil // the last user closes it
	}
	return d.leave()
}

// broken returns why the queue has failed, or nil.
func (q *Queue) broken() error {
	if q.conn.NC.IsClosed() {
		return nats.ErrConnectionClosed
	}
	return q.conn.Failed()
}
