// Package jet adapts JetStream for package fleet: a connection that outlives its servers, a server in a folder that
// processes take over from each other, requests that are retried, values that several processes change, and objects
// of any size.
package jet

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/kit/files"
)

// Conn is a connection to a JetStream server. It is safe for concurrent use. The caller must close it.
type Conn struct {
	NC     *nats.Conn
	JS     jetstream.JetStream
	Remote bool // the server was reached with Connect

	alive *lifetime
	local *embeddedServer // nil for a remote server
}

// FlushPatience is how long a remote server may take for the last messages.
const FlushPatience = 2 * time.Second

// Open connects to the server of a folder, which is created if necessary. Every acknowledged write is on disk. If
// another process runs the server, it is reached through a socket in the folder; when that process ends, this one
// takes its place. notice, if not nil, receives a line for people when that process does not answer.
func Open(dir string, notice func(string)) (*Conn, error) {
	l, err := newEmbeddedServer(dir, notice)
	if err != nil {
		return nil, err
	}
	var c *Conn
	for end := time.Now().Add(localPatience); ; time.Sleep(RetryPause) {
		// The address is a placeholder: Dial ignores it.
		c, err = open("nats://127.0.0.1", nats.SetCustomDialer(l), nats.Timeout(ReadyPatience),
			nats.ReconnectJitter(50*time.Millisecond, 0))
		if err == nil || !l.ownerEnded(err) || time.Now().After(end) {
			break
		}
	}
	if err != nil {
		if errors.Is(err, nats.ErrTimeout) || errors.Is(err, os.ErrDeadlineExceeded) {
			err = l.held()
		}
		return nil, errors.Join(err, l.close())
	}
	c.local = l
	l.said.whenBroken(c.alive.lost)
	return c, nil
}

// Connect connects to a remote server, or to a cluster, whose addresses are separated by commas. The error does
// not contain the token in an address.
func Connect(servers string, opts ...nats.Option) (*Conn, error) {
	opts = append([]nats.Option{
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond), nats.PingInterval(2 * time.Second),
	}, opts...)
	c, err := open(servers, opts...)
	if err != nil {
		var address *url.Error
		if errors.As(err, &address) {
			err = address.Err // the address may contain a token
		}
		switch {
		case errors.Is(err, nats.ErrNoServers):
			err = fmt.Errorf("no server answers at %s", withoutToken(servers))
		case errors.Is(err, nats.ErrAuthorization):
			err = fmt.Errorf("the server at %s refused the connection: it does not know the token or credentials",
				withoutToken(servers))
		}
		return nil, err
	}
	c.Remote = true
	return c, nil
}

func open(servers string, opts ...nats.Option) (c *Conn, err error) {
	c = &Conn{alive: newLifetime()}
	opts = append([]nats.Option{
		nats.Name("rlm"), nats.MaxReconnects(-1), nats.ReconnectWait(50 * time.Millisecond),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { c.alive.lost() }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, opts...)
	if c.NC, err = nats.Connect(servers, opts...); err != nil {
		return nil, err
	}
	if c.JS, err = jetstream.New(
		c.NC, jetstream.WithPublishAsyncMaxPending(256), jetstream.WithDefaultTimeout(30*time.Second)); err != nil {
		c.NC.Close()
	}
	return c, err
}

// withoutToken returns the addresses of servers without user names and tokens.
func withoutToken(servers string) string {
	list := strings.Split(servers, ",")
	for i, one := range list {
		list[i] = one[strings.LastIndex(one, "@")+1:]
	}
	return strings.Join(list, ",")
}

// Close ends the connection, and the server if this process runs it: another process that uses it takes over.
func (c *Conn) Close() error {
	if c.local == nil {
		_ = c.NC.FlushTimeout(FlushPatience) // so that others get returned messages now, not after the ack timeout
		c.NC.Close()
		return nil
	}
	c.NC.Close()
	return c.local.close()
}

// Failed returns why the server in this process has failed; nil if it works, or if it runs elsewhere.
func (c *Conn) Failed() error { return c.local.failed() }

// awaiting warns people, until answered is called, if the process that owns the queue is silent.
func (c *Conn) awaiting() (answered func()) {
	if c.local == nil {
		return func() {}
	}
	return c.local.awaiting()
}

// suspended reports whether an answer is missing because the process that owns the queue is suspended. That process
// will answer when it is resumed.
func (c *Conn) suspended(err error) bool {
	return c.local != nil && errors.Is(err, context.DeadlineExceeded) && files.HolderOf(c.local.lock.Path()).Suspended()
}

// probed is how many bytes are written to check whether the disk has room for a message or two.
const probed = 256 << 10

// Explain rewords an error of this machine's server, whose codes mean nothing to people. Such an error means that
// the server could not write, so Explain tries to write in order to find out why.
func (c *Conn) Explain(err error) error {
	var refused *jetstream.APIError
	if c.local == nil || !errors.As(err, &refused) || refused.Code < 500 {
		return err
	}
	probe := filepath.Join(c.local.dir, "probe")
	defer os.Remove(probe) // the file may not exist
	tried := files.Write(probe, true, func(f *os.File) error {
		_, err := f.Write(make([]byte, probed))
		return errors.Join(err, f.Sync())
	})
	if tried != nil {
		return fmt.Errorf("cannot write to the queue in %s: %w", c.local.dir, tried)
	}
	return fmt.Errorf("cannot write to the queue in %s (is the disk full?): %s", c.local.dir, refused.Description)
}

// Lost returns a channel that is closed when the current connection is lost.
func (c *Conn) Lost() <-chan struct{} { return c.alive.current().Done() }

// Stream opens or creates a stream. It does not change an existing stream, because the operators of a cluster may
// have chosen another number of replicas.
func (c *Conn) Stream(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	return opened(ctx, c,
		func(ctx context.Context) (jetstream.Stream, error) { return c.JS.Stream(ctx, cfg.Name) },
		func(ctx context.Context, replicas int) (jetstream.Stream, error) {
			cfg.Replicas = replicas
			return c.JS.CreateStream(ctx, cfg)
		})
}

// Bucket opens or creates a key-value bucket.
func (c *Conn) Bucket(ctx context.Context, name string) (jetstream.KeyValue, error) {
	return opened(ctx, c,
		func(ctx context.Context) (jetstream.KeyValue, error) { return c.JS.KeyValue(ctx, name) },
		func(ctx context.Context, replicas int) (jetstream.KeyValue, error) {
			return c.JS.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: replicas})
		})
}

// opened opens something, or creates it with the usual number of replicas: three on a cluster.
func opened[T any](
	ctx context.Context, c *Conn, open func(context.Context) (T, error),
	create func(ctx context.Context, replicas int) (T, error),
) (T, error) {
	return Ask(ctx, c, func(ctx context.Context) (T, error) {
		got, err := open(ctx)
		if !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, jetstream.ErrBucketNotFound) {
			return got, err
		}
		if !c.Remote {
			return create(ctx, 1)
		}
		got, err = create(ctx, 3)
		if refused(err, replicasElsewhere) {
			return create(ctx, 1)
		}
		return got, err
	})
}

// stallPatience is how long Publish may wait while too many messages are in flight on a slow disk.
const stallPatience = 5 * time.Minute

// Publish sends a message without waiting for the acknowledgement.
func (c *Conn) Publish(subject string, data []byte) (jetstream.PubAckFuture, error) {
	return c.JS.PublishAsync(subject, data, jetstream.WithStallWait(stallPatience))
}

// Error codes for which the client has no names.
const (
	clusterPeers       jetstream.ErrorCode = 10005 // not enough servers for the replicas
	consumerNotCreated jetstream.ErrorCode = 10012 // a consumer was not created, for an unspecified reason
	replicasElsewhere  jetstream.ErrorCode = 10074 // replicas need a cluster
	stillInProcess     jetstream.ErrorCode = 10158 // the servers have not yet agreed on a message that is sent again
)

func refused(err error, code jetstream.ErrorCode) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && refused.ErrorCode == code
}

// NotCreated reports whether err means that a server did not create a consumer, for an unspecified reason.
func NotCreated(err error) bool { return refused(err, consumerNotCreated) }

// Passes reports whether a server may answer the same request in a moment: it is starting or ending, or its cluster
// is electing another leader.
func Passes(err error) bool {
	var refused *jetstream.APIError
	switch {
	case errors.As(err, &refused):
		return refused.Code >= 500 || refused.ErrorCode == clusterPeers || refused.ErrorCode == stillInProcess
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, nats.ErrNoResponders),
		errors.Is(err, jetstream.ErrNoStreamResponse),
		errors.Is(err, nats.ErrConnectionReconnecting), errors.Is(err, nats.ErrDisconnected),
		errors.Is(err, nats.ErrReconnectBufExceeded),
		errors.Is(err, nats.ErrNoServers), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, jetstream.ErrInvalidJSAck),
		errors.Is(err, jetstream.ErrNoHeartbeat):
		return true
	}
	return false
}
