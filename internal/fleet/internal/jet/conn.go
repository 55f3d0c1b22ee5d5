// Package jet is what package fleet needs of JetStream: a connection that outlives its servers, a server in a folder that commands take over
// from each other, questions that are asked again, values that several processes change, and objects of any size.
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

// Conn is a connection with a server of JetStream. It is safe for concurrent use. Close it.
type Conn struct {
	NC     *nats.Conn
	JS     jetstream.JetStream
	Remote bool // the server runs elsewhere, or on several machines

	alive *lifetime
	local *embeddedServer // nil for a server elsewhere
}

// FlushPatience is how long a server elsewhere may take for the last messages.
const FlushPatience = 2 * time.Second

// Open connects to the server of a folder, which is made where needed. Every acknowledged write is on disk. If another process runs the
// server, it is reached through a socket in the folder; when that process ends, this one takes its place. notice, unless it is nil, takes a
// line for people when that process does not answer.
func Open(dir string, notice func(string)) (*Conn, error) {
	l, err := newEmbeddedServer(dir, notice)
	if err != nil {
		return nil, err
	}
	// The address is a placeholder: Dial knows where to go.
	c, err := open("nats://127.0.0.1", nats.SetCustomDialer(l), nats.Timeout(ReadyPatience), nats.ReconnectJitter(50*time.Millisecond, 0))
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

// Connect connects to a server that runs somewhere, or to a cluster, whose addresses are separated by commas. The error does not name
// the token that an address may hold.
func Connect(servers string, opts ...nats.Option) (*Conn, error) {
	opts = append([]nats.Option{nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond), nats.PingInterval(2 * time.Second)}, opts...)
	c, err := open(servers, opts...)
	if err != nil {
		var address *url.Error
		if errors.As(err, &address) {
			err = address.Err // the address may hold a token
		}
		switch {
		case errors.Is(err, nats.ErrNoServers):
			err = fmt.Errorf("no server answers at %s", withoutToken(servers))
		case errors.Is(err, nats.ErrAuthorization):
			err = fmt.Errorf("the server at %s does not let this command in: the token or the credentials are not known there", withoutToken(servers))
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
		nats.DisconnectErrHandler(func(*nats.Conn, error) { c.alive.lost() }), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, opts...)
	if c.NC, err = nats.Connect(servers, opts...); err != nil {
		return nil, err
	}
	if c.JS, err = jetstream.New(c.NC, jetstream.WithPublishAsyncMaxPending(256), jetstream.WithDefaultTimeout(30*time.Second)); err != nil {
		c.NC.Close()
	}
	return c, err
}

// withoutToken is where servers are, without who comes and the token.
func withoutToken(servers string) string {
	list := strings.Split(servers, ",")
	for i, one := range list {
		list[i] = one[strings.LastIndex(one, "@")+1:]
	}
	return strings.Join(list, ",")
}

// Close ends the connection, and the server if this process runs it: others that use it take it over.
func (c *Conn) Close() error {
	if c.local == nil {
		_ = c.NC.FlushTimeout(FlushPatience) // what was given back is taken by others at once; else after a silence
		c.NC.Close()
		return nil
	}
	c.NC.Close()
	return c.local.close()
}

// Failed says why the server of this process serves no more; nil if it does, or if it runs elsewhere.
func (c *Conn) Failed() error { return c.local.failed() }

// awaiting gives people notice of a process that has the queue and is silent until answered is called.
func (c *Conn) awaiting() (answered func()) {
	if c.local == nil {
		return func() {}
	}
	return c.local.awaiting()
}

// suspended says that an answer did not come because the process that has the queue is suspended. It answers when it goes on.
func (c *Conn) suspended(err error) bool {
	return c.local != nil && errors.Is(err, context.DeadlineExceeded) && files.HolderOf(c.local.lock.Path()).Suspended()
}

// probed is how many bytes are written to see whether the disk has room for a message or two.
const probed = 256 << 10

// Explain words the refusal of the server of this machine, whose numbers say nothing to people: it could not write, and an attempt to do so says
// why.
func (c *Conn) Explain(err error) error {
	var refused *jetstream.APIError
	if c.local == nil || !errors.As(err, &refused) || refused.Code < 500 {
		return err
	}
	probe := filepath.Join(c.local.dir, "probe")
	defer os.Remove(probe) // it may not be there
	tried := files.Write(probe, true, func(f *os.File) error {
		_, err := f.Write(make([]byte, probed))
		return errors.Join(err, f.Sync())
	})
	if tried != nil {
		return fmt.Errorf("the queue in %s cannot be written: %w", c.local.dir, tried)
	}
	return fmt.Errorf("the queue in %s cannot be written (is the disk full?): %s", c.local.dir, refused.Description)
}

// Lost is closed when the connection that there is now is lost.
func (c *Conn) Lost() <-chan struct{} { return c.alive.current().Done() }

// Stream opens a stream, or makes it. One that is there stays as it is: those who run a cluster may have chosen other replicas.
func (c *Conn) Stream(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	return opened(ctx, c,
		func(ctx context.Context) (jetstream.Stream, error) { return c.JS.Stream(ctx, cfg.Name) },
		func(ctx context.Context, replicas int) (jetstream.Stream, error) {
			cfg.Replicas = replicas
			return c.JS.CreateStream(ctx, cfg)
		})
}

// Bucket opens a bucket of values, or makes it.
func (c *Conn) Bucket(ctx context.Context, name string) (jetstream.KeyValue, error) {
	return opened(ctx, c,
		func(ctx context.Context) (jetstream.KeyValue, error) { return c.JS.KeyValue(ctx, name) },
		func(ctx context.Context, replicas int) (jetstream.KeyValue, error) {
			return c.JS.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: replicas})
		})
}

// opened opens what is there, or makes it with as many replicas as there should be: three on a cluster.
func opened[T any](ctx context.Context, c *Conn, open func(context.Context) (T, error), create func(ctx context.Context, replicas int) (T, error)) (T, error) {
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

// stallPatience is how long a disk may take for the messages that are under way.
const stallPatience = 5 * time.Minute

// Publish sends a message without waiting until it is acknowledged.
func (c *Conn) Publish(subject string, data []byte) (jetstream.PubAckFuture, error) {
	return c.JS.PublishAsync(subject, data, jetstream.WithStallWait(stallPatience))
}

// Codes of errors that the client has no names for.
const (
	clusterPeers       jetstream.ErrorCode = 10005 // not enough servers are there for the replicas
	consumerNotCreated jetstream.ErrorCode = 10012 // for a reason of the server's own
	replicasElsewhere  jetstream.ErrorCode = 10074 // replicas need a cluster
	stillInProcess     jetstream.ErrorCode = 10158 // a message that is sent again is not yet agreed upon by the servers
)

func refused(err error, code jetstream.ErrorCode) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && refused.ErrorCode == code
}

// NotCreated says that a server did not make a consumer for a reason of its own.
func NotCreated(err error) bool { return refused(err, consumerNotCreated) }

// Passes says that a server may answer the same question in a moment: it is starting or ending, or its cluster chooses another leader.
func Passes(err error) bool {
	var refused *jetstream.APIError
	switch {
	case errors.As(err, &refused):
		return refused.Code >= 500 || refused.ErrorCode == clusterPeers || refused.ErrorCode == stillInProcess
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse),
		errors.Is(err, nats.ErrConnectionReconnecting), errors.Is(err, nats.ErrDisconnected), errors.Is(err, nats.ErrReconnectBufExceeded),
		errors.Is(err, nats.ErrNoServers), errors.Is(err, context.DeadlineExceeded), errors.Is(err, jetstream.ErrInvalidJSAck),
		errors.Is(err, jetstream.ErrNoHeartbeat):
		return true
	}
	return false
}
