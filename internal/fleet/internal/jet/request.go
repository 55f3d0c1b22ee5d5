package jet

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// lifetime tracks the current connection to the server: requests sent before it is lost are never answered.
type lifetime struct {
	mu    sync.Mutex
	alive context.Context // done when the current connection is lost
	end   context.CancelFunc
}

func newLifetime() *lifetime {
	c := &lifetime{}
	c.alive, c.end = context.WithCancel(context.Background())
	return c
}

func (c *lifetime) current() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.alive
}

// during returns a context that ends with ctx, with the current connection, or when the returned function is
// called.
func (c *lifetime) during(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	detach := context.AfterFunc(c.current(), cancel)
	return ctx, func() {
		detach()
		cancel()
	}
}

func (c *lifetime) lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
	c.alive, c.end = context.WithCancel(context.Background())
}

// How long a server may take to answer a request, even if the caller would wait longer: the server on this machine,
// whose disk may be slow, and a remote one, which may be gone while another takes its place.
const (
	AnswerPatience = 30 * time.Second
	RemotePatience = 3 * time.Second
)

// AskPatience is how long a request to remote servers is retried.
const AskPatience = 2 * time.Minute

// Ask makes an idempotent request to the server. It is retried if the connection is lost meanwhile, for example
// because the process that owns the queue ends.
func Ask[T any](ctx context.Context, c *Conn, do func(context.Context) (T, error)) (T, error) {
	patience := AnswerPatience
	if c.Remote {
		patience = RemotePatience
	}
	for end := time.Now().Add(AskPatience); ; {
		gone := c.Lost()
		connected, release := c.alive.during(ctx)
		attempt, cancel := context.WithTimeout(connected, patience)
		answered := c.awaiting()
		v, err := do(attempt)
		answered()
		cancel()
		release()
		if err == nil || ctx.Err() != nil || c.NC.IsClosed() || c.Failed() != nil {
			return v, err
		}
		select {
		case <-gone:
		default:
			again := errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, nats.ErrDisconnected) ||
				c.suspended(err)
			if !again && !(c.Remote && Passes(err) && time.Now().Before(end)) {
				return v, err
			}
		}
		select {
		case <-time.After(RetryPause):
		case <-ctx.Done():
			return v, context.Cause(ctx)
		}
	}
}

// Get reads a value of a bucket.
func (c *Conn) Get(ctx context.Context, in jetstream.KeyValue, key string) (jetstream.KeyValueEntry, error) {
	return Ask(ctx, c, func(ctx context.Context) (jetstream.KeyValueEntry, error) { return in.Get(ctx, key) })
}

// Revise changes a value of a bucket that other processes change, too; a missing value starts as zero. change is
// called again if another process has changed the value meanwhile.
func Revise[T any](ctx context.Context, c *Conn, in jetstream.KeyValue, key string, change func(*T) error) error {
	for {
		var v T
		entry, err := c.Get(ctx, in, key)
		if err == nil {
			err = json.Unmarshal(entry.Value(), &v)
		}
		if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
			return err
		}
		if err := change(&v); err != nil {
			return err
		}
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		_, err = Ask(ctx, c, func(ctx context.Context) (uint64, error) {
			if entry == nil {
				return in.Create(ctx, key, data)
			}
			return in.Update(ctx, key, data, entry.Revision())
		})
		if err == nil || !errors.Is(err, jetstream.ErrKeyExists) && !errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
			return err
		}
	}
}
