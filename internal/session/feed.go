package session

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Bounds of the ring, from which readers that are slightly behind catch up. Readers further behind read the log.
const (
	ringFrames = 2048
	ringBytes  = 2 << 20
)

// Frame is an event of a session, encoded once for all readers.
type Frame struct {
	// Seq is the number of the event in the log. A transient frame has the number of the preceding event.
	Seq       int64
	Transient bool
	JSON      []byte
	// Detail marks an event of a child run or a sub-call, which brief readers do not need. Counts marks an event
	// that changes the usage of sub-calls or of the question.
	Detail, Counts bool

	others []byte // the JSON for all but the owner, if different
}

// broadcaster sends a session's events to any number of readers. No reader slows the session or another reader.
type broadcaster struct {
	dir     string
	readers atomic.Int64

	mu      sync.Mutex
	ring    []Frame
	bytes   int
	first   int64             // index of ring[0] among all frames
	last    int64             // number of the last durable event
	broken  error             // why the log cannot be read any further
	state   []byte            // the session's state, for readers that join
	partial map[string]*reply // replies in progress, by the path of their run
	printed outputTail        // output of the root's running cell
	changed chan struct{}     // closed and replaced when something changes
}

// reply is the text of a reply so far.
type reply struct{ content, reasoning []byte }

// outputTail is the end of a cell's output.
type outputTail struct {
	cell int
	text []byte
}

// mostPrinted is the maximum number of bytes of a running cell's output that a joining reader gets.
const mostPrinted = 64 << 10

// newBroadcaster makes the broadcaster of a log whose last event has the number last.
func newBroadcaster(dir string, last int64) *broadcaster {
	return &broadcaster{dir: dir, last: last, partial: map[string]*reply{}, changed: make(chan struct{})}
}

// add adds the next event. Events that were added before are ignored.
func (f *broadcaster) add(ev trajectory.Event) error {
	fr, err := frameOf(ev, false)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !fr.Transient && ev.Seq <= f.last {
		return nil
	}
	if !fr.Transient {
		if ev.Seq > f.last+1 { // other processes wrote meanwhile
			f.skip()
		}
		f.last = ev.Seq
	}
	f.gather(ev)
	f.push(fr)
	return nil
}

// await returns once the event seq was added, or will not be because the log is broken or ended is closed.
func (f *broadcaster) await(seq int64, ended <-chan struct{}) {
	for {
		f.mu.Lock()
		there, changed := f.last >= seq || f.broken != nil, f.changed
		f.mu.Unlock()
		if there {
			return
		}
		select {
		case <-changed:
		case <-ended:
			return
		}
	}
}

// frameOf encodes an event. Long texts are left out, except the root's replies, which every reader shows. If brief
// is set, details are not encoded.
func frameOf(ev trajectory.Event, brief bool) (Frame, error) {
	fr := Frame{Seq: ev.Seq, Transient: trajectory.Transient(ev.Data)}
	switch d := ev.Data.(type) {
	case trajectory.ReplyReceived:
		const shown = 64 << 10 // maximum bytes of a reply that is not left out
		out := ev.Referenced()
		if whole, err := d.Content.Load(); ev.Path == "" && err == nil && len(whole) <= shown {
			e := out.Data.(trajectory.ReplyReceived)
			e.Content = trajectory.T(whole)
			out.Data = e
		}
		ev, fr.Counts = out, true
	case trajectory.SubCallStarted, trajectory.SubCallEnded:
		if fr.Detail, fr.Counts = true, true; !brief {
			ev = ev.Referenced()
		}
	case trajectory.Checked:
		fr.Detail = true
	case trajectory.FellBack:
		fr.Detail = d.Cell != 0
	case trajectory.CallRetried:
		fr.Detail = d.Cell != 0
	case trajectory.CallLost:
		fr.Detail = d.Cell != 0
	case trajectory.RunStarted, trajectory.TurnStarted, trajectory.RunEnded:
		fr.Counts = true
	default:
		ev = ev.Referenced()
	}
	fr.Detail = fr.Detail || ev.Path != ""
	if brief && fr.Detail {
		return fr, nil
	}
	b, err := json.Marshal(ev)
	if err != nil {
		return fr, fmt.Errorf("encode event %d: %w", ev.Seq, err)
	}
	fr.JSON = b
	if _, ok := ev.Data.(trajectory.ContextAdded); ok {
		fr.others, err = json.Marshal(seenBy(Person{}, ev))
	}
	return fr, err
}

// gather collects what a reader needs if it joins during a reply or a cell. The caller holds mu.
func (f *broadcaster) gather(ev trajectory.Event) {
	switch d := ev.Data.(type) {
	case trajectory.ReplyDelta:
		p := f.partial[ev.Path]
		if p == nil || d.Restart {
			p = &reply{}
			f.partial[ev.Path] = p
		}
		p.content, p.reasoning = append(p.content, d.Content...), append(p.reasoning, d.Reasoning...)
	case trajectory.TurnStarted, trajectory.ReplyReceived, trajectory.TurnFailed, trajectory.RunEnded:
		delete(f.partial, ev.Path)
	case trajectory.CellStarted:
		if ev.Path == "" {
			f.printed = outputTail{cell: d.Cell}
		}
	case trajectory.CellPrinted:
		if ev.Path == "" && d.Cell == f.printed.cell {
			f.printed.text = append(f.printed.text, d.Text...)
			if over := len(f.printed.text) - 2*mostPrinted; over > 0 {
				f.printed.text = append([]byte(nil), f.printed.text[len(f.printed.text)-mostPrinted:]...)
			}
		}
	case trajectory.CellEnded:
		if ev.Path == "" {
			f.printed = outputTail{}
		}
	}
}

// push adds a frame and wakes the readers. The caller holds mu.
func (f *broadcaster) push(fr Frame) {
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

// drop frees the ring.
func (f *broadcaster) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget()
}

// forget empties the ring, so that readers that are behind read the log. The caller holds mu.
func (f *broadcaster) forget() {
	f.first += int64(len(f.ring))
	f.ring, f.bytes = nil, 0
}

// skip makes all readers read the log, which has events that were not added here. The caller holds mu.
func (f *broadcaster) skip() {
	f.forget()
	f.first++ // even readers that have read the whole ring
}

// reach notes that the log has events up to seq, some of which may not have been added here.
func (f *broadcaster) reach(seq int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if seq <= f.last {
		return
	}
	f.skip()
	f.last = seq
	close(f.changed)
	f.changed = make(chan struct{})
}

// fail ends the streams of all readers with an error.
func (f *broadcaster) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = err
	close(f.changed)
	f.changed = make(chan struct{})
}

// recovered clears a failure: the session is open again.
func (f *broadcaster) recovered() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = nil
}

// tell sends the session's state, and stores it for readers that join later.
func (f *broadcaster) tell(state []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = state
	f.push(Frame{Seq: f.last, Transient: true, JSON: state})
}

// pass sends a frame to current readers only.
func (f *broadcaster) pass(b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.push(Frame{Seq: f.last, Transient: true, JSON: b})
}

// at returns the number of the last durable event that was added.
func (f *broadcaster) at() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}
