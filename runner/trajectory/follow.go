package trajectory

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"time"
)

// followEvery is how often a log is looked at for more. A look is one system call.
const followEvery = 30 * time.Millisecond

// Follow yields the durable events behind the event after (0: all), those that the log in dir has and those that come, until ctx
// is done: then it ends without an error. It reads the file, so whoever writes the log need not know of it and may be another
// process. Long texts stay in their side file, as with Skim. A damaged line is a *DamagedError, after which nothing follows.
func Follow(ctx context.Context, dir string, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		file := filepath.Join(dir, logFile)
		var at position
		for {
			seen := sizeOf(file) // before it is read: what comes after this is noticed as growth
			for e, err := range readFrom(dir, at, reading{}) {
				switch {
				case ctx.Err() != nil:
					return
				case err != nil:
					yield(Event{}, err)
					return
				}
				at = position{e.Seq, e.at}
				if e.Seq > after && !yield(e.Event, nil) {
					return
				}
			}
			if !changed(ctx, file, seen) {
				return
			}
		}
	}
}

// changed waits until a file's size is another one. It is false when ctx is done first.
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

// sizeOf is the size of a file, -1 if there is none: reading it then says why.
func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return -1
	}
	return info.Size()
}
