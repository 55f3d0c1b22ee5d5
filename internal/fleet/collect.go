package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// UnusedObject is the age from which an object that no batch names may be deleted. Submitting sends an object again
// if it is older than refreshed, so that a batch being submitted never names an older one.
const (
	UnusedObject = 48 * time.Hour
	refreshed    = UnusedObject / 2
)

// Sweep deletes the objects of a shared queue that no batch names and that were sent longer ago than old, and
// pieces of incomplete objects. It reads all jobs and events.
func Sweep(ctx context.Context, q *Queue, old time.Duration) error {
	if !q.conn.Remote {
		return nil
	}
	before := time.Now().Add(-old)
	used := references{queue: q, names: map[string]bool{}}
	records, err := q.records(ctx)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := used.add(ctx, r.ID); err != nil {
			return fmt.Errorf("find what batch %s uses: %w", r.ID, err)
		}
	}
	if err := q.objects.Sweep(ctx, used.names, before); err != nil {
		return fmt.Errorf("delete what no batch uses: %w", q.why(err))
	}
	return nil
}

// references collects the objects that batches name.
type references struct {
	queue *Queue
	names map[string]bool
}

// add adds the objects that a batch names in its jobs, its results and its runs.
func (r references) add(ctx context.Context, batch string) error {
	for msg, err := range r.queue.messages(ctx, r.queue.jobs, jobsSubject+batch, 0, false) {
		var s jobMessage
		if err == nil {
			err = json.Unmarshal(msg.Data(), &s)
		}
		if err != nil {
			return err
		}
		for _, e := range s.Entries {
			for _, src := range e.Job.Context {
				if err := r.name(ctx, src.Object, src.Path != ""); err != nil {
					return err
				}
			}
		}
	}
	for result, err := range r.queue.all(ctx, batch, 0, false) {
		if err != nil {
			return err
		}
		r.names[result.Object] = true
	}
	for msg, err := range r.queue.messages(ctx, r.queue.runs, runsSubject+batch+".*", 0, false) {
		if err != nil {
			return err
		}
		for line := range bytes.Lines(msg.Data()) {
			var k eventMessage
			if err := json.Unmarshal(line, &k); err != nil {
				return err
			}
			r.names[k.Object] = true
			if err := r.name(ctx, k.File, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// name adds an object and, if it is a manifest, the objects that it names.
func (r references) name(ctx context.Context, object string, isManifest bool) error {
	if object == "" || r.names[object] {
		return nil
	}
	r.names[object] = true
	if !isManifest {
		return nil
	}
	m, err := r.queue.readManifest(ctx, object)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil
	}
	for _, root := range m.Roots {
		for _, f := range root.Files {
			r.names[f.Object] = true
		}
	}
	return err
}
