package fleet

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// connection tells when the connection with the server is lost: what was asked then is not answered any more.
type connection struct {
	mu   sync.Mutex
	gone chan struct{} // closed when the connection that there is now is lost
}

func newConnection() *connection { return &connection{gone: make(chan struct{})} }

func (c *connection) now() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

func (c *connection) lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.gone)
	c.gone = make(chan struct{})
}

// How long a server may take for an answer, however long the caller is ready to wait: the one of this machine, whose disk may be slow, and one
// elsewhere, which may be gone while its place is taken by another.
const (
	answerPatience = 30 * time.Second
	remotePatience = 3 * time.Second
)

// askPatience is how long servers elsewhere are asked again.
const askPatience = 2 * time.Minute

// ask asks the server for something that does no harm if it is done twice. It is asked again when the connection is lost meanwhile, as it is
// when the process that owns the queue ends.
func ask[T any](ctx context.Context, q *Queue, do func(context.Context) (T, error)) (T, error) {
	patience := answerPatience
	if q.remote {
		patience = remotePatience
	}
	for end := time.Now().Add(askPatience); ; {
		gone := q.connection.now()
		try, cancel := context.WithTimeout(ctx, patience)
		unwatch := make(chan struct{})
		var watching sync.WaitGroup
		watching.Go(func() {
			select {
			case <-gone:
				cancel()
			case <-unwatch:
			}
		})
		v, err := do(try)
		close(unwatch)
		watching.Wait()
		cancel()
		if err == nil || ctx.Err() != nil || q.nc.IsClosed() || q.local.failed() != nil {
			return v, err
		}
		select {
		case <-gone:
		default:
			again := errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, nats.ErrDisconnected)
			if !again && !(q.remote && passes(err) && time.Now().Before(end)) {
				return v, err
			}
		}
		select {
		case <-time.After(localRetry):
		case <-ctx.Done():
			return v, context.Cause(ctx)
		}
	}
}
