package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// Batch is a set of jobs and its settings.
type Batch struct {
	ID     string `json:"id"`              // one word: letters, digits, - and _
	Name   string `json:"name,omitempty"`  // a name for people, such as the file of its jobs
	Budget Budget `json:"budget,omitzero"` // budget of all jobs together
	// Priority decides whose jobs nodes take first: those of the batch with the higher priority. Batches with the
	// same priority take turns.
	Priority int             `json:"priority,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
}

// Budget bounds all jobs of a batch together; 0 means no bound. When it is used up, running jobs have one last
// turn, and the rest stay in the queue. A call in flight may exceed it.
type Budget struct {
	Cost   float64       `json:"cost,omitempty"`   // USD, if prices are known
	Tokens int64         `json:"tokens,omitempty"` // prompts and completions
	Time   time.Duration `json:"time,omitempty"`   // time since the node started the batch
}

// record is what the queue stores about a batch.
type record struct {
	Batch
	Created   time.Time `json:"created"`
	Jobs      int       `json:"jobs"` // number of jobs, with or without a result
	Cancelled bool      `json:"cancelled,omitempty"`
	Puts      int       `json:"puts,omitempty"` // how often jobs were added; each change of the record wakes nodes
	// Stale counts results that do not count, because their jobs are no longer part of the batch, or are retried.
	Stale counts `json:"stale,omitzero"`
}

// NotFoundError means that there is no such batch, or more than one.
type NotFoundError struct {
	Typed   string
	Matches []string // ids, if there are several
}

func (e *NotFoundError) Error() string {
	if len(e.Matches) == 0 {
		return fmt.Sprintf("there is no batch %q", e.Typed)
	}
	return fmt.Sprintf("%q matches %d batches: %s", e.Typed, len(e.Matches), strings.Join(e.Matches, ", "))
}

// Find returns the batch with an id, the beginning of an id, or a name.
func (q *Queue) Find(ctx context.Context, typed string) (Batch, error) {
	if isWord(typed) {
		if r, err := q.record(ctx, typed); err == nil {
			return r.Batch, nil
		}
	}
	records, err := q.records(ctx)
	if err != nil {
		return Batch{}, err
	}
	var found []record
	for _, match := range []func(record) bool{
		func(r record) bool { return r.Name == typed },
		func(r record) bool { return typed != "" && strings.HasPrefix(r.ID, typed) },
	} {
		for _, r := range records {
			if match(r) {
				found = append(found, r)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	if len(found) == 1 {
		return found[0].Batch, nil
	}
	missing := &NotFoundError{Typed: typed}
	for _, r := range found {
		missing.Matches = append(missing.Matches, r.ID)
	}
	return Batch{}, missing
}

// records returns the records of all batches, the newest first.
func (q *Queue) records(ctx context.Context) ([]record, error) {
	keys, err := jet.Ask(ctx, q.conn, func(ctx context.Context) ([]string, error) {
		list, err := q.batches.ListKeys(ctx)
		if err != nil {
			return nil, err
		}
		var keys []string
		for key := range list.Keys() {
			keys = append(keys, key)
		}
		return keys, ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list the batches: %w", q.why(err))
	}
	var records []record
	for _, key := range keys {
		r, err := q.record(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue // the batch was removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b record) int { return b.Created.Compare(a.Created) })
	return records, nil
}

// record reads the record of a batch. If there is none the error is jetstream.ErrKeyNotFound.
func (q *Queue) record(ctx context.Context, id string) (r record, err error) {
	entry, err := q.conn.Get(ctx, q.batches, id)
	if err != nil {
		return r, fmt.Errorf("read the batch %s: %w", id, q.why(err))
	}
	if err := json.Unmarshal(entry.Value(), &r); err != nil {
		return r, fmt.Errorf("read the batch %s: %w", id, err)
	}
	return r, nil
}

// change changes the record of a batch, creating it if necessary. change is called again if another process
// changes it concurrently.
func (q *Queue) change(ctx context.Context, id string, change func(*record)) error {
	err := jet.Revise(ctx, q.conn, q.batches, id, func(r *record) error {
		change(r)
		return nil
	})
	if err != nil {
		return fmt.Errorf("record the batch %s: %w", id, q.why(err))
	}
	return nil
}
