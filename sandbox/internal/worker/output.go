package worker

import (
	"sync"
	"time"

	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Printed text is sent to the host immediately, so that it survives a crash of the worker. After often writes, a
// cell's output is buffered, and sent when much has been collected or a moment has passed.
const (
	often  = 256 // writes of a cell that are sent immediately
	piece  = 8 << 10
	moment = 15 * time.Millisecond
)

// output receives what a cell prints. It streams the first bytes to the host, and keeps only the end of the rest.
type output struct {
	send   func(cell int, p []byte)
	stream int // bytes to stream
	keep   int // bytes of the end to keep

	mu       sync.Mutex
	cell     int
	open     bool
	muted    bool
	writes   int
	printed  int64
	streamed int
	pending  []byte
	armed    bool
	tail     []byte // at most 2·keep bytes
}

func newOutput(b wire.Bounds, send func(cell int, p []byte)) *output {
	return &output{send: send, stream: b.Stream, keep: b.Output}
}

func (o *output) begin(cell int, muted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cell, o.open, o.muted = cell, true, muted
	o.writes, o.printed, o.streamed, o.pending, o.tail = 0, 0, 0, nil, nil
}

// end returns how many bytes were printed, and the end of the part that was not streamed. Whatever a leftover
// goroutine prints later is dropped.
func (o *output) end() (int64, []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	o.open = false
	return o.printed, o.end0()
}

// soFar is end for a cell that is still running.
func (o *output) soFar() (int64, []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	return o.printed, o.end0()
}

func (o *output) end0() []byte { return o.tail[max(0, len(o.tail)-o.keep):] }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open || o.muted {
		return len(p), nil
	}
	o.writes++
	o.printed += int64(len(p))
	n := min(len(p), o.stream-o.streamed)
	o.pending = append(o.pending, p[:n]...)
	o.streamed += n
	o.remember(p[n:])
	switch {
	case o.writes <= often || len(o.pending) >= piece:
		o.flush()
	case len(o.pending) > 0 && !o.armed:
		o.armed = true
		time.AfterFunc(moment, func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.armed = false
			if o.open {
				o.flush()
			}
		})
	}
	return len(p), nil
}

func (o *output) remember(p []byte) {
	if len(p) >= o.keep {
		o.tail = append(o.tail[:0], p[len(p)-o.keep:]...)
		return
	}
	if len(o.tail)+len(p) > 2*o.keep {
		o.tail = append(o.tail[:0], o.end0()...)
	}
	o.tail = append(o.tail, p...)
}

func (o *output) flush() {
	for len(o.pending) > 0 {
		n := min(len(o.pending), 8*piece)
		o.send(o.cell, o.pending[:n])
		o.pending = o.pending[n:]
	}
	o.pending = nil
}
