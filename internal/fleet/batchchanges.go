package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// Change is a batch whose status has changed, or that was removed.
type Change struct {
	Status
	Removed bool // the batch was removed: only its id is set
}

// mostFollowed is how many batches are followed from the start; older ones are followed once their record changes.
const mostFollowed = 100

// Changes yields the statuses of the newest batches and then, at most once a second, those that changed, until ctx
// is done. Batches without remaining work cost nothing. Changes ends with an error if the queue cannot be read.
func Changes(ctx context.Context, q *Queue) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		c := &changes{
			queue: q, told: map[string]string{}, open: map[string]record{}, quiet: map[string]int{},
			yield: yield,
		}
		for ctx.Err() == nil {
			gone := q.conn.Lost()
			watcher, err := watchBatches(ctx, q)
			if err == nil {
				err = c.follow(ctx, watcher, gone)
				_ = watcher.Stop() // the connection may be gone
			}
			if err != nil {
				if ctx.Err() == nil && !errors.Is(err, errEnough) {
					yield(Change{}, q.why(err))
				}
				return
			}
		}
	}
}

// errEnough means that the consumer of changes has stopped.
var errEnough = errors.New("enough")

// changes is what the consumer knows about batches.
type changes struct {
	queue *Queue
	told  map[string]string // the last status yielded, as JSON, by id
	open  map[string]record // batches whose status may have changed
	quiet map[string]int    // how often in a row the nodes of a batch did not answer
	yield func(Change, error) bool
}

// follow yields changes until the connection is lost, because records may then change without the watcher noticing.
func (c *changes) follow(ctx context.Context, watcher jetstream.KeyWatcher, gone <-chan struct{}) error {
	if err := c.begin(ctx, watcher, gone); err != nil {
		return err
	}
	tick := time.NewTicker(c.queue.times.status)
	defer tick.Stop()
	for {
		if err := c.tell(ctx); err != nil {
			return err
		}
		for looked := false; !looked; {
			select {
			case entry, ok := <-watcher.Updates():
				if !ok {
					return nil
				}
				if err := c.changed(entry); err != nil {
					return err
				}
			case <-tick.C:
				looked = true
			case <-gone:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// begin reads the existing records. It returns if the connection is lost, which the watcher does not report.
func (c *changes) begin(ctx context.Context, watcher jetstream.KeyWatcher, gone <-chan struct{}) error {
	there := map[string]record{}
	for {
		select {
		case entry, ok := <-watcher.Updates():
			if !ok {
				return nil
			}
			if entry == nil { // all existing records have been read
				return c.compare(there)
			}
			var r record
			if entry.Operation() == jetstream.KeyValuePut && json.Unmarshal(entry.Value(), &r) == nil {
				there[r.ID] = r
			}
		case <-gone:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// compare finds new and removed batches among the existing records.
func (c *changes) compare(there map[string]record) error {
	for id := range c.told {
		if _, is := there[id]; !is {
			if err := c.removed(id); err != nil {
				return err
			}
		}
	}
	list := slices.SortedFunc(maps.Values(there), func(a, b record) int { return b.Created.Compare(a.Created) })
	for i, r := range list {
		if _, known := c.told[r.ID]; i < mostFollowed || known {
			c.open[r.ID] = r
		}
	}
	return nil
}

func (c *changes) changed(entry jetstream.KeyValueEntry) error {
	if entry == nil {
		return nil
	}
	if entry.Operation() != jetstream.KeyValuePut {
		return c.removed(entry.Key())
	}
	var r record
	if json.Unmarshal(entry.Value(), &r) == nil {
		c.open[r.ID] = r
	}
	return nil
}

func (c *changes) removed(id string) error {
	delete(c.told, id)
	delete(c.open, id)
	delete(c.quiet, id)
	if !c.yield(Change{Status: Status{Batch: Batch{ID: id}}, Removed: true}, nil) {
		return errEnough
	}
	return nil
}

// tell yields the statuses that changed. A status that cannot be read now is read again later.
func (c *changes) tell(ctx context.Context) error {
	for id, r := range c.open {
		// While results are being removed, counting them waits; if that takes too long, the status is read again
		// later.
		patient, cancel := context.WithTimeout(ctx, jet.AnswerPatience)
		s, err := c.queue.status(patient, r)
		cancel()
		if failed := c.queue.broken(); failed != nil {
			return failed
		}
		if err != nil {
			continue
		}
		text, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if s.Done+s.Dead >= s.Jobs && s.Nodes == 0 {
			delete(c.open, id) // no longer looked at until its record changes
		}
		if c.told[id] == string(text) || c.late(s) {
			continue
		}
		c.told[id] = string(text)
		if !c.yield(Change{Status: s}, nil) {
			return errEnough
		}
	}
	return nil
}

// patientLooks is how often in a row nodes may fail to answer in time, as on a busy machine, before they count as
// gone.
const patientLooks = 2

// late reports whether the nodes of a batch with jobs left may be merely slow to answer.
func (c *changes) late(s Status) bool {
	left := s.Done+s.Dead < s.Jobs && !s.Cancelled
	if s.Nodes > 0 || !left {
		c.quiet[s.ID] = 0
		return false
	}
	var before Status
	if json.Unmarshal([]byte(c.told[s.ID]), &before) != nil || before.Nodes == 0 {
		return false
	}
	c.quiet[s.ID]++
	return c.quiet[s.ID] <= patientLooks
}
