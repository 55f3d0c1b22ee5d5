package fleet

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
	"github.com/gorlm/rlm/internal/kit/callback"
)

// Queue stores waiting jobs and their results. It is safe for concurrent use. The caller must close it.
type Queue struct {
	conn    *jet.Conn
	claims  string // folder of claims
	jobs    jetstream.Stream
	results jetstream.Stream
	leases  jetstream.KeyValue // shares of budgets; shared queues only
	rates   jetstream.KeyValue // limits of models; shared queues only
	runs    jetstream.Stream   // events of runs; shared queues only
	objects *jet.Objects       // contexts and long events; shared queues only
	batches jetstream.KeyValue // records
	tallies jetstream.KeyValue // sums of the results counted so far
	indexes indexes            // indexes of recently used batches
	times   times
	spans   int // least number of messages of a batch whose jobs share them
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

// Dir is the folder of the queue below a data folder.
func Dir(dataDir string) string { return filepath.Join(dataDir, "rlm", "fleet") }

// Open opens the queue of a folder, which is created if necessary. Every acknowledged write is on disk. If another
// process has the queue open, it is reached through a socket in the folder; when that process ends, this one takes
// over the queue. If that process does not answer, for example because it is suspended, this process waits, and
// notice, if not nil, receives a line for people that names the other process.
func Open(ctx context.Context, dir string, notice func(line string)) (*Queue, error) {
	guarded := notice
	if notice != nil {
		guarded = func(line string) {
			var failed error // ignored: notices are best effort
			callback.Guard("the notice of a process that is silent", &failed, func() error { notice(line); return nil })
		}
	}
	conn, err := jet.Open(dir, guarded)
	if err != nil {
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	return newQueue(ctx, conn, filepath.Join(dir, "claims"))
}

// prepare creates missing streams and buckets.
func (q *Queue) prepare(ctx context.Context) (err error) {
	if q.jobs, err = q.conn.Stream(ctx, jetstream.StreamConfig{
		Name: jobsStream, Subjects: []string{jobsSubject + "*"}, Compression: jetstream.S2Compression,
	}); err != nil {
		return err
	}
	if q.results, err = q.conn.Stream(ctx, jetstream.StreamConfig{
		Name: resultsStream, Subjects: []string{resultsSubject + "*.*.*"}, AllowDirect: !q.conn.Remote,
	}); err != nil {
		return err
	}
	if q.batches, err = q.conn.Bucket(ctx, batchesBucket); err != nil {
		return err
	}
	if q.tallies, err = q.conn.Bucket(ctx, talliesBucket); err != nil || !q.conn.Remote {
		return err
	}
	if q.leases, err = q.conn.Bucket(ctx, leasesBucket); err != nil {
		return err
	}
	if q.rates, err = q.conn.Bucket(ctx, ratesBucket); err != nil {
		return err
	}
	if q.runs, err = q.conn.Stream(ctx, jetstream.StreamConfig{
		Name: runsStream, Subjects: []string{runsSubject + "*.*"}, Compression: jetstream.S2Compression,
	}); err != nil {
		return err
	}
	q.objects, err = q.conn.Objects(ctx, objectsBucket, refreshed)
	return err
}

// Close closes the queue. If this process owns it, another process that has it open takes it over.
func (q *Queue) Close() error { return q.conn.Close() }

// why adds the known state of the queue to an error.
func (q *Queue) why(err error) error {
	if failed := q.conn.Failed(); failed != nil && err != nil {
		return fmt.Errorf("%w (%w)", failed, err)
	}
	return q.conn.Explain(err)
}
