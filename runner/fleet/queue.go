package fleet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Queue is where jobs wait and where their results are kept. It is safe for concurrent use. Close it.
type Queue struct {
	nc         *nats.Conn
	connection *connection
	js         jetstream.JetStream
	local      *local // nil for a queue elsewhere
	remote     bool
	claims     string // folder of claims
	jobs       jetstream.Stream
	results    jetstream.Stream
	leases     jetstream.KeyValue    // of budgets, of a queue elsewhere
	rates      jetstream.KeyValue    // of models, likewise
	runs       jetstream.Stream      // events of runs, likewise
	objects    jetstream.ObjectStore // contexts and long events, likewise
	batches    jetstream.KeyValue    // records
	tallies    jetstream.KeyValue    // how far results were counted
	indexes    indexes               // of batches that were looked into
}

// Names of streams and subjects. A batch's id is one word of a subject.
const (
	jobsStream     = "rlm_jobs"
	resultsStream  = "rlm_results"
	batchesBucket  = "rlm_batches"
	talliesBucket  = "rlm_tallies"
	jobsSubject    = "rlm.jobs."
	resultsSubject = "rlm.results."
	runsStream     = "rlm_runs"
	runsSubject    = "rlm.runs."
	objectsBucket  = "rlm_objects"
	leasesBucket   = "rlm_leases"
	ratesBucket    = "rlm_rates"
	liveSubject    = "rlm.live."
)

// flushPatience is how long a server elsewhere may take for the last messages.
const flushPatience = 2 * time.Second

// Dir is the folder of the queue below a data folder.
func Dir(dataDir string) string { return filepath.Join(dataDir, "rlm", "fleet") }

// Open opens the queue of a folder, which is made where needed. Every acknowledged write is on disk. If another process has the queue open,
// it is reached through a socket in the folder; when that process ends, this one takes the queue over.
func Open(ctx context.Context, dir string) (*Queue, error) {
	l, err := newLocal(dir)
	if err != nil {
		return nil, err
	}
	conn := newConnection()
	// The address is a placeholder: Dial knows where to go.
	nc, err := nats.Connect("nats://127.0.0.1", append(clientOptions(conn), nats.SetCustomDialer(l), nats.Timeout(readyPatience), nats.ReconnectJitter(50*time.Millisecond, 0))...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the queue: %w", err), l.close())
	}
	q := &Queue{nc: nc, connection: conn, local: l, claims: filepath.Join(dir, "claims")}
	if err := q.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the queue: %w", q.why(err)), q.Close())
	}
	return q, nil
}

// prepare makes the streams, if they are not there.
func (q *Queue) prepare(ctx context.Context) (err error) {
	if q.js, err = jetstream.New(q.nc, jetstream.WithPublishAsyncMaxPending(256), jetstream.WithDefaultTimeout(30*time.Second)); err != nil {
		return err
	}
	if q.jobs, err = q.stream(ctx, jetstream.StreamConfig{Name: jobsStream, Subjects: []string{jobsSubject + "*"}, Compression: jetstream.S2Compression}); err != nil {
		return err
	}
	if q.results, err = q.stream(ctx, jetstream.StreamConfig{Name: resultsStream, Subjects: []string{resultsSubject + "*.*.*"}, AllowDirect: !q.remote}); err != nil {
		return err
	}
	if q.batches, err = q.bucket(ctx, batchesBucket); err != nil {
		return err
	}
	if q.tallies, err = q.bucket(ctx, talliesBucket); err != nil || !q.remote {
		return err
	}
	if q.leases, err = q.bucket(ctx, leasesBucket); err != nil {
		return err
	}
	if q.rates, err = q.bucket(ctx, ratesBucket); err != nil {
		return err
	}
	if q.runs, err = q.stream(ctx, jetstream.StreamConfig{Name: runsStream, Subjects: []string{runsSubject + "*.*"}, Compression: jetstream.S2Compression}); err != nil {
		return err
	}
	q.objects, err = ask(ctx, q, func(ctx context.Context) (jetstream.ObjectStore, error) {
		store, err := q.js.ObjectStore(ctx, objectsBucket)
		if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
			return replicated(q, func(n int) (jetstream.ObjectStore, error) {
				return q.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: objectsBucket, Replicas: n})
			})
		}
		return store, err
	})
	return err
}

// stream opens a stream, or makes it. One that is there stays as it is: those who run a cluster may have chosen
// other replicas.
func (q *Queue) stream(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	return ask(ctx, q, func(ctx context.Context) (jetstream.Stream, error) {
		s, err := q.js.Stream(ctx, cfg.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return replicated(q, func(n int) (jetstream.Stream, error) {
				cfg.Replicas = n
				return q.js.CreateStream(ctx, cfg)
			})
		}
		return s, err
	})
}

func (q *Queue) bucket(ctx context.Context, name string) (jetstream.KeyValue, error) {
	return ask(ctx, q, func(ctx context.Context) (jetstream.KeyValue, error) {
		kv, err := q.js.KeyValue(ctx, name)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			return replicated(q, func(n int) (jetstream.KeyValue, error) {
				return q.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: n})
			})
		}
		return kv, err
	})
}

// Close leaves the queue. If this process owns it, others that have it open take it over.
func (q *Queue) Close() error {
	if q.local == nil {
		_ = q.nc.FlushTimeout(flushPatience) // what was given back is taken by others at once; else after a silence
		q.nc.Close()
		return nil
	}
	q.nc.Close()
	return q.local.close()
}

// why adds to an error what is known of the queue itself.
func (q *Queue) why(err error) error {
	if failed := q.local.failed(); failed != nil && err != nil {
		return fmt.Errorf("%w (%w)", failed, err)
	}
	return err
}
