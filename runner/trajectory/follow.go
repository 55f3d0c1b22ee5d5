package trajectory

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"time"
)

// followEvery is how often a log is checked for new events. A check is one system call.
const followEvery = 30 * time.Millisecond

// Reader reads a log step by step, even while another process writes it. It is not safe for concurrent use.
type Reader struct {
	dir  string
	at   position
	seen int64 // size of the log when its end was reached; a log only grows
}

// NewReader makes a reader that starts with the first event of the log in dir.
func NewReader(dir string) *Reader { return &Reader{dir: dir} }

// More yields the durable events that the reader has not yielded before. Long texts stay in their side file, as
// with Skim. A damaged line is a *DamagedError.
func (r *Reader) More() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		size := sizeOf(filepath.Join(r.dir, logFile)) // before reading: later additions count as growth
		if size == r.seen {
			return
		}
		for e, err := range readFrom(r.dir, r.at, readOptions{}) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			r.at = position{e.Seq, e.at}
			if !yield(e.Event, nil) {
				return
			}
		}
		r.seen = size
	}
}

// Follow yields the durable events after the event numbered after (0: all), both existing and future ones, until
// ctx is done: then it ends without an error. It reads the file, so the writing process need not know of it. Long
// texts stay in their side file, as with Skim. A damaged line is a *DamagedError and ends the sequence.
func Follow(ctx context.Context, dir string, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		file := filepath.Join(dir, logFile)
		r := NewReader(dir)
		for {
			for e, err := range r.More() {
				switch {
				case ctx.Err() != nil:
					return
				case err != nil:
					yield(Event{}, err)
					return
				}
				if e.Seq > after && !yield(e, nil) {
					return
				}
			}
			if !changed(ctx, file, r.seen) {
				return
			}
		}
	}
}

// changed waits until a file's size differs from size. It returns false if ctx is done first.
func changed(ctx context.Context, file string, size int64) bool {
	look := time.NewTicker(followEvery)
	defer look.Stop()
	for sizeOf(file) == size {
		select {
		case <-look.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// sizeOf is the size of a file, -1 if there is none: reading it then reports the error.
func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return -1
	}
	return info.Size()
}
