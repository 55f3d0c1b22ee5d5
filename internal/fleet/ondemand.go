package fleet

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// OnDemand is the queue of a process that lives long and needs it seldom: it is opened by the first who uses it, and closed when nobody has for
// a while, so that what it costs is given back. Other processes work with the same queue meanwhile, before and after. Close it.
type OnDemand struct {
	Open func(context.Context) (*Queue, error)
	Idle time.Duration // default: a minute

	mu     sync.Mutex
	queue  *Queue
	users  int
	late   *time.Timer // closes it
	closed bool
}

const idleQueue = time.Minute

// Use does something with the queue.
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

// give gives the queue back. One that cannot be used any more, because the disk was full, is left to other processes at once.
func (d *OnDemand) give() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.users--
	switch {
	case d.users > 0:
	case d.closed || d.queue.broken() != nil:
		_ = d.leave() // who used it knows what is wrong
	default:
		d.late = time.AfterFunc(cmp.Or(d.Idle, idleQueue), d.unused)
	}
}

// unused closes a queue that nobody uses.
func (d *OnDemand) unused() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users == 0 {
		_ = d.leave() // what was acknowledged is kept
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

// Close leaves the queue, when those who use it have ended.
func (d *OnDemand) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.late != nil {
		d.late.Stop()
	}
	if d.users > 0 {
		return nil // the last one closes it
	}
	return d.leave()
}

// broken says why the queue cannot be used any more.
func (q *Queue) broken() error {
	if q.conn.NC.IsClosed() {
		return nats.ErrConnectionClosed
	}
	return q.conn.Failed()
}
