package fleet

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// UnusedObject is how old an object must be before it may be deleted when no batch names it. An object is sent again when it was sent longer ago
// than refreshed, also if it is there: so none that is older is named by a batch that is being submitted.
const (
	UnusedObject = 48 * time.Hour
	refreshed    = UnusedObject / 2
)

// Names of the object store's subjects.
const (
	objectsSubject = "$O." + objectsBucket + ".M."
	chunksSubject  = "$O." + objectsBucket + ".C."
)

// Sweep deletes the objects of a queue elsewhere that no batch names and that were sent longer ago than old, and pieces of objects that were
// never whole. It reads all jobs and events that there are.
func Sweep(ctx context.Context, q *Queue, old time.Duration) error {
	if !q.remote {
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
			return fmt.Errorf("look for what batch %s uses: %w", r.ID, err)
		}
	}
	if err := q.sweep(ctx, used.names, before); err != nil {
		return fmt.Errorf("delete what no batch uses: %w", q.why(err))
	}
	return nil
}

func (q *Queue) sweep(ctx context.Context, used map[string]bool, before time.Time) error {
	store, err := ask(ctx, q, func(ctx context.Context) (jetstream.Stream, error) { return q.js.Stream(ctx, "OBJ_"+objectsBucket) })
	if err != nil {
		return err
	}
	infos, err := q.objects.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return err
	}
	whole := map[string]bool{}
	for _, info := range infos {
		if used[info.Name] || info.ModTime.After(before) {
			whole[info.NUID] = true
			continue
		}
		gone, err := q.forget(ctx, store, info.Name, before)
		if err != nil {
			return err
		}
		whole[info.NUID] = !gone
	}
	there, err := store.Info(ctx, jetstream.WithSubjectFilter(chunksSubject+"*"))
	if err != nil {
		return err
	}
	for subject := range there.State.Subjects {
		if whole[strings.TrimPrefix(subject, chunksSubject)] {
			continue
		}
		last, err := store.GetLastMsgForSubject(ctx, subject)
		if err == nil && last.Time.Before(before) {
			err = store.Purge(ctx, jetstream.WithPurgeSubject(subject))
		}
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return err
		}
	}
	return nil
}

// forget deletes the entry of an object, and not one that has taken its place meanwhile.
func (q *Queue) forget(ctx context.Context, store jetstream.Stream, name string, before time.Time) (gone bool, err error) {
	entry, err := store.GetLastMsgForSubject(ctx, objectsSubject+base64.URLEncoding.EncodeToString([]byte(name)))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return true, nil
	}
	if err != nil || entry.Time.After(before) {
		return false, err
	}
	err = store.DeleteMsg(ctx, entry.Sequence)
	if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) || errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil // it was sent again
	}
	return err == nil, err
}

// references are the objects that batches name.
type references struct {
	queue *Queue
	names map[string]bool
}

// add adds those of a batch: of its jobs, of its results and of its runs.
func (r references) add(ctx context.Context, batch string) error {
	for msg, err := range r.queue.messages(ctx, jobsStream, jobsSubject+batch, 0, false) {
		var s span
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
	for msg, err := range r.queue.messages(ctx, runsStream, runsSubject+batch+".*", 0, false) {
		if err != nil {
			return err
		}
		for line := range bytes.Lines(msg.Data()) {
			var k keptLine
			if err := json.Unmarshal(line, &k); err != nil {
				return err
			}
			r.names[k.Object] = true
			if err := r.name(ctx, k.File, true); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// name adds an object, and those that it names if it is a manifest.
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
