package repl

import (
	"io"
	"sync"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
)

// output is where cells print. It serialises what the goroutines of a cell print, and keeps what goroutines of earlier
// cells print apart, which a reader would take for the running cell's.
type output struct {
	w     io.Writer
	stale func() bool // whether the calling goroutine is an earlier cell's

	mu     sync.Mutex
	cells  int  // cells that began
	ended  bool // no cell runs
	late   []byte
	missed int
}

// lateBytes bounds what is kept of late printing.
const lateBytes = 1000

// Write prints for the running cell.
func (o *output) Write(b []byte) (int, error) {
	stale := o.lock()
	defer o.mu.Unlock()
	if !stale && !o.ended {
		return o.w.Write(b)
	}
	room := min(len(b), lateBytes-len(o.late))
	o.late = append(o.late, b[:room]...)
	o.missed += len(b)
	return len(b), nil
}

// lock takes the lock and reports whether the calling goroutine is an earlier cell's. A cell may begin while that is found out; then it
// is found out again.
func (o *output) lock() (stale bool) {
	for {
		o.mu.Lock()
		cells := o.cells
		o.mu.Unlock()
		stale = o.stale != nil && o.stale()
		if o.mu.Lock(); cells == o.cells {
			return stale
		}
		o.mu.Unlock()
	}
}

// begin says that a cell runs from now on. Goroutines of earlier cells must be known as theirs by then.
func (o *output) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = false
	o.cells++
}

// end says that the cell has ended, and returns a note about what goroutines of earlier cells printed meanwhile.
func (o *output) end() (note string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	if o.missed > 0 {
		note = "goroutines that earlier cells left running printed " + units.Bytes(int64(o.missed)) + ": " + text.Line(string(o.late), lateBytes)
	}
	o.late, o.missed = nil, 0
	return note
}
