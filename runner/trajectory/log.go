package trajectory

import (
	"errors"
	"iter"
)

// Log is the durable log of one run or session: <dir>/trajectory.jsonl with its side files. One process owns it at a time (a lock with the
// owner's pid and host). It is safe for concurrent use.
type Log struct{}

var errNotBuilt = errors.New("not built yet")

// Create makes a new log in dir, which must not hold one.
func Create(dir string) (*Log, error) { return nil, errNotBuilt }

// Open takes over an existing log to append to it. A torn last line is cut off. If another process owns it the error names the owner.
func Open(dir string) (*Log, error) { return nil, errNotBuilt }

// Append writes one event and returns it with Seq and Time set. It returns when the event is durable (fsync; concurrent appends share one). Transient
// events (ReplyDelta, CellPrinted) are not written, only handed to subscribers.
func (l *Log) Append(path string, turn int, d Data) (Event, error) { return Event{}, errNotBuilt }

// Subscribe returns the events from now on. A slow reader loses transient events, never others, and never blocks the run. stop ends it.
func (l *Log) Subscribe() (events iter.Seq[Event], stop func()) { return nil, nil }

// Close releases the lock.
func (l *Log) Close() error { return errNotBuilt }

// Read yields the events of the log in dir, whether or not somebody is writing to it. A torn last line ends it without an error.
func Read(dir string) iter.Seq2[Event, error] { return nil }
