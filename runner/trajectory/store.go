package trajectory

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/internal/kit/text"
)

// Store stores a log where another machine can continue the run. The folder of such a log is a working copy: an
// event is durable when the store has it.
type Store interface {
	// Commit appends events to those that the store has, in order, and returns when they are durable there. After
	// an error nothing more is appended to the log. A log makes one call at a time, and may stop waiting for it;
	// see Log.GiveUp.
	Commit(events []Event) error
}

func (l *Log) in(store Store) *Log {
	if l != nil && store != nil {
		l.store, l.sync = store, func(*os.File) error { return nil }
	}
	return l
}

// handOver passes the events of a batch to the store, if there is one.
func (b *batch) handOver(ctx context.Context, store Store) error {
	if store == nil {
		return nil
	}
	events := make([]Event, 0, len(b.events))
	for _, e := range b.events {
		if !Transient(e.Data) {
			events = append(events, e.Event)
		}
	}
	_, err := callback.Call(ctx, "the store of the log", func() (struct{}, error) {
		return struct{}{}, store.Commit(events)
	})
	if why := context.Cause(ctx); err != nil && why != nil {
		return fmt.Errorf("%w (%w)", err, why)
	}
	return err
}

// GiveUp soon ends the present wait for the store, with an error that wraps why. If nothing waits, it does nothing.
func (l *Log) GiveUp(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.giveUp != nil {
		l.giveUp(why)
	}
}

// Announced returns when a process on another machine can know all events so far: immediately if the log has no
// store. Call it before sending a call that only one process may make.
func (l *Log) Announced() error {
	if l.store == nil {
		return nil
	}
	_, err := l.Settle()
	return err
}

// Restore makes a working copy of a log in dir, which must not contain one, from all its events with their texts.
// It returns the number of the last event.
func Restore(dir string, events iter.Seq2[Event, error]) (last int64, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("create the run's folder: %w", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, logFile)); err == nil {
		return 0, fmt.Errorf("restore a log in %s: it already contains a run", dir)
	}
	l, err := Create(dir, noopStore{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for e, err := range events {
		if err != nil {
			return l.Seq(), err
		}
		if err := l.restore(e); err != nil {
			return l.Seq(), err
		}
	}
	return l.Seq(), nil
}

// noopStore stores nothing: it is for a log whose events were read from a store, which has them already.
type noopStore struct{}

func (noopStore) Commit([]Event) error { return nil }

// restore appends an event exactly as it was recorded elsewhere.
func (l *Log) restore(e Event) error {
	stored, err := mapTexts(e.Data, l.keepText)
	if err != nil {
		return err
	}
	payload, err := text.JSON(stored)
	if err != nil {
		return fmt.Errorf("encode event %s: %w", e.Data.EventType(), err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	if e.Seq != l.seq+1 {
		return fmt.Errorf("restore the log in %s: event %d follows event %d", l.dir, e.Seq, l.seq)
	}
	b, err := l.place(e, withFields(payload, e.extra))
	if err != nil {
		return err
	}
	return l.commit(b)
}
