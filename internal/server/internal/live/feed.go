package live

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/gorlm/rlm/runner/trajectory"
)

// What a feed keeps for readers that are a little behind. Who is further behind reads the log.
const (
	ringFrames = 4096
	ringBytes  = 8 << 20
)

// Frame is an event of a session, encoded once for all who read it.
type Frame struct {
	// Seq is the number of the event in the log. A transient frame has that of the event before it.
	Seq       int64
	Transient bool
	JSON      []byte
}

// feed hands a session's events to any number of readers. None of them slows the session or another reader.
type feed struct {
	dir string

	mu      sync.Mutex
	ring    []Frame
	bytes   int
	first   int64                            // place of ring[0] among all frames
	last    int64                            // the last durable event
	broken  error                            // why the log cannot be read on
	state   []byte                           // what the session does, for those who join
	partial map[string]trajectory.ReplyDelta // what has come of replies under way, by the path of their run
	changed chan struct{}                    // closed when there is more
}

// newFeed makes the feed of a log that has been written up to the event last.
func newFeed(dir string, last int64) *feed {
	return &feed{dir: dir, last: last, partial: map[string]trajectory.ReplyDelta{}, changed: make(chan struct{})}
}

// add takes the next event. Events that the feed has had already are left out.
func (f *feed) add(ev trajectory.Event) error {
	b, err := json.Marshal(ev)
	if err != nil {
		return fmt.Errorf("encode event %d: %w", ev.Seq, err)
	}
	transient := trajectory.Transient(ev.Data)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !transient && ev.Seq <= f.last {
		return nil
	}
	if !transient {
		if ev.Seq > f.last+1 { // others wrote meanwhile: readers get that from the log
			f.forget()
		}
		f.last = ev.Seq
	}
	switch d := ev.Data.(type) {
	case trajectory.ReplyDelta:
		p := f.partial[ev.Path]
		if d.Restart {
			p = trajectory.ReplyDelta{}
		}
		f.partial[ev.Path] = trajectory.ReplyDelta{Content: p.Content + d.Content, Reasoning: p.Reasoning + d.Reasoning}
	case trajectory.TurnStarted, trajectory.ReplyReceived, trajectory.TurnFailed, trajectory.RunEnded:
		delete(f.partial, ev.Path)
	}
	f.push(Frame{Seq: ev.Seq, Transient: transient, JSON: b})
	return nil
}

// push adds a frame and wakes the readers. The caller holds mu.
func (f *feed) push(fr Frame) {
	f.ring = append(f.ring, fr)
	f.bytes += len(fr.JSON)
	for len(f.ring) > ringFrames || len(f.ring) > 1 && f.bytes > ringBytes {
		f.bytes -= len(f.ring[0].JSON)
		f.ring[0].JSON = nil
		f.ring = f.ring[1:]
		f.first++
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// forget empties the ring: who reads goes to the log. The caller holds mu.
func (f *feed) forget() {
	f.first += int64(len(f.ring))
	f.ring, f.bytes = nil, 0
}

// fail ends the feed: its log cannot be read.
func (f *feed) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = err
	close(f.changed)
	f.changed = make(chan struct{})
}

// tell sends a frame that is no event of the log: what the session does at this moment.
func (f *feed) tell(state []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = state
	f.push(Frame{Seq: f.last, Transient: true, JSON: state})
}

// pass sends a frame to those who read at this moment.
func (f *feed) pass(b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.push(Frame{Seq: f.last, Transient: true, JSON: b})
}

// at is the last durable event that the feed has.
func (f *feed) at() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}
